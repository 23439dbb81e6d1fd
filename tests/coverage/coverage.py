# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a part of the tables of docs/statistics.md: how often 95 % intervals
contain the known mean wait of a queue (bench/coverage.py), on few traces."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

os.environ["SCHEDSIM"] = PROGRAM
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.dont_write_bytecode = True
import coverage  # noqa: E402

QUIET, BUSY = coverage.Cell(0.70, 2400, 0), coverage.Cell(0.85, 2400, 0)


def queue_is_that_of_theory(tap):
    """The traces of the harness have Erlang's mean wait in a queue of its
    own."""
    mean, error = coverage.simulated_mean(BUSY, 8)
    truth = coverage.erlang_mean_wait(0.85)
    tap.result(abs(truth * 3600 - 1718) < 1 and abs(mean - truth) < 4 * error,
               "the queue has Erlang's mean wait", "%g, %g" % (mean, truth))


def one_run(tap, folder):
    row = coverage.measure(QUIET, 24, folder, coverage.of_run)
    tap.result(row["hit"] >= 0.85 and row["null"] <= 1 / 3
               and 2 / 3 < row["width"] / row["honest"] < 3 / 2 * 1.25,
               "the interval of one run contains the mean wait", row)


def replications(tap, folder):
    rows = [coverage.measure(
        BUSY, 8, folder, lambda path, warm, n=n:
        coverage.of_replications(path, warm, n)) for n in (10, 40)]
    tap.result(min(row["hit"] for row in rows) >= 5 / 8,
               "the spread of replications contains the mean wait", rows)
    tap.result(0.7 < rows[0]["width"] / rows[1]["width"] < 1.3,
               "it does not narrow with their number", rows)


def verdicts(tap, folder):
    for n in (0, 10):
        count = coverage.verdicts(8, folder, n)
        tap.result(count["less"] + count["more"] <= 2 and count["noise"] >= 5,
                   "fifo against a random order is noise, %d replications" % n,
                   count)


def one_number_has_one_interval(tap, folder):
    path = os.path.join(folder, "trace.csv")
    warm = coverage.write_trace(path, 1, QUIET)
    summary = coverage.schedsim("run", path, "-c", "1x8", "--json", "-q",
                                "--warmup", "%.6f" % warm)
    groups = [summary[by][name] for by in ("by_vc", "by_gpus")
              for name in summary[by]]
    tap.result(len(groups) == 2 and all(
        group["queue_delay_s"] == summary["metrics"]["queue_delay_s"]
        for group in groups), "one number has one interval", groups)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        queue_is_that_of_theory(tap)
        one_run(tap, folder)
        replications(tap, folder)
        verdicts(tap, folder)
        one_number_has_one_interval(tap, folder)
    sys.exit(tap.exit_status())


main()
