#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs policies on traces with deadlines and prints Markdown tables.

1. The ITP traces whose deadlines ElasticFlow's authors drew, on the nodes of
   figure 8b of that paper: the share of deadlines met, beside the published one.
   The throughputs by model, batch size and GPUs, which the jobs of elasticflow
   scale by, are read from the traces themselves: iterations / duration of the
   longest job of each kind. All other policies keep the GPUs that a job asks
   for; the published EDF gives a job up to its largest number.
2. The Philly jobs with Chronus' deadlines, on 120 nodes as in its artifact: the
   share of deadlines missed, for which no table was published.

Policies that ask for run times know them exactly. A stop costs what it costs by
default.
Needs ../shared ($SCHEDSIM_SHARED names another place)."""
import csv
import gzip
import os
import sys
import tempfile

import measure

# nodes of 8 GPUs, and the published shares of deadlines met (plot_fig8b.py of
# pkusys/ElasticFlow, commit 04a0109a)
CLUSTERS = {"01": 64, "03": 64, "05": 64}
PUBLISHED = {
    "edf": {"01": .182, "03": .095, "05": .375},
    "tiresias": {"01": .478, "03": .401, "05": .420},
    "themis": {"01": .464, "03": .389, "05": .430},
    "chronus": {"01": .474, "03": .426, "05": .453},
    "elasticflow": {"01": .788, "03": .455, "05": .832},
}
# on the deadlines of ElasticFlow, its authors run Chronus with these leases
SPECS = {"chronus": "chronus:lease_s=240,fill_s=60"}


def trace_of(number):
    return measure.shared("traces", "itp",
                          "deadlines_cluster%s.csv.gz" % number)


def write_throughputs(path):
    """Writes the throughputs that the traces imply."""
    longest = {}
    for number in CLUSTERS:
        with gzip.open(trace_of(number), "rt", newline="") as file:
            for row in csv.DictReader(file):
                kind = (row["model_name"], int(row["batch_size"]),
                        int(row["num_gpu"]))
                ran = int(row["duration"]), int(row["num_iteration"])
                longest[kind] = max(longest.get(kind, ran), ran)
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["model", "batch_size", "gpus", "throughput"])
        for kind, (seconds, iterations) in sorted(longest.items()):
            out.writerow([*kind, "%.6g" % (iterations / seconds)])


def missed(trace, spec, cluster, options):
    _, _, summary = measure.replay(
        trace, ["-p", spec, "--cluster", cluster, "--estimators", "oracle"] +
        options)
    return summary["deadlines"]["share_missed"]


def itp_tables(throughputs):
    ours = {}
    for policy in PUBLISHED:
        scales = (["--throughput", "table:file=" + throughputs]
                  if policy == "elasticflow" else [])
        for number, nodes in CLUSTERS.items():
            ours[policy, number] = 1 - missed(
                trace_of(number), SPECS.get(policy, policy), "%dx8" % nodes,
                scales)
    measure.table(
        ["deadlines met"] + ["cluster%s, published" % n for n in CLUSTERS],
        [["`%s`" % SPECS.get(policy, policy)] +
         ["%.3f, %.3f" % (ours[policy, n], PUBLISHED[policy][n])
          for n in CLUSTERS] for policy in PUBLISHED])
    above = sum(all(ours["elasticflow", n] > ours[policy, n]
                    for policy in PUBLISHED if policy != "elasticflow")
                for n in CLUSTERS)
    print("elasticflow meets more deadlines than all others on %d of %d "
          "traces; published: 11 of 11.\n" % (above, len(CLUSTERS)))


def philly_table():
    trace = measure.shared("traces", "philly", "chronus_slo.csv.gz")
    measure.table(["deadlines missed", "share"], [
        ["`%s`" % policy, "%.4f" % missed(trace, policy, "120x8", [])]
        for policy in ("fifo", "edf", "tiresias", "themis", "srtf", "chronus",
                       "elasticflow")])


def main():
    measure.need_shared()
    with tempfile.TemporaryDirectory() as folder:
        throughputs = os.path.join(folder, "throughputs.csv")
        write_throughputs(throughputs)
        itp_tables(throughputs)
    philly_table()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    measure.main(main)
