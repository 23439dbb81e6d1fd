# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that a site can add clues to those of `advise`: a framework, layers, a
task, data, an optimizer and an option that only the site knows."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402


class Job:
    """A job of a framework that nobody but the site knows, and the site's
    folder of configurations."""

    def __init__(self, work):
        self.work = work
        os.makedirs(self.path("job"))
        os.makedirs(self.path("config/schedsim/clues.d"))
        self.write("job/train.py", CODE)

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str)
                       else json.dumps(content))
        return self.path(name)

    def run(self, *args):
        env = dict(os.environ, XDG_CONFIG_HOME=self.path("config"))
        return subprocess.run(
            [PROGRAM, "mate", "advise", "--workdir", self.path("job"), "--command",
             "python train.py --pump_load 48", "--quiet"] + list(args),
            capture_output=True, text=True, env=env, timeout=60, check=False)

    def answer(self, *args):
        return json.loads(self.run("--json", *args).stdout)


CODE = """
import argparse
import torch
import frobnix
parser = argparse.ArgumentParser()
parser.add_argument("--pump_load", type=int, default=1)
args = parser.parse_args()
model = torch.nn.Sequential(frobnix.WaterGate(3), frobnix.WaterGate(4))
data = frobnix.Wetlands("/data")
optimizer = frobnix.Dryer(model.parameters(), lr=0.3)
for x, y in torch.utils.data.DataLoader(data):
    loss = frobnix.PumpLoss()(model(x), y)
    loss.backward()
    optimizer.step()
"""
CLUES = {
    "format": 1,
    "frameworks": {"rows": [["frobnix", "Frobnix", False],
                            ["torch", "PyTorch", True]]},
    "layers": {"rows": [["WaterGate", "gate network"]]},
    "task_calls": {"rows": [["PumpLoss", "pump control"]]},
    "dataset_names": {"about": "data", "rows": [["Wetlands", "Wetlands-7"]]},
    "optimizers": {"rows": ["Dryer"]},
    "option_names": {"rows": [["pump_load", "batch_size"]]},
}
TAUGHT = {"framework": "PyTorch + Frobnix", "model_type": "gate network",
          "task_type": "pump control", "dataset_name": "Wetlands-7",
          "optimizer": "Dryer", "batch_size": "48"}


def layers(kind):
    return {"format": 1, "layers": {"rows": [["WaterGate", kind]]}}


def clues(tap, work):
    job = Job(work)
    got = job.answer()
    digest = got["clues"]["digest"]
    tap.result(not set(TAUGHT.items()) & set(got["metadata"].items())
               and got["clues"]["files"] == [], "nobody knows frobnix", got)
    taught = job.write("taught.json", CLUES)
    got = job.answer("--clues", taught)
    tap.result(set(TAUGHT.items()) <= set(got["metadata"].items())
               and got["clues"]["files"] == [
                   {"file": taught, "added": 6, "replaced": 1}]
               and got["clues"]["digest"] != digest,
               "a file teaches a framework, layers, a task, data, an optimizer "
               "and an option", got)
    first = job.write("config/schedsim/clues.d/10.json", layers("one"))
    second = job.write("config/schedsim/clues.d/20.json", layers("two"))
    job.write("config/schedsim/clues.d/notes.txt", "{")
    got = job.answer()
    tap.result(got["metadata"]["model_type"] == "two"
               and [row["file"] for row in got["clues"]["files"]]
               == [first, second], "clues.d is read in order of names", got)
    text = job.run("--clues", taught).stdout
    tap.result("gate network" in text
               and "clues also of %s: 1 added, 0 replaced\n" % first in text
               and "clues also of %s: 5 added, 2 replaced\n" % taught in text,
               "--clues comes after them, and the text says so", text)
    cache = job.path("cache")
    job.answer("--cache", cache)
    got = job.answer("--cache", cache), job.answer("--cache", cache,
                                                   "--clues", taught)
    tap.result([one["version"] for one in got] == ["same", "new"],
               "answers are kept for the clues that gave them", got)
    for path in (first, second):
        os.unlink(path)


def rows(key, *values):
    return {"format": 1, key: {"rows": list(values)}}


WRONG_CLUES = [
    ("taskz", {"format": 1, "taskz": {}}, "1:1: no 'taskz'; did you mean 'tasks'?"),
    ("no format", {}, '1:1: expected "format": 1'),
    ("list", {"format": 1, "tasks": []}, "tasks: expected an object"),
    ("rws", {"format": 1, "tasks": {"rws": []}}, "did you mean 'rows'?"),
    ("rows", {"format": 1, "tasks": {"rows": 7}}, "rows: expected an array"),
    ("short", rows("tasks", ["a", "b"], ["c"]),
     "1:46: tasks row 2: expected an array of 2 values"),
    ("number", rows("tasks", ["a", 7]), "column 2: expected a text of 1 to 60"),
    ("long", rows("optimizers", "a" * 61), "expected a text of 1 to 60"),
    ("dash", rows("tasks", ["a-b", "c"]), "can never match: expected letters"),
    ("field", rows("option_names", ["bs", "batchsize"]),
     "no 'batchsize'; did you mean 'batch_size'?"),
    ("flag", rows("frameworks", ["x", "X", 1]), "expected true or false"),
    ("words", rows("option_words", ["epochs", "ep", "a/b"]), "expected words"),
    ("twice", rows("optimizers", "Dryer", "Dryer"), "'Dryer' is used twice"),
    ("many", rows("optimizers", *["O%d" % i for i in range(4097)]),
     "at most 4096 rows"),
    ("empty", "", ":1:0: "),
    ("NUL", '{"format": 1, "optimizers": {"rows": ["a\\u0000b"]}}', ":1:48: "),
    ("raw NUL", '{"format": 1\0}', "byte 13 is 0"),
    ("deep", "[" * 100000, ":1:"),
    ("key twice", '{"format": 1, "format": 1}', ":1:"),
    ("large", "{" + " " * (1 << 20) + "}", "is larger than 1048576 bytes"),
]


def wrong_clues(tap, work):
    job = Job(work)
    for name, content, said in WRONG_CLUES:
        path = job.write("odd.json", content)
        done = job.run("--clues", path)
        tap.result(done.returncode == 3 and done.stderr.count("\n") == 1
                   and path in done.stderr and said in done.stderr,
                   "clues are refused: " + name, done.stderr)
    done = job.run("--clues", job.path("absent.json"))
    tap.result(done.returncode == 3 and "absent.json" in done.stderr,
               "so is a file that is absent", done.stderr)
    job.write("config/schedsim/clues.d/a.json", "[]")
    done = job.run()
    tap.result(done.returncode == 3 and "clues.d/a.json:1:1: expected an object"
               in done.stderr, "and one of clues.d", done.stderr)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        clues(tap, os.path.join(work, "right"))
        wrong_clues(tap, os.path.join(work, "wrong"))
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
