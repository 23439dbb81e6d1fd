#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the answers of `schedsim mate worth` on four recorded traces against runs
with seeds that it has not seen.

    worth.py [--jobs N] [--held-out N]

For each trace: the verdict, the change of the mean JCT with its interval, the
processor time of the answer, and how many runs with other seeds lie in the
interval. A run is a pair: the policy alone and with SchedMate, with the same
seed."""
import argparse
import json
import os

import measure

TRACES = [
    ("traces/helios/venus_gpu_jobs.csv.gz", "20x8:V100"),
    ("traces/philly/philly_jobs.csv.gz", "20x8:P100"),
    ("traces/acme/kalos_gpu_jobs_head.csv", "48x8:A100"),
    ("traces/itp/cluster01.csv", "4x8:V100"),
]
SETTINGS = ["--policy", "lucid:idle_first=false", "--forecast", "none",
            "--workloads", "schedmate",
            "--interference", "fitted:gpu_mem_mib=81920"]
FIRST = 101 # the first seed that no answer has seen


def jct(trace, row, seed):
    words = ["--policy", row["policy"], "--seed", str(seed)]
    if "schedmate" in row:
        words += ["--schedmate", row["schedmate"]]
    _, _, summary = measure.replay(trace[0], trace[1] + words)
    return summary["metrics"]["jct_s"]["mean"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--held-out", type=int, default=5)
    args = parser.parse_args()
    measure.need_shared()
    rows, inside, n = [], 0, 0
    for name, cluster in TRACES:
        common = SETTINGS[2:] + ["--cluster", cluster, "--jobs", str(args.jobs)]
        path = measure.shared(name)
        cpu, _, text = measure.run(
            [measure.SCHEDSIM, "mate", "worth", path, "--json", "--quiet"] + common +
            SETTINGS[:2] + ["--schedmate", "servers=4"])
        answer = json.loads(text)
        alone, with_all = answer["rows"][:2]
        bounds = with_all["jct_s"]
        good = 0
        for seed in range(FIRST, FIRST + args.held_out):
            ratio = jct((path, common), with_all, seed) / jct(
                (path, common), alone, seed) - 1
            good += bounds["lo"] <= ratio <= bounds["hi"]
        inside, n = inside + good, n + args.held_out
        even = answer["break_even_quality"]
        rows.append([os.path.basename(name), cluster, answer["verdict"],
                     "%+.1f %% (%+.1f to %+.1f)" % tuple(
                         100 * bounds[key] for key in ("change", "lo", "hi")),
                     "none" if even is None else "%.2f" % even, "%.0f" % cpu,
                     "%d of %d" % (good, args.held_out)])
        print(rows[-1], flush=True)
    measure.table(["trace", "cluster", "verdict", "mean JCT", "break-even",
                   "CPU s", "held-out seeds inside"], rows)
    print("%d of %d held-out seeds are inside" % (inside, n))


if __name__ == "__main__":
    measure.main(main)
