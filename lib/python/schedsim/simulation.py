# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs: one run, several, or one step by step."""
from __future__ import annotations

import csv
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, Union

from . import _library
from .errors import check
from .options import HELP
from .policy import Policy, View
from .results import Comparison, Path, Result, ended_result

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from .options import Options

Trace = Union[Path, "pandas.DataFrame", Mapping[str, Sequence[Any]]]
PolicyLike = Union[str, Policy, None]

OPTIONS = """
    trace     path of a trace; or a pandas.DataFrame (or a dict of columns) with
              columns of schedsim's own format, at least submitted_unix_s,
              duration_s and gpus (`schedsim list --explain native`)
    policy    what --policy takes, or an instance of schedsim.Policy; None: fifo
    cluster   what --cluster takes, such as "8x8:A100"; None: the cluster that
              the trace comes from

    The options of `schedsim run` follow, with _ for -. A list stands for several
    values of one option.
""" + HELP


def cell(value: Any) -> Any:
    """Returns a value of a DataFrame as a trace has it: times in seconds since
    1970, nothing for what is missing."""
    if hasattr(value, "timestamp"):
        value = value.timestamp()
    elif hasattr(value, "total_seconds"):
        value = value.total_seconds()
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def write_trace(columns: Any, path: str) -> None:
    """Writes a DataFrame, or a dict of columns, as a trace."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.keys())
        for row in zip(*(columns[name] for name in columns.keys())):
            writer.writerow([cell(value) for value in row])


class Simulation:
    """A run that can be stepped. A Result and its columns stay valid after
    `close`.
"""

    def __init__(self, trace: Trace, policy: PolicyLike = None,
                 cluster: Optional[str] = None,
                 **options: Unpack[Options]) -> None:
        lib = _library.functions()
        self._handle: Optional[_library.Handle] = _library.Handle()
        self._stop: Optional[BaseException] = None  # raised by a callback
        self._watch: Any = None
        self._folder: Any = None  # holds a trace that was a DataFrame
        self.policy = policy if isinstance(policy, Policy) else None
        if not isinstance(trace, (str, os.PathLike)):
            self._folder = tempfile.TemporaryDirectory()
            path = os.path.join(self._folder.name, "dataframe.csv")
            write_trace(trace, path)
            trace = path
        self.set("trace", os.fspath(trace))
        if self.policy:
            check(self.handle, lib.decide_by(
                self.handle, name_of(self.policy).encode(),
                self.policy.needs()))
        elif policy is not None:
            self.set("policy", policy)
        for option, value in [("cluster", cluster), *options.items()]:
            if value is not None:
                self.set(option, value)
        self._view: Optional[View] = View(self.handle)

    @property
    def handle(self) -> _library.Handle:
        """Returns the handle of the library; raises an error if the simulation
        is closed."""
        if self._handle is None:
            raise RuntimeError("the simulation is closed")
        return self._handle

    @property
    def view(self) -> View:
        if self._view is None:
            raise RuntimeError("the simulation is closed")
        return self._view

    def set(self, option: str, value: Any) -> None:
        """Sets an option before the run begins."""
        if isinstance(value, bool):
            value = int(value)
        elif isinstance(value, (list, tuple)):
            value = (";" if option == "what_if" else ",").join(map(str, value))
        # "from" is a word of Python, hence from_
        check(self.handle, _library.functions().set(
            self.handle, option.rstrip("_").encode(), str(value).encode()))

    def watch(self, call: Callable[[float, int, int], object]) -> None:
        """Calls call(now, ended, jobs) each time another thousandth of the
        jobs has ended."""
        def guarded(_self: Any, now: float, ended: int, jobs: int) -> bool:
            try:
                call(now, ended, jobs)
            # a callback can raise KeyboardInterrupt, too
            except BaseException as error:
                self._stop = error
            return self._stop is None
        self._watch = _library.WATCH(guarded)
        check(self.handle, _library.functions().watch_by(
            self.handle, self._watch, None))

    def step(self, until: float = math.inf) -> Union[
            Result, Literal["asked", "more"]]:
        """Runs up to the time `until`, in seconds. Returns "asked" if the
        caller is the policy and must decide (see `view`), "more" if the time
        has come, else a Result."""
        status = check(self.handle,
                       _library.functions().step(self.handle, until))
        if self._stop is not None:
            raise self._stop
        if status == _library.ASKED:
            return "asked"
        if status == _library.MORE:
            return "more"
        return ended_result(self.handle)

    def run(self) -> Result:
        """Runs to the end and returns a Result. A Policy decides whenever the
        library requests it."""
        begun = False
        while True:
            outcome = self.step()
            if isinstance(outcome, Result):
                return outcome
            assert self.policy, "only a Policy is asked"
            if not begun:
                self.policy.begin(self.view)
                begun = True
            self.policy.decide(self.view)

    def close(self) -> None:
        """Ends the run. Its memory is freed when no result, column or view of
        the run is left."""
        self._handle = self._view = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProgressLine:
    """A line of progress that is overwritten, in a notebook or on a terminal.
    """

    def __init__(self, label: str) -> None:
        self.label, self.drawn = label, 0.0
        self.shell = "ipykernel" in sys.modules
        self.quiet = not self.shell and not sys.stderr.isatty()

    def __call__(self, now: float, ended: int, jobs: int) -> None:
        at = time.monotonic()
        if self.quiet or (at - self.drawn < 0.1 and ended < jobs):
            return
        self.drawn = at
        to = sys.stdout if self.shell else sys.stderr
        to.write("\r%s: %d of %d jobs, day %.1f%s" % (
            self.label, ended, jobs, now / 86400, "\n" if ended == jobs else ""))
        to.flush()


def name_of(policy: PolicyLike) -> str:
    """Returns the name of a policy in results."""
    if isinstance(policy, Policy):
        return policy.name or type(policy).__name__
    return policy or "fifo"


def run(trace: Trace, policy: PolicyLike = None, cluster: Optional[str] = None,
        progress: bool = False, **options: Unpack[Options]) -> Result:
    """Replays a trace through a policy and returns a Result.

    progress  draws a line of progress in terminals and notebooks
"""
    simulation = Simulation(trace, policy, cluster, **options)
    if progress:
        simulation.watch(ProgressLine(name_of(policy)))
    return simulation.run()


def compare(trace: Trace, policies: Union[PolicyLike, Iterable[PolicyLike]],
            cluster: Optional[str] = None, progress: bool = False,
            **options: Unpack[Options]) -> Comparison:
    """Runs several policies on one trace and cluster, with the same options, and
    returns a Comparison.

    policies  a list of policies, each as `policy` below; one policy alone is
              a list of one
    progress  draws a line of progress in terminals and notebooks
"""
    if policies is None or isinstance(policies, (str, Policy)):
        policies = [policies]
    found = Comparison()
    for policy in policies:
        name = name_of(policy)
        if name in found:
            raise ValueError("the policy %s is compared with itself" % name)
        found[name] = run(trace, policy, cluster, progress, **options)
    return found


for _call in (Simulation, run, compare):
    _call.__doc__ = (_call.__doc__ or "").rstrip(" ") + OPTIONS
