#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the gain and the three pictures of docs/reproduction.md.

    maps_pictures.py MAPS FOLDER

MAPS is the --out of maps.py. Writes to FOLDER cells.csv, gain.csv, failures.csv
and ratio.svg, gain.svg, failures.svg (gnuplot).

The gain over Lucid is the logarithm of its mean JCT over that with SchedMate, so
that parts add up. A part is what its switch adds, averaged over the orders in
which the switches can be turned on (Shapley; a profile can be saved only once
the advisor tells the demand, so `packing` comes before `profiling`)."""
import csv
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
from types import SimpleNamespace

import maps
import maps_cells
import measure

PARTS = ["order", "packing", "profiling", "tracker"]


def orders():
    return [order for order in itertools.permutations(PARTS)
            if order.index("packing") < order.index("profiling")]


def switches_of(name):
    """Returns the parts that are on in a run of the part `gain`."""
    system, _, named = name.partition(": ")
    on = set(named.split(" + ")) - {"none"}
    if "packing" not in on:
        on.discard("profiling")
    if system.endswith("tracker"):
        on.add("tracker")
    return frozenset(on)


def gains(folder):
    """Yields (cluster, seed, part -> share of the logarithm of the gain)."""
    cells = {}
    for row in maps_cells.rows_of(folder):
        cells.setdefault((row["cluster"], maps_cells.seed_of(row)), {})[
            switches_of(row["name"])] = math.log(float(row["jct_s_mean"]))
    for (cluster, seed), found in sorted(cells.items()):
        if len(found) < 12:
            continue
        parts = {part: 0.0 for part in PARTS}
        spread = {part: [] for part in PARTS}
        for order in orders():
            on = frozenset()
            for part in order:
                before = found[on]
                on |= {part}
                parts[part] += (before - found[on]) / len(orders())
                spread[part].append(before - found[on])
        whole = found[frozenset()] - found[frozenset(PARTS)]
        yield cluster, seed, parts, spread, whole


def write_gain(folder, path):
    rows = {}
    with open(path, "w", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(["input", "cluster", "seed"] + PARTS +
                       ["sum", "whole", "largest_effect_of_the_order"])
        for name in sorted(os.listdir(folder)):
            if not name.startswith("gain-") or name.endswith(".json"):
                continue
            for cluster, seed, parts, spread, whole in gains(
                    os.path.join(folder, name)):
                values = [parts[p] for p in PARTS]
                widest = max(max(s) - min(s) for s in spread.values())
                lines.writerow([name[5:], cluster, seed[1] or seed[2]] +
                               ["%.5f" % v for v in values] +
                               ["%.5f" % sum(values), "%.5f" % whole,
                                "%.5f" % widest])
                rows.setdefault((name[5:], cluster), []).append(values)
    return rows


def write_failures(folder, path):
    """Medians over seeds of what follows a failure, by rate, size, interval."""
    cells = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("failures-") and not name.endswith(".json"):
            for row in maps_cells.rows_of(os.path.join(folder, name)):
                key = (name[len("failures-jobs-"):],
                       row["faults"].split("rate_factor=")[1],
                       row["overhead"].split("checkpoint_s=")[1].split(",")[0],
                       row["name"])
                cells.setdefault(key, []).append(row)
    columns = ["jct_s_mean", "goodput", "lost_gpu_hours",
               "failures_held_gpu_hours", "failures_restart_s_mean",
               "failures_restart_s_p50", "failures_given_up"]
    medians = {}
    with open(path, "w", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(["gpus", "rate", "checkpoint_s", "after_a_failure",
                        "seeds"] + columns)
        for key, rows in cells.items():
            values = []
            for column in columns:
                known = [float(r[column]) for r in rows if r.get(column)]
                values.append(statistics.median(known) if known else "")
            medians[key] = dict(zip(columns, values))
            lines.writerow(list(key) + [len(rows)] +
                           ["%.5g" % v if v != "" else "" for v in values])
    return medians


def gnuplot(path, script):
    head = ("set terminal svg size 640,360 background 'white' font "
            "'DejaVu Sans,12'\nset grid ytics lc rgb '#dddddd'\n"
            "set key below\n")
    svg = subprocess.run(["gnuplot"], input=head + script, text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    with open(path, "w") as out:
        out.write(svg)


def nodes(row):
    return int(row["cluster"].partition("x")[0])


def draw_ratio(cells, path):
    script, plots = "", []
    for source in ("seren", "venus"):
        for recipe, colour in (("schedmate", "#0072b2"), ("lucid", "#e69f00")):
            rows = [r for r in cells if r["part"] == "core" and
                    r["input"] == source and r["system"] == "schedmate" and
                    r["workloads"] == recipe]
            if not rows:
                continue
            name = "$%s_%s" % (source, recipe)
            most = max(nodes(r) for r in rows)
            script += "%s << EOD\n%s\nEOD\n" % (name, "\n".join(
                "%g %s %s %s" % (most / nodes(r), r["median"], r["least"],
                                 r["most"])
                for r in sorted(rows, key=nodes, reverse=True)))
            title = "%s, %s" % (source.capitalize(), "Table 1" if recipe ==
                                "schedmate" else "Lucid''s models")
            plots.append("%s with yerrorlines lc rgb '%s' dt %d pt 7 ps 0.6 "
                         "title '%s'" % (name, colour,
                                         1 if source == "seren" else 2, title))
    gnuplot(path, "set xlabel 'load, as a multiple of that on the own "
            "cluster'\nset ylabel 'mean JCT: Lucid / Lucid+SchedMate'\n" +
            script + "plot 1 lc rgb 'black' notitle, 1.23 dt 3 lc rgb "
            "'#888888' title 'published, least', 1.91 dt 4 lc rgb '#888888' "
            "title 'published, most', " + ", ".join(plots) + "\n")


def draw_gain(rows, path):
    data = "".join("\"%s %s\" %s\n" % (
        source, cluster.partition("x")[0], " ".join(
            "%.4f" % statistics.mean(v[i] for v in values)
            for i in range(len(PARTS))))
        for (source, cluster), values in sorted(
            rows.items(), key=lambda item: -nodes({"cluster": item[0][1]})))
    titles = ["order of the queue", "pairs by told demand", "profiles saved",
              "evictions"]
    gnuplot(path, "set style data histogram\nset style histogram clustered\n"
            "set style fill solid 0.8\nset ylabel 'part of log(gain)'\n"
            "set xlabel 'trace and nodes'\n$d << EOD\n" + data + "EOD\nplot " +
            ", ".join("$d using %d:xtic(1) title '%s'" % (i + 2, title)
                      for i, title in enumerate(titles)) + "\n")


def draw_failures(medians, path):
    laws = ["plain retry", "time-out", "person", "handler, person",
            "handler that guesses, person"]
    places = [(g, r, c) for g in ("8", "64", "256") for r, c in
              (("1", "3600"), ("16", "600"), ("16", "3600"))]
    data = ""
    for place in places:
        base = medians.get(place + ("person",))
        if base:
            data += "\"%s, x%s\\n%d min\" %s\n" % (
                place[0], place[1], int(place[2]) // 60, " ".join(
                "%.2f" % (100 * (medians[place + (law,)]["jct_s_mean"] /
                                 base["jct_s_mean"] - 1)) for law in laws))
    gnuplot(path, "set terminal svg size 760,380 background 'white' font "
            "'DejaVu Sans,11'\nset style data histogram\n"
            "set style histogram clustered\nset style fill solid 0.8\n"
            "set ylabel 'mean JCT beside a person by day, %'\n"
            "set xlabel 'GPUs of a job, rate of faults, checkpoint interval'\n"
            "set xtics font ',8'\n$d << EOD\n" + data + "EOD\nplot " + ", ".join(
                "$d using %d:xtic(1) title '%s'" % (i + 2, law)
                for i, law in enumerate(laws)) + "\n")


def main():
    folder, to = sys.argv[1], sys.argv[2]
    os.makedirs(to, exist_ok=True)
    with open(maps.GRID) as lines:
        grid = maps.with_shared(json.load(lines))
    todo = list(maps.plans(grid, SimpleNamespace(
        part=[], input=[], seeds=None, out=folder)))
    cells = os.path.join(to, "cells.csv")
    maps_cells.write(cells, todo)
    with open(cells, newline="") as lines:
        draw_ratio(list(csv.DictReader(lines)), os.path.join(to, "ratio.svg"))
    gain = write_gain(folder, os.path.join(to, "gain.csv"))
    if gain:
        draw_gain(gain, os.path.join(to, "gain.svg"))
    draw_failures(write_failures(folder, os.path.join(to, "failures.csv")),
                  os.path.join(to, "failures.svg"))


if __name__ == "__main__":
    measure.main(main)
