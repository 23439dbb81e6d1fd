#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares Tiresias' queue limits, the default ones among them, with four
published lists on all shared traces, and prints the table of docs/defaults.md.
A longer trace is cut to its first JOBS jobs."""
import argparse
import glob
import gzip
import math
import os
import statistics
import tempfile

import measure

JOBS = 30000
# Name, path below shared/ (a pattern stands for a family of workloads), cluster
# (None: the published one, which the program knows; else published for Muri,
# Morphling and Pollux, and what `trace guess` proposes for the others), options.
INPUTS = [
    ("Philly", "traces/philly/philly_jobs.csv.gz", None, []),
    ("Venus", "traces/helios/venus_gpu_jobs.csv.gz", None, []),
    ("Kalos", "traces/acme/kalos_gpu_jobs_head.csv", None, []),
    ("PAI", "traces/alibaba/pai2020_sample.csv", "50x8", []),
] + [("ITP %s" % number, "traces/itp/cluster%s.csv*" % number, cluster, [])
     for number, cluster in (
         ("01", "8x8"), ("02", "14x8"), ("03", "22x8"), ("04", "78x8"),
         ("05", "2x8"), ("07", "41x8"), ("08", "11x8"), ("10", "2x8"))] + [
    ("Sia newtrace", "traces/sia/workloads/newtrace/*.csv", None, []),
    ("Sia philly", "traces/sia/workloads/philly/*.csv", None, []),
    ("Sia saturn", "traces/sia/workloads/saturn/*.csv", None, []),
    ("Pollux", "traces/pollux/workloads/*.csv", "16x4", []),
    ("Morphling", "traces/morphling/workload-base.csv", "8x8",
     ["--format", "csv:submit=submission_time,gpus=num_gpus,duration=duration,"
      "name=name,model=application,cpus=num_cpus"]),
] + [("Muri %s" % name, "golden/muri/traces/%s.csv" % name, "8x8", [])
     for name in ("cluster_trace", "trace1", "trace3")] + [
    ("Gavel %s" % vc, "traces/gavel/msr/seed0/%s.trace" % vc, cluster, [])
    for vc, cluster in (("6214e9", "24x8"), ("6c71a0", "16x8"),
                        ("7f04ca", "7x8"), ("b436b2", "11x8"),
                        ("ed69ec", "3x8"))] + [
    ("Tiresias y10000", "golden/tiresias/traces/y10000.csv", "32x8", []),
]
PUBLISHED = [("3250/7200", "Tiresias' simulator"),
             ("3250/7200/18000", "all limits that its code lists"),
             ("3600", "its README"), ("18000", "Lucid's simulator")]


class Input:
    """One shared trace: its file, cut to JOBS rows, and the options of a run."""

    def __init__(self, name, path, cluster, options, folder):
        self.name, self.cluster = name, cluster
        self.options = (["--cluster", cluster] if cluster else []) + options
        plain = path[:-3] if path.endswith(".gz") else path
        self.path = os.path.join(folder, name.replace(" ", "_") +
                                 "_" + os.path.basename(plain))
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt") as rows, open(self.path, "w") as out:
            for i, row in enumerate(rows):
                if i > JOBS:
                    break
                out.write(row)

    def run(self, *options):
        _, _, summary = measure.replay(self.path, self.options + list(options))
        return summary

    def jct(self, *options):
        return self.run(*options)["metrics"]["jct_s"]["mean"]


def families(folder, wanted):
    """Yields (name, inputs) for each shared trace or family of workloads."""
    for name, pattern, cluster, options in INPUTS:
        paths = sorted(glob.glob(measure.shared(pattern)))
        if not paths:
            raise measure.Failed("%s: is not here" % measure.shared(pattern))
        if not wanted or name in wanted:
            yield name, [Input(name, path, cluster, options, folder)
                         for path in paths]


def percent(ratio):
    return "%+.1f %%" % (100 * (ratio - 1))


def tiresias(sets):
    """Prints the mean JCT of each setting against the best published one; of a
    family the worst workload."""
    ours = [("default", "tiresias"), ("auto", "tiresias:queues=auto"),
            ("fifo", "fifo")]
    rows, over = [], []
    for name, inputs in sets:
        ratios, best = [], None
        for one in inputs:
            published = {limits: one.jct("-p", "tiresias:queues=" + limits)
                         for limits, _ in PUBLISHED}
            best = min(published, key=published.get)
            ratios.append([one.jct("-p", policy) / published[best]
                           for _, policy in ours] +
                          [max(published.values()) / published[best]])
        worst = [max(column) for column in zip(*ratios)]
        over += ratios
        rows.append([name, len(inputs), inputs[0].cluster or "published",
                     best if len(inputs) == 1 else ""] +
                    [percent(x) for x in worst])
    measure.table(["trace", "files", "cluster", "best published"] +
                  [label for label, _ in ours] + ["worst published"], rows)
    for i, (label, _) in enumerate(ours):
        column = [row[i] for row in over]
        print("%s: at worst %s, geometric mean %s, over 10 %%: %d of %d" % (
            label, percent(max(column)),
            percent(math.exp(statistics.fmean(map(math.log, column)))),
            sum(x > 1.1 for x in column), len(column)))
    print()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", action="append",
                        help="only this trace; default: all")
    args = parser.parse_args()
    measure.need_shared()
    print("%s, `python3 bench/defaults.py`\n" % measure.machine())
    with tempfile.TemporaryDirectory() as folder:
        return tiresias(families(folder, args.input))


if __name__ == "__main__":
    measure.main(main)
