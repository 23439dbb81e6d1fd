#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores the modules that read logs, and their baselines, on labelled corpora
(directories with index.jsonl): modules.py CORPUS... [--folds DIR] [--recording FILE
--model NAME] [--also FILE] [--tracker]. With --folds (the tables of `train_logs CORPUS --folds DIR`) a
classifier that has not seen the source of a log reads it. With --recording a
recording answers the rows that use a language model. With --llm SPEC, or with
--curve for stand-ins that know the labels, prints a table of rules, model and both
alone (partner.py)."""
import argparse
import collections
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

import partner
import track_fit

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "build", "schedsim")
CLASSES = ("error", "warning", "progress", "other")
PARTS = ("gpu", "nvlink", "network", "node", "other")
STEP_TOLERANCE = 0.05
# Approximate largest number of earlier failures to compare with.
INCIDENTS_MAX = 60


def read_corpus(folder, also):
    path = os.path.join(folder, "index.jsonl")
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                row["path"] = os.path.join(folder, row["file"])
                source = row.get("source") or {}
                row["repo"] = source.get("repo") or row["file"]
                row["steps"] = track_fit.labels_of(row, also)
                rows.append(row)
            except (ValueError, KeyError, AttributeError) as error:
                sys.exit("modules.py: %s:%d: %s" % (path, number, error))
    return rows


def fold_tables(folder):
    """Maps the name of a file to the weights that were trained without the
    file."""
    tables = {}
    for path in sorted(glob.glob(os.path.join(folder or "", "fold-*.json"))):
        with open(path, encoding="utf-8") as file:
            for name in json.load(file)["held_out"]:
                tables[name] = path
    return tables


class Tools:
    def __init__(self, tables):
        self.tables = tables

    def text(self, row, command, *options):
        args = [PROGRAM, "mate", command, row["path"]] + list(options)
        if row["file"] in self.tables and "cosine" not in options:
            args += ["--weights", self.tables[row["file"]]]
        began = time.monotonic()
        done = subprocess.run(args, capture_output=True, text=True,
                              errors="replace", check=False)
        self.took = time.monotonic() - began
        self.said = done.stderr
        if done.returncode:
            sys.exit("modules.py: %s: %s" % (row["file"],
                                             done.stderr.strip()))
        return done.stdout

    def json(self, row, command, *options):
        return json.loads(self.text(row, command, "--json", *options))


def ratio(a, b):
    return a / b if b else 0.0


class Binary:
    """Counts the answers to a yes-or-no question."""

    def __init__(self):
        self.hit = self.said = self.true = self.right = self.all = 0

    def add(self, said, true):
        self.hit += said and true
        self.said += said
        self.true += true
        self.right += said == true
        self.all += 1

    def row(self):
        return {"f1": ratio(2 * self.hit, self.said + self.true),
                "precision": ratio(self.hit, self.said),
                "recall": ratio(self.hit, self.true),
                "accuracy": ratio(self.right, self.all)}


# The classifier.

def template(line):
    line = re.sub(r"0x[0-9a-f]+", "0x", line.lower())
    return re.sub(r"\d+", "0", line)[:300]


def labels_of(row):
    labels = {}
    for first, last, label in row["labels"]:
        for i in range(first, last + 1):
            labels[i] = label
    return labels


def score_classes(rows, classes_of):
    """Scores the classifier. Each template of a file has one weight, which its
    lines share."""
    hit, said, true = (collections.Counter() for _ in range(3))
    right = lines = 0
    for row in rows:
        with open(row["path"], encoding="utf-8", errors="replace") as file:
            text = file.read().split("\n")
        labels = {i: label for i, label in labels_of(row).items()
                  if label in CLASSES and text[i - 1].strip()}
        often = collections.Counter(template(text[i - 1]) for i in labels)
        got = classes_of(row)
        for i, label in labels.items():
            share = 1 / often[template(text[i - 1])]
            answer = got(i)
            hit[label] += share * (answer == label)
            said[answer] += share
            true[label] += share
            right += answer == label
            lines += 1
    f1 = {c: ratio(2 * hit[c], said[c] + true[c]) for c in CLASSES}
    return {"template_accuracy": ratio(sum(hit.values()), sum(true.values())),
            "macro_f1": sum(f1.values()) / len(f1),
            "line_accuracy": ratio(right, lines),
            **{"f1_" + c: f1[c] for c in CLASSES}}


def program_classes(tools, method):
    def classes_of(row):
        answers = {}
        for line in tools.text(row, "diagnose", "--classes", "--classifier",
                               method).splitlines():
            number, label, _ = line.split()
            answers[int(number)] = label
        return lambda i: answers.get(i, "other")
    return classes_of


def classifiers(tools, rows):
    return {"always other": score_classes(rows, lambda _: lambda i: "other"),
            "cosine to category texts": score_classes(
                rows, program_classes(tools, "cosine")),
            "linear (default)": score_classes(
                rows, program_classes(tools, "linear"))}


# The tracker.

def track(tools, rows, *options):
    """Returns pairs of a row and the tracker's answer, for rows whose step
    time is known, or of which it is known that they have none."""
    pairs = []
    for row in rows:
        if row["steps"] is not None:
            answer = tools.json(row, "track", *options)
            answer["took"] = tools.took + answer["latency_s"]
            pairs.append((row, answer))
    return pairs


def score_tracker(pairs):
    """Scores the tracker. Where a step time can be read, was one found, and is
    it right? Where none can be read, was one given? `precision` is the share
    of all answers that are right within the tolerance of track_fit.py."""
    told = [(row, answer) for row, answer in pairs if row["steps"]]
    errors = [min((answer["seconds_per_step"] / step - 1 for step
                   in row["steps"]), key=abs)
              for row, answer in told if answer["found"]]
    n, none = len(told), len(pairs) - len(told)
    given = [track_fit.is_right(answer, row["steps"])
             for row, answer in pairs if answer["found"]]
    false = len(given) - len(errors)

    def mean(show):
        return ratio(sum(show(answer) for _, answer in pairs), len(pairs))
    return {"logs": n, "found": ratio(len(errors), n),
            "right": ratio(sum(abs(e) <= STEP_TOLERANCE for e in errors), n),
            "by_model": sum(a["method"] != "rules" for _, a in pairs),
            "rmsre": math.sqrt(ratio(sum(e * e for e in errors),
                                     len(errors))),
            "logs_without": none, "false": false,
            "false_share": ratio(false, none), "answers": len(given),
            "precision": ratio(sum(given), len(given)),
            "lines_looked_at": mean(lambda a: a["lines_walked"]),
            "tokens": mean(lambda a: a["tokens"] or a["bytes_read"] / 4),
            "latency_s": mean(lambda a: a["took"])}


# Locator and handler.

def failed(row):
    return row.get("failure") is not None


def infrastructure(row):
    return failed(row) and row["failure"]["cls"] == "infrastructure"


def score_locator(answers, rows):
    located = [(a, r) for a, r in zip(answers, rows)
               if failed(r) and r["first_error_line"]]
    long = [(a, r) for a, r in located if r["n_lines"] > 80]

    def within(pairs, chunks):
        return sum(a["located"]["found"] and abs(
            a["located"]["chunk"] - (r["first_error_line"] - 1) // 20)
            <= chunks for a, r in pairs)
    sound = [a for a, r in zip(answers, rows) if not failed(r)]
    return {"logs": len(located), "exact": within(located, 0),
            "within_5": within(located, 5), "long_logs": len(long),
            "long_exact": within(long, 0), "long_within_5": within(long, 5),
            "sound_logs": len(sound),
            "false_alarms": sum(a["failed"] for a in sound)}


def kind_accuracy(answers, rows):
    asked = [(a, r) for a, r in zip(answers, rows) if failed(r)]
    return ratio(sum(a["error_type"] == r["failure"]["cls"]
                     for a, r in asked), len(asked))


def score_handler(answers, rows):
    """Scores the handler on failed logs. A log in which it finds no failure
    counts as not caused by infrastructure."""
    kinds, all_logs = Binary(), Binary()
    parts = {part: Binary() for part in PARTS}
    for answer, row in zip(answers, rows):
        said = answer["error_type"] == "infrastructure"
        all_logs.add(said, infrastructure(row))
        if not failed(row):
            continue
        kinds.add(said, infrastructure(row))
        truth = row["failure"]["sub"] if infrastructure(row) else None
        for part in PARTS:
            parts[part].add(answer["faulty_component"] == part, truth == part)
    score = kinds.row()
    score["kinds"] = kind_accuracy(answers, rows)
    score["f1_all_logs"] = all_logs.row()["f1"]
    score["f1_parts"] = {p: parts[p].row()["f1"] for p in PARTS
                         if parts[p].true or parts[p].said}
    rooted = [(a, r) for a, r in zip(answers, rows)
              if r.get("root_cause_line")]
    score["root_causes"] = len(rooted)
    score["root_cause_line"] = sum(
        a.get("cause_line") == r["root_cause_line"] for a, r in rooted)
    asked = [a for a, r in zip(answers, rows) if failed(r)]
    score["by_model"] = sum(a.get("method", "rules") != "rules"
                            for a in asked)
    n = len(asked)
    score["lines"] = ratio(sum(a["window"]["lines"] for a in asked), n)
    score["tokens"] = ratio(sum(a["tokens"] or a["window"]["bytes"] / 4
                                for a in asked), n)
    score["latency_s"] = ratio(sum(a["took"] for a in asked), n)
    return score


def diagnose(tools, rows, *options):
    answers = []
    for row in rows:
        answer = tools.json(row, "diagnose", *options)
        answer["took"] = tools.took + answer["latency_s"]
        answers.append(answer)
    return answers


def diagnose_alone(answer):
    """Returns an answer of `diagnose` as if the model's opinion had decided."""
    kind, part = partner.opinion((answer["answers"] or {}).get("model"))
    return dict(answer, failed=kind is not None, error_type=kind,
                faulty_component=part, cause_line=None,
                method="llm" if kind != "?" else "rules")


