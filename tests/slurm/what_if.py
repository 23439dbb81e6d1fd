# SPDX-License-Identifier: GPL-3.0-or-later
"""Drains two nodes of a real slurmctld, and compares what `schedsim when
--what-if` said at that moment with what then happened. A twin with the same
jobs, where nothing drains, gives the real delays.

    what_if.py             short, as a test
    what_if.py TRACE DIR   150 jobs of a trace of replay.py; keeps all in DIR"""
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
import replay  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

SPEED = 40
CYCLE_S = 60  # no prediction can be finer: replay.py, bench/when.py


class World:
    """One replay; `drained`: the nodes that drain at `at` for `lasts` s."""

    def __init__(self, into, nodes, jobs, at, lasts, drained):
        self.into, self.jobs, self.at, self.lasts = into, jobs, at, lasts
        self.drained, self.error, self.out = drained, None, (0, 0)
        os.makedirs(into, exist_ok=True)
        self.slurm = replay.new_slurm(os.path.join(into, "slurm"), "backfill",
                                      SPEED, nodes)

    def sleep_until(self, moment):
        time.sleep(max(0, (moment - self.slurm.now()) / SPEED))

    def write(self, name, *command):
        with open(os.path.join(self.into, name), "w", encoding="utf-8") as out:
            out.write(self.slurm.run(*command).stdout)

    def set_nodes(self, state):
        done = self.slurm.run("scontrol", "update",
                              "NodeName=" + ",".join(self.drained),
                              "State=" + state, "Reason=test")
        if done.returncode:
            raise RuntimeError(done.stderr)

    def look_and_drain(self, begin):
        """Takes the state, and drains at once."""
        self.sleep_until(begin + self.at)
        self.now = int(self.slurm.now())
        self.write("squeue.json", "squeue", "--json")
        self.write("sinfo.json", "sinfo", "--json")
        with open(os.path.join(self.into, "history.csv"), "w", newline="",
                  encoding="utf-8") as out:
            table = csv.writer(out)
            table.writerow(("submitted_unix_s", "duration_s", "gpus", "user",
                            "queue_s", "declared_s"))
            gpus = {job["name"]: job for job in self.jobs}
            for name, row in replay.ended_jobs(self.slurm).items():
                at, start, end = (replay.seconds_of(row[k]) for k in (
                    "SubmitTime", "StartTime", "EndTime"))
                table.writerow((at, end - start, gpus[name]["gpus"], "root",
                                start - at, gpus[name]["limit"] * 60))
        if not self.drained:
            return
        self.set_nodes("DRAIN")
        self.out = self.slurm.now(), self.now + self.lasts
        self.sleep_until(self.out[1])
        self.set_nodes("RESUME")

    def run(self):
        try:
            trouble = self.slurm.start()
            if trouble:
                raise RuntimeError(trouble)
            begin = self.slurm.now() + 60
            looker = threading.Thread(target=self.guard,
                                      args=(self.look_and_drain, begin))
            looker.start()
            replay.submit_jobs(self.slurm, self.jobs, begin, False)
            end = time.monotonic() + 1800
            while (len(replay.ended_jobs(self.slurm)) < len(self.jobs)
                   and time.monotonic() < end):
                time.sleep(0.2)
            looker.join()
            replay.write_outcome(self.slurm, self.jobs,
                                 os.path.join(self.into, "jobs.csv"))
        finally:
            self.slurm.stop()

    def guard(self, call, *args):
        try:
            call(*args)
        except Exception as error:  # told after the thread is joined
            self.error = error

    def outcome(self):
        with open(os.path.join(self.into, "jobs.csv"), encoding="utf-8",
                  newline="") as text:
            return {row["job_id"]: row for row in csv.DictReader(text)}

    def ask(self):
        """What `when --what-if` says of the state of that moment."""
        files = {name: os.path.join(self.into, name) for name in (
            "squeue.json", "sinfo.json", "history.csv")}
        done = subprocess.run(
            [PROGRAM, "when", "--squeue", files["squeue.json"], "--sinfo",
             files["sinfo.json"], "--history", files["history.csv"], "--at",
             str(self.now), "-p", "backfill:plan=conservative", "--json",
             "--what-if", "drain %s for %ds" % (",".join(self.drained),
                                                self.lasts)],
            text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        with open(os.path.join(self.into, "when.json"), "w",
                  encoding="utf-8") as out:
            out.write(done.stdout)
        return json.loads(done.stdout)


def both(drained, twin):
    threads = [threading.Thread(target=world.guard, args=(world.run,))
               for world in (drained, twin)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for world in (drained, twin):
        if world.error:
            raise world.error


def on_drained(world):
    """Jobs that began on a drained node while it was out."""
    wrong = []
    for name, row in world.outcome().items():
        nodes = world.slurm.run("scontrol", "show", "hostnames",
                                row["nodes"]).stdout.split()
        start = float(row["start_s"])
        if (set(nodes) & set(world.drained)
                and world.out[0] + 5 < start < world.out[1]):
            wrong.append(name)
    return wrong


def compare(drained, twin):
    """By waiting job: predicted start and delay, real start and delay."""
    answer = drained.ask()
    real, other = drained.outcome(), twin.outcome()
    by_id = {row["slurm_id"]: name for name, row in real.items()}
    rows = []
    for job in answer["jobs"]:
        name = by_id[job["id"]]
        start = float(real[name]["start_s"])
        rows.append({"name": name, "said": job["start_after_unix_s"],
                     "start": start, "p10": job["delay_p10_s"],
                     "p50": job["delay_p50_s"], "p90": job["delay_p90_s"],
                     "delay": (start - float(real[name]["submitted_unix_s"]))
                     - (float(other[name]["start_s"])
                        - float(other[name]["submitted_unix_s"]))})
    return answer, rows


def show(answer, rows):
    inside = sum(r["p10"] - CYCLE_S <= r["delay"] <= r["p90"] + CYCLE_S
                 for r in rows)
    print("# %d jobs waited; median error of the start %.0f s, of the delay "
          "%.0f s; delay within p10 to p90: %d" % (
              len(rows),
              statistics.median(abs(r["said"] - r["start"]) for r in rows),
              statistics.median(abs(r["p50"] - r["delay"]) for r in rows),
              inside))
    print("# all delays together: said %.0f s (%.0f to %.0f), were %.0f s; "
          "median said %.0f s, was %.0f s" % (
              answer["waiting"]["delay_p50_s"],
              answer["waiting"]["delay_p10_s"],
              answer["waiting"]["delay_p90_s"],
              sum(r["delay"] for r in rows),
              statistics.median(r["p50"] for r in rows),
              statistics.median(r["delay"] for r in rows)))


def short_jobs():
    """Whole nodes for a minute or two: four at once, or two."""
    return [{"name": "j%d" % i, "at": 0, "took": 60 + 30 * (i % 3), "gpus": 8,
             "limit": 2, "account": ""} for i in range(14)]


def short(tap, place):
    nodes, lasts = 4, 240
    worlds = [World(os.path.join(place, name), nodes, short_jobs(), 45, lasts,
                    drained)
              for name, drained in (("drained", ["n3", "n4"]), ("twin", []))]
    both(*worlds)
    answer, rows = compare(*worlds)
    show(answer, rows)
    tap.result(len(rows) >= 6 and answer["waiting"]["later"] >= 4,
               "what if: jobs wait and are said to be delayed", answer)
    tap.result(not on_drained(worlds[0]), "what if: no job started on the "
               "nodes that drained", on_drained(worlds[0]))
    error = statistics.median(abs(r["said"] - r["start"]) for r in rows)
    tap.result(error <= 2 * CYCLE_S,
               "what if: the starts come when they were said", error)
    said = statistics.median(r["p50"] for r in rows)
    was = statistics.median(r["delay"] for r in rows)
    tap.result(abs(said - was) <= 2 * CYCLE_S, "what if: so do the delays",
               (said, was))


def full(trace, into):
    jobs = replay.trace_jobs(os.environ["SHARED"], trace, 300)
    jobs = [job for job in jobs if job["at"] <= replay.SPAN_S / 2]
    at = replay.SPAN_S / 6
    worlds = [World(os.path.join(into, name), replay.NODES, jobs, at, 7200,
                    drained)
              for name, drained in (("drained", ["n9", "n10"]), ("twin", []))]
    both(*worlds)
    show(*compare(*worlds))
    print("# started on a drained node: %s; load %.1f" % (
        on_drained(worlds[0]), os.getloadavg()[2]))


def main():
    tap = Tap()
    why = one_node.why_not(["faketime"])
    if why:
        tap.skip("what if, beside a real Slurm", why)
        return tap.exit_status()
    if len(sys.argv) == 3:
        full(sys.argv[1], sys.argv[2])
        return 0
    place = tempfile.mkdtemp(prefix="schedsim-what-if-")
    os.chmod(place, 0o755)
    try:
        short(tap, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
