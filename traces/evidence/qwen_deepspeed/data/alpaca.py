# SPDX-License-Identifier: GPL-3.0-or-later
"""The Alpaca instructions as token ids."""
import json

import torch
from torch.utils.data import Dataset


class AlpacaDataset(Dataset):
    def __init__(self, path, tokenizer, length):
        with open(path, encoding="utf-8") as file:
            self.rows = json.load(file)
        self.tokenizer, self.length = tokenizer, length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        prompt = row["instruction"] + "\n" + row.get("input", "") + "\n"
        text = prompt + row["output"] + self.tokenizer.eos_token
        ids = self.tokenizer(text, truncation=True,
                             max_length=self.length)["input_ids"]
        start = len(self.tokenizer(prompt)["input_ids"])
        labels = [-100] * min(start, len(ids)) + ids[start:]
        return {"input_ids": ids, "labels": labels}


def collate(rows, pad):
    width = max(len(row["input_ids"]) for row in rows)
    ids = torch.full((len(rows), width), pad)
    labels = torch.full((len(rows), width), -100)
    for i, row in enumerate(rows):
        ids[i, :len(row["input_ids"])] = torch.tensor(row["input_ids"])
        labels[i, :len(row["labels"])] = torch.tensor(row["labels"])
    return {"input_ids": ids, "labels": labels,
            "attention_mask": (ids != pad).long()}
