# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every command of docs/slurm.md that begins with "$ ", in its order, in
a Slurm of its own with two nodes, some running, waiting and marked jobs. Each
must end well; then no job may still be held. With -v it shows what they
print."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

JOBS = [  # GPUs, limit in minutes; the first two run, the others wait
    (8, 20), (4, 10), (8, 30), (8, 30), (2, 50)]


def commands():
    with open(os.path.join(ROOT, "docs", "slurm.md"), encoding="utf-8") as page:
        found = re.findall(r"^ {4}\$ (.*)$", page.read(), re.MULTILINE)
    return [line for line in found if "tour.py" not in line]


def submit(slurm, gpus, minutes, *words):
    return slurm.submit("#!/bin/sh\nexec sleep 600\n", "-N1",
                        "--gres=gpu:%d" % gpus, "-t", str(minutes), "-o",
                        "/dev/null", *words)


def prepare(home):
    """Puts the program and a script to submit where the commands find them."""
    os.symlink(PROGRAM, os.path.join(home, "schedsim"))
    work = os.path.join(home, "work")
    os.makedirs(work)
    with open(os.path.join(work, "train.sh"), "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\nexec sleep 60\n")
    return work


def run_command(slurm, home, work, command):
    env = dict(slurm.env, PATH=home + ":" + os.environ["PATH"],
               XDG_STATE_HOME=os.path.join(home, "user"), NO_COLOR="1")
    return subprocess.run(["bash", "-c", command], cwd=work, env=env,
                          capture_output=True, text=True, timeout=60,
                          check=False)


def tour(tap, slurm, home):
    work = prepare(home)
    ended = slurm.submit("#!/bin/sh\nexit 0\n", "--gres=gpu:1", "-t", "5",
                         "-o", "/dev/null")
    for gpus, minutes in JOBS:
        submit(slurm, gpus, minutes)
    marked = [submit(slurm, 1, 5 + i, "--hold", "--comment=schedsim")
              for i in range(3)]
    end = time.monotonic() + 10
    while time.monotonic() < end and (
            slurm.state_of(ended) != "COMPLETED" or "RUNNING" not in slurm.run(
                "squeue", "-h", "-o", "%T").stdout):
        time.sleep(0.1)
    for command in commands():
        done = run_command(slurm, home, work, command)
        tap.result(done.returncode == 0, "tour: " + command,
                   done.stdout + done.stderr)
        if "-v" in sys.argv:
            print(done.stdout + done.stderr)
    states = {job: slurm.run("squeue", "-h", "-j", job, "-o", "%T %r").stdout
              for job in marked}
    tap.result(all("Held" not in state for state in states.values()),
               "tour: no job is held at the end", states)


def main():
    tap = Tap()
    why = one_node.why_not()
    if why:
        tap.skip("the tour of docs/slurm.md", why)
        return tap.exit_status()
    home = tempfile.mkdtemp(prefix="schedsim-tour-")
    os.chmod(home, 0o755)
    slurm = one_node.Slurm(os.path.join(home, "slurm"))
    try:
        trouble = slurm.start()
        tap.result(not trouble, "tour: a Slurm with two nodes starts", trouble)
        if not trouble:
            tour(tap, slurm, home)
    finally:
        slurm.stop()
        shutil.rmtree(home, ignore_errors=True)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
