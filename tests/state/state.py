# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that begins from the present state of a cluster, `when`, and the states
that come from what Slurm prints. squeue22.json and sinfo22.json are what a real
Slurm 22.05 printed (the keys that are read, with other times); the forms of
23.11 are made from them here."""
import copy
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..", "llm")]
import server  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

NOW = 1767600000
POLICIES = [
    "fifo", "fjf", "sjf", "edf", "elasticflow", "chronus", "srtf", "srsf", "qssf", "smallest",
    "backfill", "backfill:plan=conservative", "multifactor",
    "tiresias", "tiresias:index=gittins", "horus", "gavel-las",
    "gavel-makespan", "themis", "gandiva", "random-pack", "sia", "pollux",
    "recorded", "lucid --profilers 0",
]


def run(*words):
    return subprocess.run([PROGRAM] + list(words), capture_output=True,
                          text=True, check=False)


def write(path, value):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(value, out)
    return path


def table(path):
    with open(path, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def running(name, gpus, submitted, started, where, **more):
    return dict(id=name, gpus=gpus, submitted_unix_s=submitted,
                started_unix_s=started, where=where, **more)


def pencil():
    """Two nodes of 8. a holds the first, b half of the second; both have run
    times of 1,000 s, as the five jobs that have ended."""
    return {
        "state": 1, "at_unix_s": 10000, "cluster": "2x8",
        "jobs": [
            running("a", 8, 9000, 9400, [{"node": "0", "gpus": 8}]),
            running("b", 4, 9100, 9700, [{"node": "1", "gpus": [0, 1, 6, 7]}]),
            dict(id="c", gpus=8, submitted_unix_s=9500),
            dict(id="d", gpus=4, submitted_unix_s=9600),
        ],
        "ended": [dict(gpus=8, ran_s=1000)] * 5 + [dict(gpus=4, ran_s=1000)] * 5
    }


def check_pencil(tap, place):
    state = write(os.path.join(place, "pencil.json"), pencil())
    out = os.path.join(place, "pencil")
    done = run("run", "--state", state, "-p", "fifo", "-q", "-o", out,
               "--attempts")
    got = {row["job_id"]: (float(row["starting_time"]),
                           float(row["finish_time"]))
           for row in table(os.path.join(out, "jobs.csv"))}
    # time 0 of the run is the first submission, 9000
    # c waits for the end of a; d, which would fit now, for the start of c
    expected = {"a": (400, 1400), "b": (700, 1700), "c": (1400, 2400),
                "d": (1400, 2400)}
    tap.result(done.returncode == 0 and got == expected,
               "fifo goes on from the state", "%s %s" % (got, done.stderr))
    # backfill knows the median: d ends at 2000, before a's node is needed
    done = run("when", state, "--json")
    jobs = {job["id"]: job for job in json.loads(done.stdout)["jobs"]}
    tap.result([jobs["c"][key] for key in
                ("p10_unix_s", "p50_unix_s", "p90_unix_s")] == [10400] * 3
               and jobs["d"]["p50_unix_s"] == 10000,
               "when: c starts at the end of a, d now", done.stdout)
    tap.result(jobs["c"]["why"].startswith("waits for 8 GPUs")
               and "hold" in jobs["c"]["why"]
               and jobs["d"]["why"] == "can start now", "when: says why",
               jobs)


def state_file(place, state):
    return write(os.path.join(place, "state.json"), state)


def check_out(tap, place):
    """c cannot have the second node before 10500, and a never ends before."""
    state = pencil()
    state["jobs"] = [state["jobs"][0],
                     dict(id="c", gpus=8, submitted_unix_s=9500)]
    state["jobs"][0]["limit_s"] = 5000
    state["ended"] = []
    state["out"] = [{"node": "1", "until_unix_s": 10500, "why": "disk"}]
    path = write(os.path.join(place, "out.json"), state)
    job = json.loads(run("when", path, "--limits", "-j").stdout)["jobs"][0]
    tap.result(job["p50_unix_s"] == 10500, "a node is out until its time", job)
    del state["out"][0]["until_unix_s"]
    path = write(os.path.join(place, "out.json"), state)
    job = json.loads(run("when", path, "--limits", "-j").stdout)["jobs"][0]
    tap.result(job["p50_unix_s"] == 9400 + 5000,
               "a node that does not return is not used", job)
    # half of the node is free, but it drains: d starts after b and c
    state = pencil()
    state["out"] = [{"node": "1", "why": "DRAIN"}]
    got, answer = delays_of(state_file(place, state), "-p", "backfill",
                            "--versus", "fifo")
    starts = {job["id"]: job["start_after_unix_s"]
              for job in answer.get("jobs", [])}
    tap.result(starts == {"c": 10400, "d": 11400},
               "no job starts on a node that drains", answer)


def check_draining(tap, place):
    """b runs on half of the second node, which drains: its free GPUs take no
    job, and b runs to its end, 10700. The first is full until 10400."""
    state = pencil()
    state["out"] = [{"node": "1", "why": "DRAIN"}]
    state["jobs"][2:] = [dict(id="d", gpus=4, submitted_unix_s=9600),
                         dict(id="e", gpus=1, submitted_unix_s=9700)]
    path = write(os.path.join(place, "drain.json"), state)
    for policy in ("fifo", "backfill", "backfill:plan=conservative", "srtf",
                   "tiresias"):
        got = {job["id"]: job["p50_unix_s"] for job in json.loads(
            run("when", path, "-j", "-p", policy).stdout)["jobs"]}
        tap.result(got == {"d": 10400, "e": 10400}, policy
                   + ": the free GPUs of a node that drains take no job", got)
    out = os.path.join(place, "drain")
    done = run("run", "--state", path, "-p", "fifo", "-q", "-o", out,
               "--attempts")
    ends = {row["job_id"]: 9000 + float(row["finish_time"])
            for row in table(os.path.join(out, "jobs.csv"))}
    good = run("verify", out)
    tap.result(done.returncode == 0 and good.returncode == 0
               and ends["b"] == 10700,
               "a job on a node that drains runs to its end",
               "%s %s%s" % (ends, good.stdout, done.stderr))
    state["out"][0]["until_unix_s"] = 10100
    path = write(path, state)
    got = {job["id"]: job["p50_unix_s"] for job in json.loads(
        run("when", path, "-j", "-p", "fifo").stdout)["jobs"]}
    tap.result(got == {"d": 10100, "e": 10400},
               "a node that drains until a time takes jobs again then", got)


def check_after(tap, place):
    """c waits for a, which runs till 14400; d for c; e for b and d, so it comes
    after three others. With limits alone all is exact."""
    state = pencil()
    state["ended"] = []
    jobs = {job["id"]: job for job in state["jobs"]}
    jobs["a"]["limit_s"], jobs["b"]["limit_s"] = 5000, 1000
    jobs["c"].update(after=["a"], limit_s=100)
    jobs["d"].update(after=["c"], limit_s=50)
    state["jobs"].append(dict(id="e", gpus=16, submitted_unix_s=9000,
                              limit_s=10, after=["b", "d"]))
    path = write(os.path.join(place, "after.json"), state)
    done = run("when", path, "--limits", "-j")
    got = {job["id"]: job.get("p50_unix_s")
           for job in json.loads(done.stdout)["jobs"]}
    tap.result(got == {"c": 14400, "d": 14500, "e": 14550},
               "jobs start after the ends of others", done.stdout)
    done = run("when", path, "-j", "--draws", "20")
    answers = json.loads(done.stdout)["jobs"]
    tap.result(all(a["p90_unix_s"] <= b["p10_unix_s"] + 5000
                   and a["p50_unix_s"] < b["p50_unix_s"]
                   for a, b in zip(answers, answers[1:]))
               and answers[1]["why"].startswith("after the end of c"),
               "jobs start after the ends of others in each draw", answers)
    done = run("run", "--state", path, "-q", "-o", os.path.join(place, "after"))
    ids = {row["job_id"]
           for row in table(os.path.join(place, "after", "jobs.csv"))}
    tap.result(ids == {"a", "b"}, "a run leaves jobs out that wait for others",
               ids)
    jobs["c"]["after"] = ["nobody"]
    done = run("when", write(path, state))
    tap.result(done.returncode == 3 and "jobs[2]: after: expected identifiers "
               "of jobs of the state" in done.stderr,
               "one line about a job that waits for one that is not there",
               done.stderr)


def delays_of(state, *words):
    """By job: by how much later it starts or ends, and the whole answer."""
    done = run("when", state, "--json", *words)
    if done.returncode:
        return {}, done.stderr
    answer = json.loads(done.stdout)
    return {job["id"]: [job["delay_p%s_s" % p] for p in ("10", "50", "90")]
            for job in answer["jobs"] + answer["running"]}, answer


def check_what_if(tap, place):
    """By pencil: without a change a ends at 10400, where c and d start under
    fifo, and b at 10700. Node 0 is then out until 12000."""
    state = write(os.path.join(place, "pencil.json"), pencil())
    cases = [
        # c needs the node of b; d waits for it
        ("drain node 0 for 2000s", dict(a=0, b=0, c=300, d=1300)),
        ("drain 0 from now until 2000s", dict(a=0, b=0, c=300, d=1300)),
        # a waits after d, needs 400 s more and its node back
        ("-node 0 for 2000s", dict(a=2000, b=0, c=300, d=1300)),
        ("lose 0 until 2000s", dict(a=2000, b=0, c=300, d=1300)),
        # half of the node is free, but d does not start there
        ("drain 1 node for 2000s", dict(a=0, b=0, c=0, d=1000)),
        # b outlasts it, and d gets the free half of the node when it is over
        ("drain 8 GPUs from 300s for 300s", dict(a=0, b=0, c=0, d=200)),
        ("+1 node from 100s", dict(a=0, b=0, c=-300, d=-300)),
        ("+8 GPUs", dict(a=0, b=0, c=-400, d=-400)),
    ]
    for text, expected in cases:
        got, answer = delays_of(state, "-p", "fifo", "--what-if", text)
        tap.result(got == {k: [v] * 3 for k, v in expected.items()},
                   "what if: " + text, "%s %s" % (got, answer))
    # backfill starts d now
    got, answer = delays_of(state, "-p", "fifo", "--versus", "backfill")
    tap.result(got == {"a": [0] * 3, "b": [0] * 3, "c": [0] * 3, "d": [400] * 3}
               and answer["waiting"]["later"] == 1
               and answer["waiting"]["delay_p50_s"] == 400,
               "what if: another policy", answer)
    # all nodes go for good: nothing starts any more
    got, answer = delays_of(state, "-p", "fifo", "--what-if", "drain 2 nodes")
    tap.result(got.get("c") == ["never"] * 3
               and answer["waiting"]["never"] == 2,
               "what if: jobs that can never start", answer)
    check_drains(tap, place)


def check_drains(tap, place):
    """Whatever the policy: no job starts on a node while it drains, the jobs
    there run to their end, and `verify` agrees."""
    rng = random.Random(2)
    for policy in ("fifo", "sjf", "backfill",
                   "backfill:plan=conservative", "qssf", "multifactor"):
        state = random_state(rng, 6, 25)
        path = write(os.path.join(place, "drain.json"), state)
        out = os.path.join(place, "drain")
        done = run("run", "--state", path, "-p", policy, "-q", "-o", out,
                   "--attempts", "--what-if", "drain n1,n2 from hour 1 for 60h")
        zero = min(job["submitted_unix_s"] for job in state["jobs"])
        wrong, inside = [], 0
        for row in table(os.path.join(out, "attempts.csv")):
            gpus = {gpu // 8 for gpu in gpu_list(row["allocated_resources"])}
            after = zero + float(row["starting_time"]) - NOW
            if gpus & {1, 2} and 3600 <= after < 61 * 3600:
                wrong.append(row)
            inside += 3600 <= after < 61 * 3600
        good = run("verify", out)
        n_rows = len(table(os.path.join(out, "attempts.csv")))
        tap.result(done.returncode == 0 and not wrong and inside
                   and n_rows == len(state["jobs"]) and good.returncode == 0,
                   policy + ": no job starts on a node that drains",
                   "%s %s %s\n%s" % (wrong, n_rows, inside, good.stdout + good.stderr
                                  + done.stderr))


def check_quota(tap, place):
    """One node for each virtual cluster. c borrows half of the second at the
    present; d, which is beyond the quota of b until b ends, borrows the first
    when a ends."""
    state = pencil()
    state["cluster"] = {"nodes": [dict(count=1, gpus=8, type="T4", vc=vc)
                                  for vc in "ab"]}
    for job, vc, gpus in zip(state["jobs"], "abab", (8, 4, 4, 8)):
        job.update(vc=vc, gpus=gpus)
    path = write(os.path.join(place, "quota.json"), state)
    out = os.path.join(place, "quota")
    for policy in ("fifo+quota", "backfill+quota", "tiresias+quota"):
        done = run("run", "--state", path, "-p", policy, "-q", "-o", out)
        got = {row["job_id"]: float(row["starting_time"])
               for row in table(os.path.join(out, "jobs.csv"))}
        tap.result(got == {"a": 400, "b": 700, "c": 1000, "d": 1400},
                   policy + ": begins from a state",
                   "%s %s" % (got, done.stderr))


def check_faults(tap, place):
    """Faults strike from the present on only."""
    path = write(os.path.join(place, "faults.json"), pencil())
    out = os.path.join(place, "faults")
    done = run("run", "--state", path, "--faults",
               "exponential:per_week=5000,repair_mu=-5", "--recovery", "retry",
               "-q", "-o", out)
    times = [float(row["time"])
             for row in table(os.path.join(out, "failures.csv"))]
    tap.result(times and min(times) >= 1000, "no fault before the present",
               "%s %s" % (times, done.stderr))


def random_state(rng, nodes, waiting):
    free = [list(range(8)) for _ in range(nodes)]
    jobs = []
    for node in range(nodes):
        while free[node] and rng.random() < 0.85:
            gpus = min(len(free[node]), rng.choice([1, 1, 2, 4, 8]))
            submitted = NOW - rng.randrange(10, 90000)
            started = min(NOW - 1, submitted + rng.randrange(0, 5000))
            jobs.append(running(
                "r%d" % len(jobs), gpus, submitted, started,
                [{"node": "n%d" % node,
                  "gpus": [free[node].pop(0) for _ in range(gpus)]}],
                limit_s=rng.choice([100000, 200000])))
    for i in range(waiting):
        jobs.append(dict(id="w%d" % i, gpus=rng.choice([1, 1, 2, 4, 8, 16]),
                         submitted_unix_s=NOW - rng.randrange(0, 40000),
                         limit_s=rng.choice([3600, 7200, 36000])))
    return {"state": 1, "at_unix_s": NOW, "cluster": "%dx8" % nodes,
            "names": ["n%d" % i for i in range(nodes)], "jobs": jobs}


def gpu_list(ranges):
    """GPUs in a text such as "0-3 8"."""
    out = []
    for one in ranges.replace(",", " ").split():
        low, _, high = one.partition("-")
        out += range(int(low), int(high or low) + 1)
    return out


def check_policies(tap, place):
    """Whatever the policy: each running job has the start and the GPUs of the
    state, no other job starts before the present, and `verify` agrees."""
    rng = random.Random(1)
    for policy in POLICIES:
        state = random_state(rng, 6, 25)
        path = write(os.path.join(place, "some.json"), state)
        out = os.path.join(place, "some-" + policy.split()[0])
        done = run("run", "--state", path, "-p", *policy.split(), "-q", "-o",
                   out, "--attempts")
        if done.returncode:
            tap.result(False, policy + ": begins from a state", done.stderr)
            continue
        zero = min(job["submitted_unix_s"] for job in state["jobs"])
        ids = [row["job_id"] for row in table(os.path.join(out, "jobs.csv"))]
        first = {}
        for row in table(os.path.join(out, "attempts.csv")):
            first.setdefault(row["job_id"], row)
        wrong = []
        for job in state["jobs"]:
            row = first[job["id"]]
            start = zero + float(row["starting_time"])
            gpus = [int(slice["node"][1:]) * 8 + gpu
                    for slice in job.get("where", [])
                    for gpu in slice["gpus"]]
            if gpus and (start != job["started_unix_s"]
                         or gpu_list(row["allocated_resources"]) != gpus):
                wrong.append((job, row))
            if not gpus and start < NOW:
                wrong.append((job, row))
        good = run("verify", out)
        tap.result(not wrong and good.returncode == 0
                   and len(ids) == len(state["jobs"]),
                   policy + ": begins from a state",
                   "%s\n%s" % (wrong, good.stdout + good.stderr))


def check_errors(tap, place):
    cases = [
        ("no list \"jobs\"", lambda s: s.pop("jobs"), "a list \"jobs\""),
        ("no version", lambda s: s.pop("state"), "\"state\": 1"),
        ("a key that is misspelt", lambda s: s["jobs"][0].update(gpu=1),
         "jobs[0]: no key 'gpu'; did you mean 'gpus'?"),
        ("no GPU", lambda s: s["jobs"][2].update(gpus=0), "jobs[2]: gpus"),
        ("a start after the present",
         lambda s: s["jobs"][0].update(started_unix_s=10000),
         "jobs[0]: started_unix_s"),
        ("fewer GPUs than asked", lambda s: s["jobs"][0].update(gpus=9),
         "as many GPUs"),
        ("a node that is not there",
         lambda s: s["jobs"][0].update(where=[{"node": "7", "gpus": 8}]),
         "no node '7'"),
        ("GPUs of another job",
         lambda s: s["jobs"][0].update(where=[{"node": "1", "gpus": 8}]),
         "besides those of other jobs"),
        ("one GPU twice",
         lambda s: s["jobs"][0].update(
             gpus=1, where=[{"node": "1", "gpus": [0]}]),
         "another job holds one of its GPUs"),
        ("a job on a node of another virtual cluster",
         lambda s: s.update(cluster="a=1x8,b=1x8", jobs=[
             dict(s["jobs"][0], vc="b"), dict(s["jobs"][2], vc="a")]),
         "of another virtual cluster"),
        ("a job on nodes of two virtual clusters",
         lambda s: s.update(cluster="a=1x8,b=1x8", jobs=[
             dict(s["jobs"][0], vc="a", gpus=9, where=[
                 {"node": "0", "gpus": 8}, {"node": "1", "gpus": 1}]),
             dict(s["jobs"][2], vc="a")]),
         "virtual cluster, or of several"),
        ("a cluster that is none", lambda s: s.update(cluster="2y8"),
         "not a preset"),
        ("a node that is out and not there",
         lambda s: s.update(out=[{"node": "9"}]), "no node '9'"),
    ]
    for name, change, words in cases:
        state = pencil()
        change(state)
        done = run("when", write(os.path.join(place, "bad.json"), state))
        tap.result(done.returncode in (2, 3) and words in done.stderr
                   and done.stderr.count("\n") == 1, "one line about " + name,
                   done.stderr)
    path = os.path.join(place, "cut.json")
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(pencil())[:200])
    done = run("when", path)
    tap.result(done.returncode == 3 and "cut.json:1:" in done.stderr,
               "one line about a file that is cut off", done.stderr)


# Keys whose numbers 23.11 writes as {set, infinite, number}.
SETS = ["array_job_id", "array_task_id", "array_max_tasks", "het_job_id",
        "het_job_offset", "node_count", "tasks", "submit_time", "start_time",
        "end_time", "eligible_time", "last_sched_evaluation", "time_limit",
        "priority"]


def newer(squeue):
    """The same jobs as 23.11 prints them."""
    squeue = copy.deepcopy(squeue)
    for job in squeue["jobs"]:
        for key in SETS:
            value = job.get(key)
            job[key] = {"set": value is not None, "infinite": False,
                        "number": value or 0}
        job["job_state"] = [job["job_state"]]
        for key in ("tres_per_node", "tres_per_job", "tres_per_task"):
            job[key] = job[key].replace("gres:", "gres/")
    return squeue


def groups(sinfo):
    """The same nodes as `sinfo --json` of 23.11 prints them."""
    return {"sinfo": [
        {"nodes": {"nodes": [node["name"]]}, "gres": {"total": node["gres"]},
         "node": {"state": [node["state"].upper()] + node["state_flags"]},
         "partition": {"name": node["partitions"][0]},
         "reason": {"description": node["reason"]}}
        for node in sinfo["nodes"]]}


def state_of(place, squeue, sinfo, name, *words):
    out = os.path.join(place, name + ".state.json")
    done = run("when", "--squeue",
               write(os.path.join(place, name + ".q.json"), squeue), "--sinfo",
               write(os.path.join(place, name + ".n.json"), sinfo), "--save",
               out, "--at", str(NOW), *words)
    if done.returncode:
        return {"error": done.stderr}
    with open(out, encoding="utf-8") as text:
        return json.load(text)


def check_slurm(tap, place):
    with open(os.path.join(HERE, "squeue22.json"), encoding="utf-8") as text:
        squeue = json.load(text)
    with open(os.path.join(HERE, "sinfo22.json"), encoding="utf-8") as text:
        sinfo = json.load(text)
    state = state_of(place, squeue, sinfo, "old")
    jobs = {job["id"]: job for job in state.get("jobs", [])}
    run_on = {name: sorted((w["node"], tuple(w["gpus"]))
                           for w in job["where"])
              for name, job in jobs.items() if "where" in job}
    tap.result(run_on == {
        "1": [("n1", (0, 1, 2, 3))],
        "2": [("n1", (4, 5)), ("n2", (0, 1))],
        "3_0": [("n1", (6,))], "3_1": [("n1", (7,))],
        "4": [("n2", (2, 3, 4))], "5": [("n2", (5, 6))]},
        "Slurm: which GPUs the running jobs hold", state)
    held = {name: job["held"] for name, job in jobs.items() if "held" in job}
    tap.result(held == {"11": "JobHeldUser", "13": "PartitionNodeLimit",
                        "19": "Reservation res1"},
               "Slurm: which jobs may not start yet, and why", held)
    after = {name: job["after"] for name, job in jobs.items()
             if "after" in job}
    tap.result(after == {"3_2": ["3_0"], "3_3": ["3_1"], "3_4": ["3_2"],
                         "3_5": ["3_3"], "10": ["9"]},
               "Slurm: which jobs wait for others, also tasks of %2", after)
    waits = {name: (job["gpus"], job["limit_s"]) for name, job in jobs.items()
             if name not in held and name not in run_on and name not in after}
    tap.result(waits == {"8": (24, 2700), "9": (24, 300), "12": (1, 300),
                         "17": (1, 900)}, "Slurm: which jobs wait", waits)
    tap.result(jobs["12"]["submitted_unix_s"] > NOW
               and jobs["17"]["submitted_unix_s"] > NOW,
               "Slurm: jobs with a begin time come later", jobs["12"])
    tap.result(state["out"] == [{"node": "n3", "why": "DRAIN: maint"}]
               and len(state["ended"]) == 2
               and any("no GPU" in note for note in state["notes"]),
               "Slurm: a drained node, ended jobs, notes", state["out"])
    for name, other in (("jobs", state_of(place, newer(squeue), sinfo, "new")),
                        ("nodes", state_of(place, squeue, groups(sinfo),
                                           "groups"))):
        tap.result(other == state, "Slurm 23.11: the same state from its "
                   + name, other)
    check_order(tap, place, squeue, sinfo)
    for text, words in (("{\"jobs\": [{\"job_id\": 1", "near end of file"),
                        ("{\"meta\": {}}", "no list \"jobs\""),
                        ("{\"jobs\": [{}]}", "jobs[0]: no job_id")):
        path = os.path.join(place, "bad.json")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        done = run("when", "--squeue", path, "--sinfo",
                   os.path.join(HERE, "sinfo22.json"))
        tap.result(done.returncode == 3 and words in done.stderr,
                   "Slurm: one line about " + text[:12], done.stderr)


CONFIG = """Configuration data as of 2026-01-05T08:00:00
PriorityType            = priority/basic
SchedulerParameters     = bf_interval=10,bf_max_job_test=200,bf_window=2880
SchedulerType           = sched/backfill
"""
PARTITIONS = """PartitionName=main AllowGroups=ALL Default=YES \
DefaultTime=00:45:00 \
MaxTime=1-00:00:00 Nodes=n[1-3] PriorityTier=1 State=UP TotalNodes=3
"""


def commands(place, **scripts):
    """A folder with commands of Slurm that print what a Slurm printed."""
    bin_ = os.path.join(place, "bin")
    os.makedirs(bin_, exist_ok=True)
    for name in os.listdir(bin_):
        os.unlink(os.path.join(bin_, name))
    usual = {
        "squeue": 'test -z "$SQUEUE_USERS" && cat %s/squeue22.json' % HERE,
        "sinfo": "cat %s/sinfo22.json" % HERE,
        "scontrol": "case $* in *json*) echo no json >&2; exit 1;; "
        "*config*) cat <<'END'\n%sEND\n;; *reservation*) echo "
        "'ReservationName=maint StartTime=2026-01-05T10:00:00 "
        "EndTime=2026-01-05T12:00:00 Nodes=n[1-2],c7 Flags=MAINT'; echo "
        "'ReservationName=day StartTime=2026-01-06T10:00:00 "
        "EndTime=2026-01-06T11:00:00 Nodes=(null) Licenses=a:1';; "
        "*) cat <<'END'\n%sEND\n;; esac"
        % (CONFIG, PARTITIONS),
        "sacct": "echo 'Slurm accounting storage is disabled' >&2; exit 1"}
    usual.update(scripts)
    for name, script in usual.items():
        if script is None:
            continue
        path = os.path.join(bin_, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n" % script)
        os.chmod(path, 0o755)
    return dict(os.environ, PATH=bin_, SQUEUE_USERS="nobody")


def ask_live(place, *words, **scripts):
    return subprocess.run([PROGRAM, "when", "--slurm", *words],
                          capture_output=True, text=True, check=False,
                          env=commands(place, **scripts))


def check_live(tap, place):
    """`when --slurm` with commands that print what Slurm printed, or fail."""
    out = os.path.join(place, "live.json")
    done = ask_live(place, "--save", out)
    with open(out, encoding="utf-8") as text:
        state = json.load(text)
    tap.result(done.returncode == 0 and state["at_unix_s"] == NOW
               and len(state["jobs"]) == 18,
               "--slurm: the state, whatever SQUEUE_USERS says", state)
    tap.result(state["policy"] == "backfill:plan=slurm,depth=200,reserve=0,"
               "resolution_s=60,interval_s=10,window_s=172800"
               and "policy backfill:plan=slurm" in done.stdout,
               "--slurm: the policy that is like the scheduler", done.stdout)
    tap.result(any("accounting storage is disabled" in note
                   for note in state["notes"]),
               "--slurm: a Slurm without accounting has a note",
               state["notes"])
    tap.result(state["reservations"] == [
        {"name": "maint", "from_unix_s": NOW + 7200, "until_unix_s":
         NOW + 14400, "nodes": ["n1", "n2"]}]
        and "reservation day has no nodes, and is not followed" in
        state["notes"], "--slurm: reservations are followed, or named", state)
    for name, words, scripts in (
            ("a command that is missing", "squeue: cannot be run",
             {"squeue": None}),
            ("a slurmctld that is down", "Unable to contact slurm controller",
             {"squeue": "echo 'slurm_load_jobs error: Unable to contact slurm "
              "controller (connect failure)' >&2; exit 1"}),
            ("JSON that is cut off", "squeue --json: not whole JSON",
             {"squeue": "head -c 3000 %s/squeue22.json" % HERE}),
            ("a command without rights", "scontrol: ended with an error: "
             "Access/permission denied",
             {"scontrol": "echo Access/permission denied >&2; exit 1"}),
            ("partitions that are damaged",
             "partition p: 'MaxTime=x' is not understood",
             {"scontrol": "case $* in *json*) exit 1;; esac\n"
              "echo PartitionName=p MaxTime=x"})):
        done = ask_live(place, **scripts)
        tap.result(done.returncode in (1, 3) and words in done.stderr
                   and done.stderr.count("\n") == 1,
                   "--slurm: one line about " + name, done.stderr)


def check_conf(tap, place):
    """What slurm.conf says of limits, tiers and closed partitions."""
    with open(os.path.join(HERE, "squeue22.json"), encoding="utf-8") as text:
        squeue = json.load(text)
    with open(os.path.join(HERE, "sinfo22.json"), encoding="utf-8") as text:
        sinfo = json.load(text)
    for job in squeue["jobs"]:
        if job["job_id"] == 9:
            job["time_limit"] = None
        if job["job_id"] == 8:
            job["partition"] = "low"
    sinfo["nodes"][2]["partitions"] = ["low"]
    conf = os.path.join(place, "slurm.conf")

    def with_conf(lines, name):
        with open(conf, "w", encoding="utf-8") as out:
            out.write(lines)
        return state_of(place, squeue, sinfo, name, "--slurm-conf", conf)

    state = with_conf("SchedulerType=sched/builtin # not backfill\n"
                      "PartitionName=DEFAULT DefaultTime=90 State=UP\n"
                      "PartitionName=main Nodes=ALL\n"
                      "PartitionName=low State=DOWN\n", "conf")
    jobs = {job["id"]: job for job in state["jobs"]}
    tap.result(state["policy"] == "fifo", "slurm.conf: builtin is fifo", state)
    tap.result(jobs["9"]["limit_s"] == 5400,
               "slurm.conf: a job without a limit gets that of its partition",
               jobs["9"])
    tap.result(jobs["8"].get("held") == "partition low is DOWN",
               "slurm.conf: a partition that is down starts no job", jobs["8"])
    state = with_conf("SchedulerType=sched/backfill\nSchedulerParameters="
                      "bf_job_part_count_reserve=1,bf_window=99999999\n"
                      "partitionname=main prioritytier=1\n"
                      "PartitionName=low PriorityTier=9\nInclude other\n",
                      "tiers")
    at = {job["id"]: job["submitted_unix_s"] for job in state["jobs"]}
    tap.result("reserve=1" in state["policy"]
               and "window_s=86400" in state["policy"],
               "slurm.conf: bf_ parameters, also one out of range", state)
    tap.result(any("includes other files" in note for note in state["notes"]),
               "slurm.conf: a file that is included has a note",
               state["notes"])
    tap.result(at["8"] < at["9"], "slurm.conf: a higher tier goes first", at)


def check_dependencies(tap, place):
    """Dependencies as squeue prints them, and what becomes of job 9."""
    with open(os.path.join(HERE, "squeue22.json"), encoding="utf-8") as text:
        squeue = json.load(text)
    with open(os.path.join(HERE, "sinfo22.json"), encoding="utf-8") as text:
        sinfo = json.load(text)
    nine = next(job for job in squeue["jobs"] if job["job_id"] == 9)
    nine.update(state_reason="Dependency")
    for job in squeue["jobs"]:  # 12 came after 9
        if job["job_id"] in (1, 8, 9, 12):
            job["name"] = "big"
    for words, after in (
            ("afterany:8(unfulfilled)", ["8"]),
            ("afterok:8(unfulfilled),afterany:1(unfulfilled)", ["8", "1"]),
            ("afterok:12:17", ["12", "17"]),
            ("afterany:3_*(unfulfilled)",
             ["3_5", "3_4", "3_3", "3_2", "3_1", "3_0"]),
            ("afterok:3_4(unfulfilled)", ["3_4"]),
            ("afterok:8(unfulfilled)?afternotok:12(unfulfilled)?afterok:1",
             ["8", "1", "any"]),
            ("after:8+10(unfulfilled),after:1(unfulfilled)",
             [{"start_of": "8", "delay_s": 600}, {"start_of": "1"}]),
            ("singleton(unfulfilled)", ["1", "8"]),
            ("afterok:3_*(unfulfilled)?afterok:1(unfulfilled)", None),
            ("after:8+x(unfulfilled)", None), ("aftercorr:3", None),
            ("afternotok:8?afternotok:1", None),
            ("afterok:8(failed)", None), ("afterok:4711(unfulfilled)", None),
            ("afterok:11(unfulfilled)", None), ("afterok:9(unfulfilled)", None),
            ("afternotok:8(unfulfilled)", None), ("singleton(failed)", None),
            ("afterok:", None), ("?", None), ("after", None),
            (",,:(", None)):
        nine["dependency"] = words
        both = [state_of(place, form(squeue), sinfo, "depends")
                for form in (copy.deepcopy, newer)]
        job = next(job for job in both[0]["jobs"] if job["id"] == "9")
        tap.result(both[0] == both[1]
                   and (job.get("after", []) + ["any"] * job.get(
                       "after_any", False) or None, job.get("held"))
                   == (after, None if after else "Dependency " + words),
                   "Slurm: dependency " + words, job)


WORDS = [  # words of sbatch, and the facts of the job, or words of the error
    ("-N2 --gpus-per-node=4", dict(gpus=8)),
    ("-N 2-4 --gres gpu:a100:2 -t 1-0", dict(gpus=4, limit_s=86400)),
    ("-G3 -t 90 -J x -p main", dict(gpus=3, limit_s=5400, name="x")),
    ("-n 6 --ntasks-per-node=2 --gres=gpu:1", dict(gpus=3)),
    ("-n4 --gpus-per-task=2 --uid=ann", dict(gpus=8, user="ann")),
    ("-n4 --gpus-per-task=2 -HQ", dict(gpus=8, held="JobHeldUser")),
    ("-G1 -t 0:30", dict(limit_s=60)),
    ("-G1 --begin now+2hours", dict(submitted_unix_s=NOW + 7200)),
    ("-G1 -b now+3", dict(submitted_unix_s=NOW + 3)),
    ("-G1 -b 2026-01-06T00:00", dict(submitted_unix_s=1767657600)),
    ("-G1 -d afterok:8", dict(after=["8"])),
    ("-G1 -d afterok:4711", dict(held="Dependency afterok:4711")),
    ("-G1 --reservation r", dict(held="Reservation r")),
    ("-G1 -t 2-0", dict(held="PartitionTimeLimit")),
    ("-G1 --constraint=big --nice", dict(gpus=1)),
    ("-N1", "asks for no GPU"),
    ("--gpu-per-node=8", "did you mean 'gpus-per-node'?"),
    ("-Z", "no option '-Z'"),
    ("-G", "-G needs a value"),
    ("-G none", "--gpus: expected [TYPE:]NUMBER"),
    ("-G1 -t soon", "--time: expected minutes"),
    ("-G1 -b teatime", "--begin: expected now+NUMBER"),
    ("-G1 -N0", "--nodes: expected a number"),
    ("-G1 --gpus-per-socket=1", "--gpus-per-socket is not understood"),
    ("-G1 -p mian", "partition 'mian'"),
    ("-G1 -a x", "--array: expected tasks"),
    ("-G1 : -G2", "heterogeneous"),
    ("-G1 nowhere.sh", "nowhere.sh"),
    ("-G1 -k -t 0", dict(gpus=1, limit_s=2700)),
    ("-G1 -t1 -t2 --mem=1 --contiguous", dict(limit_s=120)),
    ("-G1 -b now", dict(submitted_unix_s=NOW)),
    ("-G1 -b now+2days", dict(submitted_unix_s=NOW + 172800)),
    ("-G1 -b now+1w", dict(submitted_unix_s=NOW + 604800)),
    ("-n5 --ntasks-per-node=2 --gres=gpu:1", dict(gpus=3)),
    ("--ntasks-per-node=2 --gres=gpu:1", dict(gpus=1)),
    ("--ntasks-per-node=2 -N2 --gpus-per-task=1", dict(gpus=4)),
    ("-G1 --priority=4294967295", dict(gpus=1)),
    ("--qqqqq=1 -G1", "sbatch: no option 'qqqqq'"),
    ("--" + 70 * "x", "sbatch: no option '" + 60 * "x" + "'"),
    ("-G1 --gpus", "--gpus needs a value"),
    ("-G1 --hold=1", "--hold takes no value"),
    ("-G1 -", "-: a script for sbatch begins with #!"),
    ("-G1 -b now+1fortnight", "--begin: expected now+NUMBER"),
    ("-G1 -b now-2", "--begin: expected now+NUMBER"),
    ("-G1 -b now+999999999", "--begin: expected now+NUMBER"),
    ("-G1 -N100001", "--nodes: expected a number from 1 to 100000, not '100001'"),
    ("-n6 --ntasks-per-node=0", "--ntasks-per-node: expected a number from 1"),
    ("-n6 --ntasks-per-node=x", "--ntasks-per-node: expected a number from 1"),
    ("--priority=x -G1", "--priority: expected a number from 1 to 4294967295"),
    ("-G1 -a 5-2", "--array: expected tasks such as 0-15%4, not '5-2'"),
]
# A script of sbatch, and the facts of the job, or words of the error.
SCRIPTS = [
    ("#!/bin/sh\r\n#SBATCH -G2\r\n#SBATCH -t 5\r\n", dict(gpus=2, limit_s=300)),
    ("#!/bin/sh\n#SBATCH\t-G1\t-t\"3\" -J 'it is\"\n",
     dict(limit_s=180, name="it is\"")),
    ("#!/bin/sh\n#SBATCH -G1" + 64 * " -Q", "lines.sh:2: too many words"),
    ("#!/bin/sh\n#SBATCH -G1\n#SBATCH hetjob\n", "lines.sh:3: heterogeneous jobs"),
    ("#!/bin/sh\n#SBATCH -G1 x.sh\n", "lines.sh:2: 'x.sh' is no option"),
    ("#!/bin/sh\n#SBATCH -G\n", "lines.sh:2: -G needs a value"),
    ("#SBATCH -G1\n", "lines.sh: a script for sbatch begins with #!"),
]


def ask_words(place, words, name="words"):
    out = os.path.join(place, name + ".json")
    if os.path.exists(out):
        os.unlink(out)
    done = ask_live(place, "--save", out, "--", *words)
    if done.returncode:
        return done, []
    with open(out, encoding="utf-8") as text:
        return done, [job for job in json.load(text)["jobs"]
                      if job["id"].startswith("new")]


def check_words(tap, place):
    """Words of sbatch, and its scripts, as a job that is asked about."""
    lines = os.path.join(place, "lines.sh")
    for words, expected in WORDS + SCRIPTS:
        if words.startswith("#"):
            with open(lines, "w", encoding="utf-8", newline="") as out:
                out.write(words)
        done, jobs = ask_words(place, [lines] if words.startswith("#")
                               else words.split())
        words = repr(words)
        if isinstance(expected, str):
            tap.result(done.returncode in (2, 3) and expected in done.stderr
                       and done.stderr.count("\n") == 1,
                       "sbatch: one line about " + words, done.stderr)
        else:
            tap.result(len(jobs) == 1 and expected.items() <= jobs[0].items(),
                       "sbatch: " + words, "%s %s" % (jobs, done.stderr))
    done, jobs = ask_words(place, "-G1 --constraint=big -t9".split())
    lines = [l for l in done.stdout.splitlines() if l.startswith("new")]
    tap.result("--constraint=big is not followed" in done.stdout
               and len(lines) == 1 and "\n8 " not in done.stdout,
               "sbatch: the answer is about the new job alone, and names what "
               "is not followed", done.stdout)
    done, jobs = ask_words(place, "-a 0-3%2 -G1".split())
    tap.result([job.get("after") for job in jobs]
               == [None, None, ["new_0"], ["new_1"]],
               "sbatch: an array that runs two tasks at once", jobs)
    script = os.path.join(place, "job.sh")
    with open(script, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\n#SBATCH -N 4 --gres=gpu:2 # eight\n"
                  "#SBATCH --job-name='two words'\n#SBATCH -t 5\n"
                  "# text\n\ntrue\n#SBATCH -t 99\n")
    done, jobs = ask_words(place, ["-N3", script, "-t", "1"])
    tap.result(jobs and (jobs[0]["gpus"], jobs[0]["name"], jobs[0]["limit_s"])
               == (6, "two words", 300),
               "sbatch: a script, whose lines the command line overrides", jobs)
    with open(script, "a", encoding="utf-8") as out:
        out.seek(0)
        out.truncate()
        out.write("#!/bin/sh\n#SBATCH --gres=gpu:2\n#SBATCH --tim=3\n")
    done, _ = ask_words(place, [script])
    tap.result("job.sh:3: no option 'tim'; did you mean 'time'?"
               in done.stderr, "sbatch: one line about a line of the script",
               done.stderr)
    state = write(os.path.join(place, "one.json"), pencil())
    answer = json.loads(run("when", state, "-j", "--", "-G4", "-t1").stdout)
    tap.result([(job["id"], job["p50_unix_s"]) for job in answer["jobs"]]
               == [("new", 10700)], "sbatch: beside a state file", answer)


def check_order(tap, place, squeue, sinfo):
    """A later job of a higher priority goes first, also under fifo."""
    squeue = copy.deepcopy(squeue)
    sinfo = copy.deepcopy(sinfo)
    sinfo["nodes"][2]["state_flags"] = []
    for job in squeue["jobs"]:
        if job["job_id"] == 9:
            job["priority"] = 4294901760
    state = state_of(place, squeue, sinfo, "order")
    at = {job["id"]: job["submitted_unix_s"] for job in state["jobs"]}
    tap.result(at["9"] < at["8"], "Slurm: priorities decide the order", at)


def check_model(tap, place):
    """All draws of `when` ask the language model each question once; a model
    that does not answer is named."""
    asked = []

    def answer(handler, body, n):
        asked.append(body["messages"])
        return server.says("{}")(handler, body, n)

    endpoint = server.serve(
        type("Handler", (server.Handler,), {"models": {"*": answer}}))
    with open(os.path.join(place, "train.py"), "w", encoding="utf-8") as out:
        out.write("import torchvision\nnet = torchvision.models.resnet50()\n")
    evidence = os.path.join(place, "model.csv")
    with open(evidence, "w", encoding="utf-8") as out:
        out.write("job_id,directory,command\nc,.,python train.py\n")
    words = ["when", write(os.path.join(place, "model.json"), pencil()), "-p",
             "sjf+advisor", "--schedmate", "fidelity=replay,latency_s=0",
             "--evidence", evidence, "--evidence-root", place, "--llm",
             "http:retries=0,base_url=http://127.0.0.1:%d/v1,model=m" %
             endpoint.server_port, "--json"]
    counts = []
    for draws in ("1", "20"):
        asked.clear()
        done = run(*words, "--draws", draws)
        counts.append(len(asked))
    tap.result(done.returncode == 0 and counts[0] == counts[1] > 0,
               "when asks a language model once, not in each draw",
               "%s %s" % (counts, done.stderr))
    endpoint.shutdown()
    endpoint.server_close()
    done = run(*words, "--draws", "1")
    notes = json.loads(done.stdout)["notes"] if done.stdout else []
    tap.result(any("did not answer 1 of 1 questions" in n for n in notes),
               "when says that the model did not answer",
               "%s %s" % (notes, done.stderr))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as place:
        check_pencil(tap, place)
        check_out(tap, place)
        check_draining(tap, place)
        check_after(tap, place)
        check_what_if(tap, place)
        check_quota(tap, place)
        check_faults(tap, place)
        check_policies(tap, place)
        check_errors(tap, place)
        check_slurm(tap, place)
        check_live(tap, place)
        check_conf(tap, place)
        check_dependencies(tap, place)
        check_words(tap, place)
        check_model(tap, place)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
