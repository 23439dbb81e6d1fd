# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests bench/sensitivity.py: flips of a ranking that were computed by hand,
assumed options that the study does not mention, and a tiny study that is
stopped and continued. The real study is not run here."""
import copy
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

os.environ["SCHEDSIM"] = PROGRAM
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.dont_write_bytecode = True
import assumptions  # noqa: E402
import sensitivity  # noqa: E402
import sensitivity_page  # noqa: E402
from sensitivity_runs import Runs  # noqa: E402


def study():
    with open(os.path.join(ROOT, "bench", "sensitivity.json"),
              encoding="utf-8") as file:
        return json.load(file)


def results(**jct):
    return {name: {"mean": mean, "p99": 10.0} for name, mean in jct.items()}


def by_hand(tap):
    """At the default, the order is a < b < c. With the other value, b is best
    and c is within 1 % of a."""
    systems = ["a", "b", "c"]
    one, other = results(a=1.0, b=2.0, c=3.0), results(a=2.0, b=1.0, c=2.01)
    found = assumptions.flips(one, other, systems, "mean")
    tap.result(found == [("a", "b")], "only clear changes of order are flips",
               found)
    tap.result(assumptions.flips(one, other, systems, "p99") == [],
               "equal values have no order")
    tap.result(assumptions.changes_best(one, other, systems, "mean") and
               not assumptions.changes_best(one, one, systems, "mean"),
               "the best system changes")
    looks = {None: [one, one, one], "x": [other, other, other]}
    tally = assumptions.tally(
        {"name": "x", "values": [{"label": "x"}]}, systems, {"in": [0, 1, 2]},
        lambda name, repeat, value: looks[value and "x"][repeat])
    tap.result((tally.rankings, tally.compared, tally.flipped["mean"],
                tally.most()) == (3, 9, 3, "a, b (100 %)"),
               "a tally counts pairs over repeats", vars(tally))
    tap.result(list(tally.clear) == [("a", "b")],
               "a flip is clear if both intervals exclude equality",
               tally.clear)


def accounts(tap):
    settings = study()
    gone = assumptions.forgotten(settings)
    tap.result(not gone, "each assumed option is moved or explained", gone)
    less = copy.deepcopy(settings)
    less["assumptions"] = [a for a in less["assumptions"]
                           if a["name"] != "restart cost"]
    tap.result(("overheads", "fixed", "restart_s") in
               assumptions.forgotten(less), "a forgotten option is named")
    parts = {name for a in settings["assumptions"] for name in a.get("affects", [])}
    parts |= {s for e in settings["scenarios"].values() for s in e["systems"]}
    parts |= {s for e in settings["sweeps"] for pair in e["pairs"] for s in pair}
    tap.result(parts <= set(settings["systems"]), "each system is described",
               parts - set(settings["systems"]))


def tiny():
    settings = study()
    return {
        "base": settings["base"], "systems": settings["systems"],
        "inputs": {"few": {"title": "few jobs", "cluster": "2x8:A800",
                           "generate": {"like": "seren", "jobs": 30, "gpus": 16},
                           "repeats": [1, 2, 3]}},
        "scenarios": {"plain": {"title": "plain", "set": {},
                                "systems": ["fifo", "srtf"]}},
        "assumptions": [{"name": "preemption cost", "scenario": "plain",
                         "default": "7 s", "range": "to 10,000 s",
                         "affects": ["srtf"], "values": [{
                             "label": "10,000 s",
                             "set": {"overhead.stop_1_s": 10000}}]}],
        "sweeps": [{"id": "load", "title": "load", "x": "load", "note": "",
                    "option": "generate.load", "values": [0.5, 2],
                    "pairs": [["fifo", "srtf"]], "set": {}, "inputs": ["few"]}]}


def carry_out(folder):
    runs = Runs(folder, tiny())
    sensitivity.want_stability(runs)
    for cell in sensitivity.cells(runs.settings):
        sensitivity.keys_of(runs, *cell)
    runs.run_all(2)
    found = sensitivity.stability(runs)
    rows = sensitivity.swept(runs)
    runs.store.claimed.close()
    return runs, rows, found


def stopped(tap, folder):
    """Checks that a stopped study continues. For each of 3 seeds there are 1
    run of fifo and 2 of srtf (the second with the other cost), and 2 runs of
    each at the two loads: (1 + 2 + 2 x 2) x 3 runs. Half of the results are
    then deleted."""
    runs, rows, found = carry_out(folder)
    files = sorted(glob.glob(os.path.join(folder, "runs", "*.json")))
    tap.result(len(runs.wanted) == len(files) == 21,
               "equal runs are run once", (len(runs.wanted), len(files)))
    kept = {path: os.stat(path).st_mtime_ns for path in files[::2]}
    for path in files[1::2]:
        os.remove(path)
    _, again, found_again = carry_out(folder)
    same = all(os.stat(path).st_mtime_ns == at for path, at in kept.items())
    tap.result(same and again == rows and
               sensitivity.stability_rows(found) ==
               sensitivity.stability_rows(found_again),
               "a stopped study goes on and gives the same rows")
    page = sensitivity_page.page(runs.settings, rows, found, [], 21, False)
    tap.result("| preemption cost | 7 s | to 10,000 s |" in page and
               "## Where SchedMate stops paying" in page,
               "the page has both tables", page)


def verdicts(tap):
    def row(value, mean, low, high):
        return {"value": value, "mean": mean, "mean_low": low,
                "mean_high": high}
    column = [row(1, 1.5, 1.2, 1.9), row(2, 1.1, 0.9, 1.3),
              row(3, 0.7, 0.6, 0.8), row(4, 0.6, 0.5, 0.7)]
    words = sensitivity_page.in_words(column)
    tap.result(words == "1: pays; 2: no clear difference; 3 to 4: loses",
               "a column says where a system pays", words)


def main():
    tap = Tap()
    by_hand(tap)
    accounts(tap)
    verdicts(tap)
    with tempfile.TemporaryDirectory() as folder:
        stopped(tap, folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
