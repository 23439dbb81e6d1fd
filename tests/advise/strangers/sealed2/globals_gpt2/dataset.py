# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import torch
from torch.utils.data import Dataset


class TokenFile(Dataset):
    def __init__(self, path, block_size):
        self.tokens = np.memmap(path, dtype=np.uint16, mode='r')
        self.block_size = block_size

    def __len__(self):
        return (len(self.tokens) - 1) // self.block_size

    def __getitem__(self, index):
        start = index * self.block_size
        part = torch.from_numpy(self.tokens[start:start + self.block_size + 1].astype(np.int64))
        return part[:-1], part[1:]
