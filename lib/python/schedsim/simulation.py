# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs: one run, several, or one step by step."""
import ctypes
import math
import sys
import time

from . import _library
from .errors import check
from .policy import Policy, View
from .results import Result


class Simulation:
    """A run that can be stepped. The options are those of `schedsim run`, with
    _ for -. `policy` is a text or a Policy. A Result and its columns stay
    valid after `close`."""

    def __init__(self, trace, policy=None, **options):
        lib = _library.functions()
        self._handle = _library.Handle()
        self._stop = None  # exception that a callback has raised
        self._watch = None
        self.policy = policy if isinstance(policy, Policy) else None
        self.set("trace", trace)
        if self.policy:
            name = self.policy.name or type(self.policy).__name__
            check(self.handle, lib.decide_by(self.handle, name.encode(),
                                             self.policy.needs()))
        elif policy is not None:
            self.set("policy", policy)
        for option, value in options.items():
            if value is not None:
                self.set(option, value)
        self.view = View(self.handle)

    @property
    def handle(self):
        """Returns the handle of the library; raises an error if the simulation
        is closed."""
        if self._handle is None:
            raise RuntimeError("the simulation is closed")
        return self._handle

    def set(self, option, value):
        if isinstance(value, bool):
            value = int(value)
        check(self.handle, _library.functions().set(
            self.handle, option.encode(), str(value).encode()))

    def watch(self, call):
        """Calls call(now, ended, jobs) each time another thousandth of the
        jobs has ended."""
        def guarded(_self, now, ended, jobs):
            try:
                call(now, ended, jobs)
            # a callback can raise KeyboardInterrupt, too
            except BaseException as error:
                self._stop = error
            return self._stop is None
        self._watch = _library.WATCH(guarded)
        check(self.handle, _library.functions().watch_by(
            self.handle, self._watch, None))

    def step(self, until=math.inf):
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
        return Result(self.handle, status == _library.DONE)

    def run(self):
        """Runs to the end and returns a Result. A Policy decides whenever the
        library requests it."""
        begun = False
        while True:
            outcome = self.step()
            if outcome != "asked":
                return outcome
            if not begun and self.policy:
                self.policy.begin(self.view)
                begun = True
            self.policy.decide(self.view)

    def close(self):
        """Ends the run. Its memory is freed when no result, column or view of
        the run is left."""
        self._handle = self.view = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ProgressLine:
    """A line of progress that is overwritten, in a notebook or on a terminal.
    """

    def __init__(self, label):
        self.label, self.drawn = label, 0.0
        self.shell = "ipykernel" in sys.modules
        self.quiet = not self.shell and not sys.stderr.isatty()

    def __call__(self, now, ended, jobs):
        at = time.monotonic()
        if self.quiet or (at - self.drawn < 0.1 and ended < jobs):
            return
        self.drawn = at
        to = sys.stdout if self.shell else sys.stderr
        to.write("\r%s: %d of %d jobs, day %.1f%s" % (
            self.label, ended, jobs, now / 86400, "\n" if ended == jobs else ""))
        to.flush()


def run(trace, policy=None, cluster=None, progress=False, **options):
    """Replays a trace through a policy and returns a Result.

    trace    path of a trace
    policy   what --policy takes, or an instance of schedsim.Policy
    cluster  what --cluster takes; None: the cluster that the trace comes from
    options  other options of `schedsim run`, with _ for -
    """
    simulation = Simulation(trace, policy, cluster=cluster, **options)
    if progress:
        simulation.watch(ProgressLine(str(policy or "fifo")))
    return simulation.run()


class Comparison(dict):
    """Results by policy. As text, a table in which * marks the best value of
    each column."""
    COLUMNS = [("mean JCT, s", "metrics.jct_s.mean"),
               ("p99 JCT, s", "metrics.jct_s.p99"),
               ("mean wait, s", "metrics.queue_delay_s.mean"),
               ("makespan, s", "metrics.makespan_s")]

    def rows(self):
        """Returns a list of (policy, {column: value})."""
        return [(name, {column: result.metric(path)
                        for column, path in self.COLUMNS})
                for name, result in self.items()]

    def __repr__(self):
        rows = self.rows()
        wide = max([len("policy")] + [len(name) for name, _ in rows])
        lines = [" " * (wide - 6) + "policy" + "".join(
            "%16s" % column for column, _ in self.COLUMNS)]
        best = {column: min(values[column] for _, values in rows)
                for column, _ in self.COLUMNS} if rows else {}
        for name, values in rows:
            lines.append("%*s" % (wide, name) + "".join(
                "%15.1f%s" % (values[column],
                              "*" if values[column] == best[column] else " ")
                for column, _ in self.COLUMNS))
        for name, result in self.items():
            lines += ["%s: %s" % (name, text) for text in result.remarks]
        return "\n".join(lines)


def compare(trace, policies, cluster=None, progress=False, **options):
    """Runs several policies on one trace and cluster, with the same options, and
    returns a Comparison."""
    found = Comparison()
    for policy in policies:
        name = policy if isinstance(policy, str) else (
            policy.name or type(policy).__name__)
        if name in found:
            raise ValueError("the policy %s is compared with itself" % name)
        found[name] = run(trace, policy, cluster, progress, **options)
    return found
