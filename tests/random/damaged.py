#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages results of random configurations: `verify` accepts each result, and
none of its damages.

A damage of a key of a JSON file must be told by that key; one that makes a cell
impossible by file and column, any other at least by what depends on it. Its
digest is made to fit, except in columns and keys whose rule is `given` or
`bounds`. A file that is not there is no false result: exit status 1 or 3.

    python3 tests/random/damaged.py --pairs --damages 200
    python3 tests/random/damaged.py --seed 17 --count 1 --only 5   # repeats one"""
import sys

# the folder of this file would hide the `random` of Python
HERE = sys.path.pop(0)
sys.path.append(HERE)
sys.path.append(HERE + "/../support")

import argparse  # noqa: E402
import collections  # noqa: E402
import itertools  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import damages  # noqa: E402
import drawer  # noqa: E402
import running  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

# So many seeds draw each pair of options several times.
SEEDS_OF_PAIRS = 6000
# Most seeds with SCHEDSIM_TESTS=short.
SHORT = 8


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=60, help="results")
    parser.add_argument("--damages", type=int, default=60, help="of each")
    parser.add_argument("--seed", type=int,
                        default=int(time.time()) % 1000000,
                        help="of the first; the next has the next")
    parser.add_argument("--only", type=int, help="the damage of this number")
    parser.add_argument("--within", type=float, default=25,
                        help="begin no result after this many seconds; 0: do")
    parser.add_argument("--pairs", action="store_true", help="until each pair "
                        "of options was in a result that was damaged, however "
                        "many results and seconds that takes")
    asked = parser.parse_args()
    if asked.pairs:
        asked.count, asked.within = SEEDS_OF_PAIRS, 0
    elif os.environ.get("SCHEDSIM_TESTS") == "short":
        asked.count = min(asked.count, SHORT)
    return asked


class Pairs:
    """The pairs of options that were not yet in a damaged result."""

    def __init__(self, registry):
        names = {"--" + row["name"] for row in registry.options}
        names -= {"--" + name for name in drawer.NOT_DRAWN}
        names.discard("--cluster") # each run has it
        self.left = set(itertools.combinations(sorted(names), 2))

    @staticmethod
    def of(case):
        names = sorted({name.rstrip("=") for name, _ in case["options"]})
        return set(itertools.combinations(names, 2))


def is_given(rules, damage):
    """True if only the digest tells the damage for sure: the column repeats the
    trace, could have another value, or need only rise; rows of equal times
    changed places; or the file is a log, which nothing gives."""
    rule = rules.columns.get(damage.file, {}).get(damage.key, "")
    return (damage.likely or (rule.endswith(("given", "rises")) or
                              "bounds" in rule)
            and damage.kind != "header" or damage.kind in damages.ORDER
            or not damage.file.endswith(".csv")
            and damage.file not in rules.keys)


def names_key(text, damage):
    """True if `verify` names the key of a JSON file that was damaged."""
    root, *path = [damage.file.split(".")[0], *map(str, damage.key)]
    whole, holder = ".".join([root] + path), ".".join([root] + path[:-1])
    return any(whole in line or line.startswith(holder) and
               re.search(r"\b%s\b" % re.escape(path[-1]), line)
               for line in text.split("\n")) or (
                   path[0] == "outputs" and path[-1] in text)


def fault_of(done, damage):
    """Returns what is wrong with the answer of `verify`; "" if nothing is."""
    if damage.text is None:
        return "" if done.returncode in (1, 3) else (
            "a file that is missing ends with %d" % done.returncode)
    if not damage.key and (damage.file == "manifest.json" or
                           damage.kind == "cut"): # perhaps not readable
        return "" if done.returncode in (3, 5) else (
            "ends with %d" % done.returncode)
    if done.returncode != 5:
        return "ends with %d" % done.returncode
    if isinstance(damage.key, tuple) and not damage.likely:
        return "" if names_key(done.stdout, damage) else (
            "does not name the key")
    # another value can be as likely; then what depends on it tells it
    likely = ("last digit", "large", "neighbour", "another word")
    if (damage.key and damage.kind not in likely
            and damage.file.split(".")[0] not in done.stdout):
        return "does not name the file"
    return ""