def track_alone(answer):
    """Does the same for an answer of `track`."""
    step = answer["answers"] and answer["answers"]["model"]
    return dict(answer, found=bool(step), seconds_per_step=step,
                method="llm" if answer["answers"] else "rules")


def neighbours(tools, rows):
    """Compares each failure with the failures of other sources, as RCACopilot
    does, with n-grams in place of fastText. All failures count as of one day,
    because the corpus has no dates."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        known = os.path.join(folder, "incidents.jsonl")
        for row in rows:
            others = [r for r in rows if failed(r) and r["repo"] != row["repo"]]
            others = others[::max(1, len(others) // INCIDENTS_MAX)]
            with open(known, "w", encoding="utf-8") as file:
                for other in others or [{"path": row["path"]}]:
                    file.write(json.dumps({
                        "file": os.path.abspath(other["path"]),
                        "failure": other.get("failure")}) + "\n")
            answer = tools.json(row, "diagnose", "--method", "rcacopilot",
                                "--incidents", known)
            # This method answers for each log, so its answer does not tell
            # whether the job failed.
            answer["failed"] = failed(row)
            answer["took"] = tools.took
            answers.append(answer)
    return answers


def score_manners(pairs):
    """Scores groups of generated logs: by style, by noise, and by whether the
    lines show the speed. Only the index of a generated corpus has these
    fields."""
    groups = collections.defaultdict(list)
    for row, answer in pairs:
        if "style" in row:
            shown = ("shows its speed" if row["prints_time"]
                     else "does not show its speed")
            for name in (shown, "noisy" if row["noisy"] else "standard",
                         row["style"] + ", " + shown):
                groups[name].append((row, answer))
    return {name: score_tracker(groups[name]) for name in sorted(groups)}


def score_steps(tools, rows):
    """Scores the tracker by rules, and returns its answers without a floor,
    which show how reliable the confidence is."""
    pairs = track(tools, rows)
    return ({"rules": score_tracker(pairs), **score_manners(pairs)},
            [track_fit.case_of(row, answer, row["steps"]) for row, answer
             in track(tools, rows, "--set", "floor=0") if answer["found"]])


def score(tools, rows, args):
    recording, name = args.recording, args.model
    result = {"corpus": {"logs": len(rows),
                         "failed": sum(map(failed, rows)),
                         "infrastructure": sum(map(infrastructure, rows)),
                         "with_step_time": sum(
                             bool(r["steps"]) for r in rows)}}
    result["tracker"], result["cases"] = score_steps(tools, rows)
    if args.tracker:
        return result
    if any(row.get("labels") for row in rows):
        result["classifier"] = classifiers(tools, rows)
    ways = {"scan, rules": [], "binary, rules": ["--set", "locator=binary"],
            "last 500 lines, rules": ["--method", "last-lines"]}
    if recording:
        model = ["--llm", "replay:model=" + name, "--llm-recording", recording]
        pairs = track(tools, rows, *model)
        result["tracker"]["rules and model"] = score_tracker(pairs)
        result["tracker"]["model alone"] = score_tracker(
            [(row, track_alone(answer)) for row, answer in pairs])
        always = model + ["--set", "ask=always"]
        ways["scan, rules and model"] = always
        ways["last 500 lines, rules and model"] = always + [
            "--method", "last-lines"]
    if not any(map(failed, rows)):
        return result
    answers = {way: diagnose(tools, rows, *o) for way, o in ways.items()}
    result["locator"] = {way.split(",")[0]: score_locator(answers[way], rows)
                         for way in ("scan, rules", "binary, rules")}
    for way in list(ways) if recording else []:
        if way.endswith("and model"):
            answers[way.replace("rules and model", "model alone")] = [
                diagnose_alone(answer) for answer in answers[way]]
    answers["nearest failure (RCACopilot)"] = neighbours(tools, rows)
    result["handler"] = {way: score_handler(a, rows)
                         for way, a in answers.items()}
    return result


def table(title, rows, columns):
    print("\n%s\n\n| | %s |\n| --- |%s" % (
        title, " | ".join(head for head, _ in columns),
        " ---: |" * len(columns)))
    for name, row in rows.items():
        print("| %s | %s |" % (name, " | ".join(
            show(row) for _, show in columns)))


def number(key, digits=2, factor=1):
    return lambda row: "%.*f" % (digits, factor * row[key])


def of(key, total):
    return lambda row: "%d/%d" % (row[key], row[total])


def print_lines(result):
    table("Lines", result, [
        ("template accuracy", number("template_accuracy", 3)),
        ("macro-F1", number("macro_f1", 3)),
        ("line accuracy", number("line_accuracy", 3))] + [
            ("F1 " + c, number("f1_" + c)) for c in CLASSES])


def print_step_times(result):
    table("Step time", result, [
        ("logs", lambda r: str(r["logs"])), ("found", number("found", 3)),
        ("by a model", lambda r: str(r["by_model"])), ("within 5 %", number("right", 3)),
        ("RMSRE", number("rmsre")), ("without", lambda r: str(
            r["logs_without"])), ("false", lambda r: "%d, %.1f %%" % (
                r["false"], 100 * r["false_share"])),
        ("precision", number("precision", 3)), ("lines looked at",
                                     number("lines_looked_at", 0)),
        ("tokens read", number("tokens", 0)),
        ("ms", number("latency_s", 1, 1000))])


def print_failures(result):
    table("First error", result["locator"], [
        ("exact chunk", of("exact", "logs")),
        ("within 5", of("within_5", "logs")),
        ("5 chunks or more: exact", of("long_exact", "long_logs")),
        ("within 5", of("long_within_5", "long_logs")),
        ("false alarms", of("false_alarms", "sound_logs"))])
    table("Infrastructure or not", result["handler"], [
        ("F1", number("f1", 3)), ("precision", number("precision", 3)),
        ("recall", number("recall", 3)), ("accuracy", number("accuracy", 3)),
        ("right kind", number("kinds", 3)),
        ("F1, all logs", number("f1_all_logs", 3)),
        ("F1 by part", lambda r: ", ".join(
            "%s %.2f" % part for part in r["f1_parts"].items())),
        ("cause line", of("root_cause_line", "root_causes")),
        ("by a model", lambda r: str(r["by_model"])),
        ("lines", number("lines", 0)), ("tokens", number("tokens", 0)),
        ("ms", number("latency_s", 1, 1000))])


def print_tables(result):
    if "classifier" in result:
        print_lines(result["classifier"])
    print_step_times(result["tracker"])
    if "handler" in result:
        print_failures(result)


def print_all(results):
    """Prints one table for all corpora, and how reliable the confidence is."""
    if len(results) > 1:
        print_step_times({folder: result["tracker"]["rules"]
                          for folder, result in results.items()})
    cases = [case for result in results.values() for case in result["cases"]]
    if cases:
        pairs = track_fit.by_folds(cases)
        track_fit.print_reliability("all, confidence by folds", pairs)
        track_fit.print_reliability("real logs, confidence by folds", [
            (case, p) for case, p in pairs if not case["generated"]])


def write_quality(score, rows, model, args):
    """Writes how good the model was, together with the rules, as simulations
    read it (--schedmate measured=FILE)."""
    name = args.model or (re.search(r"model=([^,]+)", args.llm) or [None] * 2)[1]
    if not name:
        sys.exit("modules.py: --out: --llm names no model; give --model NAME")
    if score.counts["unanswered"]:
        sys.exit("modules.py: --out: %d questions got no answer, so this "
                 "would be the rules' quality" % score.counts["unanswered"])
    when = time.strftime("%Y-%m-%d")
    if args.llm.startswith("replay") and args.recording:
        with open(args.recording, encoding="utf-8") as file:
            when = max(json.loads(line)["created"] for line in file)[:10]
    quality = {"model": name, "when": when, "logs": len(rows),
               **score.quality()}
    if args.trees:
        answers, laws = partner.fields(args.trees, model)
        quality["trees"] = args.trees
        quality["answers"]["fields"] = answers
        quality["settings"].update(laws)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(quality, file, indent=1)
        file.write("\n")


def partners(tools, rows, args):
    """Prints how rules and model do together, for --llm or --curve."""
    if args.curve:
        result = partner.curve(tools, PROGRAM, rows)
    else:
        model = ["--llm", args.llm]
        if args.recording:
            model += ["--llm-recording", args.recording]
        scores = partner.three_ways(tools, PROGRAM, rows, model)
        result = {way: score.row() for way, score in scores.items()}
        if args.out:
            write_quality(scores["together"], rows, model, args)
    if args.json:
        json.dump(result, sys.stdout, indent=2)
        print()
        return
    table("Rules, model, together", result, partner.COLUMNS)
    for way, row in result.items() if args.llm else []:
        print("\n%s, as error laws of simulations: --schedmate %s"
              % (way, row["laws"]))
    if args.curve:
        table("Together less the better of the two, points",
              partner.losses(result),
              [(k, number(k, 1)) for k in ("verdicts", "kinds", "f1",
                                           "steps")])


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--folds")
    parser.add_argument("--recording")
    parser.add_argument("--model", default="",
                        help="name of the model in the recording")
    parser.add_argument("--also", default=track_fit.ALSO,
                        help="step times that the indexes lack (JSON Lines)")
    parser.add_argument("--llm", help="as for schedsim: print the table of "
                        "rules, this model alone, and both together")
    parser.add_argument("--out", help="with --llm: write the quality of the "
                        "model together with the rules, over all corpora, for "
                        "--schedmate measured=FILE and worth --measured FILE")
    parser.add_argument("--trees", nargs="*", help="with --out: labelled "
                        "source trees as those of tests/advise/strangers, of "
                        "which `advise` is asked")
    parser.add_argument("--curve", action="store_true",
                        help="the same for stand-ins that are right in 0 to "
                        "100 %% of cases")
    parser.add_argument("--tracker", action="store_true",
                        help="score the step times only")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.out and not args.llm or args.trees and not args.out:
        parser.error("--out needs --llm, and --trees needs --out")
    return args


def main():
    args = parse()
    shared = os.environ.get("SCHEDSIM_SHARED") or os.path.join(
        ROOT, "..", "shared")
    results, pooled = {}, []
    tools = Tools(fold_tables(args.folds) if args.folds else {})
    also = track_fit.read_labels(args.also)
    for corpus in args.corpus or [os.path.join(shared, "logs")]:
        if not os.path.exists(os.path.join(corpus, "index.jsonl")):
            if args.corpus:
                sys.exit("modules.py: %s: has no index.jsonl" % corpus)
            print("skipped: ../shared not present")
            return
        rows = read_corpus(corpus, also)
        if args.curve or args.llm:
            pooled += rows
        else:
            results[corpus] = score(tools, rows, args)
    if pooled:
        partners(tools, pooled, args)
    if not results:
        return
    if args.json:
        json.dump(results if len(results) > 1 else list(results.values())[0],
                  sys.stdout, indent=2)
        print()
        return
    for corpus, result in results.items():
        print(("\n%s: " % corpus if len(results) > 1 else "")
              + "%(logs)d logs, %(failed)d failed, %(infrastructure)d of them by "
              "infrastructure, %(with_step_time)d with a step time" %
              result["corpus"])
        print_tables(result)
    print_all(results)


main()
