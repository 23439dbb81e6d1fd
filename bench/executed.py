#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how many C files and lines a command executes, and the files with the
fewest lines: the doors through which a reader of that command goes.

    meson setup build-cov -Db_coverage=true --buildtype=debug && ninja -C build-cov schedsim
    bench/executed.py build-cov [--files] run traces/samples/venus.csv -p fifo

Generated files and headers do not count."""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def executed(build, command):
    """Returns path from the root -> number of lines that the command ran."""
    found = {}
    with tempfile.TemporaryDirectory() as counts:
        # The counters are written below this folder, so runs do not add up.
        environment = dict(os.environ, GCOV_PREFIX=counts)
        done = subprocess.run([os.path.join(build, "schedsim"), *command],
                              env=environment, stdout=subprocess.DEVNULL,
                              cwd=ROOT, check=False)
        if done.returncode not in (0, 4, 10, 11, 12, 13, 14):
            sys.exit("executed.py: the command failed")
        for data in glob.glob(os.path.join(counts, "**", "*.gcda"),
                              recursive=True):
            notes = "/" + os.path.relpath(data, counts)[:-len("gcda")] + "gcno"
            os.symlink(notes, data[:-len("gcda")] + "gcno")
            text = subprocess.run(["gcov", "--json-format", "--stdout", data],
                                  cwd=build, capture_output=True, check=True)
            for line in text.stdout.splitlines():
                for file in json.loads(line)["files"]:
                    path = os.path.relpath(
                        os.path.normpath(os.path.join(build, file["file"])), ROOT)
                    lines = sum(row["count"] > 0 for row in file["lines"])
                    if lines and path.endswith(".c") and not path.startswith(".."):
                        found[path] = max(lines, found.get(path, 0))
    built = os.path.relpath(build, ROOT)
    return {path: lines for path, lines in found.items()
            if not path.startswith(built)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--files", action="store_true", help="list the files")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    lines = executed(os.path.abspath(args.build), args.command)
    print("%d files, %d lines" % (len(lines), sum(lines.values())))
    if args.files:
        for path in sorted(lines, key=lambda path: (lines[path], path)):
            print("%6d %s" % (lines[path], path))


main()
