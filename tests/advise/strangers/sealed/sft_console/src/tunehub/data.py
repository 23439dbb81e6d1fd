# SPDX-License-Identifier: GPL-3.0-or-later
import json

from datasets import concatenate_datasets, load_dataset


def load_data(args, tokenizer):
    with open("data/dataset_info.json") as f:
        known = json.load(f)
    parts = []
    for name in args.dataset.split(","):
        spec = known[name]
        if "hub" in spec:
            parts.append(load_dataset(spec["hub"], split="train"))
        else:
            parts.append(load_dataset("json", data_files="data/" + spec["file_name"])["train"])
    return concatenate_datasets(parts)
