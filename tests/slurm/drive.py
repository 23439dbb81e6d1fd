# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a real slurmctld with `schedsim drive --slurm`.

  drive.py                         the test: the faults of SHORT
  drive.py faults [NAME ...]       all faults, about three minutes, or those
                                   named
  drive.py record DIR [POLICY ...] drives 300 jobs under each policy
                                   (drive_order.py)
  drive.py table DIR               prints the table of docs/validation.md

After each fault the same is checked (driven.py)."""
import argparse
import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..", "llm")]
import drive_order  # noqa: E402
import one_node  # noqa: E402
from driven import Case, Site, begun  # noqa: E402
import server  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402


def undo(case):
    return subprocess.run([PROGRAM, "drive", "--slurm", "--undo",
                           "--state-dir", case.state], env=case.env,
                          capture_output=True, text=True, check=False)


def nothing(tap, site):
    case = begun(site)
    case.drive()
    done = case.wait_done()
    rc = case.end()
    starts = [re.search(r"StartTime=(\S+)", case.shown(job)).group(1)
              for job in case.jobs]
    case.check(tap, "without a fault all jobs run, in the order of the policy",
               done and rc == 0 and starts == sorted(starts) and
               not case.guard_said())


def killed_between_log_and_act(tap, site):
    case = begun(site)
    site.fault("kill-before")
    case.drive()
    rc = case.driver.wait(timeout=20)
    started = case.n_started()
    case.wait_done()
    case.check(tap, "driver killed after the log, before the act: the guard "
               "releases all", rc == -9 and started == 0 and
               "all is released" in case.guard_said())


def killed_after_act(tap, site):
    case = begun(site)
    site.fault("kill-after")
    case.drive()
    rc = case.driver.wait(timeout=20)
    case.wait_done()
    case.check(tap, "driver killed after the act: the guard releases the rest",
               rc == -9 and "all is released" in case.guard_said())


def killed_while_jobs_are_held(tap, site):
    case = begun(site, took=3)
    case.drive()
    case.wait_started(2)
    case.driver.kill()
    case.driver.wait()
    case.wait_done()
    case.check(tap, "driver killed while jobs are held: the guard releases "
               "them", "all is released" in case.guard_said())


def killed_with_its_guard(tap, site):
    case = begun(site, took=5)
    case.drive(start_new_session=True)
    case.wait_started(2)
    children = subprocess.run(["pgrep", "-P", str(case.driver.pid)],
                              capture_output=True, text=True, check=False)
    for pid in children.stdout.split() + [str(case.driver.pid)]:
        os.kill(int(pid), signal.SIGKILL)
    case.driver.wait()
    time.sleep(4)
    held = sum("JobHeldUser" in case.shown(job) for job in case.jobs)
    undone = undo(case)
    case.check(tap, "driver and guard killed: jobs stay held until "
               "drive --undo releases them", held > 0 and
               undone.returncode == 0 and
               undone.stdout.count("released") == held)


def stopped(tap, site):
    case = begun(site, took=4)
    case.drive("--answer-within", "1s")
    case.wait_started(1)
    case.driver.send_signal(signal.SIGSTOP)
    released = site.wait_for(lambda: "all is released" in case.guard_said())
    case.driver.send_signal(signal.SIGCONT)
    rc = case.driver.wait(timeout=20)
    case.check(tap, "driver stopped: the guard releases all, and the driver "
               "ends when it wakes", released and rc == 1 and
               "the guard is gone" in case.said())


def restarted(tap, site):
    case = begun(site, took=2)
    case.drive()
    case.wait_started(2)
    case.driver.kill()
    case.driver.wait()
    case.drive()
    done = case.wait_done()
    time.sleep(2.5)
    second = subprocess.run([PROGRAM, *case.words], env=case.env,
                            capture_output=True, text=True, check=False)
    rc = case.end()
    case.check(tap, "driver killed and started again: the guard stands down; a "
               "second driver is refused", done and rc == 0 and
               not case.guard_said() and second.returncode == 1 and
               "another driver" in second.stderr)


def kill_slurmctld(site):
    pid = os.path.join(site.slurm.home, "run", "slurmctld.pid")
    with open(pid, encoding="ascii") as text:
        os.kill(int(text.read()), signal.SIGKILL)


def slurmctld_killed(tap, site):
    """It writes its state every five seconds."""
    case = begun(site, took=9)
    case.drive("--answer-within", "1s")
    case.wait_started(2)
    time.sleep(6)
    kill_slurmctld(site)
    time.sleep(4)
    alive = case.driver.poll() is None
    site.slurm.daemon("slurmctld")
    done = case.wait_done(60)
    rc = case.end()
    case.check(tap, "slurmctld killed and started again: the driver waits and "
               "goes on", alive and done and rc == 0 and
               "squeue" in case.said() and not case.guard_said())


def slurmctld_forgets(tap, site):
    """It is killed before it has written that a job was released, which waits
    for CPUs."""
    case = Case(site)
    for _ in range(2):
        case.job(1, 16, "-c", "16", held=False)
    case.wait_started(2)
    third = case.job(1, 1, "-c", "16")
    time.sleep(6)
    case.drive("--answer-within", "1s")
    site.wait_for(lambda: "release " + third in case.said())
    kill_slurmctld(site)
    site.slurm.daemon("slurmctld")
    done = case.wait_done(60)
    rc = case.end()
    case.check(tap, "slurmctld killed before it kept a release: the job is "
               "released again", done and rc == 0 and
               case.said().count("release " + third) == 2)


def network_lost(tap, site):
    case = begun(site, took=2)
    case.drive("--answer-within", "1s")
    case.wait_started(1)
    site.fault("hang")
    time.sleep(4)
    alive = case.driver.poll() is None
    site.mend()
    done = case.wait_done()
    rc = case.end()
    case.check(tap, "commands hang: each is ended, the driver waits and goes "
               "on", alive and done and rc == 0 and
               "did not answer in time" in case.said())


def slurmctld_hangs(tap, site):
    case = begun(site, took=2)
    case.drive("--answer-within", "1s")
    case.wait_started(1)
    pid = os.path.join(site.slurm.home, "run", "slurmctld.pid")
    with open(pid, encoding="ascii") as text:
        ctld = int(text.read())
    os.kill(ctld, signal.SIGSTOP)
    time.sleep(4)
    os.kill(ctld, signal.SIGCONT)
    done = case.wait_done()
    rc = case.end()
    case.check(tap, "slurmctld hangs for 4 s: the driver waits and goes on",
               done and rc == 0 and "did not answer in time" in case.said())


def disk_full(tap, site):
    case = begun(site, took=2)
    case.drive(preexec_fn=lambda: signal.signal(signal.SIGXFSZ,
                                                signal.SIG_IGN))
    case.wait_started(2)
    log = os.path.join(case.state, "decisions.jsonl")
    size = os.path.getsize(log) + 10
    resource.prlimit(case.driver.pid, resource.RLIMIT_FSIZE, (size, size))
    rc = case.driver.wait(timeout=30)
    case.check(tap, "no room for the log: nothing is decided, and after "
               "--release-after all is released",
               rc == 1 and "the log of decisions" in case.said() and
               "undo: released" in case.said())


def full_from_the_start(tap, site):
    case = begun(site)
    case.drive("--decision-log", "/dev/full")
    rc = case.driver.wait(timeout=20)
    with open(os.path.join(case.state, "decisions.jsonl"), "w",
              encoding="utf-8") as log:
        log.write('{"drive":1,"by":"release","options":{}}\n')
    case.check(tap, "no room for the log at the start: all is released, exit "
               "status 1", rc == 1 and "No space left" in case.said())


def race(tap, site):
    case = Case(site)
    gone, freed, last = (case.job(2) for _ in range(3))
    site.fault("race", "%s %s\n%s release %s\n" % (
        shutil.which("scancel"), gone, shutil.which("scontrol"), freed))
    case.drive()
    done = case.wait_done()
    rc = case.end()
    case.check(tap, "a job is cancelled, another released by its user, between "
               "plan and act: the rest is released", done and rc == 0 and
               "asked again" in case.said() and
               last in case.said("started"), cancelled=(gone,))


def held_again(tap, site):
    """The job starts by its GPUs, but not by its CPUs, so that its user can
    hold it after it was released."""
    case = Case(site)
    first, second = (case.job(1, 3, "-c", "16") for _ in range(2))
    third = case.job(1, 1, "-c", "16")
    case.drive()
    case.wait_started(2)
    site.slurm.run("scontrol", "uhold", third)
    time.sleep(3.5)
    rc = case.end()
    undone = undo(case)
    states = case.states([first, second, third])
    reason = "JobHeldUser" in case.shown(third)
    site.slurm.run("scontrol", "release", third)
    case.check(tap, "a user holds a job again after it was released: neither "
               "the driver nor undo releases it", rc == 0 and
               undone.returncode == 0 and reason and
               states == ["COMPLETED", "COMPLETED", "PENDING"])


def held_by_operator(tap, site):
    case = begun(site, n=3, took=2)
    case.drive()
    case.wait_started(2)
    site.slurm.run("scontrol", "hold", case.jobs[2])
    time.sleep(3)
    rc = case.end()
    held = "JobHeldAdmin" in case.shown(case.jobs[2])
    site.slurm.run("scontrol", "release", case.jobs[2])
    case.check(tap, "an operator holds a job: neither the driver nor its end "
               "releases it", rc == 0 and held)


def requeued(tap, site):
    case = Case(site, "srtf", "--requeue")
    long = case.job(8, 12, "-N", "2", "--gres=gpu:8", "-t", "60")
    case.drive()
    case.wait_started(1)
    case.job(8, 1, "-t", "1")
    done = case.wait_done(60)
    rc = case.end()
    case.check(tap, "the policy stops a job: it is put back, and runs again "
               "after the other", done and rc == 0 and
               "requeue " + long in case.said(), twice=(long,))


def requeued_too_late(tap, site):
    """The job ends between the plan and its requeue."""
    case = Case(site, "srtf", "--requeue")
    long = case.job(8, 3, "-N", "2", "--gres=gpu:8", "-t", "60")
    site.fault("late", "sleep 4\n")
    case.drive()
    case.wait_started(1)
    case.job(8, 1, "-t", "1")
    done = case.wait_done(60)
    rc = case.end()
    case.check(tap, "the job that the policy stops has just ended: it is not "
               "run again", done and rc == 0 and
               "requeue " + long in case.said() and
               os.path.exists(os.path.join(site.home, "raced")))


def nice_of(case):
    return [int(re.search(r"Nice=(-?\d+)", case.shown(job)).group(1))
            for job in case.jobs]


def nice_restored(tap, site):
    """Three wait behind one; the shortest came last."""
    case = Case(site, "sjf", "--form", "nice")
    case.job(8, 8, "-N", "2", "--gres=gpu:8", "-t", "30", held=False)
    case.wait_started(1)
    for limit, nice in ((30, 0), (20, 5), (1, 0)):
        case.job(8, 0.5, "-N", "2", "--gres=gpu:8", "-t", str(limit),
                 "--nice=%d" % nice, held=False, mark=None)
    case.strangers()
    case.drive()
    before = [0, 0, 5, 0]
    site.wait_for(lambda: nice_of(case) != before, 5)
    changed = nice_of(case)
    case.driver.kill()
    case.driver.wait()
    restored = site.wait_for(lambda: nice_of(case) == before, 6)
    case.check(tap, "by nice: jobs get the order of the policy, and their own "
               "nice back after the driver was killed", restored and
               changed[3] == 0 and changed[1] > changed[2] > 4)


def nice_orders(tap, site):
    case = Case(site, "sjf", "--form", "nice")
    case.job(8, 4, "-N", "2", "--gres=gpu:8", "-t", "30", held=False)
    case.wait_started(1)
    for limit in (30, 20, 1):
        case.job(8, 0.5, "-N", "2", "--gres=gpu:8", "-t", str(limit),
                 held=False)
    case.drive()
    done = case.wait_done()
    rc = case.end()
    first, second, third, fourth = case.jobs
    case.check(tap, "by nice: Slurm starts the jobs in the order of the policy",
               done and rc == 0 and case.said("started").split() ==
               [first, fourth, third, second])


def hostile_names(tap, site):
    case = Case(site)
    made = os.path.join(site.home, "made")
    for name in ("$(touch %s)" % made, "`touch %s`" % made, "; touch %s" % made,
                 "1,2,3 release\n", "x\x1b[2J"):
        case.job(1, 0.2, "-J", name)
    other = case.submit(1, 0.2, "-J", "9", mark="schedsimx a,schedsim;schedsim")
    case.drive()
    done = case.wait_done()
    rc = case.end()
    held = site.slurm.state_of(other) == "PENDING"
    site.slurm.run("scancel", other)
    case.check(tap, "names and comments of jobs reach no command",
               done and rc == 0 and held and not os.path.exists(made) and
               "\x1b" not in case.said())


def limit_by_hour(tap, site):
    case = Case(site)
    for _ in range(6):
        case.job(1, 0.2)
    case.drive("--max-actions-per-hour", "4")
    case.wait_started(4)
    time.sleep(1.5)
    held = case.states().count("PENDING")
    rc = case.end()
    case.check(tap, "no more jobs than --max-actions-per-hour are changed, and "
               "the end releases the rest", held == 2 and rc == 0)


LONG_REPO, SHORT_REPO = "reinforcement", "vision"
REPOS = os.path.join(ROOT, "tests", "advise", "repos")


def evidence_of(job, repo):
    with open(os.path.join(REPOS, repo + ".json"), encoding="utf-8") as text:
        return job, os.path.join(REPOS, repo), json.load(text)["command"]


def write_rows(path, *rows):
    with open(path, "w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)


def write_past(case):
    """A log of jobs of two projects, of five minutes and of fifty."""
    past = os.path.join(case.dir, "past.csv")
    jobs, evidence = [], []
    for i in range(6):
        repo = (SHORT_REPO, LONG_REPO)[i % 2]
        jobs.append(("p%d" % i, 1767500000 + i, (300, 3000)[i % 2] + i, 8,
                     "u%d" % (i % 2), "main", 3600))
        evidence.append(evidence_of("p%d" % i, repo))
    write_rows(past, ("job_id", "submitted_unix_s", "duration_s", "gpus",
                      "user", "vc", "declared_s"), *jobs)
    write_rows(past[:-4] + ".evidence.csv",
               ("job_id", "directory", "command"), *evidence)
    return past


def model(handler, body, n):
    """Stands in for a language model: confirms what the advisor's rules found,
    where the text that it was shown has it."""
    told = body["messages"][1]["content"]
    command, sources = told.splitlines()[0], told.split("== ")[-1]
    found = re.findall(r"^(\w+) = (.*) \(([\w.]+)(?::\d+)?\)$", told,
                       re.MULTILINE)
    lines = ["%s | %s | %s | %s" % (
        field, value, "command" if value in command else place, value)
        for field, value, place in found
        if value in command or value in sources]
    return 200, {}, server.chat(json.dumps(
        {"thought": "", "look": None, "answer": lines}))


def schedmate(tap, site):
    """Two jobs of equal limits wait; the one that came last is of the project
    whose jobs were short, as the language model recognises."""
    asked = []

    def answer(handler, body, n):
        asked.append(body["messages"][1]["content"].splitlines()[0])
        return model(handler, body, n)

    endpoint = server.serve(
        type("Handler", (server.Handler,), {"models": {"*": answer}}))
    case = Case(site, "sjf+schedmate")
    past, now = write_past(case), os.path.join(case.dir, "now.csv")
    case.job(8, 2, "-N", "2", "--gres=gpu:8", "-t", "30", held=False)
    case.wait_started(1)
    for _ in range(2):
        case.job(8, 0.5, "-N", "2", "--gres=gpu:8", "-t", "30")
    write_rows(now, ("job_id", "directory", "command"), *(
        evidence_of(job, repo)
        for job, repo in zip(case.jobs[1:], (LONG_REPO, SHORT_REPO))))
    case.words += ["--schedmate", "fidelity=replay,latency_s=0", "--train",
                   past, "--evidence", now, "--evidence-root", REPOS, "--llm",
                   "http:base_url=http://127.0.0.1:%d/v1,model=m"
                   % endpoint.server_port]
    case.drive()
    done = case.wait_done()
    rc = case.end()
    first, longer, shorter = case.jobs
    case.check(tap, "SchedMate's advisor, asked by HTTP, orders the jobs by "
               "what such jobs needed", done and rc == 0 and
               case.said("started").split() == [first, shorter, longer] and
               len(set(asked)) == 2)
    endpoint.shutdown()


class Jumping(one_node.Slurm):
    """A Slurm whose clock is set while it runs."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.clock = os.path.join(self.home, "offset")
        self.set_clock(0)

    def set_clock(self, seconds):
        with open(self.clock + ".new", "w", encoding="ascii") as out:
            out.write("%+d" % seconds)
        os.rename(self.clock + ".new", self.clock)

    def daemon(self, *argv):
        library = subprocess.run(
            ["faketime", "-f", "+0", "printenv", "LD_PRELOAD"],
            capture_output=True, text=True, check=True).stdout.strip()
        kept = self.env
        self.env = dict(kept, LD_PRELOAD=library, FAKETIME_NO_CACHE="1",
                        FAKETIME_TIMESTAMP_FILE=self.clock,
                        FAKETIME_DONT_FAKE_MONOTONIC="1")
        super().daemon(*argv)
        self.env = kept


