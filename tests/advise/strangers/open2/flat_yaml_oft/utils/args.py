# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class ModelArguments:
    model_name_or_path: str
    trust_remote_code: bool = True


@dataclass
class MethodArguments:
    stage: str = "sft"
    do_train: bool = True
    finetuning_type: str = "oft"
    oft_rank: int = 0
    oft_block_size: int = 32
    oft_target: str = "all"


@dataclass
class DataArguments:
    dataset: str | None = None
    dataset_dir: str = "data"
    template: str = "qwen"
    cutoff_len: int = 4096
    preprocessing_num_workers: int | None = None
    val_size: float = 0.0
    seed: int = 42

    @property
    def names(self):
        return [name.strip() for name in (self.dataset or "").split(",") if name.strip()]


@dataclass
class OutputArguments:
    output_dir: str = "runs/oft"
    logging_steps: int = 10
    save_strategy: str = "epoch"
    overwrite_output_dir: bool = False
    report_to: str = "none"

    @property
    def trackers(self):
        return [] if self.report_to == "none" else self.report_to.split(",")


@dataclass
class TrainArguments:
    per_device_train_batch_size: int = 1
    per_device_eval_batch_size: int = 1
    gradient_accumulation_steps: int = 1
    learning_rate: float = 5.0e-6
    num_train_epochs: float = 3.0
    lr_scheduler_type: str = "cosine"
    warmup_ratio: float = 0.0
    bf16: bool = False
    fp16: bool = False
    ddp_timeout: int = 1800
    gradient_checkpointing: bool = False
    deepspeed: str | None = None
    resume_from_checkpoint: str | None = None


@dataclass
class Config:
    model: ModelArguments
    method: MethodArguments
    data: DataArguments
    output: OutputArguments
    train: TrainArguments


def _pick(cls, values):
    names = {field.name for field in fields(cls)}
    return cls(**{key: value for key, value in values.items() if key in names})


def make_config(values):
    cfg = Config(*(_pick(cls, values) for cls in (ModelArguments, MethodArguments, DataArguments,
                                                  OutputArguments, TrainArguments)))
    if cfg.method.finetuning_type != "oft":
        raise ValueError("only finetuning_type=oft is known here")
    if not cfg.data.names:
        raise ValueError("name at least one dataset")
    return cfg
