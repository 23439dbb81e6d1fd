# SPDX-License-Identifier: GPL-3.0-or-later
"""schedsim: a simulator of GPU-cluster schedulers, through its library.

Programs that import this package fall under the GPL, version 3 or later."""
from ._library import Job, functions
from .environment import Environment, Vector
from .errors import Error, InputError, MissingFile, UsageError
from .policy import Policy, View
from .results import Column, Comparison, Result, Table, load
from .simulation import Simulation, compare, run

__all__ = ["Column", "Comparison", "Environment", "Error", "InputError", "Job",
           "MissingFile", "Policy", "Result", "Simulation", "Table",
           "UsageError", "Vector", "View", "compare", "load", "run", "version"]
__version__: str


def version() -> str:
    """Returns the version of the library."""
    return str(functions().version().decode())


def __getattr__(name: str) -> str:
    if name == "__version__":  # not known before the library is loaded
        return version()
    raise AttributeError("module 'schedsim' has no attribute %r" % name)