def clock_jumps(tap, site):
    """What Slurm has stamped before its clock goes back begins only when the
    clock is there again, with or without a driver; so it goes back by 8 s."""
    case = begun(site, n=8, took=2)
    case.drive()
    case.wait_started(1)
    for seconds in (1200, 1192):
        site.slurm.set_clock(seconds)
        time.sleep(3)
    done = case.wait_done(60)
    rc = case.end()
    case.check(tap, "Slurm's clock jumps by 20 min forwards, and 8 s back: "
               "jobs go on", done and rc == 0 and not case.guard_said())


SHORT = (nothing, killed_between_log_and_act, killed_after_act, stopped, race,
         nice_restored, schedmate)
LONG = SHORT + (
    killed_while_jobs_are_held, killed_with_its_guard, restarted,
    slurmctld_killed, slurmctld_forgets, slurmctld_hangs, network_lost,
    disk_full, full_from_the_start, held_again, held_by_operator, requeued,
    requeued_too_late, nice_orders, hostile_names, limit_by_hour)


def run_faults(tap, faults, kind=one_node.Slurm):
    home = tempfile.mkdtemp(prefix="schedsim-drive-")
    os.chmod(home, 0o755)
    site = Site(home, kind)
    try:
        why = site.slurm.start()
        tap.result(not why, "a Slurm of two nodes starts", why)
        for fault in faults if not why else ():
            fault(tap, site)
    finally:
        site.slurm.stop()
        shutil.rmtree(home, ignore_errors=True)


def test(faults):
    tap = Tap()
    why = one_node.why_not()
    if why:
        tap.skip("driving a real Slurm", why)
        return tap.exit_status()
    run_faults(tap, [f for f in faults if f is not clock_jumps])
    if clock_jumps in faults:
        if shutil.which("faketime"):
            run_faults(tap, [clock_jumps], Jumping)
        else:
            tap.skip("Slurm's clock jumps", "not installed: faketime")
    return tap.exit_status()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?",
                        choices=("record", "table", "faults"))
    parser.add_argument("words", nargs="*", metavar="WORD")
    args = parser.parse_args()
    known = {fault.__name__: fault for fault in LONG + (clock_jumps,)}
    if args.what == "record":
        for name in args.words[1:] or drive_order.POLICIES:
            drive_order.record_policy(args.words[0], name)
    elif args.what == "table":
        drive_order.print_table(args.words[0])
    elif args.what == "faults":
        sys.exit(test([known[name] for name in args.words or known]))
    else:
        sys.exit(test(SHORT))


if __name__ == "__main__":
    main()
