# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged states, and what no Slurm should say: each is refused in one line that
names the place, or is read as the table says."""
import copy
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
from state import NOW, pencil, run, state_of, write  # noqa: E402
from tap import Tap  # noqa: E402


def reservation(**more):
    return {"reservations": [dict({"name": "r", "from_unix_s": 1, "until_unix_s": 9,
                                   "nodes": ["0"]}, **more)]}


def plans(*rows):
    return {"plans": [{"at_unix_s": at, "do": do} for at, do in rows]}


# One row: the job that is damaged, None: the state itself; the words of the
# message; the damages, each of which alone leads to it. None: no such key.
TEXT, SECONDS = "expected a text that is not empty", "expected seconds, 0 or more"
FROM_1 = "expected \"gpus\", a number from 1 on"
SLICES = "jobs[0]: where: expected [{\"node\": name, \"gpus\": [0, 1] or a number}]"
DAMAGES = [
    (2, "jobs[2]: " + TEXT + ", as the key says", [{"id": None}]),
    (2, "jobs[2]: id: " + TEXT + ", as the key says",
     [{"id": ""}, {"id": 7}, {"id": "c\nd"}]),
    (2, "jobs[2]: user: " + TEXT, [{"user": ""}, {"user": 7}, {"user": "\n"}]),
    (2, "jobs[2]: name: " + TEXT, [{"name": []}]),
    (2, "jobs[2]: vc: " + TEXT, [{"vc": 1}]),
    (2, "jobs[2]: held: " + TEXT, [{"held": ""}]),
    (2, "jobs[2]: expected a key \"submitted_unix_s\"", [{"submitted_unix_s": None}]),
    (2, "jobs[2]: submitted_unix_s: " + SECONDS,
     [{"submitted_unix_s": value} for value in ("soon", -1, 1e300)]),
    (2, "jobs[2]: limit_s: expected seconds above 0",
     [{"limit_s": value} for value in (0, -1, "1", 1e300, True)]),
    (2, "jobs[2]: " + FROM_1, [{"gpus": None}]),
    (2, "jobs[2]: gpus: " + FROM_1,
     [{"gpus": value} for value in (-1, 1.5, "8", 5000000000)]),
    (0, "jobs[0]: started_unix_s: expected a time from the submission on",
     [{"started_unix_s": 8999}]),
    (0, "jobs[0]: held: expected no such key, since the job runs", [{"held": "x"}]),
    (0, "jobs[0]: after: expected no such key, since the job runs",
     [{"after": ["b"]}]),
    (0, "jobs[0]: expected \"where\" with as many GPUs", [{"where": None}]),
    (0, "jobs[0]: where: expected \"where\" with as many GPUs", [{"where": 7}]),
    (0, SLICES, [{"where": [one]} for one in (
        7, {"gpus": 8}, {"node": 0, "gpus": 8}, {"node": "0", "gpus": 8, "x": 1},
        {"node": "0", "gpus": 0}, {"node": "0", "gpus": 65},
        {"node": "0", "gpus": []}, {"node": "0", "gpus": "8"},
        {"node": "0", "gpus": ["0"]}, {"node": "0", "gpus": [-1]},
        {"node": "0", "gpus": [64]}, {"node": "0", "gpus": [1, 1]})]),
    (2, "jobs[2]: reservation: expected a name of the list", [{"reservation": "x"}]),
    (2, "jobs[2]: after: expected a list of identifiers",
     [{"after": [one]} for one in (
         7, {}, {"start_of": 7}, {"start_of": "a", "x": 1},
         {"start_of": "a", "delay_s": "1"}, {"start_of": "a", "delay_s": -1},
         {"start_of": "a", "delay_s": 1e300})]),
    (2, "jobs[2]: after: expected a list that is not empty",
     [{"after": []}, {"after": 7}]),
    (2, "jobs[2]: after_any: expected true or false, beside \"after\"",
     [{"after_any": True}, {"after": ["a"], "after_any": 1}]),
    (None, "expected a key \"at_unix_s\"", [{"at_unix_s": None}]),
    (None, "at_unix_s: " + SECONDS, [{"at_unix_s": "now"}]),
    (None, "policy: " + TEXT, [{"policy": 7}]),
    (None, "expected \"cluster\", a text or an object",
     [{"cluster": None}, {"cluster": 7}]),
    (None, "expected a list \"jobs\"", [{"jobs": {}}]),
    (None, "jobs[0]: expected an object", [{"jobs": [7]}]),
    (None, "expected a list \"ended\"", [{"ended": 7}]),
    (None, "ended[0]: gpus: " + FROM_1, [{"ended": [{"gpus": 0, "ran_s": 1}]}]),
    (None, "ended[0]: expected a key \"ran_s\"", [{"ended": [{"gpus": 1}]}]),
    (None, "out[0]: expected an object", [{"out": ["1"]}]),
    (None, "out[0]: until_unix_s: " + SECONDS,
     [{"out": [{"node": "1", "until_unix_s": "noon"}]}]),
    (None, "expected a list of texts", [{"names": 7}, {"notes": {}}]),
    (None, "names[1]: expected a text", [{"names": ["n0", 7]}]),
    (None, "settings[0]: expected a text", [{"settings": [None]}]),
    (None, "refused[0]: " + TEXT, [{"refused": [{"why": "x"}]}]),
    (None, "refused[0]: why: " + TEXT, [{"refused": [{"job": "c", "why": ""}]}]),
    (None, "reservations[0]: until_unix_s: expected a time after from_unix_s",
     [reservation(until_unix_s=1)]),
    (None, "reservations[0]: nodes: expected \"nodes\", a list of names",
     [reservation(nodes=nodes) for nodes in ([], [7], "0", ["0", 7])]),
    (None, "reservations[0]: name: " + TEXT, [reservation(name="")]),
    (None, "plans[0]: do: expected \"do\", a list of texts",
     [plans((1, value)) for value in ([], [7], "start")]),
    (None, "plans[0]: at_unix_s: expected a time before the present",
     [plans((10000, ["stop a"]))]),
    (None, "plans[1]: at_unix_s: expected a time before the present, and not before",
     [plans((9500, ["stop a"]), (9499, ["stop a"]))]),
]


def check_damages(tap, place):
    for where, words, changes in DAMAGES:
        for change in changes:
            state = pencil()
            at = state if where is None else state["jobs"][where]
            for key, value in change.items():
                if value is None:
                    del at[key]
                else:
                    at[key] = value
            done = run("when", write(os.path.join(place, "bad.json"), state))
            tap.result(done.returncode == 3 and words in done.stderr
                       and "bad.json:1:" in done.stderr
                       and done.stderr.count("\n") == 1,
                       "one line about %s" % change, done.stderr)
    done = run("when", write(os.path.join(place, "bad.json"), [7]))
    tap.result(done.returncode == 3 and "bad.json:1:1: expected an object"
               in done.stderr, "one line about a list", done.stderr)


# One row: the policy that goes on, where fifo wrote the state; plans at times
# since the beginning; words of the message, "": none.
A, B = "start 0:3 a", "start 0:c b"
OTHERWISE, NEVER, NOT_NOW = ("the policy plans the past otherwise",
                             "the past cannot be repeated",
                             "the past does not lead to the present")
PASTS = [("fifo", [(0, [text])], "plans[0]: '%s' is no action with nodes" % text)
         for text in (
             "", "start", "stop", "close", "go 0:3 a", "imagine 0:3 a", "bar a",
             "start 0:3 z", "start 9:3 a", "start 0:g a", "start 0:0 a",
             "start 0:1f a", "start 0:00000000000000003 a", "start  a",
             "start 0 a", "start 0:3,1:3,0:3 a", "start 0:3,,1:3 a", "stop z",
             "close 9", "profile x 0:3 a", "profile 0 0:3 a",
             "profile 60 9:3 a")] + [
    ("fifo", [(0, [A, B])], ""),
    ("fifo", [], OTHERWISE),
    ("fifo", [(0, [A])], OTHERWISE),
    ("fifo", [(0, [B, A])], OTHERWISE),
    ("fifo", [(0, ["start 1:3 a", B])], OTHERWISE),
    ("fifo", [(0, [A, "share 0:c b"])], OTHERWISE),
    ("fifo", [(0, [A, "close 1"])], OTHERWISE),
    ("fifo", [(1, [A, B])], OTHERWISE),
    ("fifo", [(0, [A, B]), (5, ["stop a"])], OTHERWISE),
    ("sjf", [(0, [A, B])], ""),
    ("sjf", [(0, [A]), (0, [B])], ""),
    ("sjf", [(0, [A, "share 0:c b"])], ""),
    ("sjf", [(0, [A, B]), (3, ["stop a", A])], ""),
    ("sjf", [(0, [A, B, "close 1"])], ""),
    ("sjf", [(0, [A, B]), (5, ["close 1"]), (6, ["open 1"])], ""),
    ("sjf", [(0, [A, B, "lend 1"])], ""),
    ("sjf", [(0, [A, B, "lend 1"]), (3, ["take-back 1"])], ""),
    ("sjf", [], NOT_NOW),
    ("sjf", [(0, [A])], NOT_NOW),
    ("sjf", [(0, ["start 1:3 a", B])], NOT_NOW),
    ("sjf", [(1, [A, B])], NOT_NOW),
    ("sjf", [(0, [A, B]), (5, ["stop a"])], NOT_NOW),
    ("sjf", [(0, [A, B]), (3, ["stop a"]), (4, [A])], NOT_NOW),
    ("sjf", [(0, ["stop a"])], NEVER),
    ("sjf", [(0, ["start 0:7 a", B])], NEVER),
    ("sjf", [(0, ["start 0:3 c"])], NEVER),
    ("sjf", [(0, ["take-back 1"])], NEVER),
    ("sjf", [(0, [A, A])], NEVER),
    ("sjf", [(0, ["profile 60 0:3 a", B])], NEVER),
    ("sjf", [(0, [A, B]), (7, [A])], NEVER),
]


def check_past(tap, place):
    """A state whose past is damaged, or was that of other settings."""
    trace, path = os.path.join(place, "past.csv"), os.path.join(place, "past.json")
    with open(trace, "w", encoding="utf-8") as out:
        out.write("submitted_unix_s,duration_s,gpus,job_id\n0,100,2,a\n"
                  "0,100,2,b\n5,100,8,c\n")
    done = run("run", trace, "--cluster", "2x4", "--state-at", "10", "--save", path)
    with open(path, encoding="utf-8") as text:
        state = json.load(text)
    tap.result(state["plans"] == [{"at_unix_s": 0, "do": [A, B]}],
               "the past of a state", done.stderr)

    def go_on(policy, **change):
        return run("run", trace, "--quiet", "--policy", policy, "--state",
                   write(path, dict(state, **change)))

    for policy, past, words in PASTS:
        done = go_on(policy, plans=[{"at_unix_s": at, "do": do}
                                    for at, do in past])
        tap.result(done.returncode == (3 if words else 0) and words in done.stderr
                   and ("other settings than" in done.stderr) == (
                       words in (NEVER, NOT_NOW) and policy == "sjf"),
                   "%s goes on after %s" % (policy, past), done.stderr)
    jobs = copy.deepcopy(state["jobs"])
    jobs[2]["id"] = "z"
    done = go_on("fifo", jobs=jobs)
    tap.result(done.returncode == 3 and "the trace has no job 'z'" in done.stderr,
               "a state of another trace", done.stderr)
    for job, words in (("c", "1 rejected, first job c (8 GPUs): too big"),
                       ("z", "")):
        done = go_on("sjf", refused=[{"job": job, "why": "too big"}])
        tap.result(words in done.stderr and bool(done.stderr) == bool(words),
                   "a job that was refused: " + job, done.stderr)


# What squeue says of one job, and of one that waits.
ONE = {"job_id": 5, "job_state": "RUNNING", "user_name": "u", "partition": "main",
       "tres_per_node": "gres:gpu:2", "node_count": 1, "tasks": 1,
       "submit_time": NOW - 100, "start_time": NOW - 50, "nodes": "n1",
       "gres_detail": ["gpu:2(IDX:0-1)"], "time_limit": 10}
WAITS = {"job_state": "PENDING", "nodes": "", "gres_detail": [], "start_time": 0,
         "state_reason": "Resources"}
ENDED = {"job_state": "COMPLETED", "start_time": NOW - 50, "end_time": NOW - 20}
PER_TASK = {"tres_per_node": "", "tres_per_task": "gres:gpu:2"}


def changed(base, key, *values):
    return [dict(base, **{key: value}) for value in values]


def tasks(*values):
    return [dict(WAITS, array_job_id=5, array_task_string=value)
            for value in values]


# One row: how many jobs the state then has; what it says of the first, None: no
# such key; words of its only note, "": none; what squeue says.
ODD = [
    (1, {"submitted_unix_s": 0}, "", changed({}, "submit_time", 1e300, -5)),
    (1, {"gpus": 2, "gpu_type": "a100"}, "",
     changed({}, "tres_per_node", "gres/gpu:a100=2", "gres:gpu:a100:2")),
    (1, {"gpus": 2, "gpu_type": None}, "", [
        {"tres_req_str": "cpu=1,gres/gpu=2"},
        {"tres_req_str": "cpu=x,gres/gpu=3", "tres_alloc_str": "cpu=-1"}, dict(PER_TASK, tasks=0),
        dict(PER_TASK, tasks=1e9)]),
    (1, {"where": [{"node": "n1", "gpus": 2}]}, "",
     changed({}, "gres_detail", ["gpu:2"])),
    (1, {"where": [{"node": "n1", "gpus": 2}]}, "GPUs that squeue does not name",
     changed({}, "gres_detail", [], [""], [7], *[["gpu:" + text] for text in (
         "2(IDX:a)", "2(IDX:3-1)", "2(IDX:1-a)", "2(IDX:63-64)", "2(IDX:)",
         "3(IDX:0-1)", "0(IDX:0)")])),
    (1, {"gpus": 1, "where": [{"node": "n1", "gpus": 1}]}, "does not name", [
        {"nodes": "n[1-2]", "gres_detail": [], "tres_per_node": "gres:gpu:1",
         "node_count": 1}]),
    (1, {"gpus": 3}, "does not name", [
        {"tres_alloc_str": "cpu=1,gres/gpu=3", "gres_detail": []}]),
    (0, {}, "", [{"nodes": ""}, {"job_state": ["RUNNING", "COMPLETING"]}]),
    (0, {}, "ask for no GPU", [{"tres_per_node": "", "gres_detail": []}]),
    (1, {"limit_s": None}, "", changed({}, "time_limit", -1, 1e300, 9e11)),
    (1, {"started_unix_s": NOW - 1e-6}, "", changed({}, "start_time", NOW, NOW + 9)),
    (1, {"submitted_unix_s": NOW - 50}, "", [{"submit_time": NOW - 10}]),
    (1, {"id": "4+1"}, "heterogeneous", [{"het_job_id": 4, "het_job_offset": 1}]),
    (1, {"id": "5"}, "suspended", [{"job_state": "SUSPENDED"}]),
    (1, {"id": "5", "name": "a?b"}, "", [
        {"name": "a\nb", "job_state": [7, "RUNNING"]}]),
    (0, {}, "", [ENDED, *changed(ENDED, "start_time", 0),
                 *changed(ENDED, "end_time", NOW - 50, NOW + 9),
                 *changed(ENDED, "tres_per_node", ""),
                 *changed(ENDED, "time_limit", 1e300)]),
    (3, {"id": "5_1"}, "", tasks("1-3%0", "1-9:4", "1,3,5")),
    (3, {"id": "5_1"}, "tasks of arrays that run few at once", [
        *tasks("1-3%2"), *changed(tasks("1-3")[0], "array_max_tasks", 2)]),
    (0, {}, "whose list of tasks squeue cut off",
     tasks("x", "1-x", "1-9:0", "1-9:x", "...", "4-2")),
    (2, {"id": "5_1"}, "whose list of tasks squeue cut off", tasks("1,2,...")),
    (1, {"held": "BadConstraints"}, "", changed(WAITS, "state_reason",
                                                "BadConstraints")),
    (1, {"held": "Reservation r"}, "", [
        dict(WAITS, state_reason="Reservation", resv_name="r")]),
    (1, {"held": "Dependency " + 150 * "x"}, "", [
        dict(WAITS, state_reason="Dependency", dependency=200 * "x")]),
    (1, {"vc": "main"}, "name several partitions",
     changed(WAITS, "partition", "main,low")),
    (1, {"submitted_unix_s": NOW + 9}, "may not begin before",
     changed(WAITS, "eligible_time", NOW + 9)),
]


def node(**more):
    return dict({"name": "n1", "gres": "gpu:8", "state": "idle", "state_flags": [],
                 "partitions": ["main"], "reason": ""}, **more)


def group(**more):
    return dict({"nodes": {"nodes": ["n1"]}, "gres": {"total": "gpu:8"},
                 "node": {"state": ["IDLE"]}, "partition": {"name": "main"}}, **more)


# Words of the error, or the cluster and the notes; what sinfo says.
NO_GPU, ONE_NODE = "no node has a GPU", {"gpus": 8, "type": "GPU"}
SINFO = [
    ("no list \"nodes\" or \"sinfo\"", [{}, {"nodes": 7}, {"sinfo": {}}, [7]]),
    ("nodes[1]: no name and gres", [
        {"nodes": [node(), odd]} for odd in (
            7, node(name=7), node(name=""), {"name": "n2"})]),
    ("sinfo[1]: no nodes and gres", [
        {"sinfo": [group(), odd]} for odd in (
            7, group(nodes=7), group(nodes={"nodes": 7}), group(nodes={"nodes": [7]}),
            group(nodes={"nodes": [""]}), {"nodes": {"nodes": ["n2"]}})]),
    (NO_GPU, [{"nodes": []}, {"sinfo": []}, {"nodes": [node(gres="gpu:65")]},
              {"nodes": [node(gres="")]}, {"nodes": [node(gres=7)]},
              {"sinfo": [group(gres=7)]}]),
    ((ONE_NODE, ""), [{"nodes": [node(partitions=odd)]}
                      for odd in ([7], 7, [""], [])]),
    ((ONE_NODE, ""), [{"sinfo": [group(partition=odd)]} for odd in (7, {})]),
    ((dict(ONE_NODE, vc="main"), "1 nodes have no GPU"), [
        {"nodes": [node(), node(name="n2", gres="gpu:0")]}]),
    ((dict(ONE_NODE, vc="main"), "1 nodes have more than 64 GPUs"), [
        {"nodes": [node(), node(name="n2", gres="gpu:99")]}]),
    ((dict(ONE_NODE, vc="main+low"), "main+low share nodes"), [
        {"nodes": [node(), node(partitions=["low"])]},
        {"sinfo": [group(), group(partition={"name": "low"})]}]),
]


def check_sinfo(tap, place):
    """Nodes of which sinfo says what no Slurm should say."""
    for told, odds in SINFO:
        for odd in odds:
            state = state_of(place, {"jobs": []}, odd, "sinfo")
            if isinstance(told, str):
                good = told in state.get("error", "") \
                    and state["error"].count("\n") == 1
            else:
                good = state.get("cluster") == {"nodes": [told[0]]} \
                    and told[1] in " ".join(state["notes"])
            tap.result(good, "Slurm: odd nodes %s" % odd, state)


def check_odd(tap, place):
    """Jobs of which squeue says what no Slurm should say."""
    with open(os.path.join(HERE, "sinfo22.json"), encoding="utf-8") as text:
        sinfo = json.load(text)
    for n, told, words, odds in ODD:
        for odd in odds:
            state = state_of(place, {"jobs": [dict(ONE, **odd)]}, sinfo, "odd")
            jobs, notes = state.get("jobs", []), state.get("notes", [])
            first = jobs[0] if jobs else {}
            tap.result("error" not in state and len(jobs) == n
                       and all(first.get(key) == told[key] for key in told)
                       and len(notes) == (words != "") and words in str(notes),
                       "Slurm: odd %s" % odd, state)
    first, second = dict(WAITS, priority=5), dict(WAITS, priority=5)
    for early, order in ((50, ["6", "5"]), (0, ["5", "6"]), (-50, ["5", "6"])):
        second.update(job_id=6, submit_time=NOW - 100 - early)
        state = state_of(place, {"jobs": [dict(ONE, **first),
                                          dict(ONE, **second)]}, sinfo, "odd")
        at = {job["id"]: job["submitted_unix_s"] for job in state["jobs"]}
        tap.result(sorted(at, key=at.get) == order and at["5"] != at["6"],
                   "Slurm: equal priorities, %d s earlier" % early, state)
    state = state_of(place, {"jobs": [dict(ONE), dict(ONE)]}, sinfo, "odd")
    tap.result(len(state["jobs"]) == 1 and "listed twice" in str(state["notes"]),
               "Slurm: a job that is listed twice", state)


# The columns of a text of squeue, and one job in them.
JOB_CELLS = {
    "JOBID": "5", "ARRAY_JOB_ID": "5", "ARRAY_TASK_ID": "N/A", "STATE": "PENDING",
    "REASON": "Priority", "PARTITION": "main", "USER": "u", "RESERVATION": "(null)",
    "SUBMIT_TIME": "2026-01-05T07:00:00", "START_TIME": "N/A", "TIME_LIMIT": "10:00",
    "PRIORITY": "7", "NODELIST": "", "NODES": "1", "TRES_PER_JOB": "N/A",
    "TRES_PER_NODE": "gres:gpu:2", "TRES_PER_TASK": "N/A", "DEPENDENCY": "(null)",
    "NAME": "a|b"}
NODE_CELLS = {"NODELIST": "n1", "PARTITION": "main*", "STATE": "idle",
              "GRES": "gpu:8", "REASON": "none"}


def text_of(cells, **change):
    """A table of one row; None: without this column."""
    cells = {key: cell for key, cell in dict(cells, **change).items()
             if cell is not None}
    return "|".join(cells) + "\n" + "|".join(cells.values()) + "\n"


def bad_cells(key, *cells):
    return [text_of(JOB_CELLS, **{key: cell}) for cell in cells]


# Words of the error, or what the state says of its first job; texts of squeue.
JOB_TEXTS = [
    ("squeue.txt:1: expected JSON, or columns separated by '|'",
     bad_cells("JOBID", None) + bad_cells("NAME", None) + ["|\n", "a|b\n1|2\n"]),
    *(("squeue.txt:2: a value is not understood in column " + key,
       bad_cells(key, *cells)) for key, cells in (
           ("JOBID", ("x", "-1", "1.5", 25 * "9")), ("PRIORITY", ("-1", "high")),
           ("SUBMIT_TIME", ("soon", "7")), ("TIME_LIMIT", ("soon", "1-")))),
    ("squeue.txt: the last line is cut off, or this is no output of squeue",
     [text_of(JOB_CELLS)[:-1], text_of(JOB_CELLS) + "6|6"]),
    ("squeue.txt:3: the line is cut off before column ARRAY_JOB_ID",
     [text_of(JOB_CELLS) + "6\n", text_of(JOB_CELLS) + "\n"]),
    ("squeue.txt:2: the line is cut off before column ",
     [text_of(dict({"X": "1", "Y": "2"}, **JOB_CELLS)).split("\n")[0] + "\n1\n"]),
    ("squeue.txt:2: a value is cut off, so make it wider: USER",
     [text_of(JOB_CELLS, USER="name").replace("USER", "USER ").replace(
         "|name|", "|name |").replace("name ", "names")]),
    ({"id": "5", "name": "a|b", "gpus": 2, "limit_s": 600, "user": "u"},
     [text_of(JOB_CELLS), text_of(dict({"X": "1"}, **JOB_CELLS))]),
    ({"limit_s": None}, bad_cells("TIME_LIMIT", "UNLIMITED", "N/A", "n/a", "")),
    ({"limit_s": 86400}, bad_cells("TIME_LIMIT", "1-00:00:00")),
    ({"id": "5_3"}, bad_cells("ARRAY_TASK_ID", "3", "3-4", "3,9%2")),
]
NODE_TEXTS = [
    ({"out": []}, [text_of(NODE_CELLS)]),
    ({"out": [{"node": "n1", "why": "NOT_RESPONDING: none"}]},
     [text_of(NODE_CELLS, STATE="idle*")]),
    ({"out": [{"node": "n1", "why": "DRAINED: none"}]},
     [text_of(NODE_CELLS, STATE="drained"), text_of(NODE_CELLS, STATE="drained$")]),
    ("no node has a GPU", [text_of(NODE_CELLS, GRES="(null)")]),
    ("sinfo.txt:1: expected JSON, or columns", [text_of(NODE_CELLS, GRES=None)]),
    ("sinfo.txt: the last line is cut off, or this is no output of sinfo",
     [text_of(NODE_CELLS)[:-1]]),
]


def check_texts(tap, place):
    """Texts of squeue and sinfo, for a Slurm without JSON, also damaged ones."""
    paths = [os.path.join(place, name) for name in ("squeue.txt", "sinfo.txt")]
    out = os.path.join(place, "text.json")
    for told, texts in JOB_TEXTS + NODE_TEXTS:
        for text in texts:
            both = (text_of(JOB_CELLS), text) if (told, texts) in NODE_TEXTS \
                else (text, text_of(NODE_CELLS))
            for path, one in zip(paths, both):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(one)
            done = run("when", "--squeue", paths[0], "--sinfo", paths[1], "--at",
                       str(NOW), "--save", out)
            state = {}
            if done.returncode == 0:
                with open(out, encoding="utf-8") as file:
                    state = json.load(file)
            if isinstance(told, str):
                good = done.returncode == 3 and told in done.stderr \
                    and done.stderr.count("\n") == 1
            else:
                first = dict(state["jobs"][0], out=state["out"]) if state else {}
                good = state and all(first.get(key) == told[key] for key in told)
            tap.result(good, "Slurm's text: %s" % told, "%s%s %s" % (
                text, done.stderr, state))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as place:
        check_damages(tap, place)
        check_past(tap, place)
        check_odd(tap, place)
        check_sinfo(tap, place)
        check_texts(tap, place)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
