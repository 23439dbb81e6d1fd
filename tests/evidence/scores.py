# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how many of the facts about the repositories of traces/evidence
`schedsim mate advise` finds without a model. Prints a table; evidence.py has the
limits. usage: scores.py [--wrong]"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from tap import PROGRAM, ROOT  # noqa: E402

FOLDER = os.path.join(ROOT, "traces", "evidence")
FIELDS = ("model_name", "dataset_name", "batch_size", "framework",
          "learning_rate", "epochs")
# Fields that a knob sets if the command has the knob.
KNOBS = {"learning_rate": "lr", "epochs": "epochs"}


def index():
    with open(os.path.join(FOLDER, "index.json"), encoding="utf-8") as file:
        return json.load(file)


def command(form, task, batch, choice):
    """Returns the command of a job on the fewest GPUs. `choice`: number of the
    value of all knobs, or a number for each knob."""
    gpus = task["gpus"][0]
    values = {"batch": batch, "gpus": gpus, "nodes": (gpus + 7) // 8,
              "node_gpus": min(gpus, 8)}
    for knob, texts in task["knobs"].items():
        at = choice[knob] if isinstance(choice, dict) else choice
        values[knob] = texts[at % len(texts)]
    return form.format(**values)


def advise(directory, line):
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("SCHEDSIM_", "OPENAI_"))}
    done = subprocess.run([PROGRAM, "mate", "advise", "--json", "--workdir",
                           os.path.join(FOLDER, directory), "--command", line],
                          capture_output=True, check=True, env=clean)
    return json.loads(done.stdout)


def plain(text):
    return re.sub(r"[^a-z0-9]", "", str(text).lower())


def values_of(task, form, choice):
    """Returns field -> number, for the knobs that the command has."""
    out = {}
    for field, knob in KNOBS.items():
        if "{" + knob + "}" in form:
            texts = task["knobs"][knob]
            out[field] = float(texts[choice % len(texts)])
    return out


def right(field, answers, batch, found, numbers):
    """Returns whether an answer is right; None if the command does not
    determine the right answer."""
    got = found["metadata"].get(field)
    if field in KNOBS and field not in numbers:
        return None
    if got is None:
        return False
    if field in KNOBS:
        return float(got) == numbers[field]
    if field == "batch_size":
        return got == str(batch)
    if field == "framework":
        return any(plain(name) in plain(got) for name in answers[field])
    return plain(got) in [plain(name) for name in answers[field]]


def cases():
    """Yields (directory, task, number of the command, batch size, launch line,
    numbers of KNOBS) of each job."""
    for repository in index()["repositories"]:
        for task in repository["tasks"]:
            for number, form in enumerate(task["commands"]):
                for choice, batch in enumerate(task["batches"]):
                    line = command(form, task, batch["size"], choice)
                    yield (repository["directory"], task, number,
                           batch["size"], line,
                           values_of(task, form, choice))


def measure():
    """Returns a row for each job: the case, the answer, and field -> right or
    not."""
    todo = list(cases())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda case: advise(case[0], case[4]), todo))
    return [(case, found, {field: right(field, case[1]["answers"], case[3],
                                        found, case[5]) for field in FIELDS})
            for case, found in zip(todo, answers)]


def table(rows):
    """Returns repository -> field -> [number of right answers, number of
    answers]."""
    out = {}
    for case, _, verdict in rows:
        for name in (case[0], "all"):
            for field in FIELDS:
                cell = out.setdefault(name, {}).setdefault(field, [0, 0])
                cell[0] += verdict[field] is True
                cell[1] += verdict[field] is not None
    return out


def main():
    rows = measure()
    if "--wrong" in sys.argv[1:]:
        for case, found, verdict in rows:
            for field in FIELDS:
                if verdict[field] is False:
                    print("%s/%s %s: %s\n    %s" % (
                        case[0], case[1]["name"], field,
                        found["metadata"].get(field), case[4]))
    print("| repository | " + " | ".join(FIELDS) + " |")
    print("|---|" + "---|" * len(FIELDS))
    for name, cells in table(rows).items():
        print("| %s | %s |" % (name, " | ".join(
            "%d / %d" % tuple(cells[field]) for field in FIELDS)))


if __name__ == "__main__":
    main()
