#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares defaults with their alternatives on all shared traces, and prints
the tables of docs/defaults.md: tiresias (queue limits against four published
lists), learners (of run times), ranking (of policies by the default beliefs and
by the oracle's), sizes (GPUs that srtf needs, by both). A longer trace is cut to
its first JOBS jobs; all tables but the first take --jobs of them and the first
workload of a family."""
import argparse
import glob
import gzip
import json
import math
import os
import statistics
import tempfile

import measure

JOBS = 30000
# of the tables of beliefs
LEARNED_JOBS = 5000
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
DEFAULT = "ga2m,history"
LEARNERS = [DEFAULT, "history", "ga2m", "gbdt", "gbdt,history",
            "blend,gbdt,history"]
POLICIES = ["fifo", "sjf", "srtf", "qssf", "tiresias", "backfill", "horus",
            "lucid"]
TARGET = "queue_delay.p95 < 1h"
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

    def error(self, learner):
        """Returns what `estimate` says of a learner that starts cold."""
        _, _, text = measure.run(
            [measure.SCHEDSIM, "trace", "estimate", self.path, "--json", "--split", "0",
             "--estimators", learner] + self.options)
        return json.loads(text)

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


def learners(sets):
    """Prints for each trace the mean JCT of srtf and sjf with each learner
    against the default's, and for each learner the medians over the traces."""
    rows, ratios, errors = [], {}, {}
    for name, inputs in sets:
        one, row = inputs[0], [name]
        for learner in LEARNERS:
            errors.setdefault(learner, []).append(one.error(learner))
            jct = [one.jct("-p", policy, "--estimators", learner)
                   for policy in ("srtf", "sjf")]
            if learner == DEFAULT:
                base = jct
            ratio = [x / y for x, y in zip(jct, base)]
            ratios.setdefault(learner, []).append(ratio)
            if learner != DEFAULT:
                row.append(" / ".join(map(percent, ratio)))
        rows.append(row)
    measure.table(["srtf / sjf"] + LEARNERS[1:], rows)

    def median(learner, key):
        return statistics.median(e[key] or 0 for e in errors[learner])
    measure.table(
        ["median over traces", "answered", "relative error",
         "within a factor of 2", "rank correlation", "srtf", "sjf",
         "srtf, worst"],
        [[learner, "%.1f %%" % (100 * sum(e["answered"] for e in errors[learner])
                                / sum(e["jobs"] for e in errors[learner])),
          "%.3f" % median(learner, "relative_p50"),
          "%.1f %%" % (100 * median(learner, "within_factor_2")),
          "%.3f" % median(learner, "rank_correlation")] +
         [percent(statistics.median(column))
          for column in zip(*ratios[learner])] +
         [percent(max(r[0] for r in ratios[learner]))]
         for learner in LEARNERS])
    return 0


def ranking(sets):
    """Prints the mean JCT in hours and the rank of each policy, by the default
    beliefs and by the oracle's."""
    rows = []
    for name, inputs in sets:
        for label, options in (("default", []),
                               ("oracle", ["--estimators", "oracle"])):
            jct = [inputs[0].jct("-p", policy, *options)
                   for policy in POLICIES]
            rows.append([name, label] +
                        ["%.2f (%d)" % (x / 3600, 1 + sum(y < x for y in jct))
                         for x in jct])
    measure.table(["trace", "beliefs"] + POLICIES, rows)
    print("oracle: an upper bound\n")
    return 0


def sizes(sets):
    """Prints how many GPUs srtf needs for TARGET, by the default beliefs and by
    the oracle's."""
    rows = []
    for name, inputs in sets:
        gpus = []
        for options in ([], ["--estimators", "oracle"]):
            _, _, text = measure.run(
                [measure.SCHEDSIM, "size", inputs[0].path, "-p", "srtf", "--target", TARGET,
                 "--replications", "0", "--json"] + inputs[0].options + options,
                accepted=(0, 4, 6))
            answer = json.loads(text)
            gpus.append(answer["gpus"] if answer["met"] else None)
        rows.append([name] + ["cannot" if g is None else str(g) for g in gpus] +
                    ["-" if None in gpus else percent(gpus[0] / gpus[1])])
    measure.table(["trace", "default", "oracle, an upper bound", "more"], rows)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tables = {one.__name__: one for one in (tiresias, learners, ranking, sizes)}
    parser.add_argument("table", nargs="?", choices=tables, default="tiresias")
    parser.add_argument("--jobs", type=int, default=LEARNED_JOBS)
    parser.add_argument("--input", action="append",
                        help="only this trace; default: all")
    args = parser.parse_args()
    measure.need_shared()
    print("%s, `python3 bench/defaults.py %s`\n" % (
        measure.machine(), args.table))
    with tempfile.TemporaryDirectory() as folder:
        sets = list(families(folder, args.input))
        for _, inputs in sets if args.table != "tiresias" else ():
            inputs[0].options = inputs[0].options + ["-n", str(args.jobs)]
        return tables[args.table](sets)


if __name__ == "__main__":
    measure.main(main)
