# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces in the formats that others write: rows of a sample, or the drawn jobs
written anew."""
import json
import os

# Samples in traces/samples, by format; each begins with lines that are no jobs.
SAMPLES = {"helios": "venus.csv", "acme": "seren.csv", "kalos": "kalos.csv",
           "lucid": "lucid.csv", "sia": "sia.csv", "muri": "muri.csv",
           "tiresias": "tiresias.csv", "itp": "itp.csv",
           "philly-flat": "philly.csv", "philly": "philly.json",
           "swf": "sample.swf"}
STATES = {"completed": "COMPLETED", "failed": "FAILED",
          "cancelled": "CANCELLED"}


def table(separator, columns, jobs):
    """Writes a table of the columns [(name, function of a job)]."""
    rows = [[name for name, _ in columns]]
    rows += [[str(value(job)) for _, value in columns] for job in jobs]
    return "".join(separator.join(row) + "\n" for row in rows)


def start(job):
    return int(float(job["submitted_unix_s"]))


def whole(job):
    return int(float(job["duration_s"]))


def state(job):
    return STATES[job.get("end", "completed")]


def gavel(jobs):
    kinds = ["ResNet-18 (batch size 64)", "LM (batch size 20)"]
    return "".join("%s\tpython main.py\t-n\t1\t%d\t%s\t%s\n" % (
        kinds[i % 2], 1 + 10 * whole(job), job["submitted_unix_s"],
        job["gpus"]) for i, job in enumerate(jobs))


def alibaba_spot(jobs):
    return table(",", [
        ("job_name", lambda j: j["job_id"]), ("organization", lambda j: "o"),
        ("gpu_model", lambda j: "A10"), ("cpu_request", lambda j: 4),
        ("gpu_request", lambda j: 1), ("worker_num", lambda j: j["gpus"]),
        ("submit_time", start), ("duration", whole),
        ("job_type", lambda j: "Spot" if "user" in j else "HP")], jobs)


def alibaba_pai(jobs):
    return table(",", [
        ("job_id", lambda j: j["job_id"]), ("arrival_s", start),
        ("service_sec", lambda j: j["duration_s"]),
        ("gpu_count", lambda j: j["gpus"])], jobs)


def slurm(jobs):
    return table("|", [
        ("JobID", lambda j: j["job_id"][1:]),
        ("User", lambda j: j.get("user", "u")),
        ("Partition", lambda j: j.get("vc", "p")), ("State", state),
        ("Submit", lambda j: "2026-01-0%dT10:00:00" % (1 + start(j) % 9)),
        ("ElapsedRaw", whole),
        ("AllocTRES", lambda j: "cpu=4,gres/gpu=" + j["gpus"])], jobs)


def slurm_json(jobs):
    return json.dumps({"jobs": [{
        "job_id": int(job["job_id"][1:]), "user": job.get("user", "u"),
        "partition": job.get("vc", "p"), "state": {"current": [state(job)]},
        "time": {"submission": start(job), "start": start(job),
                 "end": start(job) + whole(job), "elapsed": whole(job)},
        "tres": {"allocated": [{"type": "gres", "name": "gpu",
                                "count": int(job["gpus"])}]}}
        for job in jobs]})


def other_columns(jobs):
    return table(";", [
        ("when", lambda j: j["submitted_unix_s"]),
        ("hours", lambda j: "%.6f" % (float(j["duration_s"]) / 3600)),
        ("n", lambda j: j["gpus"]), ("who", lambda j: j.get("user", "NA")),
        ("what", state)], jobs)


WRITERS = {"gavel": gavel, "alibaba-spot": alibaba_spot, "csv": other_columns,
           "alibaba-pai": alibaba_pai, "slurm": slurm,
           "slurm-json": slurm_json}
# Formats whose writer keeps the virtual clusters of the jobs.
WITH_VC = ["slurm", "slurm-json"]
# Settings without which a format cannot be read.
SETTINGS = {"csv": {"submit": "when:s", "gpus": "n", "duration": "hours:h",
                    "user": "who", "state": "what", "sep": "semicolon"}}


def known():
    return ["native", *SAMPLES, *WRITERS]


def some_rows(rng, root, name):
    """Returns a sample with some of its jobs, one after the other."""
    with open(os.path.join(root, "traces", "samples", SAMPLES[name]),
              encoding="utf-8") as file:
        lines = file.read().splitlines(True)
    n = rng.choice([1, 3, 10, 30])
    if name == "philly":
        jobs = json.loads("".join(lines))
        at = rng.randrange(max(len(jobs) - n, 1))
        return json.dumps(jobs[at:at + n])
    head = [line for line in lines if line.startswith(";")] or lines[:1]
    rows = lines[len(head):]
    at = rng.randrange(max(len(rows) - n, 1))
    return "".join(head + rows[at:at + n])


def draw(rng, root, name, jobs):
    """Returns the text of a trace in the format `name`."""
    return WRITERS[name](jobs) if name in WRITERS else some_rows(
        rng, root, name)
