# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants faults in the code, one at a time, and lists those that no test finds.

usage: mutants.py SCRATCH [-n COUNT] [--seed N] [--least PERCENT] [FILE...]

SCRATCH: a folder for a copy of the tree and its build, made if absent. FILE:
sources below the root; by default all of engine, ledger, decisions, policies and
verify, from which faults are drawn in turn. One that does not compile, or gives
the same machine code, is drawn again. Exit status 6 if the tests find fewer than
PERCENT (default 92)."""
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
# The tests that may find a fault anywhere, the cheapest first. Those with the
# name of the file or of its room come before.
TESTS = ["probes engine", "unit plan", "unit board", "scenarios all", "golden", "elastic",
         "differential naive", "conform placers", "laws deadlines", "laws lucid",
         "laws sharing", "unit report", "laws runs", "conform settle",
         "conform chains", "warm start", "failures", "conform policies", "cli"]
TESTS_OF = {"sim/engine": TESTS + ["handler"],
            "sim/verify": ["books", "random", "cli", "damaged"]}
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
# No process of a test may use so many seconds of the processor, nor a test so many
# seconds: a loop without an end is found, a busy machine finds nothing.
LIMITS = ["timeout", "-sKILL", "1800", "prlimit", "--cpu=20:"]


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


class Tree:
    """A copy of the tree with a build."""

    def __init__(self, scratch):
        self.root = os.path.join(scratch, "tree")
        self.build = os.path.join(self.root, "build")
        os.makedirs(self.root, exist_ok=True)
        files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT)
        subprocess.run(["rsync", "-rlp", "--checksum", "--from0", "--files-from=-",
                        ROOT + "/", self.root], input=files, check=True)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            call(["meson", "setup", self.build, "-Dtests=enabled", "-Doptimization=2"],
                 self.root)
        if not self.make("schedsim"):
            sys.exit("mutants: the copy does not compile")
        self.tests = {test["name"]: test for test in json.loads(
            subprocess.check_output(["meson", "introspect", self.build, "--tests"]))}
        self.good = {} # by test: it passes without a fault
        self.careless = os.path.join(scratch, "careless.so")
        subprocess.run(["cc", "-xc", "-", "-shared", "-fPIC", "-o", self.careless],
                       input=CARELESS, text=True, check=True)

    def make(self, target):
        return call(["ninja", target], self.build)

    def object_of(self, name): # its machine code
        return read(glob.glob("%s/*.p/%s.o" % (
            self.build, name.replace("/", "_")))[0])

    def passes(self, name):
        test = self.tests[name]
        program = "schedsim" if test["cmd"][0].endswith("python3") else \
            os.path.relpath(test["cmd"][0], self.build)
        return self.make(program) and call(
            LIMITS + test["cmd"], test["workdir"] or self.root,
            env={**os.environ, **test["env"], "SCHEDSIM_TESTS": "short",
                 "LD_PRELOAD": self.careless})

    def try_without_fault(self, names):
        for name in [name for name in names if name not in self.good]:
            self.good[name] = self.passes(name)
            if not self.good[name]:
                print("left out, it fails without a fault: " + name)

    def finder(self, names): # the test that fails; None if none does
        return next((n for n in names if self.good[n] and not self.passes(n)), None)


def tests_of(tree, path):
    """Returns the tests of a file: those with its name, those with the name of
    its room, then those for all."""
    stem, room = os.path.basename(path)[:-2], path.split("/")[-2]
    own = [name for word in (stem, stem.split("_")[0], room)
           for name in sorted(tree.tests)
           if re.match(r"(unit|laws|probes) %s(_|$)" % re.escape(word), name)]
    return [name for name in dict.fromkeys(own + TESTS_OF.get(room_of(path), TESTS))
            if name in tree.tests]


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
    tree = Tree(args.scratch)
    files = args.files or sorted({
        os.path.relpath(path, ROOT) for room in ROOMS
        for path in glob.glob("%s/%s/**/*.c" % (ROOT, room), recursive=True)
        if "/outside/" not in path})
    planted, survived, plain = collections.Counter(), [], {}
    found_by = collections.defaultdict(collections.Counter)
    for name, (n, line, changed) in draw(files, args.seed):
        if planted.total() == args.n:
            break
        tests, room = tests_of(tree, name), room_of(name)
        tree.try_without_fault(tests)
        path = os.path.join(tree.root, name)
        lines = read(path).split("\n")
        plain.setdefault(name, tree.object_of(name)) # not changed before
        write(path, lines[:n] + [changed] + lines[n + 1:])
        if tree.make("schedsim") and tree.object_of(name) != plain[name]:
            found = tree.finder(tests)
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
