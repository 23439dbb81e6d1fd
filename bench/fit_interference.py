#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the coefficients of models/interference/interference.c to measured pairs and
prints how good the fit is.

    fit_interference.py COLOCATE_INFO.csv SINGLE_DATA.csv [--json]

The files are those of the Lucid artefact (S-Lab-System-Group/Lucid, commit
63685a3): speeds of 1,388 pairs on an RTX 3090 and profiles of single jobs. For
job i beside job j, with u the GPU utilisation and m the memory-controller
utilisation (0..1) and f the memory over 24 GiB,

    speed = 1 / (1 + a u_i^p u_j^q + b m_i m_j + c f_i f_j)

is fitted by least squares (Levenberg-Marquardt, b and c kept at 0 or above) to
speeds cut at 1. It is cross-validated in ten folds of whole pairs, and by
leaving out one model at a time (lomo). Nothing here is random."""
import csv
import json
import math
import sys

START = (0.6, 1.5, 1.5, 0.1, 0.1)
NAMES = ("a", "p", "q", "b", "c")
LOW = (0.0, 0.1, 0.1, 0.0, 0.0)
MEMORY_MIB = 24576.0
FOLDS = 10


def key(row, side=""):
    return tuple(row[name + side]
                 for name in ("model", "dataset", "batchsize", "amp"))


def read(colocate, single):
    """Returns samples (victim, aggressor, speed, pair number) and profiles by
    key."""
    with open(single, newline="") as file:
        profiles = {key(r): (float(r["gpu_util"]) / 100,
                             float(r["gmem_util"]) / 100,
                             float(r["gmem"]) / MEMORY_MIB)
                    for r in csv.DictReader(file)}
    samples = []
    with open(colocate, newline="") as file:
        for pair, row in enumerate(csv.DictReader(file)):
            one, two = key(row, "1"), key(row, "2")
            samples.append((one, two, float(row["speed1"]), pair))
            samples.append((two, one, float(row["speed2"]), pair))
    return samples, profiles


def terms(sample, profiles):
    """Returns the inputs of the model for a sample: logarithms of utilisation,
    products of the other figures, and the speed."""
    (ui, mi, fi), (uj, mj, fj) = profiles[sample[0]], profiles[sample[1]]
    return (math.log(max(ui, 1e-6)), math.log(max(uj, 1e-6)), mi * mj,
            fi * fj, min(sample[2], 1.0), sample[2])


def predict(k, t):
    return 1 / (1 + k[0] * math.exp(k[1] * t[0] + k[2] * t[1])
                + k[3] * t[2] + k[4] * t[3])


def normal(k, data):
    """Returns J'J and J'r of the residuals r, and the sum of squares of r."""
    n = len(k)
    jj = [[0.0] * n for _ in range(n)]
    jr = [0.0] * n
    total = 0.0
    for t in data:
        e = math.exp(k[1] * t[0] + k[2] * t[1])
        s = 1 / (1 + k[0] * e + k[3] * t[2] + k[4] * t[3])
        r = t[4] - s
        g = (-s * s * e, -s * s * k[0] * e * t[0], -s * s * k[0] * e * t[1],
             -s * s * t[2], -s * s * t[3])
        total += r * r
        for i in range(n):
            jr[i] += g[i] * r
            for j in range(i + 1):
                jj[i][j] += g[i] * g[j]
    for i in range(n):
        for j in range(i):
            jj[j][i] = jj[i][j]
    return jj, jr, total


def solve(matrix, right):
    """Solves a system of linear equations by Gaussian elimination with pivots.
    The matrix is small and positive definite."""
    n = len(right)
    rows = [row[:] + [right[i]] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            scale = rows[k][i] / rows[i][i]
            for j in range(i, n + 1):
                rows[k][j] -= scale * rows[i][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j]
                                 for j in range(i + 1, n))) / rows[i][i]
    return x


def squares(k, data):
    return sum((t[4] - predict(k, t)) ** 2 for t in data)


def fit(data, start=START, steps=60):
    k, damping = list(start), 1e-3
    for _ in range(steps):
        jj, jr, total = normal(k, data)
        while damping < 1e8:
            damped = [[v * (1 + damping) + (1e-12 if i == j else 0)
                       if i == j else v for j, v in enumerate(row)]
                      for i, row in enumerate(jj)]
            step = solve(damped, jr)
            trial = [max(lo, v + d) for v, d, lo in zip(k, step, LOW)]
            better = squares(trial, data)
            if better < total:
                damping = max(damping / 10, 1e-9)
                break
            damping *= 10
        else:
            break
        k = trial
        if total - better < 1e-9 * total:
            break
    return k


def quality(truth, guess):
    mean = sum(truth) / len(truth)
    spread = sum((t - mean) ** 2 for t in truth)
    left = sum((t - g) ** 2 for t, g in zip(truth, guess))
    mae = sum(abs(t - g) for t, g in zip(truth, guess)) / len(truth)
    return {"r2": 1 - left / spread, "mae": mae}


def judge(data, groups, target, start):
    """Predicts each sample by a fit without the samples of its group."""
    guess = [None] * len(data)
    for group in sorted({g for pair in groups for g in pair}):
        k = fit([t for t, g in zip(data, groups) if group not in g], start)
        for i, g in enumerate(groups):
            if g[0] == group:
                guess[i] = predict(k, data[i])
    return quality([t[target] for t in data], guess)


def report(samples, profiles):
    data = [terms(s, profiles) for s in samples]
    k = fit(data)
    guess = [predict(k, t) for t in data]
    folds = [(s[3] % FOLDS,) for s in samples]
    models = [(s[0][0], s[1][0]) for s in samples]
    return {
        "samples": len(data),
        "above_one": sum(t[5] > 1 for t in data) / len(data),
        "coefficients": dict(zip(NAMES, k)),
        "in_sample": quality([t[4] for t in data], guess),
        "in_sample_raw": quality([t[5] for t in data], guess),
        "ten_folds": judge(data, folds, 4, k),
        "ten_folds_raw": judge(data, folds, 5, k),
        "lomo": judge(data, models, 4, k),
        "mean_speed": sum(t[5] for t in data) / len(data),
    }


def main(argv):
    paths = [a for a in argv[1:] if not a.startswith("-")]
    if len(paths) != 2:
        sys.exit(__doc__)
    result = report(*read(*paths))
    if "--json" in argv:
        print(json.dumps(result, indent=1))
        return
    for name, value in result.items():
        if isinstance(value, dict):
            value = "  ".join("%s %.4f" % v for v in value.items())
        print("%-14s %s" % (name, value))


if __name__ == "__main__":
    main(sys.argv)
