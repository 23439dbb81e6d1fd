# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the benchmarks: runs programs and reads their CPU time and peak
memory, finds the shared data, prints tables in Markdown.

CPU time is user + system of the whole process, including its start. Wall time
says little on a machine that is shared."""

import csv
import json
import os
import platform
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEDSIM = os.environ.get("SCHEDSIM", os.path.join(ROOT, "build", "schedsim"))
SHARED = os.environ.get("SCHEDSIM_SHARED",
                        os.path.join(os.path.dirname(ROOT), "shared"))


class Failed(Exception):
    pass


def need_shared():
    """Ends the program with status 0 if there are no shared data."""
    if not os.path.isdir(SHARED):
        print("skipped: ../shared not present")
        sys.exit(0)


def shared(*parts):
    return os.path.join(SHARED, *parts)


def run(command, repeats=1, accepted=(0,), pick=min, out=None):
    """Runs a command `repeats` times. Returns the CPU seconds that `pick`
    chooses (the least by default), the most memory in MiB, and the standard
    output of the last run. With `out`, run i writes to the new folder out/i: a
    file system that has just deleted files takes longer to make new ones."""
    seconds, peak, text = [], 0, ""
    for i in range(repeats):
        to = ["--out", os.path.join(out, str(i))] if out else []
        with subprocess.Popen(command + to, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            text, words = process.stdout.read(), process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            raise Failed("%s: exit status %d: %s" % (
                " ".join(command), process.returncode, words.strip()))
        seconds.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return pick(seconds), peak, text


def replay(trace, options, repeats=1):
    """Runs the simulator. Returns CPU seconds, MiB and the summary. Accepts
    exit status 4 (some jobs can never start)."""
    cpu, peak, text = run([SCHEDSIM, "run", trace, "--quiet", "--json"] +
                          options, repeats, accepted=(0, 4))
    return cpu, peak, json.loads(text)


def policies():
    """Returns the names of all policies, as the program lists them."""
    _, _, text = run([SCHEDSIM, "list"])
    block = text.split("\n\n")[0].splitlines()
    if block[0].strip() != "policies":
        raise Failed("'schedsim list' does not begin with the policies")
    return [line.split()[0] for line in block[1:] if line.startswith("  ")]


def vc_cluster(path):
    """Returns the cluster that a vc_config.csv of Lucid describes: the nodes
    of 8 V100 of each virtual cluster."""
    with open(path, newline="") as rows:
        return ",".join("%s=%sx8:V100" % (row[""], row["num"])
                        for row in csv.DictReader(rows))


def build(source, folder):
    """Compiles a program of the shared data. Returns its path in the folder."""
    name = os.path.splitext(os.path.basename(source))[0]
    program = os.path.join(folder, name)
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run(compiler + ["-O3", "-march=native", source, "-lm", "-o",
                               program], check=True)
    return program


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as lines:
            model = next(line.split(":", 1)[1].strip() for line in lines
                         if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return "%d cores, %s, %s" % (os.cpu_count(), model,
                                 time.strftime("%Y-%m-%d", time.gmtime()))


def table(head, rows):
    """Prints a Markdown table. All columns but the first are right-aligned."""
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(" --- " if i == 0 else " ---: "
                         for i in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main(function):
    """Runs a function as the program, and reports its failure in one line."""
    try:
        status = function()
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError: # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141) # the status with which a shell reports SIGPIPE
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        print("%s: %s" % (os.path.basename(sys.argv[0]), error),
              file=sys.stderr)
        sys.exit(1)
