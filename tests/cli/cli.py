# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs transcripts. A transcript has "$ command" and the lines that the
command must print: stdout, stderr, then "[exit N]" unless N is 0. A line "..."
stands for any lines. The name of the program is schedsim, and commands run in
the root of the tree. tests/docs runs the commands of README.md and docs."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402


# SCHEDSIM_TESTS=short runs these: they read and refuse what users write.
READERS = ("accounts", "any_trace", "classes", "cluster_files", "configured",
           "drive", "escape", "fidelity",
           "gate", "input", "keys", "limits", "meant", "quotas", "resample",
           "verify", "what_if", "when")


def sections(text):
    """Yields (command, expected lines)."""
    command, lines = None, []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, lines
            command, lines = line[2:], []
        elif command is not None and not line.startswith("#"):
            lines.append(line)
    if command:
        yield command, lines


def run(command, out):
    env = dict(os.environ, OUT=out, NO_COLOR="1", LC_ALL="C",
               PATH=out + ":" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env,
                          capture_output=True, text=True, timeout=240,
                          check=False)
    lines = (done.stdout + done.stderr).splitlines()
    if done.returncode:
        lines.append("[exit %d]" % done.returncode)
    return lines, done.returncode


def matches(want, got):
    parts = ["(?:.*\n)*" if line == "..." else re.escape(line) + "\n"
             for line in want]
    return re.fullmatch("".join(parts), "".join(l + "\n" for l in got))


def transcripts(tap, out):
    short = os.environ.get("SCHEDSIM_TESTS") == "short"
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "cli", "*.t"))):
        if short and os.path.basename(path)[:-2] not in READERS:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for command, want in sections(text):
            while want and not want[-1]:
                want.pop()
            got, _ = run(command, out)
            tap.result(matches(want, got), "%s: %s" % (
                os.path.basename(path), command), "expected:\n%s\ngot:\n%s" % (
                    "\n".join(want), "\n".join(got)))


def main():
    tap = Tap()
    out = tempfile.mkdtemp()
    before = set(os.listdir(ROOT))
    try:
        os.symlink(PROGRAM, os.path.join(out, "schedsim"))
        transcripts(tap, out)
    finally:
        shutil.rmtree(out)
    left = sorted(set(os.listdir(ROOT)) - before)
    tap.result(not left, "the commands leave nothing in the root of the tree",
               " ".join(left))
    sys.exit(tap.exit_status())


main()
