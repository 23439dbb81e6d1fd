#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""All policies on the four real inputs, as a Markdown table for the README."""

import argparse

import measure

INPUTS = [
    ("Philly, 2017", ["philly", "philly_jobs.csv.gz"]),
    ("Venus, 2020", ["helios", "venus_gpu_jobs.csv.gz"]),
    ("Kalos, 2023", ["acme", "kalos_gpu_jobs_head.csv"]),
    ("Sia, newtrace-1", ["sia", "workloads", "newtrace", "workload-1.csv"]),
]


def span(seconds):
    if seconds is None:
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g s" % seconds


def row(name, trace, policy, options):
    try:
        cpu, _, summary = measure.replay(trace, ["-p", policy] + options)
    except measure.Failed as error:
        print("%s under %s: %s\n" % (name, policy, error))
        return None
    metrics = summary["metrics"]
    jct, queue = metrics["jct_s"], metrics["queue_delay_s"]
    return [name, policy, jct["count"], span(jct["mean"]), span(jct["p99"]),
            span(queue["mean"]), span(queue["p99"]),
            span(metrics["makespan_s"]), metrics["preemptions"],
            "%.2f" % cpu]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append",
                        help="only this one; default: all that are listed")
    parser.add_argument("options", nargs="*",
                        help="after --: options for every run")
    args = parser.parse_args()
    measure.need_shared()
    print("%s, `python3 bench/real.py`\n" % measure.machine())
    rows = []
    for name, parts in INPUTS:
        for policy in args.policy or measure.policies():
            rows.append(row(name, measure.shared("traces", *parts), policy,
                            args.options))
    measure.table(["trace", "policy", "finished jobs", "JCT mean", "JCT p99",
                   "queueing mean", "queueing p99", "makespan", "preemptions",
                   "CPU s"], [r for r in rows if r])
    return 0 if all(rows) else 1


if __name__ == "__main__":
    measure.main(main)
