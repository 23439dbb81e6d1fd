# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the scripts of contrib/slurm with a real slurmctld and slurmd. A job
fails, the script of the epilog diagnoses the failure, the history has the job,
and a requeue or a drained node is proposed (a dry run) or carried out
(EXECUTE=yes). The advisor's note in the prolog comes from the history."""
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
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SCRIPTS = os.path.join(ROOT, "contrib", "slurm")
LIMIT_S = 20

# Output of a job before it fails. The words of error messages are those of the
# real software; the rest is invented.
KEY_ERROR = """echo 'step 10 loss 2.31'
cat <<'END'
Traceback (most recent call last):
  File "train.py", line 41, in <module>
    main()
  File "train.py", line 30, in main
    rate = settings["learning_rat"]
KeyError: 'learning_rat'
END
exit 1
"""
ECC = """echo 'step 10 loss 2.31'
echo 'RuntimeError: CUDA error: uncorrectable ECC error encountered' >&2
exit 1
"""
# A command that prints a line of the kernel with the current time.
KERNEL = """date -u "+%b %d %H:%M:%S n1 kernel: NVRM: Xid (PCI:0000:3b:00): 48, \
pid=4242, name=python, An uncorrectable double bit error (DBE) has been detected\"
"""
SEGFAULT = """date -u "+%b %d %H:%M:%S n1 kernel: Xid (x): 79[42]: segfault at \
0 ip 00007f12 sp 00007ffd error 4 in python3[400000+1000]"
"""
DOWNLOAD = """if [ -e {home}/second ]; then echo 'step 10 loss 2.31'; exit 0; fi
touch {home}/second
cat <<'END'
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    data = fetch(url)
requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url
END
exit 1
"""


class Site:
    """A Slurm with the scripts of contrib/slurm, and the files that they
    write."""

    def __init__(self, home):
        self.home = home
        self.conf = os.path.join(home, "schedsim.conf")
        self.slurm = one_node.Slurm(os.path.join(home, "slurm"), settings=(
            "EpilogSlurmctld=" + self.script("schedsim-job-end"),
            "PrologSlurmctld=" + self.script("schedsim-job-begin"),
            "JobCompType=jobcomp/filetxt",
            "JobCompLoc=%s/jobcomp.txt" % home))
        self.journal = os.path.join(home, "journal")
        self.history = os.path.join(home, "history.db")
        os.makedirs(os.path.join(home, "spool"))
        self.settings()

    def script(self, name):
        """Writes a script that sets what a site has in /etc and then runs
        ours, because slurmctld passes on no variables. Returns its path."""
        path = os.path.join(self.home, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\nexport PATH='%s' SLURM_CONF=%s/slurm/slurm.conf "
                      "SCHEDSIM_SLURM_CONF=%s\nexec %s/%s\n" % (
                          os.environ["PATH"], self.home, self.conf, SCRIPTS,
                          name))
        os.chmod(path, 0o755)
        return path

    def settings(self, **more):
        lines = {"SCHEDSIM": PROGRAM, "HISTORY": self.history, "CLUSTER": "ci",
                 "ACTIONS": os.path.join(SCRIPTS, "actions.json"),
                 "SPOOL": os.path.join(self.home, "spool"),
                 "JOURNAL": self.journal,
                 "STATE": self.home}
        lines.update(more)
        with open(self.conf, "w", encoding="utf-8") as out:
            out.write("PATH=%s:$PATH\n" % SCRIPTS)
            for key, value in lines.items():
                out.write("%s='%s'\n" % (key, value))

    def told(self):
        if not os.path.exists(self.journal):
            return []
        with open(self.journal, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line[:1] == "{"]

    def words(self):
        if not os.path.exists(self.journal):
            return "no journal"
        with open(self.journal, encoding="utf-8") as lines:
            return lines.read()[-3000:]

    def wait_for(self, job, n=1):
        """Waits for the n-th line of the journal about a job and returns it."""
        for _ in range(LIMIT_S * 10):
            lines = [l for l in self.told() if l.get("job") == job]
            if len(lines) >= n:
                return lines[n - 1]
            time.sleep(0.1)
        return {}

    def known(self):
        done = subprocess.run([PROGRAM, "mate", "history", "list", "--history",
                               self.history, "--json"], capture_output=True,
                              text=True, check=False)
        return {r["source_id"]: r
                for r in map(json.loads, done.stdout.splitlines())}


