# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants faults in the code, one at a time, and lists those that no test finds.

usage: mutants.py SCRATCH [-n COUNT] [--seed N] [--least PERCENT] [FILE...]

SCRATCH: a folder for a copy of the tree and its build, made if absent. FILE:
sources below the root; by default engine, ledger, decisions, policies and
verify. A fault that does not compile, or gives the same machine code, is drawn
again. Exit status 6 if the tests find fewer than PERCENT (default 92)."""
import argparse
import collections
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ["sim/engine/*.c", "sim/verify/*.c", "base/state/*.c",
         "policies/*.c", "policies/[!o]*/*.c"] # not "outside"
# The tests that may find a fault anywhere, the cheapest first. Those with the
# name of the file or of its room come before.
TESTS = ["scenarios all", "probes engine", "unit plan", "unit board",
         "laws runs", "conform placers", "golden", "laws sharing",
         "conform settle", "unit report", "conform policies",
         "differential naive", "conform chains", "laws deadlines", "warm start",
         "outside", "cli", "explain", "failures", "books",
         "gate"]
# (pattern, replacement); one place of a line is changed.
OPERATORS = [(r"(?<![<>=!-])<(?![<=])", "<="), (r"(?<![<>=!-])>(?![>=])", ">="),
             (r"<=", "<"), (r"(?<!>)>=", ">"), (r"==", "!="), (r"!=", "=="),
             (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
             (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"\btrue\b", "false"),
             (r"\bfalse\b", "true"), (r"\b0\b", "1"), (r"\b1\b", "0"),
             (r"\+=", "-="), (r"-=", "+="), (r"\bif \((?!\()", "if (!"),
             (r"\bbreak;", ";"), (r"\bcontinue;", ";"),
             (r"^(    +)(?!return|break|continue|else|case|goto)[a-z][\w>.\[\]-]*"
              r"(\([^;{}]*\)| [-+|&]?= [^;{}]*);$", r"\1;")]
# A test may take so many times as long as without a fault, and so many seconds.
SLOWER, LIMIT_S = 5, 10


def call(words, cwd, limit_s=1800, **more):
    """Returns the exit status; 1 if the limit is reached: then what the command
    has started ends too."""
    with subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                          start_new_session=True, **more) as process:
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 1


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def places(path):
    """Returns the lines of a file, and (line number, line, changed line) for all
    faults. Comments, texts, CHECKs and preprocessor lines stay as they are."""
    found, inside, body = [], False, False
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for n, line in enumerate(lines):
        comment = inside or "/*" in line
        inside = (inside or "/*" in line) and "*/" not in line
        body = (body or line == "{") and line != "}"
        if comment or not body or re.match(r'#|.*(CHECK|")', line):
            continue
        for pattern, new in OPERATORS:
            for match in re.finditer(pattern, line):
                changed = line[:match.start()] + match.expand(new) + \
                    line[match.end():]
                # a branch that is left out needs its closing parenthesis
                if new == "if (!":
                    if not changed.endswith((")", ") {")):
                        continue
                    end = changed.rindex(")")
                    changed = changed[:match.start()] + "if (!(" + \
                        changed[match.start() + 5:end] + "))" + changed[end + 1:]
                found.append((n, line, changed))
    return lines, found


class Tree:
    """A copy of the tree with a build."""

    def __init__(self, scratch):
        self.root = os.path.join(scratch, "tree")
        self.build = os.path.join(scratch, "build")
        os.makedirs(self.root, exist_ok=True)
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True,
                               capture_output=True).stdout
        subprocess.run(["rsync", "-a", "--checksum", "--from0", "--files-from=-",
                        ROOT + "/", self.root], input=files, check=True)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            if call(["meson", "setup", self.build, "-Dtests=enabled"], self.root):
                sys.exit("mutants: the copy cannot be configured")
        tests = json.loads(subprocess.run(
            ["meson", "introspect", self.build, "--tests"], check=True,
            capture_output=True, text=True).stdout)
        self.tests = {test["name"]: test for test in tests}
        self.took = {} # by test: seconds without a fault; None: it fails

    def make(self, target):
        return call(["ninja", target], self.build) == 0

    def object_of(self, name): # its machine code
        found = glob.glob("%s/*.p/%s.o" % (self.build, name.replace("/", "_")))
        with open(found[0], "rb") as file:
            return file.read()

    def passes(self, name, limit_s):
        test = self.tests[name]
        program = "schedsim" if test["cmd"][0].endswith("python3") else \
            os.path.relpath(test["cmd"][0], self.build)
        return self.make(program) and call(
            test["cmd"], test["workdir"] or self.root, limit_s,
            env={**os.environ, **test["env"], "SCHEDSIM_TESTS": "short"}) == 0

    def measure(self, names):
        """Runs tests that were not measured yet without a fault."""
        for name in names:
            if name not in self.took:
                since = time.monotonic()
                good = self.passes(name, 1800)
                self.took[name] = time.monotonic() - since if good else None
                if not good:
                    print("left out, it fails without a fault: " + name)

    def finder(self, names):
        """Returns the test that fails; None if none does."""
        return next((name for name in names if self.took[name] is not None and
                     not self.passes(name, SLOWER * self.took[name] + LIMIT_S)),
                    None)


def tests_of(tree, path):
    """Returns the tests of a file: those with its name, those with the name of
    its room, then those for all."""
    stem, room = os.path.basename(path)[:-2], path.split("/")[-2]
    own = [name for word in (stem, stem.split("_")[0], room)
           for name in sorted(tree.tests)
           if re.match(r"(unit|laws|probes) %s(_|$)" % re.escape(word), name)]
    return list(dict.fromkeys(own + [t for t in TESTS if t in tree.tests]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scratch")
    parser.add_argument("-n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=92)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    tree = Tree(args.scratch)
    names = args.files or sorted(
        os.path.relpath(path, ROOT) for room in ROOMS
        for path in glob.glob(os.path.join(ROOT, room)))
    faults = [(name, fault) for name in names
              for fault in places(os.path.join(ROOT, name))[1]]
    random.Random(args.seed).shuffle(faults)
    if not tree.make("all"):
        sys.exit("mutants: the copy does not compile")
    killed, survived, found_by, plain = 0, [], collections.Counter(), {}
    for name, (n, line, changed) in faults:
        if killed + len(survived) == args.n:
            break
        names = tests_of(tree, name)
        tree.measure(names)
        path = os.path.join(tree.root, name)
        lines, _ = places(path)
        plain.setdefault(name, tree.object_of(name)) # not changed before
        write(path, lines[:n] + [changed] + lines[n + 1:])
        if tree.make("schedsim") and tree.object_of(name) != plain[name]:
            found = tree.finder(names)
            killed += found is not None
            found_by[found] += 1
            what = "%s:%d: %s -> %s" % (name, n + 1, line.strip(), changed.strip())
            if not found:
                survived.append(what)
            print("%s: %s" % (found or "SURVIVED", what), flush=True)
        write(path, lines)
    share = 100 * killed / max(killed + len(survived), 1)
    print("\n".join(survived))
    print("%d of %d found, %.1f %%: %s" % (
        killed, killed + len(survived), share, ", ".join(
            "%d %s" % (k, t) for t, k in found_by.most_common() if t)))
    sys.exit(0 if share >= args.least else 6)


main()
