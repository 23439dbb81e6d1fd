#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what users wait for, as ratios with bars: the table of docs/speed.md.

A figure is a ratio of the CPU times (user + system, the start of the program
included) of two commands that run in turns; of each the least of three runs
counts, or the only run if a turn takes more than a minute. Other figures say
what they are. Prints Markdown. The exit status is 0 whatever the figures are,
because machines differ."""

import argparse
import csv
import fnmatch
import functools
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from typing import Callable, NamedTuple

import measure

LONG_S = 60 # a turn that takes longer is made once
PHILLY = measure.shared("traces", "philly", "philly_jobs.csv.gz")
VENUS = measure.shared("traces", "helios", "venus_gpu_jobs.csv.gz")
NEWTRACE = measure.shared("traces", "sia", "workloads", "newtrace",
                          "workload-1.csv")
# as in docs/policies.md, with beliefs that do not differ by program
NEWTRACE_RULES = [
    "--throughput", "application:tables=" +
    measure.shared("traces", "sia", "profiles"), "--interference", "fitted",
    "--overhead", "application", "--estimators", "oracle"]
LOG = os.path.join(measure.ROOT, "tests", "logs", "xid_79.log")
LEARNED, EXACT = "ga2m,history", "oracle"
TO_FIFO = {"horus": "<= 4", "backfill": "<= 4", "srtf": "<= 3",
           "tiresias": "<= 3"}
GROWING = ["srtf", "tiresias", "horus", "backfill", "gandiva", "lucid", "qssf"]
TO_BASE = {"pollux": "<= 0.2", "gavel-makespan": "<= 0.125",
           "themis": "<= 0.125"}
# CPU seconds of Lucid's simulator on 100,000 jobs of gen_trace, load 0.6, 128
# nodes of 8 GPUs, measured once on a machine of this kind.
PUBLISHED = {"fifo": 47.6, "tiresias": 62.0}
SIX = ["fifo", "sjf", "srtf", "qssf", "backfill", "tiresias"]
PEERS_MISSING = (
    "Not timed: the simulators of Pollux (needs pymoo and autograd), Sia and "
    "Gavel (need cvxpy); Debian has none of these Python packages.")


class NoBase(Exception):
    """A row compares with another program, and none was given."""


def simulate(trace, policy, *options, program=None):
    return [program or measure.SCHEDSIM, "run", trace, "--quiet", "-p",
            policy] + list(options)


def in_turns(*commands):
    """Returns the least CPU seconds and the most MiB of each command."""
    least = [float("inf")] * len(commands)
    most = [0] * len(commands)
    for _ in range(3):
        turn = 0
        for i, command in enumerate(commands):
            cpu, mib, _ = measure.run(command, accepted=(0, 4))
            least[i], most[i] = min(least[i], cpu), max(most[i], mib)
            turn += cpu
        if turn > LONG_S:
            break
    return least, most


def ratio(above, below):
    (a, b), _ = in_turns(above, below)
    return a / b


class Inputs:
    """Traces and results, made when they are first asked for."""

    def __init__(self, folder, base):
        self.folder, self.program = folder, base

    def base(self):
        if self.program is None:
            raise NoBase()
        return self.program

    @functools.lru_cache(None)
    def built(self, name):
        return measure.build(measure.shared("floor", name + ".c"), self.folder)

    @functools.lru_cache(None)
    def trace(self, jobs, load):
        """Returns a trace of gen_trace for 128 nodes of 8 GPUs."""
        path = self.at("%d-%g.csv" % (jobs, load))
        with open(path, "w") as out:
            subprocess.run(
                [self.built("gen_trace"), str(jobs), "1", str(load), "1024"],
                stdout=out, check=True)
        return path

    @functools.lru_cache(None)
    def filed(self, program):
        """Returns a command that runs fifo on 1,000,000 jobs with result files,
        and the folder of its results."""
        out = self.at("results-" + str(program == self.program))
        command = self.crowd("fifo", 10**6, 0.6, "--out", out, program=program)
        measure.run(command)
        return command, out

    def crowd(self, policy, jobs, load, *options, program=None):
        return simulate(self.trace(jobs, load), policy, "--cluster", "128x8",
                        "--estimators", EXACT, *options, program=program)

    def at(self, name):
        return os.path.join(self.folder, name)

    def reads(self, program, command, *words):
        """Returns a command that reads these results, and the command of the
        same program that wrote them."""
        run, out = self.filed(program)
        if command == "report":
            words = "--out", out + ".html"
        return [program, command, out] + list(words), run


def compared():
    """Returns a ratio of real times: it depends on what else the machine
    does."""
    together = [measure.SCHEDSIM, "compare", PHILLY, "--quiet", "-p",
                ",".join(SIX)]
    alone = [simulate(PHILLY, policy) for policy in SIX]
    best = [float("inf")] * 2
    for _ in range(3):
        for i, commands in enumerate(([together], alone)):
            begin = time.monotonic()
            for command in commands:
                measure.run(command)
            best[i] = min(best[i], time.monotonic() - begin)
    return best[0] / best[1]


def to_floor(inputs):
    """Returns the ratio to the CPU time that the floor program prints, which
    is without its start and its extra passes."""
    command = inputs.filed(measure.SCHEDSIM)[0]
    floor = [inputs.built("fifo_floor"), inputs.trace(10**6, 0.6), "128",
             inputs.at("floor.csv"), "1"]
    least = [float("inf")] * 2
    for _ in range(3):
        least[0] = min(least[0], measure.run(command)[0])
        said = re.search(r"CPU read\+parse\+sim\+CSV ([0-9.]+) ms",
                         measure.run(floor)[2])
        least[1] = min(least[1], float(said.group(1)) / 1e3)
    return least[0] / least[1]


@functools.lru_cache(None)
def ten_million(inputs):
    """Returns the CPU seconds and the peak MB of ten million jobs over those
    of one million."""
    command = inputs.crowd("fifo", 10**7, 0.6, "--out", inputs.at("ten"))
    (ten, one), (peak, _) = in_turns(command, inputs.filed(measure.SCHEDSIM)[0])
    shutil.rmtree(inputs.at("ten"))
    return ten / one, peak * 1.048576


def diagnose():
    return 1e3 * measure.run([measure.SCHEDSIM, "mate", "diagnose", LOG], 21,
                             pick=statistics.median)[0]


def published(case, policy):
    """Returns how many times as fast as the reference simulator a run with
    result files is, by the CPU seconds published with its results."""
    base = measure.shared("golden", "lucid", case)
    with open(os.path.join(base, "summary.csv"), newline="") as rows:
        seconds = next(float(row["cpu_s"]) for row in csv.DictReader(rows)
                       if row["policy"] == policy)
    if (case, policy) == ("mid-venus", "tiresias"):
        policy += ":round_phase_s=28" # the reference's rounds count from time 0
    return seconds / filed_seconds(
        os.path.join(base, "trace.csv"), policy,
        measure.vc_cluster(os.path.join(base, "vc_config.csv")))


def filed_seconds(trace, policy, cluster):
    with tempfile.TemporaryDirectory() as folder:
        return measure.run(
            simulate(trace, policy, "--conventions", "lucid", "--cluster",
                     cluster), 21, pick=statistics.median, out=folder)[0]


class Row(NamedTuple):
    what: str
    bar: str # "<= 4" or ">= 1000", with a unit if the figure is no ratio
    figure: Callable


def rows(inputs):
    """Returns all rows by name; the figure is measured when it is called."""
    def beliefs(trace, policy):
        return lambda: ratio(*(simulate(trace, policy, "--estimators", known)
                               for known in (LEARNED, EXACT)))

    def to_fifo(policy):
        return lambda: ratio(inputs.crowd(policy, 10**6, 0.95),
                             inputs.crowd("fifo", 10**6, 0.95))

    def growth(policy):
        return lambda: ratio(inputs.crowd(policy, 10**5, 2),
                             inputs.crowd(policy, 10**4, 2)) / 10

    def to_base(policy):
        run = functools.partial(simulate, NEWTRACE, policy, *NEWTRACE_RULES)
        return lambda: ratio(run(), run(program=inputs.base()))

    def reader_to_base(*words):
        return lambda: ratio(inputs.reads(measure.SCHEDSIM, *words)[0],
                             inputs.reads(inputs.base(), *words)[0])

    def memory(*words):
        def share():
            _, (reader, run) = in_turns(*inputs.reads(measure.SCHEDSIM, *words))
            return reader / run
        return share

    crowded = "%s / fifo, 10^6 jobs, load 0.95"
    grown = "%s, load 2: a job of 10^5 / of 10^4"
    elastic = "%s, newtrace-1 / base"
    peer = "%s, %s: speed / Lucid's simulator"
    learned = "%s, %s: learned beliefs / exact"
    found = {
        "fifo-learned": Row(learned % ("fifo", "Philly"), "<= 1.5",
                            beliefs(PHILLY, "fifo")),
        "srtf-philly": Row(learned % ("srtf", "Philly"), "<= 6",
                           beliefs(PHILLY, "srtf")),
        "srtf-venus": Row(learned % ("srtf", "Venus"), "<= 6",
                          beliefs(VENUS, "srtf")),
        "lucid": Row("lucid, Venus: with forecast / without", "<= 4",
                     lambda: ratio(simulate(VENUS, "lucid"), simulate(
                         VENUS, "lucid", "--forecast", "none"))),
        "verify": Row("verify / its run, 10^6 jobs", "<= 1.5",
                      lambda: ratio(*inputs.reads(measure.SCHEDSIM,
                                                  "verify"))),
        "explain": Row("explain, 10^6 jobs / base", "<= 0.333",
                       reader_to_base("explain", "--worst", "10")),
        "explain-memory": Row("its peak memory / its run", "<= 1",
                              memory("explain", "--worst", "10")),
        "report": Row("report, 10^6 jobs / base", "<= 0.333",
                      reader_to_base("report")),
        "report-memory": Row("its peak memory / its run", "<= 1",
                             memory("report")),
        "compare": Row("compare of 6, Philly / sum of the runs, real time, "
                       "%d cores" % os.cpu_count(), "<= 0.55",
                       compared),
        "floor": Row("fifo with files, 10^6 jobs / floor program", "<= 4.5",
                     lambda: to_floor(inputs)),
        "ten-million": Row("fifo with files, 10^7 jobs / 10^6", "<= 11",
                           lambda: ten_million(inputs)[0]),
        "ten-million-memory": Row("its peak memory", "<= 600 MB",
                                  lambda: ten_million(inputs)[1]),
        "diagnose": Row("diagnose, a log of 38 lines, CPU time",
                        "<= 4 ms", diagnose),
    }
    for policy, bar in TO_FIFO.items():
        found[policy] = Row(crowded % policy, bar, to_fifo(policy))
    for policy in GROWING:
        found["growth-" + policy] = Row(grown % policy, "<= 1.5",
                                        growth(policy))
    for policy, bar in TO_BASE.items():
        found[policy] = Row(elastic % policy, bar, to_base(policy))
    for policy, seconds in PUBLISHED.items():
        for case in ("mid-philly", "mid-venus"):
            found["peer-%s-%s" % (case, policy)] = Row(
                peer % (policy, case), ">= 1000",
                functools.partial(published, case, policy))
        found["peer-generated-" + policy] = Row(
            peer % (policy, "10^5 jobs"), ">= 1000",
            lambda policy=policy, seconds=seconds: seconds / filed_seconds(
                inputs.trace(10**5, 0.6), policy, "128x8"))
    return found


def line_of(name, row):
    sign, bar, *unit = row.bar.split()
    try:
        figure = row.figure()
    except NoBase:
        return "| %s | %s | no base | %s | |" % (name, row.what, row.bar)
    held = figure <= float(bar) if sign == "<=" else figure >= float(bar)
    shown = ("%.0f" if figure >= 1000 else "%.3g") % figure
    return "| %s | %s | %s | %s | %s |" % (
        name, row.what, " ".join([shown] + unit), row.bar,
        "held" if held else "MISSED")


def write(lines):
    """Puts the lines in the place of those lines of docs/speed.md that begin
    with the same name."""
    path = os.path.join(measure.ROOT, "docs", "speed.md")
    with open(path, encoding="utf-8") as page:
        text = page.read()
    for line in lines:
        begin = re.escape(line[:line.index("|", 1)])
        text, n = re.subn("^%s.*$" % begin, lambda _, line=line: line, text,
                          flags=re.M)
        if n != 1:
            raise measure.Failed("docs/speed.md has %d rows such as: %s" %
                                 (n, line))
    with open(path, "w", encoding="utf-8") as page:
        page.write(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--row", action="append", metavar="PATTERN",
                        help="rows to measure, such as 'growth-*'; default all")
    parser.add_argument("--base", metavar="PROGRAM",
                        help="an earlier schedsim, for rows that say base")
    parser.add_argument("--long", action="store_true",
                        help="measure the rows ten-million*, too")
    parser.add_argument("--write", action="store_true",
                        help="write the rows into docs/speed.md")
    args = parser.parse_args()
    measure.need_shared()
    with tempfile.TemporaryDirectory() as folder:
        known = rows(Inputs(folder, args.base))
        wanted = [name for name in known if any(
            fnmatch.fnmatchcase(name, p) for p in args.row or ["*"])]
        if not wanted:
            parser.error("no such row; there are: " + ", ".join(known))
        print("%s\n\n| row | what | figure | bar | |\n| --- | --- | ---: | "
              "---: | --- |" % measure.machine(), flush=True)
        lines = []
        for name in wanted:
            if args.long or not name.startswith("ten-million"):
                lines.append(line_of(name, known[name]))
                print(lines[-1], flush=True)
    print("\n" + PEERS_MISSING)
    if args.write:
        write(lines)
    return 0


if __name__ == "__main__":
    measure.main(main)
