# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `schedsim mate watch` with a clock that the test controls, and writes logs
of jobs."""
import json
import os
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM  # noqa: E402

BEGIN = 1_700_000_000  # the first instant, seconds since 1970
LIMIT_S = 12 * float(os.environ.get("FAULT_LIMIT_S", "5"))
KILLER = os.environ.get("KILL_AT_LIBRARY", "")
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("SCHEDSIM_LLM", "OPENAI_", "KILL_AT"))
       and not k.lower().endswith("_proxy")}


class Watch:
    """A run of the program. `kill_at`: number of the durable call at which the
    program is killed; 0: never."""

    def __init__(self, *args, kill_at=0, env=None):
        env = dict(env or ENV)
        if kill_at:
            env.update(LD_PRELOAD=KILLER, KILL_AT=str(kill_at),
                       ASAN_OPTIONS=env.get("ASAN_OPTIONS", "")
                       + ":verify_asan_link_order=0")
        self.process = subprocess.Popen(
            [PROGRAM, "mate", "watch", *args, "--set", "stepped"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.said = ""

    def look(self, at):
        """Makes the program look once, at the time `at`. Returns false if the
        program has ended."""
        try:
            self.process.stdin.write(b"%d\n" % at)
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        while True:
            line = self.process.stdout.readline()
            if not line.startswith(b"{"):
                return line == b"%d\n" % at

    def end(self):
        """Ends the clock and thereby the program. Returns its exit status."""
        try:
            _, said = self.process.communicate(timeout=LIMIT_S)
        except BrokenPipeError:
            said = b""
        self.said = said.decode(errors="replace")
        return self.process.returncode

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.end()


def children():
    """Returns the CPU time (s) and the largest memory (MiB) of the programs
    that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(path, text, at, mode="a"):
    """Writes to a log, with `at` as the time of the change."""
    with open(path, mode, encoding="utf-8", newline="") as file:
        file.write(text)
    os.utime(path, (at, at))


def plain(step, steps, seconds):
    return ("[2026-01-05 10:00:00] INFO train: step %d/%d loss: %.4f "
            "lr: 3.0e-04 step_time: %.3f s\n"
            % (step, steps, 5 / (1 + step / 90), seconds))


def bar(step, steps, seconds):
    return ("\rEpoch 1: %3d%%|####      | %d/%d [05:11<1:02:03, %.2fs/it, "
            "loss=%.3f]" % (100 * step // steps, step, steps, seconds,
                            5 / (1 + step / 90)))


OUT_OF_MEMORY = """Traceback (most recent call last):
  File "train.py", line 88, in <module>
    main()
  File "train.py", line 61, in main
    loss = model(batch)
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. \
GPU 0 has a total capacity of 79.15 GiB of which 1.02 GiB is free.
"""
FELL_OFF = ("[ 1212.5] NVRM: Xid (PCI:0000:41:00): 79, pid=4242, GPU has "
            "fallen off the bus.\n"
            "RuntimeError: CUDA error: unspecified launch failure\n")
KEY_ERROR = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    lr = config["lr"]
KeyError: 'lr'
"""
FAILURES = {"memory": (OUT_OF_MEMORY, "framework"),
            "gpu": (FELL_OFF, "infrastructure"),
            "key": (KEY_ERROR, "user_script")}
