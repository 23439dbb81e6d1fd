# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns parallel text into arrays of word numbers."""
import argparse
import collections
import json
import os

import numpy


def words(path, least=2):
    counts = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            counts.update(line.split())
    kept = [word for word, n in counts.most_common() if n >= least]
    return {word: i + 4 for i, word in enumerate(kept)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default="de")
    parser.add_argument("--target", default="en")
    parser.add_argument("--train")
    parser.add_argument("--valid")
    parser.add_argument("--out")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for side in (args.source, args.target):
        table = words("%s.%s" % (args.train, side))
        with open(os.path.join(args.out, side + ".json"), "w",
                  encoding="utf-8") as file:
            json.dump(table, file)
        for part in ("train", "valid"):
            with open("%s.%s" % (getattr(args, part), side),
                      encoding="utf-8") as file:
                rows = [[table.get(w, 3) for w in line.split()] + [2]
                        for line in file]
            numpy.savez(os.path.join(args.out, "%s.%s" % (part, side)),
                        *map(numpy.array, rows))


if __name__ == "__main__":
    main()
