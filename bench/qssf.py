#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs QSSF on Philly as HeliosArtifact did: with durations that have the
published error law in place of a model's predictions. The random numbers of
the artifact are lost (its seed has no effect), so our results are averaged
over seeds, and the published means must lie among them. Exit status 6 if a
mean is more than 3 standard deviations off, or if FIFO, which uses no random
numbers, differs from the published value."""

import statistics
import sys

import measure

OUTSIDE = 6
SEEDS = 20
WINDOW = ["--conventions", "helios", "--from", "2017-10-01", "--to",
          "2017-11-30 23:59"]
LAW = "noisy:law=helios,floor_s=-3e9,oracle"

# HeliosArtifact, framework/QSSF Service/plot/result_plot.ipynb, stored output,
# placement `consolidate`: mean JCT and mean queueing delay, whole seconds.
CASES = [
    ("7f04ca", "trace1", "muri:epoch_s=1503091218", "32x8",
     {"jct_s": (133826, 133941), "queue_delay_s": (1412, 1527)}),
    ("2869ce", "trace3", "muri:epoch_s=1505751839", "16x8",
     {"jct_s": (70215, 58088), "queue_delay_s": (21171, 9044)}),
]


def means(case, options):
    _, trace, form, cluster, _ = case
    _, _, summary = measure.replay(
        measure.shared("traces/philly/muri/%s.csv" % trace),
        ["--format", form, "--cluster", cluster] + WINDOW + options)
    return {name: summary["metrics"][name]["mean"]
            for name in ("jct_s", "queue_delay_s")}


def main():
    measure.need_shared()
    good = True
    print("| VC | metric | FIFO published | FIFO | QSSF published | QSSF, mean "
          "of %d seeds | s.d. | range | FIFO/QSSF published | FIFO/QSSF |"
          % SEEDS)
    print("|---|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        fifo = means(case, ["-p", "fifo"])
        drawn = [means(case, ["-p", "qssf", "--estimators", LAW, "--seed",
                              str(seed)]) for seed in range(SEEDS)]
        for name, (old, new) in case[4].items():
            values = [d[name] for d in drawn]
            mean, sigma = statistics.mean(values), statistics.stdev(values)
            print("| %s | %s | %d | %.0f | %d | %.0f | %.0f | %.0f..%.0f | "
                  "%.3f | %.3f |" % (
                      case[0], name, old, fifo[name], new, mean, sigma,
                      min(values), max(values), old / new,
                      fifo[name] / mean))
            good &= abs(fifo[name] - old) < 1
            good &= abs(mean - new) <= 3 * sigma
    sys.exit(0 if good else OUTSIDE)


if __name__ == "__main__":
    main()
