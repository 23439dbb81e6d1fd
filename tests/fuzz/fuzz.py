#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzes the readers: runs each libFuzzer target of a build for a time, from the
corpus that the tests replay.

    CC=clang meson setup build-fuzz -Dtests=enabled -Dfuzz=true \\
        -Db_sanitize=address,undefined -Db_lundef=false
    ninja -C build-fuzz
    python3 tests/fuzz/fuzz.py build-fuzz --seconds 120 [--keep N] [TARGET...]

An input that fails is left in BUILD/fuzz and named. --keep adds at most N small
inputs that reach new code to the last folder of the target's corpus; it is for
what has been looked at. Exit status 1 if an input fails."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Largest input that is kept, bytes; most bytes that are kept for a target.
KEPT_SIZE, KEPT_ALL = 2048, 24 * 1024


def targets(build):
    """Returns by target the folders of its corpus."""
    tests = json.loads(subprocess.run(
        ["meson", "introspect", build, "--tests"], check=True,
        capture_output=True, text=True).stdout)
    return {test["name"].split()[1]: test["cmd"][1:] for test in tests
            if "fuzz" in [s.split(":")[-1] for s in test["suite"]]}


def fuzz(build, name, folders, asked):
    """Fuzzes one target. Returns true if all was well."""
    place = os.path.join(build, "fuzz", name)
    made = tempfile.mkdtemp(prefix="schedsim-fuzz-" + name + "-")
    os.makedirs(place, exist_ok=True)
    program = os.path.join(build, "tests", "fuzz_" + name)
    with open(os.path.join(place, "log"), "w+", encoding="utf-8",
              errors="replace") as log:
        status = subprocess.run(
            [program, "-max_total_time=%d" % asked.seconds, "-timeout=25",
             "-rss_limit_mb=2560", "-print_final_stats=1", "-max_len=16384",
             "-close_fd_mask=1", "-artifact_prefix=" + place + "/",
             made] + folders,
            env=dict(os.environ, ASAN_OPTIONS="detect_leaks=1"), check=False,
            stdout=log, stderr=log).returncode
        log.seek(0)
        text = log.read()
    runs = re.findall(r"number_of_executed_units: *(\d+)", text) or ["?"]
    cover = re.findall(r"cov: (\d+)", text) or ["?"]
    kept = 0
    if asked.keep and status == 0:
        kept = keep(program, folders, made, asked.keep)
    shutil.rmtree(made)
    print("%s: %s executions, %s places reached%s%s" % (
        name, runs[-1], cover[-1], ", %d inputs kept" % kept if kept else "",
        "" if status == 0 else ", FAILED, see %s" % place), flush=True)
    if status:
        print("\n".join(line for line in text.splitlines() if re.search(
            r"ERROR|SUMMARY|runtime error|Test unit|CHECK|^ +#[0-6] ", line)))
    return status == 0


def keep(program, folders, made, most):
    """Copies the smallest inputs that reach new code to the corpus."""
    with tempfile.TemporaryDirectory() as less:
        subprocess.run([program, "-merge=1", "-close_fd_mask=1", less] +
                       folders + [made], check=False, capture_output=True)
        known = {os.path.basename(path) for path in sum(
            (glob.glob(folder + "/*") for folder in folders), [])}
        # libFuzzer names an input by its SHA-1: those of the corpus that it
        # takes again have other names there, so compare the bytes.
        old = {read(path) for folder in folders
               for path in glob.glob(folder + "/*") if os.path.isfile(path)}
        found = sorted((p for p in glob.glob(less + "/*")
                        if read(p) not in old and
                        os.path.basename(p) not in known),
                       key=os.path.getsize)
        n = size = 0
        for path in found:
            size += os.path.getsize(path)
            if n == most or size > KEPT_ALL or (
                    os.path.getsize(path) > KEPT_SIZE):
                break
            shutil.copy(path, os.path.join(
                folders[-1], os.path.basename(path)[:10]))
            n += 1
    return n


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--keep", type=int, default=0, metavar="N")
    parser.add_argument("targets", nargs="*")
    asked = parser.parse_intermixed_args()
    build = os.path.abspath(asked.build)
    known = targets(build)
    names = asked.targets or sorted(known)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(lambda name: fuzz(build, name, known[name], asked),
                             names))
    sys.exit(0 if all(good) else 1)


main()
