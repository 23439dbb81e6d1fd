#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunes a causal model with an OFT adapter; all settings come from one YAML file."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from transformers import (AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq, Trainer,
                          TrainingArguments, set_seed)

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from utils.adapter import with_oft  # noqa: E402
from utils.args import make_config  # noqa: E402
from utils.config import load_yaml_with_overrides  # noqa: E402
from utils.data import IGNORED, prepare  # noqa: E402


def command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("config", nargs="?", default="config/coder_oft.yaml")
    known, rest = parser.parse_known_args()
    return Path(known.config), rest


def training_arguments(cfg, evaluate):
    known = TrainingArguments.__dataclass_fields__
    wanted = {
        "output_dir": str(ROOT / cfg.output.output_dir),
        "overwrite_output_dir": cfg.output.overwrite_output_dir,
        "logging_steps": cfg.output.logging_steps,
        "save_strategy": cfg.output.save_strategy,
        "report_to": cfg.output.trackers,
        "per_device_train_batch_size": cfg.train.per_device_train_batch_size,
        "per_device_eval_batch_size": cfg.train.per_device_eval_batch_size,
        "gradient_accumulation_steps": cfg.train.gradient_accumulation_steps,
        "learning_rate": cfg.train.learning_rate,
        "num_train_epochs": cfg.train.num_train_epochs,
        "lr_scheduler_type": cfg.train.lr_scheduler_type,
        "warmup_ratio": cfg.train.warmup_ratio,
        "bf16": cfg.train.bf16,
        "fp16": cfg.train.fp16,
        "gradient_checkpointing": cfg.train.gradient_checkpointing,
        "deepspeed": cfg.train.deepspeed,
        "ddp_timeout": cfg.train.ddp_timeout,
        "seed": cfg.data.seed,
        "do_eval": evaluate,
    }
    return TrainingArguments(**{k: v for k, v in wanted.items() if v is not None and k in known})


def main():
    path, overrides = command_line()
    cfg = make_config(load_yaml_with_overrides(path, overrides))
    set_seed(cfg.data.seed)

    tokenizer = AutoTokenizer.from_pretrained(cfg.model.model_name_or_path,
                                              trust_remote_code=cfg.model.trust_remote_code)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(cfg.model.model_name_or_path,
                                                 trust_remote_code=cfg.model.trust_remote_code)
    train_set, eval_set = prepare(cfg.data, tokenizer, ROOT)
    model = with_oft(model, cfg.method)

    trainer = Trainer(
        model=model,
        args=training_arguments(cfg, eval_set is not None),
        train_dataset=train_set,
        eval_dataset=eval_set,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model, label_pad_token_id=IGNORED,
                                             pad_to_multiple_of=8),
    )
    if cfg.method.do_train:
        done = trainer.train(resume_from_checkpoint=cfg.train.resume_from_checkpoint)
        trainer.log_metrics("train", done.metrics)
        trainer.save_model()


if __name__ == "__main__":
    main()
