# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs in odd styles, each with its truth: see odd_logs.py."""
import datetime
import json

ZERO = 1714521600  # 2024-05-01 00:00:00 UTC
USERS = ["ann", "bob", "carla", "dmitri", "eve", "fatma"]


class Job:
    """The truth about one job. nodes: nodes of at most 8 GPUs."""

    def __init__(self, draw, number, submit):
        self.id = str(number)
        self.gpus = draw.choice([1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32])
        self.submit = submit
        self.start = submit + draw.choice([0, 3, 20, 300, 4000])
        self.run = max(61, int(draw.lognormvariate(7.5, 1.5)))
        self.end = self.start + self.run
        self.nodes = max(1, self.gpus // 8)
        self.user = draw.choice(USERS)
        self.part = draw.choice(["gpu", "long"])
        self.ok = draw.random() < 0.8
        self.type = draw.choice(["a100", "a100", "h100"])


def jobs_of(draw, n=240, first=4001):
    submit, jobs = ZERO, []
    for i in range(n):
        submit += int(draw.expovariate(1 / 700))
        jobs.append(Job(draw, first + i, submit))
    return jobs


def truth_of(jobs, start=True):
    return [(j.id, j.gpus, j.submit, j.start if start else None, j.run)
            for j in jobs]


def date(seconds, form="%Y-%m-%dT%H:%M:%S"):
    return datetime.datetime.fromtimestamp(
        seconds, datetime.timezone.utc).strftime(form)


def clock(seconds):
    days, rest = divmod(seconds, 86400)
    text = "%02d:%02d:%02d" % (rest // 3600, rest // 60 % 60, rest % 60)
    return "%d-%s" % (days, text) if days else text


def table(names, rows, sep=","):
    return "\n".join(sep.join(str(c) for c in row)
                     for row in [names, *rows]) + "\n"


def state(job):
    return "COMPLETED" if job.ok else "FAILED"


# Slurm

def sacct_types(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.part, date(j.submit), date(j.start), date(j.end),
             clock(j.run), state(j), "billing=%d,cpu=%d,gres/gpu:%s=%d,node=%d"
             % (j.gpus, 4 * j.gpus, j.type, j.gpus, j.nodes)) for j in jobs]
    return {"sacct.txt": table("JobID User Partition Submit Start End Elapsed "
                               "State AllocTRES".split(), rows, "|")}, \
        truth_of(jobs)


def slurm_commas(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.part, date(j.submit), date(j.start), date(j.end),
             j.gpus, state(j)) for j in jobs]
    return {"b.csv": table("JobID User Partition Submit Start End GPUs "
                           "State".split(), rows)}, truth_of(jobs)


def plain_ngpus(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), date(j.start), date(j.end), j.gpus,
             state(j)) for j in jobs]
    return {"plain.csv": table("JobID Submit Start End NGPUS State".split(),
                               rows)}, truth_of(jobs)


def json_lines(draw):
    jobs = jobs_of(draw)
    return {"jobs.jsonl": "".join(json.dumps({
        "id": j.id, "owner": j.user, "gpus": j.gpus, "submitted": j.submit,
        "started": j.start, "finished": j.end, "status": state(j)}) + "\n"
        for j in jobs)}, truth_of(jobs)


LOGS = [sacct_types, slurm_commas, plain_ngpus, json_lines]
