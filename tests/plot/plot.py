# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the figures of `plot`. Their data must follow from jobs.csv and
summary.json, their bytes must be repeatable, and the commands that README.md
and docs/plot.md show must still make the pictures in docs/pictures. Checks
that need gnuplot are skipped where it is not installed."""
import csv
import importlib.machinery
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

PICTURES = os.path.join(ROOT, "docs", "pictures")
KINDS = ("cdf", "utilisation", "queue", "boxes", "nodes", "gantt")
MAGIC = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


def schedsim(place, *words):
    done = subprocess.run([PROGRAM, *words], cwd=place, text=True,
                          capture_output=True, check=False)
    return done.stderr if done.returncode else ""


def data(path):
    """Returns the data blocks of a script: name -> rows of numbers."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return {name: [[float(cell) for cell in row.split()]
                   for row in rows.splitlines()]
            for name, rows in re.findall(r"^\$(\w+) << EOD\n(.*?)^EOD$", text,
                                         re.M | re.S)}


def near(a, b, share=1e-4):
    return math.isclose(a, b, rel_tol=share, abs_tol=share)


def check_data(tap, place):
    said = schedsim(place, "plot", "a", "--kind", "cdf", "--kind", "queue",
                    "--kind", "utilisation", "--kind", "boxes", "--kind",
                    "nodes", "--script", "all.gp")
    tap.result(not said, "a script needs no gnuplot", said)
    blocks = data(os.path.join(place, "all.gp"))
    with open(os.path.join(place, "a", "jobs.csv"), encoding="utf-8") as file:
        delays = [float(row["queue_delay"]) for row in csv.DictReader(file)]
    with open(os.path.join(place, "a", "summary.json"), encoding="utf-8") as file:
        metrics = json.load(file)["metrics"]
    wrong = [(x, y) for x, y in blocks["p0_0"] if not any(
        near(sum(d <= at for d in delays) / len(delays), y, 1e-5)
        for at in (x, x * (1 - 1e-5), x * (1 + 1e-5)))]
    tap.result(blocks["p0_0"] and not wrong,
               "a CDF counts the jobs of jobs.csv", wrong[:5])
    rows = blocks["p1_0"]
    mean = sum(y for _, y in rows) / len(rows)
    # the middle of the last bin plus half a bin
    length = rows[-1][0] + rows[0][0]
    unit = re.search(r"time \((\w+)\)", open(
        os.path.join(place, "all.gp"), encoding="utf-8").read()).group(1)
    length *= {"days": 86400, "hours": 3600}[unit]
    tap.result(near(mean * length, sum(delays), 0.005),
               "the queue over time adds up to all queueing delays",
               "%g, %g" % (mean * length, sum(delays)))
    busy = sum(y for _, y in blocks["p2_0"]) / len(rows) / 100
    tap.result(near(busy, metrics["allocation"], 0.005),
               "busy GPUs add up to the allocation of summary.json",
               "%g, %g" % (busy, metrics["allocation"]))
    of_nodes = sum((till - at) * (top - low) * state / 100 for
                   at, till, low, top, state in blocks["p4_0"][:-1])
    tap.result(near(of_nodes / (rows[-1][0] + rows[0][0]) / 16, busy, 0.1),
               "so do the rows of nodes, whose shares are rounded",
               "%g, %g" % (of_nodes / (rows[-1][0] + rows[0][0]) / 16, busy))
    return delays


def check_slowdown_and_gantt(tap, place):
    said = schedsim(place, "plot", "a", "--kind", "cdf", "--kind", "gantt",
                    "--kind", "utilisation", "--quantity", "slowdown",
                    "--script", "more.gp")
    blocks = data(os.path.join(place, "more.gp"))
    with open(os.path.join(place, "a", "jobs.csv"), encoding="utf-8") as file:
        slowdowns = [float(row["slowdown"]) for row in csv.DictReader(file)
                     if row["slowdown"]]
    wrong = [(x, y) for x, y in blocks["p0_0"] if not any(
        near(sum(d <= at for d in slowdowns) / len(slowdowns), y, 1e-5)
        for at in (x, x * (1 - 1e-5), x * (1 + 1e-5)))]
    tap.result(not said and slowdowns and not wrong,
               "a CDF of slowdown counts the jobs of jobs.csv", wrong[:5])
    rows = blocks["p2_0"]
    length = rows[-1][0] + rows[0][0]
    busy = sum(y for _, y in rows) / len(rows) / 100
    held = sum((till - at) * (low - top) for at, till, top, low, _ in
               blocks["p1_0"][:-1])
    tap.result(near(held / length / 128, busy, 0.005),
               "the stretches of a Gantt chart are the busy GPUs",
               "%g, %g" % (held / length / 128, busy))
    overlap = 0
    stretches = sorted(blocks["p1_0"][:-1])
    for i, (_, till, top, low, _) in enumerate(stretches):
        overlap += sum(b[0] < till * (1 - 1e-6) and b[2] < low and b[3] > top
                       for b in stretches[i + 1:i + 200])
    tap.result(overlap == 0, "no two stretches of it share a GPU", overlap)


