# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports which branches of the program the tests of a coverage build took, by
room.

    branches.py BUILD [FOLDER...]

BUILD is a build by gcc with -Db_coverage=true in which tests have run. Fails if a
room is under its bar. FOLDER: also prints each line there with a branch that was
not taken, and how often each of its branches was."""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Least share of the branches that the tests must take, %. A file belongs to the
# first of these whose name its path begins with.
BARS = [("sim/engine/", 95), ("policies/decide/", 95), ("base/state/", 95),
        ("policies/queue/order", 95), ("sim/verify/", 95),
        ("policies/outside/", 95), ("sim/judge/", 95)]
WHOLE = 88
# The most lines that may have a negative count.
DAMAGED = 20
# Macros with branches of their own, which no test of the line can take: the end
# of the program, a text cut at 60 bytes, an array that shrinks while it is read.
MACROS = re.compile(r"\b(CHECK(_IN)?|TEXT_ARGS|json_(array|object)_foreach)\(")


def counted(build):
    """Yields (path of a source, {line: counts of its branches})."""
    notes = sorted(glob.glob(os.path.join(build, "*schedsim*.p", "*.gcno")))
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", "--branch-probabilities"]
        + [os.path.relpath(path, build) for path in notes],
        cwd=build, capture_output=True, check=False)
    # A source that no test ran has no counts, and data have no functions.
    words = [line for line in done.stderr.decode(errors="replace").splitlines()
             if not re.search("cannot open data file|no functions found", line)]
    if done.returncode or words:
        sys.exit("gcov: %d: %s" % (done.returncode, "\n".join(words[:5])))
    for line in done.stdout.decode(errors="replace").splitlines():
        for file in json.loads(line)["files"] if line.startswith("{") else ():
            path = os.path.relpath(os.path.join(build, file["file"]), ROOT)
            # The build may be older than the removal of a file.
            if (not path.endswith(".c") or path.startswith(("..", "tests"))
                    or not os.path.exists(os.path.join(ROOT, path))):
                continue
            lines = {}
            for one in file["lines"]:
                lines.setdefault(one["line_number"], []).extend(
                    branch["count"] for branch in one["branches"])
            yield path, lines


def room_of(path):
    for name, _ in BARS:
        if path.startswith(name):
            return name
    return path.partition("/")[0] + "/"


def main():
    build, folders = os.path.abspath(sys.argv[1]), tuple(sys.argv[2:])
    taken, total, damaged = {}, {}, []
    for path, lines in counted(build):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read().splitlines()
        for number, counts in sorted(lines.items()):
            source = text[number - 1]
            if MACROS.search(source):
                continue
            if min(counts, default=0) < 0:
                damaged.append("%s:%d" % (path, number))
            for room in (room_of(path), "whole"):
                total[room] = total.get(room, 0) + len(counts)
                taken[room] = taken.get(room, 0) + sum(n > 0 for n in counts)
            if folders and path.startswith(folders) and 0 in counts:
                print("%s:%d: %s: %s" % (path, number, source.strip(), counts))
    bars = dict(BARS + [("whole", WHOLE)])
    rooms = [name for name, _ in BARS if name in total]
    rooms += sorted(set(total) - set(rooms) - {"whole"}) + ["whole"]
    # A program that a test kills while it writes its counts leaves some that do
    # not agree. A branch with a negative count is not taken.
    if damaged:
        print("negative counts in %d lines: %s" % (len(damaged), " ".join(damaged[:5])))
    if len(damaged) > DAMAGED:
        sys.exit("more than %d: threads counted on two processors" % DAMAGED)
    low = False
    for room in rooms:
        share = 100 * taken[room] / total[room]
        print("%-22s %5d of %5d branches, %5.1f %%%s" % (
            room.rstrip("/"), taken[room], total[room], share,
            ", bar %d %%" % bars[room] if room in bars else ""))
        low = low or share < bars.get(room, 0)
    sys.exit(low)


main()
