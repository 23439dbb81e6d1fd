#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs all policies on eight clusters of Microsoft ITP and prints Markdown tables.

The sizes of the clusters were not published. Each gets the fewest nodes of 8 GPUs
on which its jobs would use at most 80 % on average and its largest job fits
(`schedsim trace guess` proposes the same). Run times are known exactly, except to
lucid, which learns them by default; the traces name neither users nor jobs to learn
from. Models, which the traces do not name either, are drawn by the size of a job, the same for every policy; stops cost
7, 30 or 60 s of work by size. No job of ITP is elastic, so sia and pollux only order
the jobs."""
import argparse
import json
import math
import os
import sys

import measure

CLUSTERS = [("01", ""), ("02", ".gz"), ("03", ""), ("04", ".gz"), ("05", ""),
            ("07", ".gz"), ("08", ".gz"), ("10", "")]
OPTIONS = ["--workloads", "schedmate", "--interference", "fitted",
           "--overhead", "fixed"]


def span(seconds):
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g s" % seconds


def nodes_of(trace):
    """Returns the number of jobs of a trace, nodes of 8 GPUs for it, and its
    mean demand in GPUs."""
    _, _, text = measure.run([measure.SCHEDSIM, "trace", "info", trace, "--json"])
    info = json.loads(text)
    most = max(size["to"] for size in info["gpus"])
    demand = info["mean_demand_gpus"]
    return (info["jobs"], math.ceil(max(demand / 0.8, most) / 8), demand)


def table(title, names, columns, cell):
    print("\n**%s**\n\n| policy | %s |\n|---|%s" % (
        title, " | ".join(columns), "---:|" * len(columns)))
    for name in names:
        print("| `%s` | %s |" % (name, " | ".join(
            cell(name, column) for column in columns)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", nargs="*", default=[])
    parser.add_argument("--clusters", nargs="*", default=[])
    args = parser.parse_args()
    measure.need_shared()
    names = args.policies or measure.policies()
    wanted = [c for c in CLUSTERS if not args.clusters or c[0] in args.clusters]
    results, heads = {}, {}
    for number, ending in wanted:
        trace = measure.shared("traces", "itp", f"cluster{number}.csv{ending}")
        jobs, nodes, demand = nodes_of(trace)
        heads[number] = (jobs, nodes, demand)
        for name in names:
            try:
                cpu, _, summary = measure.replay(
                    trace, ["-p", name, "--cluster", f"{nodes}x8"] + OPTIONS)
            except measure.Failed as error:
                print("%s on %s: %s" % (name, number, error), file=sys.stderr)
                continue
            results[name, number] = (cpu, summary)
            print(number, name, "%.1f s" % cpu, file=sys.stderr)
    columns = [number for number, _ in wanted]
    print("| cluster | %s |\n|---|%s" % (" | ".join(columns),
                                         "---:|" * len(columns)))
    for row, what in enumerate(["jobs", "nodes of 8 GPUs", "mean demand, GPUs"]):
        print("| %s | %s |" % (what, " | ".join(
            "%.0f" % heads[number][row] for number in columns)))

    def cell(pick):
        return lambda name, number: (
            pick(results[name, number]) if (name, number) in results else "-")
    table("mean JCT", names, columns,
          cell(lambda r: span(r[1]["metrics"]["jct_s"]["mean"])))
    table("mean queueing delay", names, columns,
          cell(lambda r: span(r[1]["metrics"]["queue_delay_s"]["mean"])))
    table("CPU s", names, columns, cell(lambda r: "%.2f" % r[0]))


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
