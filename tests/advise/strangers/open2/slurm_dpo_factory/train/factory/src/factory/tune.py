# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the arguments and hands over to the stage that they name."""
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import yaml
from transformers import HfArgumentParser, Seq2SeqTrainingArguments

from .dpo import run_dpo
from .sft import run_sft


@dataclass
class ModelArguments:
    model_name_or_path: str = field(metadata={"help": "path or hub name"})
    cache_dir: Optional[str] = None
    flash_attn: str = "auto"


@dataclass
class DataArguments:
    dataset: Optional[str] = None
    dataset_dir: str = "data"
    template: Optional[str] = None
    cutoff_len: int = 1024
    max_samples: Optional[int] = None
    overwrite_cache: bool = False
    val_size: float = 0.0


@dataclass
class FinetuningArguments:
    stage: str = "sft"
    finetuning_type: str = "lora"
    lora_rank: int = 8
    pref_beta: float = 0.1
    pref_loss: str = "sigmoid"
    plot_loss: bool = False


def get_args():
    parser = HfArgumentParser((ModelArguments, DataArguments, Seq2SeqTrainingArguments,
                               FinetuningArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith((".yaml", ".yml")):
        return parser.parse_dict(yaml.safe_load(Path(sys.argv[1]).read_text()))
    return parser.parse_args_into_dataclasses()


def run_exp():
    model_args, data_args, training_args, finetuning_args = get_args()
    stages = {"sft": run_sft, "dpo": run_dpo}
    if finetuning_args.stage not in stages:
        raise ValueError(f"unknown stage {finetuning_args.stage}")
    stages[finetuning_args.stage](model_args, data_args, training_args, finetuning_args)
