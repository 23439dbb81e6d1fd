#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the tree of policies/lucid_score.c: from what a profiler measures of a
job to its sharing class (0 Tiny, 1 Medium, 2 Jumbo), and says how good it is.

    fit_sharing.py COLOCATE_INFO.csv SINGLE_DATA.csv [--json]

The files are those of the Lucid artefact (S-Lab-System-Group/Lucid, commit
63685a3). The class of a workload is that of its mean speed beside the others:
below 0.85 Jumbo, below 0.95 Medium, else Tiny (Lucid's analysis script). The
tree is grown by Gini's impurity; of equal splits the first feature, then the
lowest threshold wins, so there is nothing random in it. Cross-validated by
leaving out one workload at a time, and one model with all its batch sizes and
precisions at a time."""
import csv
import json
import sys

KEY = ("model", "dataset", "batchsize", "amp")
FEATURES = ("gpu_util", "gmem", "gmem_util", "amp")
LEAST = 2  # workloads in a leaf


def key(row, side=""):
    return tuple(row[name + side] for name in KEY)


def read(colocate, single):
    """(features, class, the published label, model) of each workload."""
    with open(single, newline="", encoding="utf-8") as file:
        profiles = {key(row): row for row in csv.DictReader(file)}
    speeds = {}
    with open(colocate, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for side in "12":
                speeds.setdefault(key(row, side), []).append(
                    float(row["speed" + side]))
    rows = []
    for name in sorted(speeds):
        profile = profiles[name]
        mean = sum(speeds[name]) / len(speeds[name])
        rows.append((tuple(float(profile[f]) for f in FEATURES),
                     2 if mean < 0.85 else 1 if mean < 0.95 else 0,
                     int(profile["label"]), name[0]))
    return rows


def gini(rows):
    counts = [sum(row[1] == c for row in rows) for c in range(3)]
    return len(rows) - sum(n * n for n in counts) / len(rows)


def majority(rows):
    counts = [sum(row[1] == c for row in rows) for c in range(3)]
    return counts.index(max(counts))


def grow(rows, n_features, depth):
    """A class, or (feature, threshold, below, not below)."""
    best = None
    for f in range(n_features if depth else 0):
        values = sorted({row[0][f] for row in rows})
        for low, high in zip(values, values[1:]):
            at = (low + high) / 2
            sides = ([r for r in rows if r[0][f] < at],
                     [r for r in rows if r[0][f] >= at])
            if min(map(len, sides)) < LEAST:
                continue
            cost = gini(sides[0]) + gini(sides[1])
            if best is None or cost < best[0] - 1e-9:
                best = (cost, f, at, sides)
    if best is None or best[0] > gini(rows) - 1e-9:
        return majority(rows)
    _, f, at, sides = best
    below, above = (grow(side, n_features, depth - 1) for side in sides)
    return below if below == above else (f, at, below, above)


def ask(tree, features):
    while isinstance(tree, tuple):
        f, at, below, above = tree
        tree = below if features[f] < at else above
    return tree


def validate(rows, n_features, depth, group):
    right = 0
    for left_out in sorted({group(row) for row in rows}):
        tree = grow([r for r in rows if group(r) != left_out], n_features,
                    depth)
        right += sum(ask(tree, r[0]) == r[1] for r in rows
                     if group(r) == left_out)
    return right / len(rows)


def quality(rows, n_features, depth):
    tree = grow(rows, n_features, depth)
    n = len(rows)
    return tree, {
        "in_sample": sum(ask(tree, r[0]) == r[1] for r in rows) / n,
        "leaving_out_one": validate(rows, n_features, depth, lambda r: r),
        "leaving_out_a_model": validate(rows, n_features, depth,
                                        lambda r: r[3]),
        "as_published": sum(ask(tree, r[0]) == r[2] for r in rows) / n,
    }


def main():
    rows = read(sys.argv[1], sys.argv[2])
    answer = {"workloads": len(rows),
              "rule_as_published": sum(r[1] == r[2] for r in rows)}
    for n_features in (2, 4):
        for depth in (1, 2, 3):
            tree, how_good = quality(rows, n_features, depth)
            answer["%d features, depth %d" % (n_features, depth)] = dict(
                how_good, tree=tree)
    if "--json" in sys.argv:
        print(json.dumps(answer))
        return
    for name, value in answer.items():
        print(name, value)


main()
