# SPDX-License-Identifier: GPL-3.0-or-later
"""schedsim: a simulator of GPU-cluster schedulers, through its library.

Programs that import this package fall under the GPL, version 3 or later."""
from ._library import Job, functions
from .environment import Environment, Vector
from .errors import Error, InputError, UsageError
from .policy import Policy, View
from .results import Column, Result, Table
from .simulation import Comparison, Simulation, compare, run

__all__ = ["Column", "Comparison", "Environment", "Error", "InputError", "Job",
           "Policy", "Result", "Simulation", "Table", "UsageError", "Vector",
           "View", "compare", "run", "version"]


def version():
    """Returns the version of the library."""
    return functions().version().decode()
