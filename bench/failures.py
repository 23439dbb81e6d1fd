#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures, checkpoints and restarts beside their closed forms: prints tables in
Markdown. Exit status 6 if a mean is more than 4 standard errors from theory, or
a best interval more than 10 % from Young's or Daly's.

    python3 bench/failures.py            print the tables
    python3 bench/failures.py --write    also put them into docs/validation.md"""

import argparse
import contextlib
import io
import math
import os
import sys
import tempfile

import closed_forms as forms
import measure

OUTSIDE = 6
MOST_SIGMAS = 4.0
MOST_OFF = 0.10
PAGE = os.path.join(measure.ROOT, "docs", "validation.md")
HEADING = "## Failures: closed forms"
PREFACE = """# Validation

What the simulator gives beside what theory or a record says. Each section names the
command that writes it.
"""
WORDS = """
`python3 bench/failures.py --write` makes this section. `jobs.csv` has jobs that are
submitted together to a cluster that has just enough nodes, so none waits for another;
nodes fail independently, so one run is a sample of all its jobs. Sigmas: distance from
what is expected in standard errors. The standard error of a mean is that of its sample;
of a mean time to failure it is the mean divided by the square root of the number of
failures. A mean more than 4 standard errors from theory, or a best interval more than
10 % from Young's or Daly's, makes the command fail; `tests/failures/failures.py` does
the same with fewer jobs.
"""
GROUPS = [
    ("Mean time to failure", forms.mttf_by_size,
     "A node fails every 10 days, is whole again at once, and its job goes on at "
     "once. Expected: 1 / (n r). 64 jobs of each size run for {days:g} days.",
     {"days": 1000.0}, {"days": 100.0}),
    ("Mean time to failure as published", forms.mttf_published,
     "Meta RSC (HPCA'25): a job of 1,024 GPUs stops every 7.9 h as measured, one of "
     "16,384 every 1.8 h as projected from N r_f. Expected: 1 / (n r). The job runs for "
     "{days:g} days.",
     {"days": 1000.0}, {"days": 100.0}),
    ("Weibull", forms.weibull,
     "Node faults of the profile infinitehbd, 100 times as often, each repaired at once; "
     "the mean is kept, so the scale is 94.1 h / Gamma(1 + 1/k). Expected: scale x "
     "Gamma(1 + 1/k), and the median scale x (ln 2)^(1/k). {nodes} nodes.",
     {"nodes": 5000}, {"nodes": 500}),
    ("Mean completion", forms.completions,
     "A node fails every 1e5 s: L = 1e-5. Without checkpoints expected: "
     "(1/L + D) e^(L R) (e^(L W) - 1); with checkpoints: (W/t) (1/L + D) e^(L R) "
     "(e^(L (t + w)) - 1). W is all the work, t the work between two checkpoints, w the "
     "time to write one, R the time to read one, D the time until the job holds GPUs "
     "again; all in seconds. {jobs} jobs a row.",
     {"jobs": 10000}, {"jobs": 1000}),
    ("Intervals by formula", forms.intervals,
     "A node fails every 1e6 s, a checkpoint takes 100 s. Expected: Young's sqrt(2 w M), "
     "Daly's sqrt(2 w M) (1 + sqrt(w / 2M) / 3 + w / 18M) - w, where M = 1e6 / n. The "
     "error is that of microseconds.", {}, {}),
    ("Availability", forms.availability,
     "Expected: MTBF / (MTBF + MTTR). {nodes} nodes for {hours} h, the first 300 left "
     "out.", {"nodes": 1000, "hours": 10000}, {"nodes": 1000, "hours": 1500}),
    ("Effective training time ratio", forms.ettr,
     "Expected: (1 - N r_f (u0 + dt/2)) / (1 + w/dt), Meta RSC (HPCA'25), a formula of "
     "first order, at a rate at which what it leaves out is below the standard error; and "
     "W / mean completion, exact. u0 = D + R, dt = t. {jobs} jobs on 4 nodes.",
     {"jobs": 2000}, {"jobs": 200}),
    ("The ratio of a large job", forms.ettr_llama,
     "The job of LLaMA-3 405B. The formula of first order gives 0.892, which is 0.005 "
     "less than the exact mean, for a job on 2,048 nodes fails too often for it. "
     "{seeds} seeds.", {"seeds": 200}, {"seeds": 4}),
]


def experiments(lab, quick):
    """Yields (name, text, rows) of each group."""
    for name, function, words, full, less in GROUPS:
        asked = less if quick else full
        yield name, words.format(**asked), list(function(lab, **asked))


def sweeps(lab, quick):
    """Yields (write, measured best interval, its error, exact interval,
    Young's, Daly's, command) for each time to write a checkpoint."""
    size = {"jobs": 500, "seeds": 1, "points": 9} if quick else {}
    for write in ((1000,) if quick else (1000, 100)):
        best, error, command = forms.sweep(lab, write, **size)
        yield (write, best, error, forms.best_interval(write, 1e5),
               forms.young(write, 1e5), forms.daly(write, 1e5), command)


def off(best, formula):
    return best / formula - 1


def is_off(swept):
    _, best, _, _, young, daly, _ = swept
    return max(abs(off(best, young)), abs(off(best, daly))) > MOST_OFF


def print_commands(commands):
    print("```")
    for command in dict.fromkeys(commands):
        print(command)
    print("```\n")


def figure(value, error):
    """Returns a figure with the digits that its error leaves."""
    return "%.*f" % (max(0, 1 - math.floor(math.log10(error))), value)


def print_group(name, words, rows):
    print("### %s\n\n%s\n" % (name, words))
    measure.table(
        ["what", "measured", "expected", "standard error", "sigmas"],
        [[r.what, figure(r.measured, r.error), figure(r.expected, r.error),
          figure(r.error, r.error), "%.1f" % forms.sigmas(r)] for r in rows])
    print_commands(r.command for r in rows)


def print_sweeps(swept):
    print("### Best interval\n\nWhere the mean completion of jobs with W = 1e7 "
          "and L = 1e-5 is least: the least of a/t + b + c t + d t^2, fitted to 11 "
          "intervals from 0.4 to 2.5 times Young's, 2,000 jobs each; mean and standard "
          "error of 5 seeds. Exact: where the expected completion is least. The "
          "command is that of the last interval and seed.\n")
    measure.table(
        ["w, s", "measured, s", "standard error", "exact, s", "Young, s", "off",
         "Daly, s", "off"],
        [["%g" % w, "%.0f" % best, "%.0f" % error, "%.0f" % exact,
          "%.0f" % young, "%+.1f %%" % (100 * off(best, young)),
          "%.0f" % daly, "%+.1f %%" % (100 * off(best, daly))]
         for w, best, error, exact, young, daly, _ in swept])
    print_commands(row[-1] for row in swept)


def print_all(lab, quick):
    """Prints the section; returns the number of rows outside the limits."""
    bad = 0
    print(HEADING)
    print(WORDS)
    for name, words, rows in experiments(lab, quick):
        print_group(name, words, rows)
        bad += sum(forms.sigmas(row) > MOST_SIGMAS for row in rows)
    swept = list(sweeps(lab, quick))
    print_sweeps(swept)
    return bad + sum(map(is_off, swept))


def put_into_page(section):
    """Replaces the section of the page, or adds it at the end."""
    page = PREFACE
    if os.path.exists(PAGE):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
    before, found, after = page.partition(HEADING + "\n")
    rest = after.find("\n## ") if found else -1
    after = after[rest:] if rest >= 0 else ""
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before.rstrip() + "\n\n" + section.rstrip() + "\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true",
                        help="also put the tables into docs/validation.md")
    parser.add_argument("--quick", action="store_true",
                        help="fewer jobs; the tables are then less exact")
    asked = parser.parse_args()
    text = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, \
            contextlib.redirect_stdout(text):
        bad = print_all(forms.Lab(folder), asked.quick)
    sys.stdout.write(text.getvalue())
    if asked.write:
        put_into_page(text.getvalue())
    return OUTSIDE if bad else 0


if __name__ == "__main__":
    measure.main(main)