def a_failure_is_diagnosed_and_kept(tap, site):
    job = site.slurm.submit("#!/bin/sh\n" + KEY_ERROR, "--gres=gpu:2",
                            "--chdir", site.home, "-J", "x\tStdOut=/etc/passwd")
    line = site.wait_for(job)
    got = line.get("diagnosis", {})
    tap.result(line.get("state") == "FAILED" and
               got.get("error_type") == "user_script",
               "a failed job is diagnosed", site.words())
    tap.result(got.get("action") == "tell-user" and not got.get("executed"),
               "nothing is done for an error of the user", got)
    row = site.known().get(job, {})
    want = {"source": "slurm:ci", "state": "FAILED", "exit_code": "1:0",
            "hosts": "n1", "gpus": 2, "end": "failed", "user": "root"}
    wrong = {k: row.get(k) for k, v in want.items() if row.get(k) != v}
    tap.result(row and not wrong and "user_script" in row.get("failure", ""),
               "the history has the job and why it failed", row)


def the_accounting_is_imported(tap, site, jobs):
    """Checks that the program reads the unchanged output of sacct and squeue.
    """
    for name, argv, format_ in (
            ("sacct -P", ("sacct", "-c", "-P", "-o", "ALL"), "slurm"),
            ("squeue --json", ("squeue", "-t", "all", "--json"),
             "slurm-json")):
        path = os.path.join(site.home, format_ + ".dump")
        with open(path, "w", encoding="utf-8") as out:
            out.write(site.slurm.run(*argv).stdout)
        done = subprocess.run([PROGRAM, "trace", "info", path, "--json"],
                              capture_output=True, text=True, check=False)
        got = json.loads(done.stdout) if done.returncode == 0 else {}
        tap.result(got.get("format") == format_ and got.get("rows") == jobs,
                   "the output of %s is a trace" % name,
                   done.stdout + done.stderr)
    # Without an accounting database, only squeue prints the GPUs of a job.
    path = os.path.join(site.home, "other.db")
    done = subprocess.run([PROGRAM, "mate", "history", "import", "--history", path,
                           os.path.join(site.home, "slurm-json.dump")],
                          capture_output=True, text=True, check=False)
    tap.result(done.stdout.startswith("%d jobs added, 0 known already" % jobs),
               "history import takes the jobs", done.stdout + done.stderr)


def a_sound_job_is_kept(tap, site):
    job = site.slurm.submit("#!/bin/sh\necho 'step 1 loss 2'\n", "--gres=gpu:1",
                            "--chdir", site.home)
    line = site.wait_for(job)
    tap.result(line.get("state") == "COMPLETED" and line["diagnosis"] == {},
               "a job that completed is not diagnosed", site.words())
    tap.result(site.known().get(job, {}).get("end") == "completed",
               "the history has the job that completed", site.known())


def the_kernel_drains_a_node(tap, site):
    script = "#!/bin/sh\n" + ECC
    where = ("--gres=gpu:1", "--nodelist=n1", "--no-requeue", "--chdir",
             site.home)
    site.settings(EXECUTE="yes")
    line = site.wait_for(site.slurm.submit(script, *where))
    tap.result(line.get("diagnosis", {}).get("error_type") == "infrastructure"
               and site.slurm.node_state("n1") == "idle",
               "words that the job printed drain no node", line or site.words())
    for words, name in (
            (KERNEL.replace(": 48,", ": 31,"), "an Xid that a program causes"),
            (SEGFAULT, "a process with the name of an Xid")):
        site.settings(KERNEL_LOG=words, EXECUTE="yes")
        line = site.wait_for(site.slurm.submit(script, *where))
        tap.result(line and site.slurm.node_state("n1") == "idle",
                   "nor do they beside " + name, line or site.words())
    site.settings(KERNEL_LOG=KERNEL)
    line = site.wait_for(site.slurm.submit(script, *where))
    got = line.get("diagnosis", {})
    tap.result(got.get("action") == "replace-node" and
               "n1" in json.dumps(got.get("command", "")) and
               site.slurm.node_state("n1") == "idle",
               "a dry run proposes to drain the node", line or site.words())
    site.settings(KERNEL_LOG=KERNEL, EXECUTE="yes")
    line = site.wait_for(site.slurm.submit(script, *where))
    tap.result(site.slurm.node_state("n1").startswith("drain"),
               "with EXECUTE=yes the node is drained", line or site.words())


