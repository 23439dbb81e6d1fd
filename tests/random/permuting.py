# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares results: of two builds, and of a run whose input was permuted."""
import copy
import json
import random
import re


class Fault(Exception):
    """A fault of the program. `kind` names the fault in a few words; a reduced
    configuration must show the same kind."""

    def __init__(self, kind, words=""):
        super().__init__(kind)
        self.kind = kind
        self.words = words


def compare(one, two, what="two builds write"):
    """Checks that two results have the same files with the same bytes."""
    if sorted(one) != sorted(two):
        raise Fault(what + " different files",
                    "%s / %s" % (sorted(one), sorted(two)))
    for name, text in one.items():
        if text == two[name]:
            continue
        for a, b in zip(text.splitlines(), two[name].splitlines()):
            if a != b:
                raise Fault(what + " different bytes",
                            "%s\n%r\n%r" % (name, a[:300], b[:300]))
        raise Fault(what + " different bytes", name)


def without_digests(files):
    """Returns the files of a result without the digests of its inputs, and a
    saved state without the order of its keys, which is that of the cluster
    file."""
    out = {name: re.sub(rb"[0-9a-f]{64}", b"", text)
           for name, text in files.items() if name != "manifest.json"}
    if "out-state.json" in out:
        out["out-state.json"] = json.dumps(
            json.loads(out["out-state.json"]), sort_keys=True,
            indent=1).encode()
    return out


def same(one, two):
    """Compares a result with that of the permuted configuration."""
    compare(without_digests(one), without_digests(two),
            "a permuted configuration writes")


def keys_permuted(value, rng):
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: keys_permuted(value[key], rng) for key in keys}
    if isinstance(value, list):
        return [keys_permuted(one, rng) for one in value]
    return value


def permuted(case):
    """Returns the case with its rows, columns, options and keys in another
    order. Rows of one instant keep theirs, because it decides."""
    rng = random.Random(len(case["jobs"]))
    out = copy.deepcopy(case)
    out["columns"] = rng.random()
    times = [float(job["submitted_unix_s"]) for job in out["jobs"]]
    places = list(range(len(times)))
    rng.shuffle(places)
    # the jobs of one instant take the places of that instant in their order
    of_time = {}
    for place, job in sorted(zip(places, range(len(times)))):
        of_time.setdefault(times[job], []).append(place)
    rows = [None] * len(times)
    for job, at in zip(out["jobs"], times):
        rows[of_time[at].pop(0)] = job
    out["jobs"] = rows
    out["cluster"] = keys_permuted(out["cluster"], rng)
    rng.shuffle(out["options"])
    return out
