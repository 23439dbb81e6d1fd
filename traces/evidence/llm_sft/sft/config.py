# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe: a YAML file, and overrides from the command line."""
import dataclasses
import sys

import yaml


@dataclasses.dataclass
class SftConfig:
    model_name_or_path: str = None
    torch_dtype: str = "bfloat16"
    attn_implementation: str = "sdpa"
    dataset_name: str = None
    max_seq_length: int = 512
    packing: bool = False
    num_train_epochs: float = 3.0
    per_device_train_batch_size: int = 1
    gradient_accumulation_steps: int = 1
    learning_rate: float = 2e-5
    lr_scheduler_type: str = "cosine"
    warmup_ratio: float = 0.03
    bf16: bool = True
    gradient_checkpointing: bool = True
    logging_steps: int = 10
    save_strategy: str = "epoch"
    output_dir: str = "out"
    seed: int = 42


def read_config(argv=None):
    argv = list(sys.argv[1:] if argv is None else argv)
    values = {}
    while argv:
        key, _, value = argv.pop(0).lstrip("-").partition("=")
        if key == "config":
            with open(value or argv.pop(0), encoding="utf-8") as file:
                values.update(yaml.safe_load(file))
        else:
            values[key] = yaml.safe_load(value or argv.pop(0))
    return SftConfig(**values)
