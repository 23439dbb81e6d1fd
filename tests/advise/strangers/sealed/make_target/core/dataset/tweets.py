# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os

import torch
from torch.utils.data import Dataset


class TweetDataset(Dataset):
    """Messages of Twitter with one sign each."""

    def __init__(self, data_dir, split, tokenizer):
        with open(os.path.join(data_dir, f"twitter_{split}.json")) as f:
            self.rows = json.load(f)
        self.tokenizer = tokenizer
        self.vocab_size = 30000
        self.n_classes = 49

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, n):
        return self.rows[n]["tokens"], self.rows[n]["label"]

    @staticmethod
    def collate(rows):
        tokens = [torch.tensor(t) for t, _ in rows]
        return (torch.nn.utils.rnn.pad_sequence(tokens, batch_first=True),
                torch.tensor([y for _, y in rows]))
