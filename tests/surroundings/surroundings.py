# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the program does not depend on its surroundings. Without an
environment, in other time zones, locales, homes and folders, and at another
time, it writes the same bytes. It calls no function that returns the date, the
host, the network or random numbers."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SURROUNDINGS = [
    ("once more, a second later", {}, None),
    ("another time zone", {"TZ": "Pacific/Chatham"}, None),
    ("another locale", {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}, None),
    ("a home that is not there", {"HOME": "/nonexistent", "USER": "x"}, None),
    ("another folder", {}, "/"),
    ("a processor without the widest registers", {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512DQ,-AVX512VL"},
     None),
    ("a processor without wide registers", {
        "GLIBC_TUNABLES":
            "glibc.cpu.hwcaps=-AVX512F,-AVX512DQ,-AVX512VL,-AVX2"},
     None),
    ("a full environment", dict(os.environ), None),
]
# FORBIDDEN are functions that a simulation may not call. LIVE are files that
# may call them, because they do not simulate: the progress line on a terminal,
# policies as programs, whose time is limited, and SchedMate on live logs and
# models.
FORBIDDEN = re.compile(
    r"(time|gettimeofday|clock_gettime|(clock_)?nanosleep|localtime\w*|mktime|"
    r"ftime|timespec_get|tzset|socket|"
    r"connect|bind|send\w*|recv\w*|getaddrinfo|gethostbyname\w*|gethostname|"
    r"uname|s?rand\w*|getrandom|getentropy|setlocale|getpid|getuid|getlogin\w*|"
    r"system|popen|fork|exec\w+)$")
LIVE = {"policies_outside_child.c.o", "sim_judge_cell.c.o",
        "schedmate_llm_llm_http.c.o", "schedmate_live_action_gate.c.o",
        "schedmate_live_backend.c.o", "commands_cmd_track.c.o",
        "commands_terminal.c.o", "commands_study_journal_write.c.o",
        "commands_study_cmd_size.c.o", "commands_study_cmd_worth.c.o",
        "commands_study_runs.c.o",
        "commands_study_sweep_progress.c.o",
        "schedmate_watch_metrics_server.c.o",
        "schedmate_watch_program_output.c.o", "schedmate_watch_service.c.o",
        "schedmate_watch_watch_clock.c.o", "sim_drive_drive_guard.c.o"}


def small_trace(folder):
    """Writes the first 60 jobs of a sample. Returns its path."""
    path = os.path.join(folder, "trace.csv")
    with open(os.path.join(ROOT, "traces", "samples", "native.csv"),
              encoding="utf-8") as source, \
            open(path, "w", encoding="utf-8") as target:
        target.writelines(source.readlines()[:61])
    return path


def everything(trace, folder, environment, cwd):
    """Runs some commands. Returns what they print and write, by name: exit
    status and output of a command, digest of a file."""
    out, written = os.path.join(folder, "out"), {}
    shutil.rmtree(out, ignore_errors=True)
    commands = [["--version"], ["list"],
                ["run", trace, "--format", "native", "--cluster", "2x8",
                 "--policy", "srtf", "--seed", "3", "--decisions", "--timeline",
                 "--out", out]]
    for command in commands:
        done = subprocess.run([PROGRAM, *command], env=environment,
                              cwd=cwd or folder, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
        written[command[0]] = (done.returncode, done.stdout, done.stderr)
    for name in sorted(os.listdir(out)) if os.path.isdir(out) else []:
        with open(os.path.join(out, name), "rb") as file:
            # The last object of the manifest differs: it says where the run was
            # made.
            text = file.read().partition(b'\n  "provenance": {')[0]
            written[name] = hashlib.sha256(text).hexdigest()
    return written


def calls():
    """Returns pairs of an object file and a function that the file calls but
    does not define."""
    core = os.path.join(os.path.dirname(PROGRAM), "libschedsim-core.a")
    lines = subprocess.run(["nm", "-A", "--undefined-only", core],
                           capture_output=True, text=True, check=True).stdout
    found = [re.search(r"([^/:]+\.o):.* U (\w+)", line)
             for line in lines.splitlines()]
    return {match.groups() for match in found if match}


def main():
    tap, folder = Tap(), tempfile.mkdtemp()
    try:
        trace = small_trace(folder)
        first = everything(trace, folder, {}, None)
        tap.result(all(first[c][0] in (0, 4) and first[c][1]
                       for c in ("--version", "list", "run"))
                   and len(first) >= 7,
                   "it runs without an environment", str(first)[:2000])
        time.sleep(1.1)  # the time differs now even on a clock of whole seconds
        for name, environment, cwd in SURROUNDINGS:
            again = everything(trace, folder, environment, cwd)
            tap.result(again == first, "the same with " + name,
                       "differ: %s" % [k for k in first
                                       if again.get(k) != first[k]])
    finally:
        shutil.rmtree(folder)
    if shutil.which("nm"):
        bad = sorted("%s: %s" % call for call in calls()
                     if FORBIDDEN.match(call[1]) and call[0] not in LIVE)
        tap.result(not bad and ("base_memory.c.o", "malloc") in calls(),
                   "no call asks for the date, the host, the network or chance",
                   " ".join(bad))
    else:
        tap.skip("calls of the program", "no nm")
    sys.exit(tap.exit_status())


main()
