#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits tiny_util and medium_util of policies/lucid/lucid_options.c. They map the
profile of a job to its sharing class (0 Tiny, 1 Medium, 2 Jumbo). Prints how
good the fit is, and the alternatives.

    fit_sharing.py SINGLE_DATA.csv COLOCATE_INFO.csv [--json]

The files are those of the Lucid artefact (S-Lab-System-Group/Lucid, commit
63685a3). Two classes can be learned: the published labels of 66 workloads, and
those of Lucid's analysis script for the 56 of them that were measured in pairs
(mean speed beside the others below 0.85: Jumbo, below 0.95: Medium).

Trees are grown by Gini's impurity. If splits are equal, the first feature wins,
then the lowest threshold, so nothing is random. The fit is cross-validated by
leaving out one workload at a time, and one model with all its batch sizes and
precisions at a time."""
import csv
import json
import sys

KEY = ("model", "dataset", "batchsize", "amp")
FEATURES = ("gpu_util", "gmem", "gmem_util", "amp")
LEAST = 2  # least number of workloads in a leaf
LOWER, UPPER = 0.85, 0.95  # limits in Lucid's analysis script


def key(row, side=""):
    return tuple(row[name + side] for name in KEY)


def read(single, colocate):
    """Returns two lists of (features, class, model): with the published
    labels, and with labels from pair speeds."""
    with open(single, newline="", encoding="utf-8") as file:
        profiles = {key(row): row for row in csv.DictReader(file)}
    speeds = {}
    with open(colocate, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for side in "12":
                speeds.setdefault(key(row, side), []).append(
                    float(row["speed" + side]))
    published, paired = [], []
    for name in sorted(profiles):
        features = tuple(float(profiles[name][f]) for f in FEATURES)
        published.append((features, int(profiles[name]["label"]), name[0]))
        if name in speeds:
            mean = sum(speeds[name]) / len(speeds[name])
            label = 2 if mean < LOWER else 1 if mean < UPPER else 0
            paired.append((features, label, name[0]))
    return {"published": published, "paired": paired}


def counts_of(rows):
    return [sum(row[1] == c for row in rows) for c in range(3)]


def gini(rows):
    return len(rows) - sum(n * n for n in counts_of(rows)) / len(rows)


def grow(rows, n_features, depth):
    """Grows a tree. A tree is a class, or (feature, threshold, tree below the
    threshold, tree from it on)."""
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
        counts = counts_of(rows)
        return counts.index(max(counts))
    _, f, at, sides = best
    below, above = (grow(side, n_features, depth - 1) for side in sides)
    return below if below == above else (f, at, below, above)


def ask(tree, features):
    while isinstance(tree, tuple):
        f, at, below, above = tree
        tree = below if features[f] < at else above
    return tree


def share_right(tree, rows):
    return sum(ask(tree, row[0]) == row[1] for row in rows)


def leave_out(rows, n_features, depth, group):
    right = 0
    for out in sorted({group(row) for row in rows}):
        kept = [row for row in rows if group(row) != out]
        right += share_right(grow(kept, n_features, depth),
                             [row for row in rows if group(row) == out])
    return right / len(rows)


def quality(rows, n_features, depth):
    tree = grow(rows, n_features, depth)
    return {"tree": tree,
            "in_sample": share_right(tree, rows) / len(rows),
            "leaving_out_one": leave_out(rows, n_features, depth,
                                         lambda row: row),
            "leaving_out_a_model": leave_out(rows, n_features, depth,
                                             lambda row: row[2])}


def main():
    sets = read(sys.argv[1], sys.argv[2])
    chosen = quality(sets["published"], 1, 2)
    _, medium, (_, tiny, *_), _ = chosen["tree"]
    answer = {"tiny_util": tiny, "medium_util": medium, "chosen": chosen}
    for name, rows in sets.items():
        for n_features in (1, 2, 4):
            for depth in (2, 3):
                words = "%s, %d features, depth %d" % (name, n_features, depth)
                answer[words] = quality(rows, n_features, depth)
    if "--json" in sys.argv:
        print(json.dumps(answer))
        return
    for name, value in answer.items():
        print(name, value)


main()
