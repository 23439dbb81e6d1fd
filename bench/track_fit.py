#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the confidence of `schedsim mate track` to labelled logs: track_fit.py CORPUS...
[--also FILE] [--write HEADER]. A corpus is a directory with index.jsonl
(bench/README.md). For each log, `track --set floor=0 --json` names the evidence for
its step time; a logistic regression over that evidence predicts whether the step
time is right. Prints how reliable the prediction is for repositories that the fit
has not seen, and writes the weights and the floor as a C header."""
import argparse
import collections
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "build", "schedsim")
HEADER = os.path.join(ROOT, "schedmate", "logs", "schedmate_tracker_weights.h")
ALSO = os.path.join(ROOT, "bench", "step_times.jsonl")
# A step time is right if it is off by at most this share.
RIGHT = 0.25
FOLDS = 8
# Penalty of the ridge regression: a weight of 1 costs as much as half a log.
RIDGE = 0.5
# All logs of the generated corpora together weigh as much as this number of
# real ones.
GENERATED = 40
# Among step times with at least the floor as confidence, this share must be
# right.
PRECISION = 0.96
# Half of the step times whose confidence exceeds the floor by less than this must
# be right too.
JUST_ABOVE = 0.2
# Largest confidence of a step time for which there is evidence against it, as
# in schedmate/logs/tracker.c.
OBJECTED_MOST = 0.5
# Evidence that, by its meaning, cannot make a step time less likely (FOR) or
# more likely (AGAINST).
FOR = {"said", "bar_named", "loss_line", "loss_near", "metric", "advances",
       "agrees", "clock_agrees", "long"}
AGAINST = {"few", "average", "rival", "other_work", "epoch_bar", "bare_bar",
           "no_epoch", "stands", "coarse", "unsaid", "no_metric",
           "too_close", "contradicted", "objected"}
BINS = (0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0001)


def read_labels(path):
    """Returns the step times of logs whose corpus has no labels, by file and
    number of lines."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {(row["file"], row["n_lines"]): row["step_time"] for row in rows}


def labels_of(row, also):
    """Returns the step times, in seconds, that count as right for a log. An
    empty list: the log has no step time. None: it is not known."""
    label = row.get("step_time") or also.get((row["file"], row["n_lines"]))
    if not label:
        return None if row.get("step_known") is False else []
    if label["seconds_per_step"] is None:
        return None
    return [label["seconds_per_step"]] + (label.get("accepted") or [])


def is_right(answer, labels, tolerance=RIGHT):
    return answer["found"] and any(
        abs(answer["seconds_per_step"] / label - 1) <= tolerance
        for label in labels)


def case_of(row, answer, labels):
    """Returns the facts that the fit needs of a step time that was given
    without a floor."""
    return {"repo": (row.get("source") or {}).get("repo") or row["file"],
            "file": row["file"], "generated": "style" in row,
            "evidence": answer["evidence"],
            "right": is_right(answer, labels)}


