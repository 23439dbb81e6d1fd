#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fault_profiles.json into a C source, one row of options for each
figure: embed_fault_profiles.py OUT.c IN.json. A profile with an unknown figure
or source stops the build."""

import json
import sys

KINDS = ["node", "gpu", "nvlink", "nic", "storage"]  # enum fault_scope
RISKS = [
    ("rate", "faults per 1000 days that a node is in service", 0, 1e6),
    ("shape", "shape of Weibull's distribution; 1: exponential", 0.1, 10),
    ("repair_mu", "natural logarithm of the median repair time in hours", -10, 20),
    ("repair_sigma", "standard deviation of that logarithm", 0, 10),
]
FIGURES = [
    ("repair_max_s", "longest repair time", 0, 3155760000),
    ("hidden_share", "chance that a fault is hidden and the node stays in "
     "service", 0, 1),
    ("relapse_s", "mean time after which a job that starts on a node with a "
     "hidden fault fails", 1e-6, 3155760000),
    ("storage_share", "chance that a storage fault hits a running job of the "
     "virtual cluster", 0, 1),
    ("frailty", "1: the hazard of a node grows with its faults", 0, 1),
    ("frailty_new", "hazard of a node without faults over the mean hazard", 0, 1e6),
    ("frailty_a", "after k faults the hazard of a node is 1 + a k^b times that "
     "of a node without", 0, 1e6),
    ("frailty_b", "see frailty_a", 0, 10),
    ("frailty_most", "number of faults after which the hazard grows no more", 0, 1e6),
    ("bursts", "1: faults come in batches, and again after repairs", 0, 1),
    ("burst_own", "share of faults that neither a batch nor a repair brings", 0, 1),
    ("burst_chance", "chance that a fault begins a batch", 0, 1),
    ("burst_size", "mean number of further nodes that a batch hits", 1, 1e6),
    ("burst_s", "time within which a batch comes", 0, 3155760000),
    ("refault_chance", "chance that a node faults again soon after a repair of "
     "at most a day", 0, 1),
    ("refault_long_chance", "chance that a node faults again soon after a longer "
     "repair", 0, 1),
    ("refault_mu", "natural logarithm of the median time in hours from the "
     "repair until then", -10, 20),
    ("refault_sigma", "standard deviation of that logarithm", 0, 10),
]


def literal(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def rows(data):
    """Yields key, field, help, lowest and highest value of each figure."""
    for kind in KINDS:
        for name, words, lo, hi in RISKS:
            if kind == "storage":
                words = words.replace("a node is in service",
                                      "of a virtual cluster")
            yield ("%s_%s" % (kind, name), "risk[FAULT_%s].%s"
                   % (kind.upper(), name), "%s: %s" % (kind, words), lo, hi)
    for name, words, lo, hi in FIGURES:
        yield name, name, words, lo, hi


def table(data, profile):
    figures = dict(data["all"])
    known = {row[0] for row in rows(data)}
    for key in list(figures) + list(profile["figures"]):
        if key not in known:
            raise SystemExit("%s: no figure '%s'" % (profile["name"], key))
    figures.update(profile["figures"])
    for key, field, words, lo, hi in rows(data):
        value, name = figures.get(key, (0, "none"))
        source = data["sources"][name]
        if source["status"] not in ("published", "fitted", "assumed"):
            raise SystemExit("%s: status '%s'" % (name, source["status"]))
        yield ("    OPT_DOUBLE(struct fault_figures, %s, %s, %r, %r, %r,\n"
               "               %s,\n               %s),\n" % (
                   field, literal(key), float(value), float(lo), float(hi),
                   literal(words),
                   literal("%s: %s" % (source["status"], source["text"]))))


def main(argv):
    with open(argv[2], encoding="utf-8") as source:
        data = json.load(source)
    with open(argv[1], "w", encoding="utf-8") as out:
        out.write('#include "models/failures/fault_profile.h"\n\n')
        for i, profile in enumerate(data["profiles"]):
            out.write("static const struct option rows_%d[] = {\n%s    {0},\n};\n"
                      % (i, "".join(table(data, profile))))
        out.write("const struct fault_profile fault_profiles[] = {\n")
        for i, profile in enumerate(data["profiles"]):
            out.write("    {.name = %s, .summary = %s, .rows = rows_%d},\n" % (
                literal(profile["name"]), literal(profile["summary"]), i))
        out.write("    {0},\n};\nconst char *const fault_profile_names[] = {%s"
                  "NULL};\n" % "".join(literal(p["name"]) + ", "
                                       for p in data["profiles"]))


if __name__ == "__main__":
    main(sys.argv)
