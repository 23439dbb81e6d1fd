# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes results: tables to standard output, and CSV files."""
import csv
import io
import shlex

import measure
from reproduction import judge, runner

COLUMNS = ["experiment", "row", "metric", "published", "ours", "low", "high",
           "repeats", "difference", "tolerance", "verdict", "reason", "where",
           "note"]


def exact(value):
    return "" if value is None else "%.10g" % value if isinstance(
        value, float) else str(value)


def results_csv(lines):
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for line in lines:
        rows.writerow([exact(line[name]) for name in COLUMNS])
    return out.getvalue()


def runs_csv(experiments):
    """Returns CSV with a row for each number of each run: experiment, place,
    metric, value."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["experiment", "input", "repeat", "system", "factors", "metric",
                   "value"])
    for experiment, runs, results in experiments:
        for run, result in zip(runs, results):
            if isinstance(result, runner.Missing):
                continue
            place = run.place
            factors = " ".join("%s=%s" % (name, place[name])
                               for name in experiment["factors"])
            for name, value in sorted(result["values"].items()):
                rows.writerow([experiment["id"], place["input"], place["repeat"],
                               place["system"], factors, name, exact(value)])
    return out.getvalue()


def cells(line):
    bounds = ("%s to %s" % (judge.number(line["low"]), judge.number(line["high"]))
              if line["low"] is not None else "")
    difference = line["difference"]
    return [line["row"], judge.number(line["published"]),
            judge.number(line["ours"]), bounds,
            ("+" if difference and difference >= 0.0005 else "") +
            judge.number(difference),
            line["verdict"], line["reason"]]


HEAD = ["", "published", "ours", "95 % interval", "difference", "verdict", "why"]


def markdown(rows):
    """Returns a Markdown table without the columns that are empty in all rows.
    """
    keep = [i for i in range(len(HEAD)) if i == 0 or any(row[i] for row in rows)]
    text = ["| " + " | ".join(HEAD[i] for i in keep) + " |",
            "|" + "|".join(" ---: " if i in (1, 2, 3, 4) else " --- "
                           for i in keep) + "|"]
    for row in rows:
        text.append("| " + " | ".join(row[i].replace("|", "/")
                                      for i in keep) + " |")
    return "\n".join(text)


def fidelity_of(name, entry, runs, store):
    """Returns the bars of `trace fidelity` that a generated input misses with
    its first seed."""
    if entry["fidelity"] != "trace fidelity":
        return entry["fidelity"]
    first = next(run for run in runs if run.place["input"] == name)
    return store.fidelity(first)


def of_inputs(experiment, runs, store):
    """Returns one line for each input that says where its jobs come from."""
    found = []
    for name, entry in experiment["inputs"].items():
        if "generate" in entry:
            values = " ".join("--%s %s" % (key, setting["value"]) for key, setting
                              in entry["generate"].items())
            found.append("%s: generated (`trace generate %s`), %d seeds; bars of "
                         "`trace fidelity` that it misses: %s" % (
                             name, values, len(entry["seeds"]),
                             fidelity_of(name, entry, runs, store)))
        elif "resample" in entry:
            found.append("%s: the rows of `%s`, resampled, %d seeds" % (
                name, entry["file"], len(entry["seeds"])))
        elif entry.get("files"):
            found.append("%s: %d files as `%s`" % (name, len(entry["files"]),
                                                  entry["files"][0]))
        elif entry.get("file"):
            found.append("%s: real rows, `%s`%s" % (
                name, entry["file"], ", %d seeds of the workloads" % len(
                    entry["seeds"]) if entry.get("seeds") else ""))
    return found


def of_settings(experiment):
    """Returns the settings with their values, grouped by status."""
    from reproduction.experiment import settings_of
    by_status = {}
    for _, name, setting in settings_of(experiment):
        words = "%s %s" % (name, setting["value"] if not isinstance(
            setting["value"], list) else "/".join(map(str, setting["value"])))
        if words not in by_status.setdefault(setting["status"], []):
            by_status[setting["status"]].append(words)
    return "; ".join("%s: %s" % (status, ", ".join(words))
                     for status, words in by_status.items())


def section(experiment, lines, runs, store):
    text = ["## " + experiment["title"], "",
            "%s. *Not the same*: %s" % (experiment["paper"], experiment["note"]),
            ""]
    text += ["* " + words for words in of_inputs(experiment, runs, store)]
    settings = of_settings(experiment)
    if settings:
        text += ["* " + settings]
    if len(text) > 4:
        text.append("")
    text += [markdown([cells(line) for line in lines]), ""]
    notes = sorted({line["note"] for line in lines if line["note"] !=
                    experiment["note"]})
    text += ["* " + note for note in notes] + ([""] if notes else [])
    if runs:
        text += ["One of %d runs: `%s`" % (len(runs), example(runs[0])), ""]
    return "\n".join(text)


def example(run):
    name = {"generate": "trace.csv"}.get(
        "generate" if "generate" in run.entry else "", None)
    name = name or (run.place["repeat"] if run.entry.get("files")
                    else run.entry.get("file", "jobs.csv"))
    verb = "trace estimate" if run.kind == "estimate" else "run"
    if run.kind in ("logs", "catalogue", "info"):
        return {"logs": "python3 bench/modules.py", "info":
                "schedsim trace info %s" % name, "catalogue":
                "models/usage/usage.json"}[run.kind]
    return "schedsim %s %s %s" % (verb, name, shlex.join(run.options()))


def count(lines):
    verdicts = {}
    for line in lines:
        if line["verdict"]:
            verdicts[line["verdict"]] = verdicts.get(line["verdict"], 0) + 1
    return ", ".join("%d %s" % (n, name) for name, n in sorted(verdicts.items()))
