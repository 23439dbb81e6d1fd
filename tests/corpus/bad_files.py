# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that each bad file of a model ends the program with status 3 and one
line that names the file, the place in it and what was expected."""
import copy
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402

TRACE = ("submitted_unix_s,duration_s,gpus,job_id,model\n"
         "0,4,1,0,m\n1,4,1,1,n\n")

# == Rows of usage, as JSON (models/usage/usage.json) and as Lucid's CSV.
USAGE = {"figures": ["gpu_util"],
         "sources": {"s": {"status": "measured", "text": "where"}},
         "rows": [{"family": "schedmate", "model": "m", "dataset": "d",
                   "class": "any", "figures": [[0.5, "s"]],
                   "batch_sizes": [1], "amp": [True]}]}
ROW = ("rows", 0)
FIGURE = "rows[0]: gpu_util: expected a list of a number and a source's name"
USAGE_CASES = [
    (ROW + ("model",), 5, "rows[0]: model: expected a text"),
    (ROW + ("class",), "huge", "rows[0]: class: expected any, small, medium"),
    (ROW + ("class",), None, "rows[0]: class: expected any, small, medium"),
    (ROW + ("size",), 1, "rows[0]: no key 'size'"),
    (ROW + ("figures",), [["x", "s"]], FIGURE),
    (ROW + ("figures",), [[-1, "s"]], FIGURE),
    (ROW + ("figures",), [[0.5, "t"]], FIGURE),
    (ROW + ("figures",), [[0.5]], FIGURE),
    (ROW + ("figures",), [[50, "s"]],
     "rows[0]: figures: expected utilisations of at most 1"),
    (ROW + ("figures",), [[0.5, "s"], [0.5, "s"]],
     "rows[0]: figures: expected as many as the file names"),
    (("figures",), ["speed"],
     "rows[0]: figures: expected as many as the file names"),
    (ROW + ("batch_sizes",), [1.5], "rows[0]: batch_sizes: expected whole"),
    (ROW + ("batch_sizes",), [-1], "rows[0]: batch_sizes: expected whole"),
    (ROW + ("batch_sizes",), [2 ** 33], "rows[0]: batch_sizes: expected whole"),
    (ROW + ("batch_sizes",), list(range(70000)), "more than"),
    (("sources", "s", "when"), 1, "sources: s: no key 'when'"),
    (("rows",), [], "no rows"),
]
LUCID = "model,dataset,batchsize,amp,gpu_util,gmem_util,gmem,label\n"
LUCID_CASES = [
    ("m,d,x,1,50,50,9,0\n", ":2:5: batchsize: not a batch size"),
    ("m,d,1,2,50,50,9,0\n", ":2:7: amp: '2' is not 0 or 1"),
    ("m,d,1,1,x,50,9,0\n", ":2:9: gpu_util: 'x' is not within 0..100"),
    ("m,d,1,1,50,-1,9,0\n", ":2:12: gmem_util: '-1' is not within 0..100"),
    ("m,d,1,1,50,50,1e10,0\n", ":2:15: gmem: '1e10' is not within 0..1e+09"),
    ("m,d,1,,,50,9,3\n", ":2:14: label: '3' is not 0, 1 or 2"),
    ("m,d,1,1,50,50,9,x\n", ":2:17: label: 'x' is not 0, 1 or 2"),
]

# == Speeds of pairs, as Lucid and Gavel publish them.
PAIRS = ("model1,dataset1,batchsize1,amp1,speed1,"
         "model2,dataset2,batchsize2,amp2,speed2\n")
PAIRS_CASES = [
    (PAIRS + "m,d,x,1,1,m,d,1,1,1\n", ":2:5: batchsize1: not a batch size"),
    (PAIRS + "m,d,1,2,1,m,d,1,1,1\n", ":2:7: amp1: '2' is not 0 or 1"),
    (PAIRS + "m,d,1,,-1,m,d,1,1,1\n", ":2:8: speed1: not a speed within"),
    (PAIRS + "m,d,1,1,1,m,d,1,1,101\n", ":2:19: speed2: not a speed within"),
    ("gpu,job,partner,job_speed,partner_speed\nv100,a,b,x,1\n",
     ":2:10: job_speed: not a speed within 0..100"),
    ("gpu,job,partner,job_speed,partner_speed\nv100,a,b,1,-1\n",
     ":2:12: partner_speed: not a speed within 0..100"),
    ("gpu,job,partner,job_speed,partner_speed\nv100,a,b,1,101\n",
     ":2:12: partner_speed: not a speed within 0..100"),
    ("model1,dataset1\n", ":1:1:"),
]

# == Measured throughputs.
SPEEDS = "model,gpus,throughput,batch_size\n"
SPEEDS_CASES = [
    (SPEEDS + " ,1,5,\n", ":2:1: model: the model has no name"),
    (SPEEDS + "m,x,5,\n", ":2:3: gpus: 'x' is not a number of GPUs"),
    (SPEEDS + "m,0,5,\n", ":2:3: gpus: '0' is not a number of GPUs"),
    (SPEEDS + "m,1,x,\n", ":2:5: throughput: 'x' is not a number above 0"),
    (SPEEDS + "m,1,0,\n", ":2:5: throughput: '0' is not a number above 0"),
    (SPEEDS + "m,1,5,x\n", ":2:7: batch_size: 'x' is not a batch size"),
    (SPEEDS + "m,1,5,8\nm,1,6,8\n",
     "two rows for model 'm', batch size 8 and 1 GPUs"),
    ("model,gpus\n", ":1:1: throughput: the header lacks this column"),
]

# == Traces of faults.
FAULTS = "start_s,end_s,node,class,scope,gpu,cause\n"
EVENT = {"event_time": 1, "node_id": "n", "event_type": "fault_start",
         "fault_type": {"Class": "c", "Desc": "d"}}


def event(**more):
    """A list of a good event and one with other values, on lines of its own."""
    bad = {k: v for k, v in {**EVENT, **more}.items() if v is not None}
    return "\n [%s,\n%s\n]" % (json.dumps(EVENT), json.dumps(bad))


KIND = '3:1: fault_type: expected {"Class": TEXT, "Desc": TEXT}'
FAULTS_CASES = [
    (FAULTS + "x,5,n,c,,,\n", ":2:1: start_s: 'x' is not a time of 0 s or"),
    (FAULTS + "-1,5,n,c,,,\n", ":2:1: start_s: '-1' is not a time of 0 s or"),
    (FAULTS + "1,x,n,c,,,\n", ":2:3: end_s: 'x' is not a time at or after"),
    (FAULTS + "5,1,n,c,,,\n", ":2:3: end_s: '1' is not a time at or after"),
    (FAULTS + "1,5,,c,,,\n", ":2:5: node: expected the name of a node"),
    (FAULTS + "1,5,n,c,rack,,\n", ":2:9: scope: 'rack' is none of node, gpu"),
    (FAULTS + "1,5,n,c,storage,,\n", ":2:9: scope: 'storage' is none of node"),
    (FAULTS + "1,5,n,c,gpu,x,\n", ":2:13: gpu: 'x' is not the number of a"),
    (FAULTS + "1,5,n,c,gpu,9999,\n", ":2:13: gpu: '9999' is not the number"),
    (" {}", ":1:1: expected an array of events"),
    ("[", ":1:"),
    (event(event_time=-1), ":3:2: event_time: expected days, 0 or more"),
    (event(event_time="x"), ":3:2: event_time: expected days, 0 or more"),
    (event(node_id=""), ":3:19: node_id: expected the name of a node"),
    (event(node_id=None), "3:1: node_id: expected the name of a node"),
    (event(fault_type=5), "fault_type: expected"),
    (event(fault_type=None), KIND),
    (event(fault_type={"Class": "c"}), "fault_type: expected"),
    (event(fault_type={"Class": "a \"b\"", "Desc": ""}),
     "fault_type: expected"),
    (event(event_type=None), "event_type: expected fault_start or fault_end"),
    (event(event_type="end"), "event_type: expected fault_start or fault_end"),
    (event(event_type="fault_end", node_id="m"),
     "event_type: expected a fault_start of this node and type before"),
    (event(event_type="fault_end", event_time=0),
     "event_type: expected a fault_start of this node and type before"),
    (event(event_type="fault_end", fault_type={"Class": "x", "Desc": "d"}),
     "event_type: expected a fault_start of this node and type before"),
    (event(event_type="fault_end", fault_type={"Class": "c", "Desc": "x"}),
     "event_type: expected a fault_start of this node and type before"),
]

# == Side-cars: evidence of jobs (traces/evidence/sidecar.h).
SIDECAR = ("job_id,directory,command,log,log_style,step_s,steps,batch_size,"
           "step_time,start_s\n")
SIDECAR_CASES = [
    (SIDECAR + ",,,,,,,,,\n", ":2:1: job_id: a job is missing"),
    (SIDECAR + "0,,,,hf-trained,,,,,\n",
     ":2:6: log_style: no style of logs 'hf-trained'; did you mean 'hf-trainer'?"),
    (SIDECAR + "0,,,,zzzzzzzz,,,,,\n",
     ":2:6: log_style: no style of logs 'zzzzzzzz'\n"),
    (SIDECAR + "0,,,,hf-trainer,x,,,,\n",
     ":2:17: step_s: 'x' is not in 1e-06 .. 1e9 seconds"),
    (SIDECAR + "0,,,,hf-trainer,1e10,,,,\n",
     ":2:17: step_s: '1e10' is not in 1e-06 .. 1e9 seconds"),
    (SIDECAR + "0,,,,hf-trainer,1,x,,,\n",
     ":2:19: steps: 'x' is not a whole number, 1 .. 9.0072e+15"),
    (SIDECAR + "0,,,,hf-trainer,1,0,,,\n", ":2:19: steps: '0' is not a whole"),
    (SIDECAR + "0,,,,hf-trainer,1,1,4294967296,,\n",
     ":2:21: batch_size: '4294967296' is not a whole number, 1 .. 4.29497e+09"),
    (SIDECAR + "0,,,,hf-trainer,1,1,1,2,\n",
     ":2:23: step_time: '2' is not 0 or 1"),
    (SIDECAR + "0,,,,hf-trainer,1,1,1,1,-1\n",
     ":2:25: start_s: '-1' is not in 0 .. 1e9 seconds"),
    (SIDECAR + "0,,x,,,,,,,\n0,,y,,,,,,,\n",
     ":3:1: job_id: job '0' has a row already"),
    (SIDECAR + "0,,,,hf-trainer,,,,,\n0,,y,,,,,,,\n",
     ":3:1: job_id: job '0' has a row already"),
    (SIDECAR + "0,..,x,,,,,,,\n",
     ":2:3: directory: '..' leads out of the folder of the side-car"),
    (SIDECAR + "0,/,x,,,,,,,\n", ":2:3: directory: '/' leads out of"),
    (SIDECAR + "0,a/../..,x,,,,,,,\n", ":2:3: directory: 'a/../..' leads out"),
    (SIDECAR + "0,,,/etc/passwd,,,,,,\n", ":2:5: log: '/etc/passwd' leads out"),
    ("job_id,colour\n", ":1:8: colour: no such column"),
    ("directory\n", ":1:1: job_id: the header lacks this column"),
]

# == Repositories of generated evidence (traces/evidence/index.json).
TASK = {"name": "t", "family": "schedmate", "model": "m", "dataset": "d",
        "gpus": [1, 8], "samples": 100, "length": "epochs",
        "batches": [{"size": 1, "step_s": 1}],
        "log": {"style": "hf-trainer", "every": 1},
        "commands": ["python a.py"], "knobs": {"epochs": ["1", "2"]}}
INDEX = {"branches": ["main"],
         "habits": {"repeat": 0.5, "repositories": 1, "communication": 0,
                    "spread": 0},
         "repositories": [{"directory": "a", "tasks": [TASK]}]}
PLACE = ("repositories", 0)
T = PLACE + ("tasks", 0)
HERE = "a: tasks[0]: "
INDEX_CASES = [
    (("habit",), 1, "no key 'habit'; did you mean 'habits'?"),
    (("habits", "rep"), 1, "habits: no key 'rep'"),
    (("habits", "repeat"), 2, "habits: repeat: expected a number in 0 .. 1"),
    (("habits", "repeat"), "x", "habits: repeat: expected a number in 0 .. 1"),
    (("habits", "repositories"), 1.5, "repositories: expected a whole number"),
    (("habits", "repositories"), 0, "habits: repositories: expected a number"),
    (("habits", "communication"), 2, "habits: communication: expected a"),
    (("habits", "spread"), -1, "habits: spread: expected a number in 0 .. 1"),
    (("repositories",), [], "repositories: expected at least one task"),
    (PLACE + ("dir",), 1, "repositories[0]: no key 'dir'"),
    (PLACE + ("directory",), 1, "repositories[0]: directory: expected a text"),
    (PLACE + ("directory",), "", "repositories[0]: directory: expected a text"),
    (PLACE + ("directory",), "..", "directory: expected the name of a folder"),
    (PLACE + ("directory",), "a/b", "directory: expected the name of a folder"),
    (PLACE + ("directory",), "a,b", "directory: expected the name of a folder"),
    (T + ("colour",), 1, HERE + "no key 'colour'"),
    (T + ("name",), 1, HERE + "name: expected a text"),
    (T + ("family",), None, HERE + "family: expected a text"),
    (T + ("model",), None, HERE + "model: expected a text"),
    (T + ("dataset",), None, HERE + "dataset: expected a text"),
    (T + ("samples",), 0, HERE + "samples: expected a number in 1 .. 1e+15"),
    (T + ("start_s",), -1, HERE + "start_s: expected a number in 0 .. 1e+06"),
    (T + ("gpus_per_rank",), 0, HERE + "gpus_per_rank: expected a number in"),
    (T + ("gpus",), [1], HERE + "gpus: expected [least, most]"),
    (T + ("gpus",), [0, 8], HERE + "gpus: expected [least, most]"),
    (T + ("gpus",), [8, 1], HERE + "gpus: expected [least, most]"),
    (T + ("gpus",), [8, 2 ** 33], HERE + "gpus: expected [least, most]"),
    (T + ("batch_per",), "node", HERE + 'batch_per: expected "gpu" or "job"'),
    (T + ("batches",), [], HERE + "batches: expected a list of objects"),
    (T + ("batches",), [{"size": 0}], HERE + "size: expected a number in 1"),
    (T + ("batches",), [{"sizes": 0}], HERE + "no key 'sizes'; did you mean"),
    (T + ("batches",), [{"size": 1, "step_s": 0}], HERE + "step_s: expected a"),
    (T + ("knobs",), {str(i): ["1"] for i in range(9)},
     HERE + "knobs: expected at most 8 knobs"),
    (T + ("knobs",), {"epochs": []}, HERE + "epochs: expected a list of texts"),
    (T + ("knobs",), {"epochs": [1]}, HERE + "epochs: expected a list of"),
    (T + ("knobs",), {"epochs": ["x"]}, HERE + "epochs: expected numbers above"),
    (T + ("knobs",), {"epochs": ["0"]}, HERE + "epochs: expected numbers above"),
    (T + ("length",), None, HERE + "length: expected the name of a knob"),
    (T + ("length",), "steps", HERE + "length: expected the name of a knob"),
    (T + ("log", "style"), "hf-trained",
     HERE + "no style of logs 'hf-trained'; did you mean 'hf-trainer'?"),
    (T + ("log", "style"), 5, HERE + "no style of logs ''"),
    (T + ("log", "colour"), 5, HERE + "no key 'colour'"),
    (T + ("log", "every"), -1, HERE + "every: expected a number in 0 .."),
    (T + ("commands",), [], HERE + "commands: expected a list of texts"),
]


# == Settings of models that cannot be followed: options, words of the message.
SETTINGS = [
    (["--faults", "once:at_s=5,node=99"],
     "faults once: node: 99, but the cluster has 1 nodes"),
    (["--faults", "trace"], "faults trace: no file is named"),
    (["--interference", "table"],
     "interference table: no file is named; write table:file=FILE"),
    (["--throughput", "table"],
     "throughput table: no file is named; write table:file=FILE"),
    (["--policy", "sjf", "--estimators", "file"],
     "estimator file: no file is named; write file:path=FILE"),
    (["--policy", "gfs", "--forecast", "file"],
     "forecast file: no file is named; write file:path=FILE"),
    (["--recovery", "person:day_begins_h=9,day_ends_h=8"],
     "recovery person: day_begins_h must be below day_ends_h"),
    (["--overhead", "fixed:interval=daly,write_s=0"], "needs write_s"),
    (["--overhead", "fixed:interval=daly,write_s=5"],
     "needs a rate of faults"),
]


def changed(good, path, value):
    """A copy of `good` with another value at a path; None takes the key away."""
    root = copy.deepcopy(good)
    at = root
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(root)


def rows():
    """Yields (name of the bad file, its text, words of the command, words that
    the message must have after the name)."""
    for path, value, words in USAGE_CASES:
        yield ("w.json", changed(USAGE, path, value),
               ["--workloads", "schedmate:file=w.json"], words)
    yield "w.json", "{", ["--workloads", "schedmate:file=w.json"], ":1:1: "
    for text, words in LUCID_CASES:
        yield ("w.csv", LUCID + text, ["--workloads", "lucid:file=w.csv"],
               words)
    for text, words in PAIRS_CASES:
        yield "p.csv", text, ["--interference", "table:file=p.csv"], words
    for text, words in [("[", ":1:1: "), ("{}", "no table of 'v100'")]:
        yield "p.json", text, ["--interference", "table:file=p.json"], words
    for text, words in SPEEDS_CASES:
        yield "s.csv", text, ["--throughput", "table:file=s.csv"], words
    for text, words in SIDECAR_CASES:
        yield ("t.evidence.csv", text,
               ["--policy", "sjf+schedmate", "--schedmate", "fidelity=replay"],
               words)
    for text, words in FAULTS_CASES:
        yield "f.csv", text, ["--faults", "trace:file=f.csv"], words


def check(tap, folder, name, text, command, words):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PROGRAM] + command, cwd=folder, text=True,
                          capture_output=True, timeout=60, check=False)
    os.remove(os.path.join(folder, name))
    good = (done.returncode == 3 and done.stderr.count("\n") == 1
            and "schedsim: %s:" % name in done.stderr and words in done.stderr)
    tap.result(good, "%s: %s" % (name, words), "%d: %s\n%s" % (
        done.returncode, done.stderr, text[:300]))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.csv"), "w",
                  encoding="utf-8") as file:
            file.write(TRACE)
        for name, text, options, words in rows():
            check(tap, folder, name, text,
                  ["t.csv", "--cluster", "1x8", "--quiet"] + options, words)
        for options, words in SETTINGS:
            done = subprocess.run(
                [PROGRAM, "t.csv", "--cluster", "1x8", "--quiet"] + options,
                cwd=folder, text=True, capture_output=True, timeout=60,
                check=False)
            tap.result(done.returncode == 2 and words in done.stderr
                       and done.stderr.count("\n") == 1, " ".join(options),
                       "%d: %s" % (done.returncode, done.stderr))
        for path, value, words in INDEX_CASES:
            check(tap, folder, "repos/index.json", changed(INDEX, path, value),
                  ["trace", "generate", "--like", "venus", "--jobs", "1",
                   "--set", "repositories=repos", "--out", "g.csv", "--force"],
                  words)
    sys.exit(tap.exit_status())


main()
