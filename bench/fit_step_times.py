#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the step times of models/usage/usage.json to step times that were
measured on A800 (Morphling, MLSys 2025, Apache-2.0).

    python3 bench/fit_step_times.py     tables in Markdown

The law of a job of G GPUs on N nodes, with b samples a GPU:

    step = fixed + sample b + nodes (N - 1) / N + spread (N - 1) / G

(N - 1) / N is the share of its data that a ring sends between nodes; (N - 1) / G
is more if few GPUs of a node share its network. Errors are relative. Exit status
6 if a figure of usage.json is not what this program computes.

The measured models are close relatives of four models of SchedMate's Table 1,
not these models themselves. The coefficients of a relative are scaled: `sample`
by the floating point operations of a sample, the others by the number
of parameters."""

import csv
import json
import os

import measure

OUTSIDE = 6
TOLERANCE = 0.006  # figures of usage.json have three digits

# name: file, samples of a step on all GPUs, execution plan whose rows are used.
# None: the best plan of each placement.
MEASURED = {
    "ViT-B/16": ("vit.csv", 64, "ga"),
    "BERT-Large": ("bert.csv", 32, "ga"),
    "LLaMA-2-7B": ("llama7.csv", 8, None),
    "LLaMA-2-7B, batch 16": ("llama7b_bsz16.csv", 16, None),
}
FITS = {"ViT-B/16": ["ViT-B/16"], "BERT-Large": ["BERT-Large"],
        "LLaMA-2-7B": ["LLaMA-2-7B", "LLaMA-2-7B, batch 16"]}
# Model of Table 1: its relative, operations of a sample and parameters as
# multiples of the relative's, and the same in words.
RELATIVES = {
    "ViT-L/16": ("ViT-B/16", 61.6 / 17.6, 307 / 86,
                 "61.6 and 17.6 G multiplications an image, 307 M and 86 M "
                 "parameters"),
    "BERT-Base": ("BERT-Large", 85 / 302 * 384 / 512, 110 / 336,
                  "85 M and 302 M parameters outside the embeddings, 384 and "
                  "512 tokens; 110 M and 336 M parameters"),
    "LLaMA-3-8B": ("LLaMA-2-7B", 8.03 / 6.74 * 512 / 2048, 8.03 / 6.74,
                   "8.03 and 6.74 G parameters, 512 and 2048 tokens"),
    "Qwen2.5-14B": ("LLaMA-2-7B", 14.77 / 6.74 * 512 / 2048, 14.77 / 6.74,
                    "14.77 and 6.74 G parameters, 512 and 2048 tokens"),
}
# Models without a relative: samples per second on one GPU and fixed seconds are
# assumed; `nodes` is the value of BERT-Large, scaled by the number of
# parameters in millions.
ASSUMED = {"ResNet50": (880, 0.01, 25.6), "UNet2D": (210, 0.01, 30.0),
           "EfficientNet-B4": (256, 0.01, 19.0)}
NAMES = ("step_fixed_s", "step_sample_s", "step_nodes_s", "step_spread_s")


def points(name):
    """Returns (samples per GPU, nodes, GPUs, seconds, placement, plan) for
    each row of a measured model. Leaves out placements with different numbers
    of GPUs on their nodes, because the policies here do not make them."""
    file, samples, plan = MEASURED[name]
    best = {}
    with open(measure.shared("traces", "morphling", file), newline="",
              encoding="utf-8") as text:
        for row in csv.DictReader(text):
            place, seconds = row["placement"], float(row["iter_time"] or 0)
            if (len(set(place)) > 1 or seconds <= 0 or
                    "offload" in row["exec_plan"] or
                    plan not in (None, row["exec_plan"])):
                continue
            if place not in best or seconds < best[place][0]:
                best[place] = (seconds, row["exec_plan"])
    out = []
    for place, (seconds, used) in sorted(best.items()):
        gpus = sum(map(int, place))
        out.append((samples / gpus, len(place), gpus, seconds, place, used))
    return out


def solve(rows):
    """Solves a small system of linear equations by Gauss-Jordan elimination.
    Each row ends with its right side."""
    rows = [list(row) for row in rows]
    n = len(rows)
    for i in range(n):
        at = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[at] = rows[at], rows[i]
        for k in range(n):
            if k != i:
                times = rows[k][i] / rows[i][i]
                rows[k] = [a - times * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def terms(samples, nodes, gpus):
    return (1.0, samples, (nodes - 1) / nodes, (nodes - 1) / gpus)


def fit(data):
    """Fits the coefficients by least squares of relative errors. A coefficient
    that would be negative becomes 0."""
    used = list(range(len(NAMES)))
    while True:
        x = [[terms(b, n, g)[k] / t for k in used]
             for b, n, g, t, *_ in data]
        found = solve([[sum(row[i] * row[j] for row in x)
                        for j in range(len(used))] +
                       [sum(row[i] for row in x)] for i in range(len(used))])
        if min(found) >= 0:
            return [found[used.index(k)] if k in used else 0.0
                    for k in range(len(NAMES))]
        del used[found.index(min(found))]


def seconds(law, samples, nodes, gpus):
    return sum(c * t for c, t in zip(law, terms(samples, nodes, gpus)))


def errors(law, data):
    return [seconds(law, b, n, g) / t - 1 for b, n, g, t, *_ in data]


def rms(values):
    return (sum(v * v for v in values) / len(values)) ** 0.5


def laws():
    """Returns (law, points) of each measured model."""
    out = {}
    for name, parts in FITS.items():
        data = [point for part in parts for point in points(part)]
        out[name] = (fit(data), data)
    return out


def derived(fitted):
    """Returns the law of each model of Table 1."""
    out = {}
    for model, (relative, work, parameters, _) in RELATIVES.items():
        law = fitted[relative][0]
        out[model] = [law[0] * parameters, law[1] * work, law[2] * parameters,
                      law[3] * parameters]
    for model, (rate, fixed, millions) in ASSUMED.items():
        out[model] = [fixed, 1 / rate] + [
            c * millions / 336 for c in fitted["BERT-Large"][0][2:]]
    return out


def listed():
    """Returns the laws in usage.json, by model; [] for a model whose rows
    differ."""
    with open(os.path.join(measure.ROOT, "models", "usage", "usage.json"),
              encoding="utf-8") as text:
        data = json.load(text)
    out = {}
    for row in data["rows"]:
        if row["family"] != "schedmate":
            continue
        values = dict(zip(data["figures"], row["figures"]))
        law = [values.get(name, [-1])[0] for name in NAMES]
        out[row["model"]] = law if out.get(row["model"], law) == law else []
    return out


def print_measured(fitted):
    for name, (law, data) in fitted.items():
        off = errors(law, data)
        print("%s: step = %.4g + %.4g b + %.4g (N - 1)/N + %.4g (N - 1)/G s; "
              "root mean square error %.1f %%, largest %.1f %%\n" % (
                  name, *law, 100 * rms(off), 100 * max(map(abs, off))))
        measure.table(
            ["placement", "plan", "samples a GPU", "measured, s", "law, s",
             "off, %"],
            [[place, plan, "%g" % b, "%.4f" % t,
              "%.4f" % seconds(law, b, n, g),
              "%+.1f" % (100 * e)]
             for (b, n, g, t, place, plan), e in zip(data, off)])


def main():
    measure.need_shared()
    fitted = laws()
    print_measured(fitted)
    found, rows, bad = listed(), [], 0
    for model, law in derived(fitted).items():
        here = found.get(model) or [-1] * len(NAMES)
        ok = all(abs(a - b) <= TOLERANCE * max(a, b, 1e-3)
                 for a, b in zip(law, here))
        bad += not ok
        rows.append([model, RELATIVES[model][0] if model in RELATIVES
                     else "(assumed)"] + ["%.3g" % v for v in law] +
                    ["yes" if ok else "NO"])
    measure.table(["model", "from", *NAMES, "in usage.json"], rows)
    return OUTSIDE if bad else 0


if __name__ == "__main__":
    measure.main(main)