def check_sweep(tap, place):
    """The ratios, their medians and intervals, and the lines follow from
    runs.csv. Of nine values the interval of the median leaves out one at each
    end: 2 * (1 + 9) / 2**9 is 3.9 %."""
    with open(os.path.join(place, "grid.json"), "w", encoding="utf-8") as file:
        json.dump({"trace": {"generate": "philly", "jobs": 200,
                             "seeds": 9},
                   "cluster": "8x8", "policy": ["fifo", "srtf"],
                   "load": [800, 400]}, file)
    said = schedsim(place, "sweep", "grid.json", "--quiet", "--out", "sweep")
    with open(os.path.join(place, "sweep", "runs.csv"),
              encoding="utf-8") as file:
        delay = {(row["policy"], row["load"], row["replication"]):
                 float(row["queue_delay_s_mean"])
                 for row in csv.DictReader(file)}
    said += schedsim(place, "plot", "sweep", "--kind", "relative",
                     "--quantity", "queue-delay", "--baseline", "srtf",
                     "--script", "relative.gp")
    blocks = data(os.path.join(place, "relative.gp"))
    wrong = []
    for row, load in zip(blocks["p0_0"], ("800", "400")):
        ratios = sorted(delay["fifo", load, str(i)] /
                        delay["srtf", load, str(i)] for i in range(1, 10))
        want = [ratios[4], ratios[1], ratios[7]]
        if ratios[7] < 1.1 * ratios[1] or not all(map(near, row[1:4], want)):
            wrong.append((load, row, want))
    tap.result(not said and not wrong and
               {row[1] for row in blocks["p0_1"]} == {1},
               "relative: the median of ratios and its interval",
               (said, wrong, blocks["p0_1"]))
    said = schedsim(place, "plot", "sweep", "--kind", "lines", "--quantity",
                    "queue-delay", "--script", "lines.gp")
    blocks = data(os.path.join(place, "lines.gp"))
    with open(os.path.join(place, "lines.gp"), encoding="utf-8") as file:
        unit = {"d": 86400, "h": 3600, "min": 60, "s": 1}[
            re.search(r"mean queueing delay \((\w+)\)", file.read()).group(1)]
    wrong = []
    for block, policy in (("p0_0", "fifo"), ("p0_1", "srtf")):
        for x, y, _, _ in blocks[block]:
            mean = sum(delay[policy, "%g" % x, str(i)]
                       for i in range(1, 10)) / 9 / unit
            if not near(mean, y):
                wrong.append((policy, x, y, mean))
    tap.result(not said and len(blocks["p0_0"]) == 2 and not wrong,
               "lines: the means of each load", (said, wrong))


def check_files(tap, place):
    for form, magic in MAGIC.items():
        kinds = [word for kind in KINDS for word in ("--kind", kind)]
        words = ["plot", "a", "b", *kinds, "--columns", "2", "--style",
                 "width=17.5", "--title",
                 "it's `touch bad` $(touch bad) \\n {a}_b 100 %", "--label",
                 "'; system('touch bad') #"]
        for name in ("one", "two"):
            said = schedsim(place, *words, "--out", name + "." + form,
                            "--script", name + ".gp")
            if said:
                break
        tap.result(not said, form + ": a figure of all kinds", said)
        if said:
            continue
        pair = []
        for name in ("one", "two"):
            with open(os.path.join(place, name + "." + form), "rb") as file:
                pair.append(file.read())
        tap.result(pair[0].startswith(magic) and pair[0] == pair[1],
                   form + ": equal bytes again")
    tap.result(not os.path.exists(os.path.join(place, "bad")),
               "no text of a user runs as a command")
    done = subprocess.run(["gnuplot", "-d", "two.gp"], cwd=place, check=False,
                          capture_output=True, text=True)
    with open(os.path.join(place, "two.png"), "rb") as file:
        tap.result(done.returncode == 0 and file.read() == pair[0],
                   "gnuplot draws the same figure from the script",
                   done.stderr)


def check_pictures(tap, place):
    loader = importlib.machinery.SourceFileLoader(
        "pictures", os.path.join(PICTURES, "make"))
    pictures = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("pictures", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(pictures)
    with open(os.path.join(PICTURES, "digests"), encoding="utf-8") as file:
        want = {name: digest for digest, name in map(str.split, file)}
    listed = list(pictures.figures())
    tap.result(listed and listed[0][0] == "README.md" and
               {name for _, name, _ in listed} == set(want),
               "the README opens with a figure, and all figures have digests")
    for page, name, commands in listed:
        digest, said = pictures.draw(name, commands, place, PROGRAM)
        tap.result(digest == want.get(name),
                   "%s: the commands make %s (if results may differ: "
                   "docs/pictures/make)" % (page, name), said)
        drawn, kept = os.path.join(place, name), os.path.join(PICTURES, name)
        if not os.path.exists(drawn):
            tap.skip("%s has the bytes of docs/pictures" % name, said.strip())
            continue
        texts = []
        for path in (drawn, kept):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        versions = [re.search("Produced by (.*) <", t).group(1) for t in texts]
        if versions[0] != versions[1]:
            tap.skip("%s has the bytes of docs/pictures" % name,
                     "drawn by " + versions[0])
        else:
            tap.result(texts[0] == texts[1],
                       "%s has the bytes of docs/pictures" % name)
        tap.result(len(texts[1]) < 150000, name + " is small")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as place:
        trace = os.path.join(ROOT, "traces/samples/native.csv")
        for name, policy in (("a", "fifo"), ("b", "srtf")):
            said = schedsim(place, "run", trace, "--cluster", "16x8", "--policy",
                            policy, "--jobs", "500", "--quiet", "--out", name)
            tap.result(not said, "run of " + policy, said)
        check_data(tap, place)
        check_slowdown_and_gantt(tap, place)
        check_sweep(tap, place)
        if shutil.which("gnuplot"):
            check_files(tap, place)
        else:
            tap.skip("figures", "gnuplot is not installed")
        check_pictures(tap, place)
    sys.exit(tap.exit_status())


main()
