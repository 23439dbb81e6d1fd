# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the plots that experiments name, as PDF and PNG, with gnuplot.

A plot of an experiment is an object: `name` of the file, `title`, `x` and `y` labels,
and either `metric` with `x_of` (a factor) and `series` (a factor, or "system" or
"input"), or `cdf`, a list of systems whose run times are drawn as a distribution, or
`rows`, the beginning of the names of rows whose published value and ours become
bars."""
import os
import shutil
import subprocess

from reproduction import judge, runner

GET = ("gnuplot is not installed, so no plot was drawn; get it with 'apt-get install "
       "gnuplot-nox' (Debian, Ubuntu) or from gnuplot.info; the data of the plots are "
       "beside the CSV")
STYLE = """set encoding utf8
set grid
set key outside right
set title %(title)s noenhanced
set xlabel %(x)s
set ylabel %(y)s
"""


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def write_lines(path, blocks):
    """Writes blocks of gnuplot data, each with its own title."""
    text = ""
    for title, points in blocks:
        text += "# %s\n" % title
        text += "".join(" ".join(map(str, point)) + "\n" for point in points)
        text += "\n\n"
    runner.write(path, text)


def series(table, experiment, plot):
    x, name = plot["x_of"], plot["series"]
    grid = {"system": list(experiment["systems"]),
            "input": list(experiment["inputs"])}
    values = grid.get(name) or experiment["factors"][name]["values"]
    blocks = []
    for value in plot.get("only", values):
        points = []
        for at in experiment["factors"][x]["values"]:
            place = {**plot.get("where", {}), x: at, name: value}
            try:
                found = table.find(place)
                got, bounds = judge.interval([found], lambda some: judge.measured(
                    some[0], plot["metric"]))
            except (KeyError, TypeError):
                continue
            low, high = bounds or (got, got)
            points.append((at, got, low, high))
        blocks.append(("%s %s" % (name, value) if name not in grid else value,
                       points))
    return blocks


def cdf(table, plot):
    blocks = []
    for system in plot["cdf"]:
        found = table.find({**plot.get("where", {}), "system": system})
        jcts = sorted(x for result in found for x in result["jcts"])
        step = max(1, len(jcts) // 1000)
        blocks.append((system, [(jcts[i] / 3600, (i + 1) / len(jcts))
                                for i in range(0, len(jcts), step)]))
    return blocks


def script(plot, data, blocks):
    text = STYLE % {key: quoted(plot.get(key, "")) for key in ("title", "x", "y")}
    for name in plot.get("log", ""):
        text += "set logscale %s\n" % name
    if "cdf" in plot:
        draws = ["%s index %d using 1:2 with steps lw 2 title %s" % (
            quoted(data), i, quoted(title) + " noenhanced")
            for i, (title, _) in enumerate(blocks)]
    elif "rows" in plot:
        text += ("set style data histograms\nset style histogram errorbars gap 1\n"
                 "set style fill solid 0.6\nset boxwidth 0.9\n"
                 "set xtics rotate by -35 noenhanced\nset yrange [0:*]\n")
        draws = ["%s index 0 using 2:2:2:xtic(1) title 'published'" % quoted(data),
                 "%s index 0 using 3:4:5 title 'ours'" % quoted(data)]
    else:
        draws = ["%s index %d using 1:2:3:4 with yerrorlines lw 2 title %s" % (
            quoted(data), i, quoted(title) + " noenhanced")
            for i, (title, _) in enumerate(blocks)]
    return text + "plot " + ", ".join(draws) + "\n"


def bars(lines, plot):
    points = []
    for line in lines:
        if line["ours"] is None or not line["row"].startswith(plot["rows"]):
            continue
        low = line["ours"] if line["low"] is None else line["low"]
        high = line["ours"] if line["high"] is None else line["high"]
        name = line["row"][len(plot["rows"]):].strip(", ") or line["row"]
        points.append(('"%s"' % name, "NaN" if line["published"] is None
                       else line["published"], line["ours"], low, high))
    return [("rows", points)]


def draw(folder, experiment, runs, results, lines):
    """Writes the data of the plots of one experiment, and the plots if gnuplot
    is installed. Returns messages about plots that could not be drawn."""
    table = judge.Table(experiment, runs, results)
    said = []
    for plot in experiment.get("plots", []):
        base = os.path.join(folder, plot["name"])
        try:
            blocks = (cdf(table, plot) if "cdf" in plot else bars(lines, plot)
                      if "rows" in plot else series(table, experiment, plot))
        except (KeyError, TypeError) as error:
            said.append("%s: not drawn, %s" % (plot["name"], error))
            continue
        if not any(points for _, points in blocks):
            said.append("%s: not drawn, no data" % plot["name"])
            continue
        write_lines(base + ".dat", blocks)
        commands = script(plot, os.path.basename(base) + ".dat", blocks)
        runner.write(base + ".gp", commands)
        if not shutil.which("gnuplot"):
            said.append(GET)
            continue
        for terminal, kind in (("pdfcairo size 16cm,10cm", "pdf"),
                               ("pngcairo size 1000,620", "png")):
            done = subprocess.run(
                ["gnuplot", "-e", "set terminal %s; set output '%s.%s'" % (
                    terminal, os.path.basename(base), kind),
                 os.path.basename(base) + ".gp"], cwd=folder,
                capture_output=True, text=True, check=False)
            if done.returncode:
                said.append("%s: gnuplot: %s" % (plot["name"],
                                                 done.stderr.strip()))
    return said
