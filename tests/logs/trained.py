# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains on the labelled corpus again. The result must equal the tables that
are compiled in, and reach the claimed quality on sources left out of the
training. Usage: trained.py TRAIN_LOGS."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import ROOT, Tap  # noqa: E402

SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..",
                                                           "shared")
CORPUS = os.path.join(SHARED, "logs")
# Lower bounds for the classifier in eight folds; the logs of one repository are
# all in the same fold.
LEAST = {"template_accuracy": 0.89, "macro_f1": 0.84}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def furthest(ours, theirs):
    """Returns the largest difference between two rows of int8 values; infinity
    if their lengths differ."""
    values = [[(b ^ 128) - 128 for b in bytes.fromhex(row["int8"])]
              for row in (ours, theirs)]
    if len(values[0]) != len(values[1]):
        return float("inf")
    return max(abs(a - b) for a, b in zip(*values))


def main():
    tap = Tap()
    if not os.path.exists(os.path.join(CORPUS, "index.jsonl")):
        tap.skip("trained", "skipped: ../shared not present")
        sys.exit(tap.exit_status())
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "log_weights.json")
        done = subprocess.run([sys.argv[1], CORPUS, path], capture_output=True,
                              text=True, check=False)
        if not tap.result(done.returncode == 0, "trains", done.stderr):
            sys.exit(tap.exit_status())
        again = read(path)
    kept = read(os.path.join(ROOT, "schedmate", "logs", "log_weights.json"))
    tap.result(again["trained_on"] == kept["trained_on"], "from as much",
               again["trained_on"])
    for key, row in kept["weights"].items():
        far = furthest(row, again["weights"][key])
        tap.result(far <= 1, "the row of " + key, far)
    claims = kept["cross_validation"]
    tap.result(all(abs(again["cross_validation"][k] - v) < 0.005
                   for k, v in claims.items() if isinstance(v, float)),
               "cross-validates as it says", again["cross_validation"])
    for key, least in LEAST.items():
        tap.result(claims[key] >= least, key, claims[key])
    sys.exit(tap.exit_status())


main()
