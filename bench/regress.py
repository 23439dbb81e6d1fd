#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mean JCT and makespan of every policy on the sample traces with
baseline.json. Exit status 6 if a value is outside the tolerance, is missing or
is new. If the change is meant, run --update and give the reason in the commit;
otherwise it is a mistake."""

import argparse
import json
import os
import sys

import measure

OUTSIDE = 6
BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "baseline.json")
SAMPLES = {  # small enough that jobs wait
    "venus.csv": "16x8",
    "seren.csv": "16x8",
    "kalos.csv": "40x8",
    "sia.csv": "4x4",
    "sample.swf": "16x8",
}


def measured():
    """Returns the results and the failures. A policy that fails on one trace
    does not hide the results of the others."""
    results, failed = {}, {}
    for sample, cluster in SAMPLES.items():
        trace = os.path.join(measure.ROOT, "traces", "samples", sample)
        for policy in measure.policies():
            try:
                options = ["-p", policy, "--cluster", cluster]
                if sample == "sia.csv" and policy in ("sia", "pollux"):
                    # elastic, though the sample records run times
                    options += ["--throughput", "application:replace=true"]
                _, _, summary = measure.replay(trace, options)
            except measure.Failed as error:
                failed["%s %s" % (sample, policy)] = error
                continue
            metrics = summary["metrics"]
            results["%s %s" % (sample, policy)] = {
                "jct_s": metrics["jct_s"]["mean"],
                "makespan_s": metrics["makespan_s"]}
    return results, failed


def differences(baseline, results, failed, tolerance):
    for name in sorted(baseline.keys() | results.keys()):
        old, new = baseline.get(name), results.get(name)
        if name in failed:
            continue
        if old is None or new is None:
            yield "%s: %s" % (name, "not in the baseline" if old is None
                              else "in the baseline only")
            continue
        for metric in sorted(old):
            off = abs(new[metric] - old[metric])
            if off > tolerance / 100 * abs(old[metric]):
                yield "%s: %s is %.9g, was %.9g" % (
                    name, metric, new[metric], old[metric])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tolerance", type=float, default=1e-7,
                        metavar="PERCENT")
    parser.add_argument("--baseline", default=BASELINE, metavar="FILE")
    parser.add_argument("--update", action="store_true",
                        help="write what is measured as the new baseline")
    args = parser.parse_args()
    results, failed = measured()
    for name, error in failed.items():
        print("%s: %s" % (name, error))
    if failed and args.update:
        print("the baseline is left as it is")
        return 1
    if args.update:
        with open(args.baseline, "w") as out:
            json.dump(results, out, indent=2, sort_keys=True)
            out.write("\n")
        return 0
    with open(args.baseline) as text:
        baseline = json.load(text)
    found = list(differences(baseline, results, failed, args.tolerance))
    for line in found:
        print(line)
    print("%d runs, %d failed, %d differences" % (len(results) + len(failed),
                                                  len(failed), len(found)))
    return OUTSIDE if found or failed else 0


if __name__ == "__main__":
    measure.main(main)
