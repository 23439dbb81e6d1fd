#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What results depend on: sweeps of one option each, and assumption stability, from
sensitivity.json.

    sensitivity.py --quick      fewer repeats and values, within five minutes
    sensitivity.py [--write]    everything; --write makes docs/sensitivity.md
    sensitivity.py --check      only whether each assumed option is accounted for

Results are kept in --out, so that a command that was stopped goes on where it was, and
gives the same sweeps.csv and stability.csv. Plots need gnuplot. Exit status 6 if an
assumed option is neither moved nor explained."""
import argparse
import copy
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys

import assumptions
import measure
from reproduction import judge, plots, runner
from sensitivity_runs import Runs

OUTSIDE = 6
HERE = os.path.dirname(os.path.abspath(__file__))
LICENCE = "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
PAGE = os.path.join(measure.ROOT, "docs", "sensitivity.md")


def at_quick(settings):
    """Returns the settings with fewer repeats, values and inputs."""
    changed, quick = copy.deepcopy(settings), settings["quick"]
    for name, entry in changed["inputs"].items():
        entry["repeats"] = entry["repeats"][:quick["inputs"].get(name, 0)]
    for assumption in changed["assumptions"]:
        assumption["values"] = assumption["values"][-quick["values"]:]
    changed["sweep_repeats"] = quick["sweep_repeats"]
    return changed


def present(settings):
    """Removes the inputs whose files are not on this machine. Returns their
    names."""
    gone = [name for name, entry in settings["inputs"].items()
            if not entry["repeats"] or "file" in entry and
            not os.path.exists(measure.shared(entry["file"]))]
    for name in gone:
        del settings["inputs"][name]
    return gone


# Sweeps.

def changed(sweep, value):
    names = sweep["option"]
    return dict.fromkeys([names] if isinstance(names, str) else names, value)


def cells(settings):
    """Yields (sweep, input, value) of each point."""
    for sweep in settings["sweeps"]:
        for name in sweep["inputs"]:
            if name in settings["inputs"]:
                for value in sweep["values"]:
                    yield sweep, name, value


def repeats_of(settings, name):
    return settings["inputs"][name]["repeats"][:settings.get("sweep_repeats")]


def keys_of(runs, sweep, name, value):
    """Returns {system: keys of its repeats}."""
    settings = runs.settings
    systems = dict.fromkeys(s for pair in sweep["pairs"] for s in pair)
    return {system: [runs.want(name, repeat, sweep["set"],
                               settings["systems"][system], changed(sweep, value))
                     for repeat in repeats_of(settings, name)]
            for system in systems}


def gain(base, better, kind):
    """Returns the geometric mean of base / better over repeats, and its
    interval."""
    ratios = [assumptions.log_ratio(a[kind], b[kind])
              for a, b in zip(base, better)]
    value, bounds = judge.interval([ratios], lambda c: judge.mean(c[0]))
    # Two repeats would give an interval of a hundred times their difference.
    low, high = bounds if bounds and len(ratios) > 2 else (None, None)
    return [None if x is None else math.exp(x) for x in (value, low, high)]


def swept(runs):
    """Returns the rows of sweeps.csv."""
    rows = []
    for sweep, name, value in cells(runs.settings):
        keys = keys_of(runs, sweep, name, value)
        found = {s: [runs.results[k] for k in some] for s, some in keys.items()}
        for base, better in sweep["pairs"]:
            row = {"sweep": sweep["id"], "input": name, "value": value,
                   "base": base, "system": better,
                   "repeats": len(found[base]),
                   "other_jobs": int([r["jobs"] for r in found[base]] !=
                                     [r["jobs"] for r in found[better]]),
                   "base_jct_h": judge.mean([r["mean"] for r in found[base]]) / 3600}
            for kind in assumptions.KINDS:
                row.update(zip((kind, kind + "_low", kind + "_high"),
                               gain(found[base], found[better], kind)))
            rows.append(row)
    return rows


# Stability.

def change_of(assumption, system, value):
    """Returns the options that a value changes for a system; none if the
    assumption does not affect the system."""
    affects = assumption.get("affects")
    return value["set"] if value and (not affects or system in affects) else {}


def key_of(runs, assumption, source, repeat, system, value):
    scenario = runs.settings["scenarios"][assumption["scenario"]]
    return runs.want(source, repeat, scenario["set"],
                     runs.settings["systems"][system],
                     change_of(assumption, system, value))


def want_stability(runs):
    for assumption in runs.settings["assumptions"]:
        systems = runs.settings["scenarios"][assumption["scenario"]]["systems"]
        for source, entry in runs.settings["inputs"].items():
            for repeat in entry["repeats"]:
                for system in systems:
                    for value in [None] + assumption["values"]:
                        key_of(runs, assumption, source, repeat, system, value)


def stability(runs):
    """Returns a tally for each assumption, and for comparison one for each
    scenario that counts the flips between two repeats."""
    settings, found = runs.settings, []
    inputs = {name: e["repeats"] for name, e in settings["inputs"].items()}

    def look(assumption, systems):
        return lambda source, repeat, value: {
            system: runs.results[key_of(runs, assumption, source, repeat, system,
                                        value)] for system in systems}
    for assumption in settings["assumptions"]:
        systems = settings["scenarios"][assumption["scenario"]]["systems"]
        found.append((assumption, assumptions.tally(
            assumption, systems, inputs, look(assumption, systems))))
    for name, scenario in settings["scenarios"].items():
        plain = {"scenario": name, "values": []}
        found.append((plain, assumptions.by_chance(
            "another repeat, " + name, scenario["systems"], inputs,
            look(plain, scenario["systems"]))))
    return found


# Output.

def write_csv(path, rows):
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({key: "%.6g" % value if isinstance(value, float) else value
                        for key, value in row.items()})
    runner.write(path, text.getvalue())


def stability_rows(found):
    return [{"assumption": tally.name, "scenario": assumption["scenario"],
             "default": assumption.get("default", ""),
             "range": assumption.get("range", ""), "rankings": tally.rankings,
             "pairs_flipped_mean_percent": tally.share("mean"),
             "pairs_flipped_p99_percent": tally.share("p99"),
             "best_changes_mean_percent": tally.best_share("mean"),
             "best_changes_p99_percent": tally.best_share("p99"),
             "clear_flips": sum(map(len, tally.clear.values())),
             "most": tally.most()} for assumption, tally in found]


def draw(folder, name, script, blocks):
    """Writes the data and the script of a plot, and draws it as PDF and SVG.
    Returns a message if it could not be drawn."""
    plots.write_lines(os.path.join(folder, name + ".dat"), blocks)
    runner.write(os.path.join(folder, name + ".gp"), script)
    if not shutil.which("gnuplot"):
        return plots.GET
    for terminal, kind in (("pdfcairo size 18cm,16cm", "pdf"),
                           ("svg size 900,760 dynamic font 'sans,12'", "svg")):
        done = subprocess.run(
            ["gnuplot", "-e", "set terminal %s; set output '%s.%s'" % (
                terminal, name, kind), name + ".gp"], cwd=folder,
            capture_output=True, text=True, check=False)
        if done.returncode:
            return "%s: gnuplot: %s" % (name, done.stderr.strip())
    return None


def draw_stability(folder, found):
    rows = sorted(found, key=lambda item: item[1].share("mean"))
    points = [(i, '"%s"' % tally.name, "%.4g" % tally.share("mean"),
               "%.4g" % tally.share("p99"))
              for i, (_, tally) in enumerate(rows)]
    text = plots.STYLE % {"title": "'How often two policies change places'",
                          "x": "'pairs of policies, %'", "y": "''"}
    text += ("set key bottom right inside\nset yrange [-1:%d]\nset xrange [0:*]\n"
             "set ytics noenhanced\nplot 'stability.dat' index 0 using "
             "3:1:ytic(2) with points pt 7 title 'mean JCT', '' index 0 using 4:1 "
             "with points pt 4 title 'p99 of the JCT'\n" % len(points))
    return draw(folder, "stability", text, [("stability", points)])


def draw_sweep(folder, sweep, rows):
    blocks = {}
    for row in rows:
        if row["sweep"] == sweep["id"]:
            title = "%s over %s, %s" % (row["system"], row["base"], row["input"])
            middle = row["mean"]
            blocks.setdefault(title, []).append(
                (row["value"], middle, row["mean_low"] or middle,
                 row["mean_high"] or middle))
    if not blocks:
        return None
    text = plots.STYLE % {"title": plots.quoted(sweep["title"]),
                          "x": plots.quoted(sweep["x"]),
                          "y": "'mean JCT of the base / mean JCT'"}
    if sweep.get("log"): # a logarithmic axis cannot show 0
        text += "set logscale x\n"
        blocks = {title: [p for p in points if p[0] > 0]
                  for title, points in blocks.items()}
    text += "set key below\nset arrow from graph 0,first 1 to graph 1,first 1 nohead\n"
    text += "plot " + ", ".join(
        "%s index %d using 1:2:3:4 with yerrorlines title %s noenhanced" % (
            plots.quoted(sweep["id"] + ".dat"), i, plots.quoted(title))
        for i, title in enumerate(blocks)) + "\n"
    return draw(folder, sweep["id"], text, list(blocks.items()))


def draw_all(folder, settings, rows, found):
    said = [draw_stability(folder, found)]
    said += [draw_sweep(folder, sweep, rows) for sweep in settings["sweeps"]]
    for words in dict.fromkeys(filter(None, said)):
        print(words, file=sys.stderr)


def check(settings):
    gone = assumptions.forgotten(settings)
    for option in gone:
        print("%s %s: %s is assumed, and sensitivity.json neither moves nor "
              "explains it" % option)
    print("%d assumed options, %d without an account" % (
        len(assumptions.assumed()), len(gone)))
    return OUTSIDE if gone else 0


def main():
    import sensitivity_page
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true",
                        help="make docs/sensitivity.md and its figure")
    parser.add_argument("--out", default="sensitivity-results", metavar="DIR",
                        help="folder of results; default sensitivity-results")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with open(os.path.join(HERE, "sensitivity.json"), encoding="utf-8") as text:
        settings = json.load(text)
    status = check(settings)
    if args.check:
        return status
    if args.quick:
        settings = at_quick(settings)
    gone = present(settings)
    runs = Runs(args.out, settings)
    want_stability(runs)
    for cell in cells(settings):
        keys_of(runs, *cell)
    runs.run_all(args.workers)
    rows, found = swept(runs), stability(runs)
    for folder in [args.out] + [PAGE[:-3]] * args.write:
        write_csv(os.path.join(folder, "sweeps.csv"), rows)
        write_csv(os.path.join(folder, "stability.csv"), stability_rows(found))
    draw_all(args.out, settings, rows, found)
    page = sensitivity_page.page(settings, rows, found, gone, len(runs.results),
                                 args.quick)
    print(page)
    if args.write:
        runner.write(PAGE, page)
        figure = os.path.join(args.out, "stability.svg")
        if os.path.exists(figure):
            with open(figure, encoding="utf-8") as text:
                head, _, body = text.read().partition("\n")
            runner.write(PAGE[:-3] + ".svg", head + "\n" + LICENCE + body)
    return status


if __name__ == "__main__":
    measure.main(main)
