# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how similar the metadata of two jobs are if both run one task of
traces/evidence (with another batch size or other options), two tasks of one
repository, or tasks of two repositories. usage: texts.py COSINES, the program
bench/cosines"""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import scores  # noqa: E402
from tap import Tap  # noqa: E402

THRESHOLD = 0.90
KINDS = ("one knob", "other variants", "same model", "same repository",
         "other repositories")


def lines_of(task, form):
    """Yields (what was varied, command) of a base job and of its variants by
    one step."""
    middle = len(task["batches"]) // 2
    base = task["batches"][middle]["size"]
    values = {knob: 0 for knob in task["knobs"]}
    yield {}, scores.command(form, task, base, values)
    for batch in task["batches"]:
        if batch["size"] != base:
            yield {"batch": batch["size"]}, scores.command(
                form, task, batch["size"], values)
    for knob, texts in task["knobs"].items():
        for i in range(1, len(texts)):
            if "{" + knob + "}" in form:
                yield {knob: i}, scores.command(form, task, base,
                                                dict(values, **{knob: i}))


def jobs():
    """Yields (directory, task name, model, form, changes, metadata as text) of
    each job."""
    for repository in scores.index()["repositories"]:
        for task in repository["tasks"]:
            for number, form in enumerate(task["commands"]):
                for changes, line in lines_of(task, form):
                    found = scores.advise(repository["directory"], line)
                    yield (repository["directory"], task["name"],
                           task["model"], number, changes, found["text"])


def kind(a, b):
    if a[0] != b[0]:
        return "same model" if a[2] == b[2] else "other repositories"
    if a[1] != b[1]:
        return "same repository"
    one = a[3] == b[3] and (not a[4] or not b[4])
    return "one knob" if one else "other variants"


def cosines(program, all_jobs):
    text = "".join(job[5] + "\n" for job in all_jobs)
    done = subprocess.run([program], input=text, capture_output=True,
                          text=True, check=True)
    return [[float(x) for x in line.split()]
            for line in done.stdout.splitlines()]


def measure(program):
    """Returns kind of pair -> the cosines of all pairs of this kind."""
    rows = list(jobs())
    table, out = cosines(program, rows), {name: [] for name in KINDS}
    for i, a in enumerate(rows):
        for k in range(i):
            out[kind(a, rows[k])].append((table[i][k], a, rows[k]))
    return out


def main():
    found, tap = measure(sys.argv[1]), Tap()
    for name in KINDS:
        values = sorted(pair[0] for pair in found[name])
        above = sum(value >= THRESHOLD for value in values)
        print("# %-18s %6d pairs, %5.1f %% at %.2f or more, min %.3f, median "
              "%.3f, max %.3f" % (name, len(values),
                                  100.0 * above / len(values), THRESHOLD,
                                  values[0], statistics.median(values),
                                  values[-1]))
    if "--pairs" in sys.argv[2:]:
        for name, best in (("other repositories", max), ("one knob", min)):
            print("#", best(found[name], key=lambda pair: pair[0]))
    share = {name: sum(p[0] >= THRESHOLD for p in found[name])
             / len(found[name]) for name in KINDS}
    tap.result(share["one knob"] >= 0.9,
               "jobs that differ in one knob are alike", share)
    # Two repositories that tune language models of nearly the same size on the
    # same data with equal settings are similar, which is right.
    tap.result(share["other repositories"] <= 0.001,
               "jobs of other models and repositories are not", share)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
