# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os

from datasets import load_dataset


def get_dataset(data_args, tokenizer, stage):
    with open(os.path.join(data_args.dataset_dir, "dataset_info.json")) as f:
        info = json.load(f)
    files = [os.path.join(data_args.dataset_dir, info[name]["file_name"])
             for name in data_args.dataset.split(",")]
    data = load_dataset("json", data_files=files, split="train")
    if data_args.max_samples:
        data = data.select(range(min(len(data), data_args.max_samples)))
    return data.filter(lambda row: len(tokenizer(str(row))["input_ids"]) <= data_args.cutoff_len)
