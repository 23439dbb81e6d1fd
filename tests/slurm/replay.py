# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays a part of a trace through a real slurmctld whose time runs fast, and
keeps what happened: jobs.csv, and what squeue said every SNAPSHOT_S."""
import csv
import gzip
import itertools
import os
import random
import subprocess
import threading
import time

import one_node

NODES, GPUS = 10, 8
SNAPSHOT_S = 12
GANG_MAX = 32
SPAN_S = 6 * 3600
SHORT_S, LONG_S = 60, 7200

# Limits are those of careless users: a multiple of the run time, or one of few
# round numbers, whatever the job needs.
TRACES = {
    "itp04": ("itp/cluster04.csv.gz", 3000, "factor"),
    "itp03": ("itp/cluster03.csv", 1000, "round"),
    "venus": ("helios/venus_gpu_jobs.csv.gz", 20000, "factor"),
    "itp02": ("itp/cluster02.csv.gz", 2000, "round"),
}
# Slurm as shipped, except that no pass is cut short because the machine is
# busy, and that the plan reaches beyond the limits of all jobs.
PATIENT = ("SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,"
           "max_sched_time=600,build_queue_timeout=600000000,"
           "default_queue_depth=10000,bf_continue,bf_window=6000,"
           "bf_max_job_test=2000,bf_max_time=600,bf_yield_interval=600000000")
SCHEDULERS = {
    "builtin": ("SchedulerType=sched/builtin", PATIENT),
    "easy": ("SchedulerType=sched/backfill",
             PATIENT + ",bf_job_part_count_reserve=1"),
    "backfill": ("SchedulerType=sched/backfill", PATIENT),
    "multifactor": ("SchedulerType=sched/builtin", PATIENT),
    "multifactor+backfill": ("SchedulerType=sched/backfill", PATIENT),
}
# Waits of daemons are in the fast time too, so none of them may matter.
UNHURRIED = ("SlurmdTimeout=65000", "MessageTimeout=6000",
             "BatchStartTimeout=6000", "UnkillableStepTimeout=6000",
             "JobRequeue=0", "MaxJobCount=100000")
BASIC = ("PriorityType=priority/basic",)
# Half-lives and ages fit a day of ten hours. Four accounts have equal shares and
# unequal loads.
MULTIFACTOR = (
    "PriorityType=priority/multifactor", "PriorityDecayHalfLife=0-04:00:00",
    "PriorityCalcPeriod=1", "PriorityMaxAge=0-10:00:00",
    "PriorityWeightAge=10000", "PriorityWeightFairshare=20000",
    "PriorityWeightJobSize=5000")
ACCOUNTS = {"a1": 1, "a2": 1, "a3": 1, "a4": 1}


def read_rows(path, first, n):
    """(submit, duration, GPUs) of `n` rows of a trace, from row `first` on."""
    opened = gzip.open if path.endswith(".gz") else open
    rows = []
    with opened(path, "rt", encoding="utf-8", newline="") as text:
        for row in itertools.islice(csv.DictReader(text), first, first + n):
            at = row.get("submission_time") or row["arrival_s"]
            gpus = int(row.get("num_gpu") or row["gpu_num"])
            took = float(row.get("duration") or row["duration_s"])
            if gpus > 0:
                rows.append((float(at), took, gpus))
    return sorted(rows, key=lambda row: row[0])


def trace_jobs(shared, trace, n=300):
    name, first, rule = TRACES[trace]
    path = os.path.join(shared, "traces", name)
    return make_jobs(read_rows(path, first, n), trace, rule)


def cut_gpus(gpus):
    """A gang has whole nodes and at most GANG_MAX GPUs."""
    if gpus <= GPUS:
        return gpus
    return min(GANG_MAX, (gpus + GPUS - 1) // GPUS * GPUS)


def limit_min(rule, took, rng):
    if rule == "factor":
        return int(-(-(took * rng.choice((1.1, 1.5, 2, 3, 5)) + 240) // 60))
    fits = [m for m in (30, 60, 120, 125) if m * 60 >= took + 240]
    return rng.choice(fits)


def scaled(took, factor):
    return min(LONG_S, max(SHORT_S, took * factor))


def make_jobs(rows, name, rule="factor", span_s=SPAN_S, load=1.0):
    """The jobs of a replay: submissions scaled to `span_s`, run times by one
    factor so that the load is `load`. Limits and accounts are drawn; the draws
    depend on `name` alone."""
    low, high = 0.0, 1.0
    for _ in range(60):
        factor = (low + high) / 2
        asked = sum(scaled(took, factor) * cut_gpus(gpus)
                    for _, took, gpus in rows)
        if asked > load * span_s * NODES * GPUS:
            high = factor
        else:
            low = factor
    rng = random.Random(name)
    first, last = rows[0][0], rows[-1][0]
    jobs = []
    for i, (at, took, gpus) in enumerate(rows):
        took = round(scaled(took, factor))
        account = rng.choices(list(ACCOUNTS), weights=(1, 1, 2, 3))[0]
        jobs.append({
            "name": "j%d" % i, "at": (at - first) / (last - first) * span_s,
            "took": took, "gpus": cut_gpus(gpus), "account": account,
            "limit": limit_min(rule, took, rng)})
    return jobs


def sbatch_words(job, speed, with_account):
    nodes = (job["gpus"] + GPUS - 1) // GPUS
    per_node = min(job["gpus"], GPUS)
    words = ["sbatch", "--parsable", "-J", job["name"], "-t",
             str(job["limit"]), "-N", str(nodes), "-n", str(nodes), "-c",
             str(per_node), "--gres=gpu:%d" % per_node, "-o", "/dev/null",
             "--wrap", "exec sleep %.4f" % (job["took"] / speed)]
    if with_account:
        words += ["-A", job["account"]]
    return words


def submit_jobs(slurm, jobs, begin, with_account):
    """`begin`: when the first job comes, in the time of the daemons."""
    for job in jobs:
        wait = (begin + job["at"] - slurm.now()) / slurm.speed
        if wait > 0:
            time.sleep(wait)
        done = slurm.run(*sbatch_words(job, slurm.speed, with_account))
        if done.returncode:
            raise RuntimeError(done.stderr)


def take_snapshots(slurm, into, stop):
    """What squeue says, with the time of the daemons in the name."""
    os.makedirs(into, exist_ok=True)
    commands = {
        "txt": ("squeue", "-h", "-o", "%i|%j|%T|%S|%e|%N|%V|%l|%r|%Q"),
        "json": ("squeue", "--json"),
        "start": ("squeue", "--start", "-h", "-o", "%i|%j|%T|%S|%Y|%r")}
    while not stop.wait(SNAPSHOT_S):
        stem = os.path.join(into, "%d" % slurm.now())
        for kind, command in commands.items():
            with open(stem + "." + kind, "w", encoding="utf-8") as out:
                out.write(slurm.run(*command).stdout)


def seconds_of(stamp):
    return int(time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S")))


def ended_jobs(slurm):
    """The rows of jobcomp/filetxt, by name."""
    rows = {}
    path = os.path.join(slurm.home, "log", "jobcomp.txt")
    if not os.path.exists(path):
        return rows
    with open(path, encoding="utf-8") as text:
        for line in text:
            facts = dict(w.split("=", 1) for w in line.split() if "=" in w)
            rows[facts["Name"]] = facts
    return rows


def write_outcome(slurm, jobs, path):
    ended = ended_jobs(slurm)
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("job_id", "slurm_id", "submitted_unix_s", "start_s",
                        "end_s", "duration_s", "declared_s", "gpus", "user",
                        "state", "nodes"))
        for job in jobs:
            row = ended[job["name"]]
            at, start, end = (seconds_of(row[k]) for k in (
                "SubmitTime", "StartTime", "EndTime"))
            table.writerow((job["name"], row["JobId"], at, start, end,
                            job["took"], job["limit"] * 60, job["gpus"],
                            job["account"], row["JobState"], row["NodeList"]))


def record(slurm, jobs, into, with_account=False, limit_s=3600):
    """Submits the jobs and waits until all have ended, at most `limit_s` of
    our time. Returns the mean load average of the machine meanwhile."""
    stop = threading.Event()
    watcher = threading.Thread(
        target=take_snapshots,
        args=(slurm, os.path.join(into, "snapshots"), stop))
    watcher.start()
    loads, end = [], time.monotonic() + limit_s
    try:
        submit_jobs(slurm, jobs, slurm.now() + 60, with_account)
        while len(ended_jobs(slurm)) < len(jobs):
            if time.monotonic() > end:
                raise RuntimeError("jobs have not ended: %d of %d" % (
                    len(jobs) - len(ended_jobs(slurm)), len(jobs)))
            loads.append(os.getloadavg()[0])
            time.sleep(0.5)
    finally:
        stop.set()
        watcher.join()
    write_outcome(slurm, jobs, os.path.join(into, "jobs.csv"))
    return sum(loads) / max(1, len(loads))


def new_slurm(home, scheduler, speed, nodes=NODES):
    os.environ["TZ"] = "UTC"
    time.tzset()
    settings = [*SCHEDULERS[scheduler], *UNHURRIED,
                "JobCompType=jobcomp/filetxt",
                "JobCompLoc=%s/log/jobcomp.txt" % home]
    shared = scheduler.startswith("multifactor")
    settings += MULTIFACTOR if shared else BASIC
    return one_node.Slurm(home, nodes=nodes, gpus=GPUS, cpus=GPUS,
                          settings=settings, speed=speed,
                          shares=ACCOUNTS if shared else None)
