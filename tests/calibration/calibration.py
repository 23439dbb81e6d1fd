# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the calibration of the trace generator: each number of a file has a
source and a status, the shares add up, and derive.py makes the files again,
byte by byte, from the published figures and the rows."""
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import ROOT, Tap  # noqa: E402

FOLDER = os.path.join(ROOT, "traces", "generate", "calibration")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
import status  # noqa: E402


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def near(a, b, by):
    return abs(a - b) <= by


def adds_up(data):
    """Returns the names of the shares that do not add up."""
    rows = data["joint"]["rows"]
    whole = math.fsum(row["share"] for row in rows)
    wrong = [] if near(whole, 1, 1e-4) else ["joint"]
    by_state = dict.fromkeys(("completed", "failed", "cancelled"), 0.0)
    by_vc = {row[0]: 0.0 for row in data["vcs"]["vcs"]}
    for row in rows:
        by_state[row["state"]] += row["share"]
        if by_vc:
            by_vc[row["vc"]] += row["share"]
        if not near(math.fsum(row["bins"]), 1, 2e-3):
            wrong.append("bins")
    for got, want in zip(by_state.values(), data["states"]["value"]):
        if not near(got, want, 2e-3):
            wrong.append("states")
    for name, _, jobs, _, _, most in data["vcs"]["vcs"]:
        sizes = data["vcs"]["sizes"][name]
        if not near(by_vc[name], jobs, 2e-3):
            wrong.append("jobs of " + name)
        if sizes[-1][0] > most or not near(sum(s for _, s in sizes), 1, 5e-3):
            wrong.append("sizes of " + name)
    return wrong


def derived_again():
    """Returns the output of derive.py --check; None if the published figures
    and rows are not present."""
    shared = os.environ.get("SCHEDSIM_SHARED") or os.path.join(
        ROOT, "..", "shared")
    if not os.path.isdir(os.path.join(shared, "traces", "stats")):
        return None
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(FOLDER, "derive.py"), "--from",
         shared, "--check"], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main():
    tap = Tap()
    for name in status.COLUMNS:
        data = load(name)
        why = ""
        try:
            status.check(data, name)
        except ValueError as error:
            why = error
        tap.result(not why, name + " gives source and status of each number",
                   why)
        wrong = adds_up(data)
        tap.result(not wrong, name + " adds up", ", ".join(wrong))
    fitted = load("fitted")
    bare = [name for name in status.COLUMNS
            if fitted[name].get("status") not in ("fitted", "assumed")
            or not fitted[name].get("rule")]
    tap.result(not bare, "fitted figures say what they were fitted to",
               ", ".join(bare))
    said = derived_again()
    if said is None:
        tap.skip("derived again", "skipped: ../shared not present")
    else:
        tap.result(not said, "one command derives the files byte by byte",
                   said)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
