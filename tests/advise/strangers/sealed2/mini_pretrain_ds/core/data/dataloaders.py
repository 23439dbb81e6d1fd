# SPDX-License-Identifier: GPL-3.0-or-later
import os
from itertools import chain

from datasets import load_dataset
from torch.utils.data import DataLoader


def get_datasets(accelerator, directory, tokenizer, max_length=2048, text_field="text"):
    accelerator.print("Reading and packing ...")
    files = [os.path.join(directory, f) for f in sorted(os.listdir(directory)) if f.endswith(".jsonl")]
    data = load_dataset("json", data_files=files, split="train")
    data = data.map(lambda rows: tokenizer(rows[text_field]), batched=True,
                    remove_columns=data.column_names)

    def pack(rows):
        joined = list(chain(*rows["input_ids"]))
        parts = [joined[i:i + max_length] for i in range(0, len(joined) - max_length, max_length)]
        return {"input_ids": parts, "attention_mask": [[1] * max_length for _ in parts]}

    data = data.map(pack, batched=True, remove_columns=data.column_names)
    data.set_format(type="torch")
    held_out = max(1, len(data) // 200)
    return data.select(range(held_out, len(data))), data.select(range(held_out))


def get_dataloader(dataset, batch_size=16):
    return DataLoader(dataset, batch_size=batch_size, shuffle=True)
