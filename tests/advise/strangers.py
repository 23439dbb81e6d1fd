# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores `advise` on jobs that its rules were not written from.

Each job of strangers/FOLDER imitates a public repository in words and code of
our own: NAME/ and NAME.json with `command`, `expect` (field: answer, or a list
of accepted answers), `absent` (fields for which any answer is wrong) and
`note`. The labels say what the launch really uses, so they are not changed to
suit the rules. Letter case, hyphens and British spelling do not matter,
numbers are compared as numbers, and an accepted answer that begins with "~"
has to be part of the answer.

As a test it fails when the share of right fields falls below the bar of a
folder, or the share of right ones among the answers given does. With folders
as arguments it prints each field that is wrong, missing or too many.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from tap import PROGRAM, Tap  # noqa: E402

# Least share of right fields, and of right fields among the answers given, by
# folder; BAR: for a folder without an entry. Raise them when the rules become
# better.
BARS = {
    "open": (0.90, 0.97), "sealed": (0.90, 0.97),
    "open2": (0.95, 0.97), "sealed2": (0.92, 0.94),
}
BAR = (0.50, 0.85)
KINDS = ("right", "wrong", "missing", "extra")


def number(text):
    try:
        return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None


def plain(text):
    text = text.lower().replace("isation", "ization").replace("modelling", "modeling")
    return re.sub(r"[^a-z0-9.]", "", text).strip(".")


def accepts(accepted, answer):
    if accepted.startswith("~"):
        return plain(accepted) in plain(answer)
    a, b = number(accepted), number(answer)
    if a is not None and b is not None:
        return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return plain(accepted) == plain(answer)


def advise(tree, command, options):
    clean = {k: v for k, v in os.environ.items()
             if k != "SCHEDSIM_HISTORY" and not k.startswith("SCHEDSIM_LLM")}
    run = subprocess.run(
        [PROGRAM, "mate", "advise", "--workdir", str(tree), "--command", command, "--json",
         *options],
        capture_output=True, text=True, timeout=None if options else 60, check=False, env=clean)
    if run.returncode:
        return {}, "advise: " + run.stderr.strip()
    if options and re.search(r"\b[1-9]\d* unanswered", run.stderr):
        sys.exit(f"{tree}: the model did not answer")
    return json.loads(run.stdout)["metadata"], ""


def score_tree(case, options):
    """Returns the counts of the kinds, and a line about each field that is not
    right."""
    spec = json.loads(case.read_text(encoding="utf-8"))
    got, trouble = advise(case.with_suffix(""), spec["command"], options)
    counts = dict.fromkeys(KINDS, 0)
    lines = [trouble] if trouble else []
    for field, wanted in spec["expect"].items():
        answer = got.get(field)
        wanted = wanted if isinstance(wanted, list) else [wanted]
        if not answer:
            kind = "missing"
        else:
            kind = "right" if any(accepts(w, answer) for w in wanted) else "wrong"
        counts[kind] += 1
        if kind != "right":
            lines.append(f"{kind} {field}: {answer!r}, wanted {' or '.join(wanted)}")
    for field in spec["absent"]:
        if got.get(field):
            counts["extra"] += 1
            lines.append(f"extra {field}: {got[field]!r}, wanted no answer")
    return counts, lines


def score_folder(folder, options=()):
    """Scores a folder; `options` are given to `advise`."""
    total, lines = dict.fromkeys(KINDS, 0), []
    cases = sorted(folder.glob("*.json"))
    for case in cases:
        counts, bad = score_tree(case, options)
        for kind in KINDS:
            total[kind] += counts[kind]
        fields = counts["right"] + counts["wrong"] + counts["missing"]
        lines.append(f"{case.stem}: {counts['right']} of {fields} fields right")
        lines += ["  " + line for line in bad]
    return len(cases), total, lines


def shares(total):
    fields = total["right"] + total["wrong"] + total["missing"]
    answers = total["right"] + total["wrong"] + total["extra"]
    return total["right"] / max(fields, 1), total["right"] / max(answers, 1)


def words(folder, cases, total):
    of_fields, of_answers = shares(total)
    return (f"{folder}: {cases} jobs, {of_fields:.3f} of the fields right "
            f"({', '.join(f'{total[k]} {k}' for k in KINDS)}), "
            f"{of_answers:.3f} of the answers")


def main(folders):
    if folders:
        for folder in map(pathlib.Path, folders):
            cases, total, lines = score_folder(folder)
            print("\n".join(lines))
            print(words(folder, cases, total))
        return 0
    tap = Tap()
    for folder in sorted((HERE / "strangers").iterdir()):
        name = folder.name
        least_fields, least_answers = BARS.get(name, BAR)
        cases, total, lines = score_folder(folder)
        of_fields, of_answers = shares(total)
        good = cases and of_fields >= least_fields and of_answers >= least_answers
        tap.result(good, words(name, cases, total),
                   "\n".join(lines + [f"bars: {least_fields} and {least_answers}"]))
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
