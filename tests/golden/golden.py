# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares whole runs on the sample traces, as text, with golden/NAME.txt: the
output of the run and, for each file, its length, its digest and the lines that
help to understand a difference. With --update the texts are written again; the
commit that does so must say why results change."""
import difflib
import hashlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

HERE = os.path.join(ROOT, "tests", "golden")
# One row: a file, and which of its lines are shown: the first n, or all lines
# before a line with this prefix.
FILES = [("summary.json", '  "by_'), ("jobs.csv", 6), ("attempts.csv", 6),
         ("decisions.log", 12)]


def configurations():
    with open(os.path.join(HERE, "runs.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not words[0].startswith("#"):
                yield words[0], words[1], words[2:]


def head(path, until):
    with open(path, "rb") as file:
        data = file.read()
    lines = data.decode().splitlines(keepends=True)
    n = until
    if isinstance(until, str):
        n = [line.startswith(until) for line in lines].index(True)
    return "-- %s: %d lines, sha256 %s\n%s" % (
        os.path.basename(path), len(lines), hashlib.sha256(data).hexdigest(),
        "".join(lines[:n]))


def transcript(trace, options):
    """Returns the text that is compared, with the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        done = subprocess.run(
            [PROGRAM, "run", os.path.join("traces", "samples", trace), *options,
             "--decisions", "--out", out, "--quiet"],
            cwd=ROOT, capture_output=True, text=True, check=False)
        text = "-- exit status %d\n%s" % (done.returncode, done.stderr)
        for name, until in FILES:
            if os.path.exists(os.path.join(out, name)):
                text += head(os.path.join(out, name), until)
    return text


def main():
    update = sys.argv[1:] == ["--update"]
    tap, known = Tap(), {"runs.txt", "golden.py"}
    # The launcher builds the program at its first use, and prints that.
    subprocess.run([PROGRAM, "--version"], capture_output=True, check=True)
    for name, trace, options in configurations():
        path = os.path.join(HERE, name + ".txt")
        known.add(name + ".txt")
        got, want = transcript(trace, options), ""
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(got)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                want = file.read()
        tap.result(got == want, name, "\n".join(difflib.unified_diff(
            want.splitlines(), got.splitlines(), "expected", "got",
            lineterm="", n=1)))
    strange = sorted(set(os.listdir(HERE)) - known)
    tap.result(not strange, "every text belongs to a run", " ".join(strange))
    sys.exit(tap.exit_status())


main()
