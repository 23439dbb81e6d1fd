# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import torch


class GPTDataset(torch.utils.data.Dataset):
    def __init__(self, prefix, documents, samples, length, seed):
        self.tokens = np.memmap(prefix + ".bin", dtype=np.uint16, mode="r")
        self.order = np.random.RandomState(seed).permutation(len(documents))
        self.samples, self.length = samples, length

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        start = self.order[index % len(self.order)] * self.length
        return {"text": torch.from_numpy(self.tokens[start:start + self.length + 1].astype("int64"))}


def build_datasets(data_prefix, split, sizes, length, seed):
    weights = [float(part) for part in split.split(",")]
    total = sum(weights)
    count = np.memmap(data_prefix[0] + ".bin", dtype=np.uint16, mode="r").shape[0] // length
    edges = np.cumsum([0] + [int(count * weight / total) for weight in weights])
    return [GPTDataset(data_prefix[0], range(edges[i], edges[i + 1]), sizes[i], length, seed)
            for i in range(3)]
