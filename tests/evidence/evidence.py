# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the training repositories of traces/evidence and the traces that are
generated from them: the index against the files, the side-car of the sample, run
times that follow from steps, and how much `advise` finds without a model."""
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import hostile  # noqa: E402
import scores  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

FOLDER = scores.FOLDER
SAMPLE = ("--like saturn --jobs 200 --load 0.9 --gpus 64 --seed 11 "
          "--repositories traces/evidence").split()
# Percent of the jobs for which `advise` must find a field by rules.
LEAST = {"model_name": 98, "dataset_name": 98, "batch_size": 98,
         "framework": 98, "learning_rate": 95, "epochs": 95}


def schedsim(*args, cwd=ROOT):
    return subprocess.run([PROGRAM, *args], cwd=cwd, capture_output=True,
                          text=True, check=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files_are_sound(tap):
    """Checks that scripts are valid and have a licence line, and that JSON can
    be read."""
    bad = []
    for path in glob.glob(os.path.join(FOLDER, "*", "**", "*"),
                          recursive=True):
        name = os.path.relpath(path, FOLDER)
        if not os.path.isfile(path) or "__pycache__" in name:
            continue
        text = read(path).decode()
        kind = os.path.splitext(path)[1]
        if kind == ".py":
            try:
                compile(text, name, "exec")
            except SyntaxError as why:
                bad.append("%s: %s" % (name, why))
        elif kind in (".sh", ".slurm"):
            done = subprocess.run(["bash", "-n", path], capture_output=True,
                                  check=False)
            bad += [name] * (done.returncode != 0)
        elif kind == ".json":
            json.loads(text)
        if kind not in (".md", ".json") and "SPDX" not in text[:200]:
            bad.append(name + ": no licence")
    tap.result(not bad, "the files of the repositories are sound",
               "\n".join(bad))


def index_is_complete(tap):
    """Checks that models, data sets and batch sizes occur in usage.json."""
    with open(os.path.join(ROOT, "models", "usage", "usage.json"),
              encoding="utf-8") as file:
        listed = {(row["family"], row["model"], row["dataset"], size)
                  for row in json.load(file)["rows"]
                  for size in row["batch_sizes"]}
    index = scores.index()
    found = {(task["family"], task["model"], task["dataset"], batch["size"])
             for repository in index["repositories"]
             for task in repository["tasks"] for batch in task["batches"]}
    tap.result(listed == found, "each model of usage.json has a repository",
               "missing %s\nunknown %s" % (listed - found, found - listed))
    bad = [task["name"] for repository in index["repositories"]
           for task in repository["tasks"]
           if task["step_source"] not in index["sources"]]
    tap.result(not bad, "each step time has a source", "\n".join(bad))


def commands_name_files(tap):
    bad = []
    for directory, task, _, _, line, _ in scores.cases():
        if "{" in line:
            bad.append("a placeholder is left: " + line)
        for word in re.findall(r"[\w/.-]+\.(?:py|sh|slurm|ya?ml|json|ini)\b",
                               line):
            if not os.path.exists(os.path.join(FOLDER, directory, word)):
                bad.append("%s/%s: no %s" % (directory, task["name"], word))
    tap.result(not bad, "commands name files that are there", "\n".join(bad))


def generate(folder, *args):
    """Generates a trace in a folder that looks like the tree. Returns the
    process, the trace and its side-car."""
    os.makedirs(os.path.join(folder, "traces", "samples"), exist_ok=True)
    link = os.path.join(folder, "traces", "evidence")
    if not os.path.exists(link):
        os.symlink(FOLDER, link)
    done = schedsim("trace", "generate", *args, "-o",
                    "traces/samples/evidence.csv", cwd=folder)
    path = os.path.join(folder, "traces", "samples", "evidence")
    return done, path + ".csv", path + ".evidence.csv"


def sample_is_generated(tap, folder):
    done, trace, sidecar = generate(folder, *SAMPLE)
    for path in (trace, sidecar):
        own = os.path.join(ROOT, "traces", "samples", os.path.basename(path))
        tap.result(done.returncode == 0 and read(path) == read(own),
                   "the sample %s is what its command writes"
                   % os.path.basename(path), done.stderr)


def lasts_as_long_as_its_steps(tap, folder):
    """Checks that a completed job has done some of its steps, and all of them
    unless it ended early, and that no job runs longer than its steps."""
    _, trace, sidecar = generate(folder, *SAMPLE, "--set", "early-exits=0")
    bad = []
    for job, log in zip(rows_of(trace), rows_of(sidecar)):
        whole = math.ceil(float(log["start_s"]) +
                          int(log["steps"]) * float(log["step_s"]) - 1e-6)
        ran = float(job["duration_s"])
        if job["job_id"] != log["job_id"] or ran > whole or (
                job["end"] == "completed" and ran != whole):
            bad.append("job %s: %g of %g s" % (job["job_id"], ran, whole))
    tap.result(not bad, "a job lasts as long as its steps", "\n".join(bad))
    _, trace, _ = generate(folder, *SAMPLE, "--set", "early-exits=1")
    early = sum(float(job["duration_s"]) for job in rows_of(trace))
    _, trace, _ = generate(folder, *SAMPLE)
    some = sum(float(job["duration_s"]) for job in rows_of(trace))
    tap.result(early < some, "early exits shorten jobs")


def only_the_work_differs(tap, folder):
    """Checks that submission, user and GPUs equal those in the trace without
    repositories."""
    plain = SAMPLE[:-2]
    plain[plain.index("--load"):plain.index("--load") + 2] = []
    _, trace, _ = generate(folder, *plain, *SAMPLE[-2:])
    with_work = rows_of(trace)
    done = schedsim("trace", "generate", *plain)
    without = list(csv.DictReader(done.stdout.splitlines()))
    keys = ("submitted_unix_s", "user", "gpus", "end", "kind")
    same = [[row[key] for key in keys[:4]] for row in with_work] == [
        [row[key] for key in keys[:4]] for row in without]
    tap.result(same and len(with_work) == 200,
               "repositories change what jobs run, not who submits when")


def families(tap, folder):
    """Checks that --family chooses among the tasks, and that an unknown family
    is an error."""
    known = {task["name"]: task["family"]
             for repository in scores.index()["repositories"]
             for task in repository["tasks"] if task["name"] != "resnet50"}
    for family in ("schedmate", "lucid"):
        _, trace, _ = generate(folder, *SAMPLE, "--family", family)
        names = {job["name"].split("-", 1)[1].rsplit("-", 1)[0]
                 for job in rows_of(trace)}
        tap.result({known.get(name, family) for name in names} == {family},
                   "--family " + family + " has only its own models", names)
    done, _, _ = generate(folder, *SAMPLE, "--family", "sia")
    tap.result(done.returncode == 2 and "family 'sia'" in done.stderr,
               "a family that no repository trains is an error", done.stderr)


def users_repeat_themselves(tap):
    """Checks that for some jobs of the sample, but not for all, an earlier job
    of the user has an equal command."""
    path = os.path.join(ROOT, "traces", "samples", "evidence")
    seen, again, changed = {}, 0, 0
    for job, log in zip(rows_of(path + ".csv"),
                        rows_of(path + ".evidence.csv")):
        key = (job["user"], job["name"])
        line = (log["directory"], log["command"], log["branch"])
        again += line in seen.get(key, set())
        changed += key in seen and line not in seen[key]
        seen.setdefault(key, set()).add(line)
    tap.result(40 <= again <= 120 and changed >= 20,
               "users repeat and vary their commands",
               "%d again, %d changed" % (again, changed))


def generated_evidence(tap, folder):
    """Checks with --evidence generated that equal users and names have equal
    commands."""
    out = os.path.join(folder, "r")
    done = schedsim("traces/samples/lucid.csv", "--evidence", "generated",
                    "--quiet", "--out", out)
    manifest = json.loads(read(os.path.join(out, "manifest.json")))
    text = json.dumps(manifest)
    tap.result(done.returncode == 0 and '"jobs_with_command": "2000"' in text
               and "index_sha256" in text,
               "evidence can be made up for a trace with models", done.stderr)


def index_errors(tap, folder):
    """Checks that errors in an index name the file, the place and the nearest
    known name."""
    cases = [("hf-trainer", "hf-traner", "did you mean 'hf-trainer'"),
             ('"commands"', '"comands"', "did you mean 'commands'"),
             ('"length": "epochs"', '"length": "epoch"',
              "length: expected the name of a knob"),
             ('"directory": "vision"', '"directory": "../vision"',
              "directory: expected the name of a folder"),
             ('"gpus": [8, 1024]', '"gpus": [8, 4]', "expected [least, most]"),
             ('"repeat": 0.5', '"repeat": 1.5', "expected a number in 0 .. 1")]
    text = read(os.path.join(FOLDER, "index.json")).decode()
    os.makedirs(os.path.join(folder, "bad"), exist_ok=True)
    for old, new, words in cases:
        with open(os.path.join(folder, "bad", "index.json"), "w",
                  encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        done = schedsim("trace", "generate", "--like", "saturn",
                        "--repositories", "bad", "-o", "x.csv", cwd=folder)
        tap.result(done.returncode == 3 and words in done.stderr
                   and "bad/index.json" in done.stderr
                   and not os.path.exists(os.path.join(folder, "x.csv")),
                   "an index with " + new + " is an error", done.stderr)
    done = schedsim("trace", "generate", "--like", "saturn", "--repositories",
                    "traces/evidence", cwd=ROOT)
    tap.result(done.returncode == 2 and "--out" in done.stderr,
               "a side-car needs a trace beside it", done.stderr)


def advise_finds(tap):
    total = scores.table(scores.measure())["all"]
    for field in scores.FIELDS:
        right, of = total[field]
        tap.result(right * 100 >= LEAST[field] * of,
                   "advise finds the %s of at least %d %% of the jobs"
                   % (field, LEAST[field]), "%d of %d" % (right, of))


def main():
    tap = Tap()
    files_are_sound(tap)
    index_is_complete(tap)
    commands_name_files(tap)
    with tempfile.TemporaryDirectory() as folder:
        sample_is_generated(tap, folder)
        lasts_as_long_as_its_steps(tap, folder)
        only_the_work_differs(tap, folder)
        families(tap, folder)
        users_repeat_themselves(tap)
        generated_evidence(tap, folder)
        index_errors(tap, folder)
        hostile.check(tap, os.path.join(folder, "hostile"))
    advise_finds(tap)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
