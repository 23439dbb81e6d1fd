#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares simulated waits with those that traces recorded, job by job: prints a table
in Markdown.

Kalos: the first 600 GPU jobs of its trace, which name their time in the queue. Philly:
2,059 jobs of at least 4 GPUs that passed, of which the start of each attempt is known.
They are simulated among all rows of their trace, and compared by virtual cluster,
submission and GPUs; a job that fits two rows is left out. The traces of Helios that are
at hand have no starts.

Nothing is fitted. A real cluster waits for reasons that no trace tells (quotas, nodes
out of service, starting containers), so equal figures are not expected; the table says
how far the simulated waits are from the recorded ones."""
import bisect
import csv
import datetime
import gzip
import json
import os
import tempfile

import measure

FAR = 600  # seconds by which two waits must differ to count as different
KALOS = ("traces", "acme", "kalos_gpu_jobs_head.csv")
PHILLY = ("traces", "philly", "philly_jobs.csv.gz")
STARTS = ("traces", "philly", "multi_gpu_attempts.json")
POLICIES = ("fifo", "fjf", "backfill")
POOL = "240x8" # nodes of those virtual clusters that have rows
# Nodes of 8 GPUs of each virtual cluster (HeliosArtifact's sizes, as in --cluster philly).
NODES = {"6214e9": 64, "7f04ca": 32, "11cb48": 16, "b436b2": 64, "ee9e8c": 64, "e13805": 16,
         "6c71a0": 32, "2869ce": 16, "ed69ec": 8, "103959": 8, "0e4a51": 32}


def simulated(trace, options):
    """Returns the wait until the first start in seconds, by job."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        measure.run([measure.SCHEDSIM, "run", trace, "--quiet", "--out", out] +
                    options, accepted=(0, 4))
        with open(os.path.join(out, "jobs.csv"), newline="",
                  encoding="utf-8") as file:
            return {row["job_id"]: float(row["waiting_time"])
                    for row in csv.DictReader(file) if row["waiting_time"]}


def seconds(text):
    return datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S").timestamp()


def recorded_kalos():
    with open(measure.shared(*KALOS), newline="", encoding="utf-8") as file:
        return {row["job_id"]: float(row["queue"]) for row in csv.DictReader(file)
                if row["queue"]}


def philly_rows():
    """Returns {(virtual cluster, submission, GPUs): ids of the rows}."""
    found = {}
    with gzip.open(measure.shared(*PHILLY), "rt", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["vc"], row["submit_time"], row["gpu_num"]),
                             []).append(row["job_id"])
    return found


def recorded_philly():
    """Returns {job: wait} of the jobs that fit exactly one row, and the number
    of all jobs."""
    rows, waits = philly_rows(), {}
    with open(measure.shared(*STARTS), encoding="utf-8") as file:
        jobs = json.load(file)
    for job in jobs:
        found = rows.get((job["vc"], job["submitted_time"], str(job["num_gpus"])))
        if found and len(found) == 1 and job["attempts"]:
            waits[found[0]] = (seconds(job["attempts"][0]["start_time"]) -
                               seconds(job["submitted_time"]))
    return waits, len(jobs)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def describe(name, waits):
    return [name, len(waits), "%.0f" % (sum(waits) / len(waits)),
            "%.0f" % quantile(waits, 0.5), "%.0f" % quantile(waits, 0.9),
            "%.0f" % quantile(waits, 0.99)]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found, i = [0.0] * len(values), 0
    while i < len(order): # equal values share their mean rank
        k = i
        while k < len(order) and values[order[k]] == values[order[i]]:
            k += 1
        for at in order[i:k]:
            found[at] = (i + k - 1) / 2
        i = k
    return found


def correlation(x, y):
    """Returns Spearman's correlation; None if one of the two lists does not
    vary."""
    x, y = ranks(x), ranks(y)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    vx = sum((a - mx) ** 2 for a in x)
    vy = sum((b - my) ** 2 for b in y)
    if vx == 0 or vy == 0:
        return None
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / (vx * vy) ** 0.5


