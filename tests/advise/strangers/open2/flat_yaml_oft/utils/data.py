# SPDX-License-Identifier: GPL-3.0-or-later
import json
from pathlib import Path

from datasets import concatenate_datasets, load_dataset

IGNORED = -100


def prepare(args, tokenizer, root):
    folder = Path(root) / args.dataset_dir
    registry = json.loads((folder / "dataset_info.json").read_text())
    parts = []
    for name in args.names:
        entry = registry[name]
        part = load_dataset("json", data_files=str(folder / entry["file_name"]), split="train")
        parts.append(part.map(lambda row, entry=entry: encode(row, entry, tokenizer, args.cutoff_len),
                              num_proc=args.preprocessing_num_workers,
                              remove_columns=part.column_names))
    data = concatenate_datasets(parts).shuffle(seed=args.seed)
    if args.val_size:
        both = data.train_test_split(test_size=args.val_size, seed=args.seed)
        return both["train"], both["test"]
    return data, None


def encode(row, entry, tokenizer, cutoff):
    columns = entry["columns"]
    asked = "\n".join(row[columns[key]] for key in ("prompt", "query") if columns.get(key))
    head = tokenizer.apply_chat_template([{"role": "user", "content": asked}],
                                         add_generation_prompt=True)
    tail = tokenizer(row[columns["response"]] + tokenizer.eos_token,
                     add_special_tokens=False)["input_ids"]
    ids = (head + tail)[:cutoff]
    return {"input_ids": ids, "attention_mask": [1] * len(ids),
            "labels": ([IGNORED] * len(head) + tail)[:cutoff]}