def forged_facts_do_nothing(tap, site):
    """Checks that names with line breaks, which look like lines of Slurm, are
    refused."""
    made = os.path.join(site.home, "forged")
    log = "/dev/null\n   "
    site.settings(KERNEL_LOG="echo %n", EXECUTE="yes")
    attacks = (
        ("-o", log + "NodeList=n1;touch${IFS}" + made),
        ("-o", log + "NumNodes=BASH_VERSINFO[$(touch${IFS}%s)]\n"
         "   TresPerNode=gres:gpu:2" % made),
        ("-o", log + "JobState=NODE_FAIL Reason=NodeDown"),
        ("-o", log + "UserId=root(0) GroupId=root(0)"),
        ("-J", "x\n   StdOut=/etc/passwd"),
        ("-J", "x\n\nJobId=1 JobName=y"))
    for attack in attacks:
        job = site.slurm.submit("#!/bin/sh\nexit 1\n", "--no-requeue",
                                "--chdir", site.home, *attack)
        line = site.wait_for(job)
        tap.result("twice" in line.get("error", "") and
                   not os.path.exists(made) and
                   "drain" not in site.slurm.node_state("n1,n2"),
                   "a forged line is refused: %r" % attack[1][-30:],
                   line or site.words())
    # Slurm shows facts of the whole array under its number, so the scripts must
    # name a job by its task.
    job = site.slurm.submit("#!/bin/sh\nexit $SLURM_ARRAY_TASK_ID\n",
                            "--array=0-1", "--chdir", site.home)
    states = []
    for _ in range(LIMIT_S * 10):
        states = sorted(l.get("state", "") for l in site.told()
                        if int(l["job"]) >= int(job))
        if len(states) == 2:
            break
        time.sleep(0.1)
    tap.result(states == ["COMPLETED", "FAILED"],
               "each task of an array has its own facts", site.words())


def a_restart_is_requeued(tap, site):
    script = "#!/bin/sh\n" + DOWNLOAD.format(home=site.home)
    where = ("--nodelist=n2", "--requeue", "--chdir", site.home)
    site.settings()
    job = site.slurm.submit(script, *where)
    line = site.wait_for(job)
    tap.result(line.get("diagnosis", {}).get("action") == "restart" and
               site.slurm.state_of(job) == "FAILED",
               "a dry run proposes to requeue the job", line or site.words())
    os.unlink(os.path.join(site.home, "second"))
    site.settings(EXECUTE="yes", CONFIDENCE="0.7")
    job = site.slurm.submit(script, *where)
    line = site.wait_for(job, 2)
    tap.result(line.get("state") == "COMPLETED",
               "with EXECUTE=yes the job is requeued and completes",
               site.words())


def the_prolog_notes_similar_jobs(tap, site):
    work = os.path.join(site.home, "work")
    shutil.copytree(os.path.join(ROOT, "tests", "advise", "repos", "vision"),
                    work)
    site.settings()
    fake = os.path.join(site.home, "bin", "python")
    os.makedirs(os.path.dirname(fake))
    with open(fake, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\nsleep 2\n")
    os.chmod(fake, 0o755)
    script = "#!/bin/sh\nexport PATH=%s:$PATH\npython main.py -a resnet50\n" \
        % os.path.dirname(fake)
    where = ("--nodelist=n2", "--gres=gpu:1", "--chdir", work)
    site.wait_for(site.slurm.submit(script, *where))
    job = site.slurm.submit(script, *where)
    note = ""
    for _ in range(100):
        facts = site.slurm.run("scontrol", "show", "job", job).stdout
        note = next((l.strip() for l in facts.splitlines()
                     if "AdminComment=" in l), "")
        if note:
            break
        time.sleep(0.1)
    tap.result("schedsim: 1 similar jobs ran" in note,
               "the prolog notes what similar jobs needed",
               note + "\n" + site.words())
    site.wait_for(job)


def main():
    tap = Tap()
    why = one_node.why_not()
    if why:
        tap.skip("beside a real Slurm", why)
        sys.exit(tap.exit_status())
    home = tempfile.mkdtemp(prefix="schedsim-slurm-")
    os.chmod(home, 0o755)
    site = Site(home)
    try:
        trouble = site.slurm.start()
        tap.result(trouble is None, "slurmctld and two slurmds are up", trouble)
        if trouble is None:
            a_failure_is_diagnosed_and_kept(tap, site)
            a_sound_job_is_kept(tap, site)
            the_accounting_is_imported(tap, site, 2)
            a_restart_is_requeued(tap, site)
            forged_facts_do_nothing(tap, site)
            the_prolog_notes_similar_jobs(tap, site)
            the_kernel_drains_a_node(tap, site)
    finally:
        site.slurm.stop()
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