def compare(name, recorded, trace, options, policies=POLICIES):
    """Returns the rows of the table for one trace."""
    jobs = sorted(recorded)
    real = [recorded[job] for job in jobs]
    rows = [[name] + describe("recorded", real) + ["", ""]]
    for policy in policies:
        waits = simulated(trace, options + ["-p", policy])
        ours = [waits.get(job, float("nan")) for job in jobs]
        pairs = [(a, b) for a, b in zip(real, ours) if b == b]
        real_here, ours = zip(*pairs)
        near = sum(abs(a - b) <= FAR for a, b in pairs) / len(pairs)
        rank = correlation(real_here, ours)
        rows.append([""] + describe("`%s`" % policy, ours) + [
            "%.0f" % (100 * near), "-" if rank is None else "%.2f" % rank])
    return rows


def lending(recorded):
    """Returns the rows of Philly with lending: on all nodes, and on a share of them that is
    small enough for jobs to wait."""
    rows = []
    for part in (1, 0.5, 0.4):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "philly.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"nodes": [{"count": round(n * part), "gpus": 8, "vc": vc}
                                     for vc, n in NODES.items()]}, file)
            rows += compare("Philly, lending, %g %% of the nodes" % (100 * part), recorded,
                            measure.shared(*PHILLY), ["--cluster", path],
                            ("fifo+quota", "backfill+quota"))
    return rows


def in_use(rows):
    """Returns a function of a time: the GPUs in use if no job waited."""
    times, sums, now = [], [], 0
    for at, gpus in sorted([(r["at"], r["gpus"]) for r in rows] +
                           [(r["at"] + r["span"], -r["gpus"]) for r in rows]):
        now += gpus
        times.append(at)
        sums.append(now)
    return lambda at: ([0] + sums)[bisect.bisect_left(times, at)]


def signs(recorded):
    """Returns rows: what the trace knows of a job when it is submitted, and its rank
    correlation with the recorded wait."""
    rows = {}
    with gzip.open(measure.shared(*PHILLY), "rt", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["job_id"]] = {
                "at": seconds(row["submit_time"]), "span": float(row["duration_s"]),
                "gpus": int(row["gpu_num"]), "vc": row["vc"], "user": row["user"]}
    by_vc, last = {}, {}
    for row in rows.values():
        by_vc.setdefault(row["vc"], []).append(row)
    total, own = in_use(rows.values()), {vc: in_use(of) for vc, of in by_vc.items()}
    jobs = sorted(recorded, key=lambda job: rows[job]["at"])
    found = {"GPUs of the job": [], "run time of the job": [], "date": [], "GPUs in use": [],
             "GPUs in use by its virtual cluster": [],
             "recorded wait of the job before, same virtual cluster": [],
             "recorded wait of the job before, same user": []}
    for job in jobs:
        row = rows[job]
        keys = ("vc", row["vc"]), ("user", row["user"])
        values = [row["gpus"], row["span"], row["at"], total(row["at"]),
                  own[row["vc"]](row["at"])] + [last.get(key, 0) for key in keys]
        for of, value in zip(found.values(), values):
            of.append(value)
        last.update((key, recorded[job]) for key in keys)
    real = [recorded[job] for job in jobs]
    return [[name, "%.2f" % correlation(real, of)] for name, of in found.items()]


def main():
    measure.need_shared()
    philly, all_philly = recorded_philly()
    print("Philly: %d of %d jobs fit exactly one row of the trace.\n" % (
        len(philly), all_philly))
    by_cluster = {}
    for job, wait in philly.items():
        by_cluster.setdefault(job.partition("-")[0], {})[job] = wait
    rows = compare("Kalos", recorded_kalos(), measure.shared(*KALOS), [])
    rows += compare("Philly, all", philly, measure.shared(*PHILLY), [])
    rows += compare("Philly, all, one pool", philly, measure.shared(*PHILLY),
                    ["--cluster", POOL])
    rows += lending(philly)
    for name, waits in sorted(by_cluster.items(), key=lambda i: -len(i[1]))[:4]:
        rows += compare("Philly, %s" % name, waits, measure.shared(*PHILLY), [])
    measure.table(["trace", "waits", "jobs", "mean, s", "median", "p90", "p99",
                   "within 10 min, %", "rank correlation"], rows)
    print("\nWhat is known of Philly's jobs, and the rank of their recorded waits:\n")
    measure.table(["known at submission", "rank correlation"], signs(philly))


if __name__ == "__main__":
    measure.main(main)
