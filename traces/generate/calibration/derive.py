#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derives the calibration of the trace generator from published statistics and
rows, by one command.

usage: derive.py [--from DIR] NAME               prints NAME.json
       derive.py [--from DIR] --write [NAME...]  rewrites them beside this script
       derive.py [--from DIR] --check [NAME...]  fails if one of them would change

DIR holds the published figures and the rows (default: the directory named by
SCHEDSIM_SHARED, or shared/ beside the repository). The output depends on nothing
else, and is committed. NAME: philly, philly-2017-all, venus, saturn, seren,
kalos or models; without it all of them.
"""

import json
import os
import sys

import acme
import behaviour
import helios
import models
import philly
import status
from common import HERE, STATS

CLUSTERS = {
    "philly": philly.philly,
    "philly-2017-all": philly.philly_all,
    "venus": lambda: helios.helios("Venus"),
    "saturn": lambda: helios.helios("Saturn"),
    "seren": lambda: acme.acme("Seren"),
    "kalos": lambda: acme.acme("Kalos"),
}


def derive(name):
    return (models.models() if name == "models"
            else status.add(behaviour.add(CLUSTERS[name]())))


def dump(value, indent=0):
    """One line for each leaf list, so that a change shows as a line."""
    pad = " " * indent
    if isinstance(value, dict):
        if not any(isinstance(v, dict) for v in value.values()) and indent > 1:
            lines = [json.dumps(k) + ": " + json.dumps(v)
                     for k, v in value.items()]
            if "bins" in value:
                return "{" + ", ".join(lines) + "}"
        lines = [pad + " " + json.dumps(k) + ": " + dump(v, indent + 1)
                 for k, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + pad + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + " " + dump(v, indent + 1)
                                  for v in value) + "\n" + pad + "]"
    return json.dumps(value)


def write(names, check):
    if not os.path.isdir(STATS):
        sys.exit("derive.py: no directory " + os.path.abspath(STATS))
    stale = []
    for name in names:
        text = dump(derive(name)) + "\n"
        path = os.path.join(HERE, name + ".json")
        if check:
            with open(path) as f:
                if f.read() != text:
                    stale.append(name + ".json")
            continue
        with open(path, "w") as f:
            f.write(text)
    if stale:
        sys.exit("derive.py: not as derived: " + " ".join(stale) +
                 "; run derive.py --write")


def main(argv):
    command, names = argv[1:2], argv[2:] or list(CLUSTERS) + ["models"]
    known = set(names) <= set(CLUSTERS) | {"models"}
    if command and set(command) <= set(CLUSTERS) | {"models"}:
        print(dump(derive(command[0])))
    elif command in (["--write"], ["--check"]) and known:
        write(names, command == ["--check"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv)
