# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside a real Slurm of two nodes, one of which a maintenance takes soon and
the other a reservation of root has: `when --slurm` says which of three jobs
can start, and why not the others, and `drive` releases what it says; then the
jobs are submitted, and slurmctld does the same."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

# words of sbatch, and whether the job can start before the maintenance
JOBS = {"crosses": (["-t", "5"], False), "shorter": (["-t", "1"], True),
        "reserved": (["-t", "5", "--reservation=own"], True)}
MAINT_IN_S, MAINT_LASTS_MIN = 100, 30


def ask(slurm, *words):
    done = subprocess.run([PROGRAM, *words], env=slurm.env, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def reserve(slurm, name, node, begin, minutes, *more):
    done = slurm.run(
        "scontrol", "create", "reservation", "ReservationName=" + name,
        "Nodes=" + node, "StartTime=" + begin, "Duration=%d" % minutes,
        "Users=root", *more)
    if done.returncode:
        raise RuntimeError(done.stderr)


def submit(slurm, words):
    return slurm.submit("#!/bin/sh\nexec sleep 600\n", "--gres=gpu:8", "-o",
                        "/dev/null", *words)


def said(tap, slurm):
    for name, (words, starts) in JOBS.items():
        answer = json.loads(ask(slurm, "when", "--slurm", "--limits", "--json",
                                "--", "--gres=gpu:8", *words))
        job = answer["jobs"][0]
        wait = job["p50_unix_s"] - answer["at_unix_s"]
        ok = wait < 5 if starts else (
            MAINT_IN_S < wait < MAINT_IN_S + 60 * MAINT_LASTS_MIN + 60
            and "reservation" in job["why"])
        tap.result(ok, "reservations: when says of a job that %s that it %s" % (
            name, "starts" if starts else "waits, and why"), answer)


def driven(tap, slurm):
    jobs = {name: submit(slurm, [*words, "--hold", "--comment=schedsim"])
            for name, (words, _) in JOBS.items()}
    lines = ask(slurm, "drive", "--slurm", "--partition", "main", "-p", "sjf")
    wrong = [name for name, (_, starts) in JOBS.items()
             if ("would release %s " % jobs[name] in lines) != starts]
    tap.result(not wrong, "reservations: drive releases those alone that can "
               "start", (wrong, lines))
    for job in jobs.values():
        slurm.run("scancel", job)


def done(tap, slurm):
    jobs = {name: submit(slurm, words) for name, (words, _) in JOBS.items()}
    expected = {job: "RUNNING" if JOBS[name][1] else "PENDING"
                for name, job in jobs.items()}
    states, end = {}, time.monotonic() + 15
    while time.monotonic() < end and states != expected:
        time.sleep(0.3)
        states = {job: slurm.state_of(job) for job in jobs.values()}
    time.sleep(2)  # two passes more
    states = {job: slurm.state_of(job) for job in jobs.values()}
    tap.result(states == expected, "reservations: slurmctld starts the same "
               "jobs", (states, slurm.run("squeue", "-o", "%i %T %r").stdout))
    kept = json.loads(ask(slurm, "when", "--slurm", "--limits", "--json",
                          "--job", jobs["crosses"]))
    tap.result("reservation maint" in kept["jobs"][0]["why"],
               "reservations: when names the one that keeps a waiting job",
               kept)
    # Without the maintenance the job waits for the end of the shorter one.
    slurm.run("scancel", jobs["shorter"])
    slurm.run("scontrol", "delete", "ReservationName=maint")
    end = time.monotonic() + 15
    while (time.monotonic() < end
           and slurm.state_of(jobs["crosses"]) != "RUNNING"):
        time.sleep(0.3)
    tap.result(slurm.state_of(jobs["crosses"]) == "RUNNING",
               "reservations: without the maintenance, the job starts",
               slurm.run("squeue", "-o", "%i %T %r").stdout)


def state_of(slurm, home):
    """Returns what `when` saves of a Slurm, without what two moments do not share."""
    saved = os.path.join(home, "state.json")
    ask(slurm, "when", "--slurm", "--limits", "--save", saved)
    with open(saved, encoding="utf-8") as text:
        state = json.load(text)
    for key in ("at_unix_s", "notes", "ended"):
        del state[key]
    state["jobs"] = sorted((job["id"], job["gpus"], job["limit_s"],
                            job["submitted_unix_s"], job.get("held"),
                            str(job.get("after")), job.get("reservation"),
                            job["name"], "where" in job)
                           for job in state["jobs"])
    return state


def without_json(tap, slurm, home):
    """A Slurm without the JSON plugin gives the same state."""
    place = os.path.join(home, "bin")
    os.makedirs(place)
    for name in ("squeue", "sinfo", "scontrol"):
        with open(os.path.join(place, name), "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\ncase \"$*\" in *--json*) exit 1;; esac\n"
                      "exec %s \"$@\"\n" % shutil.which(name))
        os.chmod(os.path.join(place, name), 0o755)
    for more in ([], ["-d", "singleton"], ["-a", "2-9%3", "--hold"]):
        submit(slurm, ["-J", "x| y", "-t", "1-0", "-N2", *more])
    usual = slurm.env
    for _ in range(5): # Slurm may find another reason to wait in between
        states = []
        for path in ("", place + ":"):
            slurm.env = dict(usual, PATH=path + os.environ["PATH"])
            states.append(state_of(slurm, home))
        if states[0] == states[1]:
            break
        time.sleep(1)
    slurm.env = usual
    tap.result(states[0] == states[1] and len(states[0]["jobs"]) > 10,
               "a Slurm without JSON gives the same state", states)


def main():
    tap = Tap()
    why = one_node.why_not()
    if why:
        tap.skip("reservations of a real Slurm", why)
        return tap.exit_status()
    home = tempfile.mkdtemp(prefix="schedsim-reservations-")
    os.chmod(home, 0o755)
    slurm = one_node.Slurm(os.path.join(home, "slurm"))
    try:
        trouble = slurm.start()
        tap.result(not trouble, "reservations: a Slurm with two nodes starts",
                   trouble)
        if not trouble:
            reserve(slurm, "maint", "n1", "now+%d" % MAINT_IN_S,
                    MAINT_LASTS_MIN, "Flags=MAINT")
            reserve(slurm, "own", "n2", "now", 60)
            said(tap, slurm)
            driven(tap, slurm)
            done(tap, slurm)
            without_json(tap, slurm, home)
    finally:
        slurm.run("scancel", "-u", "root")  # else the steps outlive slurmd
        time.sleep(1)
        slurm.stop()
        shutil.rmtree(home, ignore_errors=True)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
