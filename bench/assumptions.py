# SPDX-License-Identifier: GPL-3.0-or-later
"""Assumption stability: which options of the simulator have assumed values,
and how often the ranking of policies differs when one of them is changed. Used
by sensitivity.py."""
import fnmatch
import itertools
import json
import math
import subprocess

import measure
from reproduction import judge

NEAR = 0.01  # systems that differ by less are not ranked
KINDS = ("mean", "p99")


def assumed():
    """Returns (kind, name, option) of each option whose source says `assumed`."""
    done = subprocess.run([measure.SCHEDSIM, "list", "--json"],
                          capture_output=True, text=True, check=True)
    found = []
    for kind, entries in json.loads(done.stdout).items():
        for entry in entries:
            for option in entry.get("settings", []):
                if "assumed" in (option.get("source") or ""):
                    found.append((kind, entry["name"], option["name"]))
    return found


def moved(settings):
    """Returns the (part, option) pairs that some assumption moves."""
    found = set()
    for assumption in settings["assumptions"]:
        for value in assumption["values"]:
            for name, given in value["set"].items():
                part, _, option = name.partition(".")
                found.add((part, option))
                # Estimators are given as a chain: name:option=value,...
                for piece in str(given).replace(":", ",").split(","):
                    found.add((part, piece.partition("=")[0]))
    return found


PARTS = {"overheads": "overhead", "interferences": "interference",
         "policies": "policy", "recoveries": "recovery", "workloads": "workloads",
         "throughputs": "throughput", "placers": "placer"}


def reason(settings, option):
    words = " ".join(option)
    for pattern, text in settings["not_moved"]:
        if fnmatch.fnmatch(words, pattern):
            return text
    return None


def forgotten(settings):
    """Returns the assumed options that no assumption moves and no pattern of
    `not_moved` explains."""
    known = moved(settings)
    return [option for option in assumed()
            if (PARTS.get(option[0], option[0]), option[2]) not in known
            and reason(settings, option) is None]


def log_ratio(a, b):
    return math.log(a / b) if a > 0 and b > 0 else 0.0


def order(a, b):
    """Returns -1 if a is better (smaller), 1 if b is better, 0 if they are
    within NEAR."""
    ratio = log_ratio(a, b)
    return 0 if abs(ratio) < NEAR else (-1 if ratio < 0 else 1)


def pairs(systems):
    return list(itertools.combinations(systems, 2))


def flips(one, other, systems, kind):
    """Returns the pairs of systems whose order in `one` is opposite in `other`; both
    map a system to its result."""
    return [(a, b) for a, b in pairs(systems)
            if order(one[a][kind], one[b][kind]) *
            order(other[a][kind], other[b][kind]) < 0]


def best(results, systems, kind):
    return min(systems, key=lambda name: results[name][kind])


def changes_best(one, other, systems, kind):
    """Returns true if the best system of `one` is clearly beaten in `other`."""
    first, second = best(one, systems, kind), best(other, systems, kind)
    return order(other[first][kind], other[second][kind]) > 0


def side(repeats, a, b, kind):
    """Returns -1 or 1 if a or b is better by the 95 % interval over repeats,
    else 0."""
    ratios = [log_ratio(r[a][kind], r[b][kind]) for r in repeats]
    _, bounds = judge.interval([ratios], lambda columns: judge.mean(columns[0]))
    if bounds is None:
        return 0
    return -1 if bounds[1] < 0 else 1 if bounds[0] > 0 else 0


def clear_flips(before, after, systems, kind):
    """Returns the pairs whose order in `after` is opposite to that in
    `before`, although the interval over repeats excludes equality in both."""
    return [(a, b) for a, b in pairs(systems)
            if side(before, a, b, kind) * side(after, a, b, kind) < 0]


class Tally:
    """Counts flips over the inputs, repeats and values of one assumption."""

    def __init__(self, name):
        self.name, self.rankings, self.compared = name, 0, 0
        self.flipped = dict.fromkeys(KINDS, 0)
        self.best = dict.fromkeys(KINDS, 0)
        self.who, self.clear = {}, {}

    def add(self, one, other, systems):
        self.rankings += 1
        self.compared += len(pairs(systems))
        for kind in KINDS:
            found = flips(one, other, systems, kind)
            self.flipped[kind] += len(found)
            self.best[kind] += changes_best(one, other, systems, kind)
            if kind == "mean":
                for pair in found:
                    self.who[pair] = self.who.get(pair, 0) + 1

    def add_clear(self, place, before, after, systems):
        for pair in clear_flips(before, after, systems, "mean"):
            self.clear.setdefault(pair, []).append(place)

    def share(self, kind):
        return 100 * self.flipped[kind] / max(1, self.compared)

    def best_share(self, kind):
        return 100 * self.best[kind] / max(1, self.rankings)

    def most(self):
        """Returns the pair that flips most often, and how often, as text."""
        if not self.who:
            return "-"
        pair, n = max(self.who.items(), key=lambda item: (item[1], item[0]))
        return "%s, %s (%.0f %%)" % (*pair, 100 * n / self.rankings)


def tally(assumption, systems, inputs, look):
    """Counts the flips of one assumption. `look(input, repeat, value)` returns
    the results of all systems; value None stands for the default."""
    found = Tally(assumption["name"])
    for name, repeats in inputs.items():
        before = [look(name, repeat, None) for repeat in repeats]
        for value in assumption["values"]:
            after = [look(name, repeat, value) for repeat in repeats]
            for one, other in zip(before, after):
                found.add(one, other, systems)
            found.add_clear("%s, %s" % (name, value["label"]), before, after,
                            systems)
    return found


def by_chance(name, systems, inputs, look):
    """Counts the flips between two repeats of one input, both at the defaults.
    """
    found = Tally(name)
    for place, repeats in inputs.items():
        results = [look(place, repeat, None) for repeat in repeats]
        for one, other in itertools.combinations(results, 2):
            found.add(one, other, systems)
    return found