class Bench:
    def __init__(self, rules, only):
        self.rules, self.only = rules, only
        self.runner = running.Runner(PROGRAM, None)
        self.made = collections.Counter()
        self.damaged = set() # columns
        self.found = collections.Counter()

    def result(self, case, where):
        """Runs a configuration. Returns its result; None if there is none."""
        running.write_files(case, where)
        done = self.runner.call(PROGRAM, running.run_words(case) + [
            "--quiet", "--out", "out"], where)
        return os.path.join(where, "out") if done.returncode in (0, 4) else None

    def faults(self, seed, case, most):
        """Yields the number, the damage and the fault of each damage that
        `verify` does not tell."""
        with tempfile.TemporaryDirectory(prefix="schedsim-damaged-") as where:
            out = self.result(case, where)
            size = sum(os.path.getsize(os.path.join(out, name))
                       for name in os.listdir(out)) if out else 0
            if not out or size > 1 << 20:
                return
            running.check_verified(self.verify(where))
            rng = random.Random(seed)
            makers = damages.all_damages(out, rng, self.rules)
            rng.shuffle(makers)
            held = damages.Damaged(out)
            number = 0
            for maker in makers:
                damage = maker()
                if not damage or number == most:
                    continue
                number += 1
                if self.only in (None, number):
                    fault = self.tried(held, damage, where)
                    if fault:
                        yield number, damage, fault

    def verify(self, where):
        return self.runner.call(PROGRAM, ["verify", "--all", "out"], where)

    def tried(self, held, damage, where):
        held.put(damage, not is_given(self.rules, damage))
        done = self.verify(where)
        if self.only is None:
            held.mend()
        else:
            print("# %s: %s\n%s%s" % (held.out, damage, done.stdout,
                                      done.stderr))
        self.made[damage.file] += 1
        self.damaged.add((damage.file, damage.key))
        fault = fault_of(done, damage)
        if isinstance(damage.key, str) and damage.key and re.search(r"%s:.*\b%s\b" % (
                re.escape(damage.file), re.escape(damage.key)), done.stdout):
            self.found[damage.file, damage.key] += 1
        return fault


def main():
    asked = options()
    tap = Tap()
    page = subprocess.run([PROGRAM, "list", "columns"], check=True,
                          capture_output=True, text=True).stdout
    bench = Bench(damages.Rules(page), asked.only)
    registry = drawer.Registry(PROGRAM, ROOT)
    pairs = Pairs(registry)
    ends = time.monotonic() + asked.within if asked.within else None
    results = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        if ends and time.monotonic() > ends:
            break
        case = drawer.draw(registry, seed)
        if "resample" in case or "state" in case or (
                asked.pairs and not pairs.left & pairs.of(case)):
            continue
        results += 1
        before = sum(bench.made.values())
        for number, damage, fault in bench.faults(seed, case, asked.damages):
            tap.result(False, str(damage), "verify %s\npython3 tests/random/"
                       "damaged.py --seed %d --count 1 --damages %d --only %d"
                       % (fault, seed, asked.damages, number))
        if sum(bench.made.values()) > before:
            pairs.left -= pairs.of(case)
    if asked.pairs:
        tap.result(not pairs.left, "each pair of options was in a result that "
                   "was damaged", "\n".join(map(" ".join, sorted(pairs.left))))
    n = sum(bench.made.values())
    tap.result(n > 0 and not tap.failed,
               "verify tells %d damages of %d results, from seed %d" % (
                   n, results, asked.seed))
    if n > 20000:
        missed = ["%s %s" % (file, column)
                  for file, columns in bench.rules.columns.items()
                  for column, rule in columns.items()
                  if not rule.endswith("given") and "bounds" not in rule
                  and (file, column) in bench.damaged
                  and not bench.found[file, column]]
        tap.result(not missed, "each rule tells a damage of its column",
                   "\n".join(missed))
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
