# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratings of MovieLens, with items that the user has not rated."""
import os

import numpy


def ratings(path):
    rows = []
    with open(os.path.join(path, "ratings.dat"), encoding="latin-1") as file:
        for line in file:
            user, item = line.split("::")[:2]
            rows.append((int(user), int(item)))
    return numpy.array(rows)


def with_negatives(pairs, items, count, seed):
    random = numpy.random.default_rng(seed)
    users = numpy.repeat(pairs[:, 0], 1 + count)
    chosen = random.integers(1, items + 1, len(users))
    labels = numpy.zeros(len(users), "float32")
    chosen[::1 + count], labels[::1 + count] = pairs[:, 1], 1.0
    return [users, chosen], labels
