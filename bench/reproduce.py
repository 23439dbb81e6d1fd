#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reproduces published results: runs each experiment of experiments/*.json and
prints the published value, the measured value and the difference. Exit status
6 if a value is outside the tolerance of the experiment.

An experiment names a trace (a path below ../shared), options of the simulator,
the source of its numbers and, for each policy, the published seconds by
metric: "jct_s" and "queue_delay_s" are means, "jct_s.p99" a percentile."""

import argparse
import glob
import json
import os
import sys

import measure

OUTSIDE = 6


def measured(metrics, name):
    name, _, part = name.partition(".")
    value = metrics[name]
    return value[part or "mean"] if isinstance(value, dict) else value


def compare(experiment, spec, metrics):
    """Returns one row for each published number, and whether all are within the
    tolerance."""
    rows, within = [], True
    for name, published in spec["published"].items():
        value = measured(metrics, name)
        percent = (100 * abs(value - published) / published if published
                   else float("inf") if value else 0.0)
        # Published values are whole seconds: half a second is not a difference.
        ok = (abs(value - published) <= experiment.get("rounding_s", 0) or
              percent <= experiment["tolerance_percent"])
        within = within and ok
        rows.append([spec["policy"], name, "%.10g" % published,
                     "%.3f" % value, "%+.3f" % (value - published),
                     "%.4f" % percent, "yes" if ok else "NO"])
    return rows, within


def reproduce(path):
    with open(path) as text:
        experiment = json.load(text)
    rows, within = [], True
    for spec in experiment["runs"]:
        _, _, summary = measure.replay(
            measure.shared(experiment["trace"]),
            experiment["options"] + ["-p", spec["policy"]])
        more, ok = compare(experiment, spec, summary["metrics"])
        rows += more
        within = within and ok
    print("### %s\n\n%s\n\n`schedsim run %s %s`\n" % (
        experiment["title"], experiment["source"],
        os.path.basename(experiment["trace"]),
        " ".join("'%s'" % o if " " in o else o
                 for o in experiment["options"])))
    measure.table(["policy", "metric", "published", "measured", "difference",
                   "%", "within"], rows)
    return within


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("experiment", nargs="*",
                        help="files; default: all of experiments/")
    args = parser.parse_args()
    measure.need_shared()
    here = os.path.dirname(os.path.abspath(__file__))
    paths = args.experiment or sorted(
        glob.glob(os.path.join(here, "experiments", "*.json")))
    within = [reproduce(path) for path in paths]
    print("%d of %d experiments within their tolerance" % (
        sum(within), len(within)))
    return 0 if all(within) else OUTSIDE


if __name__ == "__main__":
    measure.main(main)
