# SPDX-License-Identifier: GPL-3.0-or-later
import sys
from dataclasses import dataclass, field
from typing import Optional

from omegaconf import OmegaConf
from transformers import HfArgumentParser, Seq2SeqTrainingArguments


@dataclass
class ModelArguments:
    model_name_or_path: Optional[str] = field(default=None, metadata={"help": "path or name"})
    adapter_name_or_path: Optional[str] = None
    flash_attn: str = "auto"


@dataclass
class DataArguments:
    template: Optional[str] = None
    dataset: Optional[str] = field(default=None, metadata={"help": "names, with commas"})
    eval_dataset: Optional[str] = None
    cutoff_len: int = field(default=2048, metadata={"help": "longest input in tokens"})
    max_samples: Optional[int] = None
    packing: Optional[bool] = None


@dataclass
class FinetuningArguments:
    stage: str = field(default="sft", metadata={"help": "pt, sft, rm, ppo, dpo or kto"})
    finetuning_type: str = field(default="lora", metadata={"help": "lora, freeze or full"})
    lora_rank: int = 8
    lora_target: str = "all"
    pref_beta: float = 0.1


PARTS = [ModelArguments, DataArguments, Seq2SeqTrainingArguments, FinetuningArguments]


def read_args():
    if len(sys.argv) > 1 and sys.argv[1].endswith((".yaml", ".yml", ".json")):
        given = OmegaConf.merge(OmegaConf.load(sys.argv[1]), OmegaConf.from_cli(sys.argv[2:]))
        return HfArgumentParser(PARTS).parse_dict(OmegaConf.to_container(given))
    return HfArgumentParser(PARTS).parse_args_into_dataclasses()