def read_corpus(folder, also):
    """Returns the cases of the logs of a corpus for which `track` gives a step
    time, with a floor of 0, and whose label is known."""
    with open(os.path.join(folder, "index.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    asked = []
    for row in rows:
        labels = labels_of(row, also)
        if labels is None:
            continue
        done = subprocess.run(
            [PROGRAM, "mate", "track", os.path.join(folder, row["file"]), "--json",
             "--set", "floor=0"], capture_output=True, text=True, check=True)
        answer = json.loads(done.stdout)
        if answer["found"]:
            asked.append(case_of(row, answer, labels))
    return asked


def predict(weights, evidence):
    x = weights[""] + sum(weights.get(name, 0) for name in evidence)
    p = 1 / (1 + math.exp(-max(-30, min(30, x))))
    return min(p, OBJECTED_MOST) if "objected" in evidence else p


def fit(rows):
    """Fits a logistic regression with a ridge by gradient steps."""
    made = sum(row["generated"] for row in rows)
    cases = collections.Counter()
    for row in rows:
        cases[tuple(row["evidence"]), row["right"]] += (
            min(1, GENERATED / made) if row["generated"] else 1)
    names = [""] + sorted({name for row in rows for name in row["evidence"]})
    weights = dict.fromkeys(names, 0.0)
    total = sum(cases.values())
    for _ in range(4000):
        slope = {name: -RIDGE * weights[name] if name else 0.0
                 for name in names}
        for (evidence, right), n in cases.items():
            error = n * (right - predict(weights, evidence))
            slope[""] += error
            for name in evidence:
                slope[name] += error
        for name in names:
            weights[name] += 2 * slope[name] / total
            if name in FOR:
                weights[name] = max(0.0, weights[name])
            elif name in AGAINST:
                weights[name] = min(0.0, weights[name])
    return weights


def by_folds(rows):
    """Returns pairs of a row and its confidence by a fit without the rows of
    its repository."""
    repos = sorted({row["repo"] for row in rows})
    fold = {repo: i % FOLDS for i, repo in enumerate(repos)}
    pairs = []
    for k in range(FOLDS):
        weights = fit([row for row in rows if fold[row["repo"]] != k])
        pairs += [(row, predict(weights, row["evidence"])) for row in rows
                  if fold[row["repo"]] == k]
    return pairs


def reliability(pairs):
    """Returns, for each bin of the confidence: its bounds, the mean
    confidence, the share of right step times and their number."""
    bins = []
    for low, high in zip(BINS, BINS[1:]):
        part = [(row, p) for row, p in pairs if low <= p < high]
        if part:
            bins.append((low, min(high, 1), sum(p for _, p in part) / len(part),
                         sum(row["right"] for row, _ in part) / len(part),
                         len(part)))
    return bins


def floor_of(pairs):
    """Returns the floor: the smallest confidence, a multiple of 1/20, such that
    at least the share PRECISION of the step times with at least this confidence
    are right, and at least half of those less than JUST_ABOVE above it. Returns
    0.95 if there is none."""
    for twentieth in range(20):
        floor = twentieth / 20
        part = [row["right"] for row, p in pairs if p >= floor]
        least = [row["right"] for row, p in pairs
                 if floor <= p < floor + JUST_ABOVE]
        if (part and sum(part) >= PRECISION * len(part)
                and 2 * sum(least) >= len(least)):
            return floor
    return 0.95


def print_reliability(title, pairs):
    print("\n| %s | predicted | right | step times |\n| --- | ---: | ---: | "
          "---: |" % title)
    for low, high, mean, right, n in reliability(pairs):
        print("| %.2f to %.2f | %.3f | %.3f | %d |" % (low, high, mean, right,
                                                        n))


def write_header(path, weights, floor, rows):
    real = sum(not row["generated"] for row in rows)
    with open(path, "w", encoding="utf-8") as out:
        out.write(
            "/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
            "/* Made by bench/track_fit.py from the step times of %d real and %d "
            "generated\n * logs; not for editing. */\n"
            "#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H\n"
            "#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H\n\n"
            "#define TRACKER_FLOOR %.2f\n#define TRACKER_BIAS %.3f\n"
            "#define TRACKER_WEIGHTS(X) \\\n" % (real, len(rows) - real, floor,
                                                 weights[""]))
        names = [name for name in weights if name]
        out.write(" \\\n".join("    X(%s, %.3f)" % (name.upper(), weights[name])
                               for name in names))
        out.write("\n\n#endif\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--also", default=ALSO,
                        help="step times that the indexes lack (JSON Lines)")
    parser.add_argument("--write", metavar="HEADER", nargs="?", const=HEADER)
    args = parser.parse_args()
    also = read_labels(args.also)
    rows = []
    for folder in args.corpora:
        part = read_corpus(folder, also)
        print("%s: %d step times, %d right" % (
            folder, len(part), sum(row["right"] for row in part)))
        rows += part
    if not rows:
        sys.exit("track_fit.py: no step times")
    pairs = by_folds(rows)
    real = [(row, p) for row, p in pairs if not row["generated"]]
    print_reliability("real logs, confidence", real)
    print_reliability("all logs, confidence", pairs)
    floor = floor_of(real or pairs)
    weights = fit(rows)
    print("\nfloor %.2f" % floor)
    for name, weight in weights.items():
        print("%-14s %6.3f" % (name or "bias", weight))
    for row, p in sorted(pairs, key=lambda pair: -pair[1]):
        if not row["right"]:
            print("wrong at %.2f: %s (%s)" % (p, row["file"],
                                              ", ".join(row["evidence"])))
    if args.write:
        write_header(args.write, weights, floor, rows)


if __name__ == "__main__":
    main()
