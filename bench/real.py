#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs all policies on real inputs and prints the table of docs/policies.md;
--csv writes it into docs/policies/real.csv.

All policies of an input run under the same speeds, restarts and interference
(TRUTH below), so that rows differ only by the decisions of the policy. There
are two blocks: with beliefs that are learned during the run, and with exact
beliefs. A policy that asks for no belief of run times or demand has equal
results in both and stands in the first block only."""
import argparse
import csv
import os
import sys

import measure

PROFILES = measure.shared("traces", "sia", "profiles")
# The options of all runs on an input, with reasons.
TRUTH = {
    # The trace names no models. SchedMate's recipe draws one by the size of the
    # job, equal for each policy, so that demand is known.
    "Philly, 2017": ["--workloads", "schedmate", "--interference", "fitted",
                     "--overhead", "fixed"],
    "Venus, 2020": ["--workloads", "schedmate", "--interference", "fitted",
                    "--overhead", "fixed"],
    "Kalos, 2023": ["--workloads", "schedmate", "--interference", "fitted",
                    "--overhead", "fixed"],
    # Speeds of each application by GPU type, and its restart delay, were
    # measured. Jobs that share GPUs and whose demand was not measured count as
    # saturated.
    "Sia, newtrace-1": ["--throughput", "application:tables=" + PROFILES,
                        "--interference", "fitted",
                        "--overhead", "application"],
}
INPUTS = [
    ("Philly, 2017", ["philly", "philly_jobs.csv.gz"]),
    ("Venus, 2020", ["helios", "venus_gpu_jobs.csv.gz"]),
    ("Kalos, 2023", ["acme", "kalos_gpu_jobs_head.csv"]),
    ("Sia, newtrace-1", ["sia", "workloads", "newtrace", "workload-1.csv"]),
]
# Policies that change the GPUs of jobs. Only Sia's trace has jobs that allow
# this.
ELASTIC = {"sia", "pollux"}
LEARNED, EXACT = "ga2m,history", "oracle"


def span(seconds):
    if seconds is None:
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g s" % seconds


def asks(policy):
    """Returns whether a policy asks for beliefs of run times, and of demand."""
    sample = os.path.join(measure.ROOT, "traces", "samples", "native.csv")
    _, _, summary = measure.replay(sample, ["-p", policy, "--cluster", "16x8",
                                            "--estimators", EXACT])
    knowledge = summary.get("knowledge", {})
    return "run_times" in knowledge, "demand" in knowledge


def profiles(policy):
    """Returns true if the run sets nodes aside on which the policy measures
    demand."""
    sample = os.path.join(measure.ROOT, "traces", "samples", "native.csv")
    _, _, summary = measure.replay(sample, ["-p", policy, "--cluster", "16x8"])
    return "profiling" in summary


def chains(policy):
    """Returns (block, options) for each block of the table in which the policy
    stands."""
    times, demand = asks(policy)
    if not times and not demand:
        return [("learned", [])]
    measured = "profiled," if profiles(policy) else "workload,"
    learned = ["--estimators", (measured if demand else "") + LEARNED]
    exact = ["--estimators", ("workload," if demand else "") + EXACT]
    if profiles(policy):
        exact += ["--profilers", "0"]
    return [("learned", learned), ("exact", exact)] if times else [
        ("learned", learned)]


def row(name, trace, policy, options):
    _, _, summary = measure.replay(trace, ["-p", policy] + options)
    metrics = summary["metrics"]
    jct, queue = metrics["jct_s"], metrics["queue_delay_s"]
    return [name, "`%s`" % policy, jct["count"], span(jct["mean"]),
            span(jct["p99"]), span(queue["mean"]), span(queue["p99"]),
            span(metrics["makespan_s"]), metrics["preemptions"]]


def blocks(name, trace, policies, options):
    """Returns the rows of an input by block, and the failures."""
    rows, failed = {"learned": [], "exact": []}, []
    for policy in policies:
        if policy in ELASTIC and "Sia" not in name:
            continue
        for block, chain in chains(policy):
            try:
                rows[block].append(row(
                    "%s, %s beliefs" % (name, block), trace, policy,
                    TRUTH[name] + chain + options))
                print(*rows[block][-1], sep="  ", file=sys.stderr)
            except measure.Failed as error:
                failed.append("%s under %s: %s" % (name, policy, error))
    return rows["learned"] + rows["exact"], failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append",
                        help="only this policy; default: all")
    parser.add_argument("--input", action="append",
                        choices=[name for name, _ in INPUTS],
                        help="only this input; default: all that are listed")
    parser.add_argument("--csv", metavar="FILE", help="write the rows here too")
    parser.add_argument("options", nargs="*",
                        help="after --: options for every run")
    args = parser.parse_args()
    measure.need_shared()
    print("%s, `python3 bench/real.py`\n" % measure.machine())
    rows, failed = [], []
    for name, parts in INPUTS:
        if args.input and name not in args.input:
            continue
        more, wrong = blocks(name, measure.shared("traces", *parts),
                             args.policy or measure.policies(), args.options)
        rows += more
        failed += wrong
    head = ["trace", "policy", "finished jobs", "JCT mean", "JCT p99",
            "queueing mean", "queueing p99", "makespan", "preemptions"]
    measure.table(head, rows)
    if args.csv:
        with open(args.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [head] + [[str(cell).strip("`") for cell in cells]
                          for cells in rows])
    for words in failed:
        print(words + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    measure.main(main)
