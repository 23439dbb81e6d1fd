# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of a corpus as numbers."""
import os

import torch


class Corpus:
    def __init__(self, path):
        self.numbers = {}
        self.train = self.read(os.path.join(path, "train.txt"))
        self.valid = self.read(os.path.join(path, "valid.txt"))

    def read(self, path):
        ids = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                for word in line.split() + ["<eos>"]:
                    ids.append(self.numbers.setdefault(word,
                                                       len(self.numbers)))
        return torch.tensor(ids)


def columns(ids, count):
    """Cuts the text into `count` columns that are read in parallel."""
    rows = len(ids) // count
    return ids[:rows * count].view(count, rows).t().contiguous()
