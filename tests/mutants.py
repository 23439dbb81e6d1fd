# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants faults in the code, one at a time, and lists those that no test finds.

usage: mutants.py SCRATCH [-n COUNT] [--seed N] [--least PERCENT] [FILE...]

SCRATCH: a folder for a copy of the tree and its build, made if absent. FILE:
sources below the root; by default all of engine, ledger, decisions, policies and
verify, from which faults are drawn in turn. One that does not compile, or gives
the same machine code, is drawn again. The tests run in a plain build; for what they
do not find, a few run again with sanitizers. Exit status 6 if the tests find fewer
than PERCENT (default 92)."""
import argparse
import collections
import glob
import itertools
import json
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ["sim/engine", "base/state", "policies/decide", "policies", "sim/verify"]
# The tests that may find a fault anywhere: the cheapest first, then those that find
# most for their time. Those of the file's folder and name come before.
TESTS = ["probes engine", "unit plan", "unit board", "scenarios all", "golden", "random",
         "warm start", "laws quota", "elastic", "gate", "laws deadlines", "laws lucid",
         "laws sharing", "capacity", "reproduction", "replay", "differential naive",
         "conform placers", "conform chains", "unit report", "laws runs", "conform settle",
         "failures", "state", "conform policies", "explain", "cli"]
TESTS_OF = {"sim/verify": ["books", "random", "cli", "state", "damaged"]}
# What is left runs these in a build that tells leaks and accesses out of bounds.
SANITIZED = ["probes engine", "probes faults", "scenarios all", "random"]
# Results are written to disk with care, which takes most of the time.
CARELESS = "int fsync(int fd); int fsync(int fd) { return fd < 0 ? -1 : 0; }"
# (pattern, replacement); one place of a line is changed.
OPERATORS = [(r"(?<![<>=!-])<(?![<=])", "<="), (r"(?<![<>=!-])>(?![>=])", ">="),
             (r"<=", "<"), (r"(?<!>)>=", ">"), (r"==", "!="), (r"!=", "=="),
             (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
             (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"\btrue\b", "false"),
             (r"\bfalse\b", "true"), (r"\b0\b", "1"), (r"\b1\b", "0"),
             (r"\+=", "-="), (r"-=", "+="),
             (r"\bif \((?!\()(.*)\)( \{)?$", r"if (!(\1))\2"),
             (r"\bbreak;", ";"), (r"\bcontinue;", ";"),
             (r"^(    +)(?!return|break|continue|else|case|goto)[a-z][\w>.\[\]-]*"
              r"(\([^;{}]*\)| [-+|&]?= [^;{}]*);$", r"\1;")]
# No process of a test may use so many seconds of the processor, and others 20: a loop
# without an end is found, a busy machine finds nothing.
SECONDS = {"gate": 90, "conform policies": 60}


def call(words, cwd, **more):
    """Returns whether a command succeeds."""
    null = subprocess.DEVNULL
    return subprocess.run(words, cwd=cwd, stdin=null, stdout=null, stderr=null,
                          check=False, **more).returncode == 0


def room_of(path):
    return max((r for r in ROOMS if path.startswith(r + "/")), key=len, default="")


def read(path):
    with open(path, encoding="latin-1", newline="") as file:
        return file.read()


def write(path, lines):
    with open(path, "w", encoding="latin-1") as file:
        file.write("\n".join(lines))


def places(path):
    """Returns (line number, line, changed line) for all faults of a file. Comments,
    texts, CHECKs and preprocessor lines stay as they are."""
    found, inside, body = [], False, False
    for n, line in enumerate(read(path).split("\n")):
        comment = inside or "/*" in line
        inside = (inside or "/*" in line) and "*/" not in line
        body = (body or line == "{") and line != "}"
        if comment or not body or re.match(r'#|.*(CHECK|")', line):
            continue
        for pattern, new in OPERATORS:
            for match in re.finditer(pattern, line):
                found.append((n, line, line[:match.start()] + match.expand(new)
                              + line[match.end():]))
    return found


class Build:
    """A build of the copy, and its tests."""

    def __init__(self, scratch, name, *options):
        self.root = os.path.join(scratch, "tree")
        self.folder = os.path.join(self.root, name)
        if not os.path.exists(os.path.join(self.folder, "build.ninja")):
            call(["meson", "setup", self.folder, "-Dtests=enabled", *options], self.root)
        if not self.make("schedsim"):
            sys.exit("mutants: the copy does not compile")
        self.tests = {test["name"]: test for test in json.loads(
            subprocess.check_output(["meson", "introspect", self.folder, "--tests"]))}
        self.good = {} # by test that has failed: it passes without a fault
        self.careless = os.path.join(scratch, "careless.so")

    def make(self, target):
        return call(["ninja", target], self.folder)

    def code_of(self, name): # the machine code; None if it does not compile
        found = glob.glob("%s/*.p/%s.o" % (self.folder, name.replace("/", "_")))[0]
        return read(found) if self.make(os.path.relpath(found, self.folder)) else None

    def passes(self, name):
        test = self.tests[name]
        program = "schedsim" if test["cmd"][0].endswith("python3") else \
            os.path.relpath(test["cmd"][0], self.folder)
        return self.make(program) and call(
            ["timeout", "-sKILL", "1800", "prlimit", "--cpu=%d:" % SECONDS.get(name, 20),
             *test["cmd"]], test["workdir"] or self.root,
            env={**os.environ, **test["env"], "LD_PRELOAD": self.careless})

    def finder(self, names, path, without, fault):
        """Returns the test that fails with the fault and passes without it."""
        for name in names:
            if name not in self.tests or not self.good.get(name, True) \
                    or self.passes(name):
                continue
            if name not in self.good:
                write(path, without)
                self.good[name] = self.passes(name)
                write(path, fault)
            if self.good[name]:
                return name
            print("left out, it fails without a fault: " + name)
        return None


def copied(scratch):
    """Copies the tree. Returns a plain build and one with sanitizers."""
    root = os.path.join(scratch, "tree")
    os.makedirs(root, exist_ok=True)
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT)
    subprocess.run(["rsync", "-rlp", "--checksum", "--from0", "--files-from=-",
                    ROOT + "/", root], input=files, check=True)
    subprocess.run(["cc", "-xc", "-", "-shared", "-fPIC", "-o",
                    os.path.join(scratch, "careless.so")],
                   input=CARELESS, text=True, check=True)
    return (Build(scratch, "build", "-Doptimization=2", "-Dwerror=true"),
            Build(scratch, "sanitized", "-Doptimization=1",
                  "-Db_sanitize=address,undefined", "-Dc_link_args=-static-libasan"))


def tests_of(build, path):
    """Returns the tests of a file: those of its folder, those with its name or
    that of its room, then those for all."""
    folder, stem = os.path.split(path[:-2])
    own = ["unit " + os.path.basename(name)[5:-2] for name in sorted(
        glob.glob("%s/tests/unit/%s/test_*.c" % (ROOT, folder)))]
    own += [name for word in (stem, stem.split("_")[0], folder.split("/")[-1])
            for name in sorted(build.tests)
            if re.match(r"(unit|laws|probes) %s(_|$)" % re.escape(word), name)]
    own.sort(key=lambda name: not name.endswith((" " + stem, "_" + stem)))
    return [list(dict.fromkeys(own + more))
            for more in (TESTS_OF.get(room_of(path), TESTS), SANITIZED)]


def draw(names, seed):
    """Returns (file, fault) in the order in which they are planted: the rooms in
    turn, the files and places of each by chance."""
    by_room, draws = {}, random.Random(seed)
    for name in names:
        for fault in places(os.path.join(ROOT, name)):
            by_room.setdefault(room_of(name), []).append((name, fault))
    for room in by_room.values():
        draws.shuffle(room)
    return [f for turn in itertools.zip_longest(*by_room.values()) for f in turn if f]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scratch")
    parser.add_argument("-n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=92)
    parser.add_argument("files", nargs="*")
    args = parser.parse_intermixed_args()
    plain, sanitized = copied(args.scratch)
    files = args.files or sorted({
        os.path.relpath(path, ROOT) for room in ROOMS
        for path in glob.glob("%s/%s/**/*.c" % (ROOT, room), recursive=True)
        if "/outside/" not in path})
    planted, survived, codes = collections.Counter(), [], {}
    found_by = collections.defaultdict(collections.Counter)
    for name, (n, line, changed) in draw(files, args.seed):
        if planted.total() == args.n:
            break
        tests, room = tests_of(plain, name), room_of(name)
        path = os.path.join(plain.root, name)
        lines = read(path).split("\n")
        fault = lines[:n] + [changed] + lines[n + 1:]
        if name not in codes:
            codes[name] = plain.code_of(name)
        write(path, fault)
        if plain.code_of(name) not in (None, codes[name]):
            found = plain.finder(tests[0], path, lines, fault) or \
                sanitized.finder(tests[1], path, lines, fault)
            planted[room] += 1
            found_by[room][found] += 1
            what = "%s:%d: %s -> %s" % (name, n + 1, line.strip(), changed.strip())
            survived += [] if found else [what]
            print("%s: %s" % (found or "SURVIVED", what), flush=True)
        write(path, lines)
    print("\n".join(survived))
    for room, count in planted.items():
        by = ", ".join("%d %s" % (k, t) for t, k in found_by[room].most_common() if t)
        print("%s: found %d of %d: %s" % (room, count - found_by[room][None], count, by))
    share = 100 - 100 * len(survived) / max(planted.total(), 1)
    print("found %.1f %% of %d" % (share, planted.total()))
    sys.exit(0 if share >= args.least else 6)


main()
