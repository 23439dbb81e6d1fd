#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores `schedsim when` against what then happened.

    bench/when.py slurm DIR...     replays of tests/slurm: jobs.csv, and what
                                   squeue said in snapshots/
    bench/when.py trace TRACE...   runs of schedsim, at times when jobs wait;
                                   jobs that come later are not known

Each waiting job of each snapshot is one prediction. Knowledge at that time: the
snapshot, and the jobs that had ended by then. Beside it: `squeue --start`,
`when --limits`, and a plain regression of the wait on the work ahead, fitted to
the earlier snapshots of the same replay."""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SCHEDSIM", os.path.join(ROOT, "schedsim"))


def write_nodes(path, nodes, gpus):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"nodes": [
            {"name": "n%d" % (i + 1), "gres": "gpu:%d" % gpus, "state": "idle",
             "state_flags": [], "partitions": ["main"]}
            for i in range(nodes)]}, out)


def write_history(path, jobs, at):
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["submitted_unix_s", "duration_s", "gpus", "user",
                         "queue_s", "declared_s"])
        rows = [(j["submitted"], j["end"] - j["start"], j["gpus"], j["user"],
                 j["start"] - j["submitted"], j["limit"])
                for j in jobs.values() if j["end"] <= at]
        writer.writerows(rows or [(0, 0, 1, "", 0, 0)])


def ask(words):
    done = subprocess.run([PROGRAM, "when", "--json"] + words, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return {job["id"]: job for job in json.loads(done.stdout)["jobs"]}


def read_jobs(path):
    jobs = {}
    with open(path, encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            jobs[row["slurm_id"]] = {
                "submitted": float(row["submitted_unix_s"]),
                "start": float(row["start_s"]), "end": float(row["end_s"]),
                "gpus": int(row["gpus"]), "limit": float(row["declared_s"]),
                "user": row["user"]}
    return jobs


def read_start(path):
    """What squeue --start said: job -> time."""
    out = {}
    with open(path, encoding="utf-8") as text:
        for line in text:
            cells = line.rstrip("\n").split("|")
            if len(cells) > 3 and cells[3] not in ("N/A", ""):
                out[cells[0]] = time.mktime(
                    time.strptime(cells[3], "%Y-%m-%dT%H:%M:%S"))
    return out


# A scheduler acts in cycles; a replay at 40 times the speed tells no finer time.
CYCLE_S = 60
WAIT_S = 600


class Regression:
    """Wait = a + b x, where x is the work ahead over the GPUs, by limits."""

    def __init__(self, gpus):
        self.gpus, self.seen = gpus, []

    def ahead(self, jobs, waiting, at, job):
        work = sum((j["start"] + j["limit"] - at) * j["gpus"]
                   for j in jobs.values() if j["start"] <= at < j["end"])
        work += sum(jobs[w]["limit"] * jobs[w]["gpus"] for w in waiting
                    if jobs[w]["submitted"] < jobs[job]["submitted"])
        return max(work, 0) / self.gpus

    def predict(self, x, at):
        known = [(u, v) for u, v, start in self.seen if start <= at]
        if len(known) < 10:
            return None
        mx = statistics.fmean(u for u, _ in known)
        my = statistics.fmean(v for _, v in known)
        var = sum((u - mx) ** 2 for u, _ in known)
        b = sum((u - mx) * (v - my) for u, v in known) / var if var else 0
        return max(0, my + b * (x - mx))


class Score:
    def __init__(self):
        self.errors = {}
        self.inside = self.early = self.n = 0

    def add(self, name, error):
        self.errors.setdefault(name, []).append(error)

    def interval(self, p10, p90, truth):
        self.n += 1
        self.inside += p10 - CYCLE_S <= truth <= p90 + CYCLE_S
        self.early += truth < p10 - CYCLE_S

    def show(self, title):
        print("%s: %d predictions, 80 %% interval within "
              "%d s holds %.1f %%, %.1f %% start before it" % (
            title, self.n, CYCLE_S, 100 * self.inside / max(1, self.n),
            100 * self.early / max(1, self.n)))
        for name, errors in self.errors.items():
            known = sorted(abs(e) for e in errors if e is not None)
            if known:
                print("  %-12s median %7.0f s  mean %7.0f s  p90 %7.0f s  "
                      "no answer %d" % (
                          name, statistics.median(known),
                          statistics.fmean(known),
                          known[int(0.9 * len(known))],
                          len(errors) - len(known)))


def score_slurm(folder, every, policy, score):
    jobs = read_jobs(os.path.join(folder, "jobs.csv"))
    snapshots = os.path.join(folder, "snapshots")
    stems = sorted(f[:-5] for f in os.listdir(snapshots)
                   if f.endswith(".json"))
    regression = Regression(80)
    with tempfile.TemporaryDirectory() as place:
        nodes = os.path.join(place, "nodes.json")
        history = os.path.join(place, "history.csv")
        write_nodes(nodes, 10, 8)
        for stem in stems[::every]:
            at = int(stem)
            with open(os.path.join(snapshots, stem + ".json"),
                      encoding="utf-8") as text:
                listed = json.load(text)["jobs"]
            waiting = [str(j["job_id"]) for j in listed
                       if j["job_state"] == "PENDING"]
            if not waiting:
                continue
            write_history(history, jobs, at)
            words = ["--squeue", os.path.join(snapshots, stem + ".json"),
                     "--sinfo", nodes, "--at", str(at), "-p", policy]
            answers = ask(words + ["--history", history])
            limits = ask(words + ["--limits"])
            slurm = read_start(os.path.join(snapshots, stem + ".start"))
            for job in waiting:
                truth = jobs[job]["start"]
                answer = answers[job]
                score.add("when", answer["p50_unix_s"] - truth)
                score.interval(answer["p10_unix_s"], answer["p90_unix_s"],
                               truth)
                score.add("limits", limits[job]["p50_unix_s"] - truth)
                score.add("squeue", slurm[job] - truth
                          if job in slurm else None)
                x = regression.ahead(jobs, waiting, at, job)
                guess = regression.predict(x, at)
                score.add("regression", None if guess is None
                          else at + guess - truth)
                regression.seen.append((x, truth - at, truth))


def times_of_waits(rows, states):
    """Times, s, at which to ask: `states` evenly spaced ones of the submissions
    of jobs that then wait WAIT_S or longer, in the middle 60 % of the trace."""
    span = max(float(row["submission_time"]) for row in rows)
    at = sorted(float(row["submission_time"]) for row in rows
                if row["waiting_time"]
                and float(row["waiting_time"]) >= WAIT_S
                and 0.2 * span <= float(row["submission_time"]) <= 0.8 * span)
    return [at[i * (len(at) - 1) // max(1, states - 1)]
            for i in range(states)] if at else []


def known_jobs(rows, at):
    """What the regression knows of the jobs at a time: as limit, the mean run
    time of those that have ended."""
    jobs = {}
    for name, row in rows.items():
        if row["starting_time"] and row["finish_time"]:
            jobs[name] = {"submitted": float(row["submission_time"]),
                          "start": float(row["starting_time"]),
                          "end": float(row["finish_time"]),
                          "gpus": int(row["requested_number_of_resources"])}
    ran = [j["end"] - j["start"] for j in jobs.values() if j["end"] <= at]
    for job in jobs.values():
        job["limit"] = statistics.fmean(ran) if ran else 3600
    return jobs


def score_trace(trace, policy, states, words, gpus, score):
    def done(*more):
        out = subprocess.run([PROGRAM] + list(more), text=True,
                             capture_output=True, check=False)
        if out.returncode not in (0, 4):
            raise RuntimeError(out.stderr)

    with tempfile.TemporaryDirectory() as place:
        out, state = os.path.join(place, "out"), os.path.join(place, "s.json")
        run = ["run", trace, "-q", "-p", policy, "-o", out] + words
        done(*run)
        with open(os.path.join(out, "jobs.csv"), encoding="utf-8",
                  newline="") as text:
            rows = {row["job_id"]: row for row in csv.DictReader(text)}
        regression = Regression(gpus)
        for at in times_of_waits(rows.values(), states):
            done(*run, "--state-at", "%.3fs" % at, "--save", state)
            with open(state, encoding="utf-8") as text:
                zero = json.load(text)["at_unix_s"] - at
            answers = ask([state, "-p", policy])
            jobs = known_jobs(rows, at)
            waiting = [name for name in answers if name in jobs]
            for name in waiting:
                answer, wait = answers[name], jobs[name]["start"] - at
                if "p90_unix_s" not in answer:
                    continue
                truth = zero + jobs[name]["start"]
                score.add("when", answer["p50_unix_s"] - truth)
                score.interval(answer["p10_unix_s"], answer["p90_unix_s"],
                               truth)
                x = regression.ahead(jobs, waiting, at, name)
                guess = regression.predict(x, at)
                score.add("regression", None if guess is None
                          else guess - wait)
                regression.seen.append((x, wait, jobs[name]["start"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["slurm", "trace"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--every", type=int, default=1,
                        help="take each n-th snapshot")
    parser.add_argument("--states", type=int, default=10,
                        help="times of a trace at which to ask")
    parser.add_argument("--gpus", type=int, default=1,
                        help="of the cluster of a trace, for the regression")
    parser.add_argument("--options", default="", help="further options of the "
                        "run of a trace")
    parser.add_argument("--policy", help="default: fifo for builtin, else "
                        "backfill")
    args = parser.parse_args()
    for path in args.paths:
        score = Score()
        usual = args.kind == "trace" or path.rstrip("/").endswith("builtin")
        policy = args.policy or ("fifo" if usual else "backfill")
        if args.kind == "slurm":
            score_slurm(path, args.every, policy, score)
        else:
            score_trace(path, policy, args.states,
                        args.options.split(), args.gpus, score)
        score.show("%s, -p %s" % (os.path.basename(path.rstrip("/")), policy))
    return 0


if __name__ == "__main__":
    sys.exit(main())
