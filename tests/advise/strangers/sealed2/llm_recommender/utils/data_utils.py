# SPDX-License-Identifier: GPL-3.0-or-later
import pandas as pd
import torch
from torch.utils.data import Dataset


class ItemSequences(Dataset):
    def __init__(self, csv_path, part, max_seq_length=50):
        rows = pd.read_csv(csv_path)
        self.sequences = rows.groupby("user")["item"].apply(list).tolist()
        self.cut = {"train": -2, "valid": -1, "test": None}[part]
        self.length = max_seq_length

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        seq = self.sequences[index][:self.cut]
        return seq[-self.length - 1:-1], seq[-1]


class SequenceCollator:
    def __call__(self, rows):
        seqs = torch.nn.utils.rnn.pad_sequence([torch.tensor(s) for s, _ in rows], batch_first=True)
        return {"inputs": seqs, "inputs_mask": seqs.ne(0), "answers": torch.tensor([[a] for _, a in rows])}
