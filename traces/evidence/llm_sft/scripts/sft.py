# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tunes a causal language model on instructions with HF's Trainer."""
import logging
import os
import sys

import torch
import transformers
from accelerate import Accelerator
from datasets import load_dataset
from transformers import (AutoModelForCausalLM, AutoTokenizer, Trainer,
                          TrainingArguments, set_seed)

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from sft.config import read_config  # noqa: E402
from sft.prompts import mask_prompt, to_text  # noqa: E402

logger = logging.getLogger(__name__)


class Collator:
    def __init__(self, tokenizer, length):
        self.tokenizer, self.length = tokenizer, length

    def __call__(self, rows):
        texts = [to_text(row, self.tokenizer.eos_token) for row in rows]
        batch = self.tokenizer(texts, max_length=self.length, padding=True,
                               truncation=True, return_tensors="pt")
        labels = batch["input_ids"].clone()
        labels[batch["attention_mask"] == 0] = -100
        for i, row in enumerate(rows):
            at = len(self.tokenizer(texts[i][:-len(row["output"])]).input_ids)
            labels[i] = torch.tensor(mask_prompt(labels[i].tolist(), at))
        batch["labels"] = labels
        return batch


def build_model(config):
    model = AutoModelForCausalLM.from_pretrained(
        config.model_name_or_path,
        torch_dtype=getattr(torch, config.torch_dtype),
        attn_implementation=config.attn_implementation, use_cache=False)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()
    return model


def training_arguments(config):
    return TrainingArguments(
        output_dir=config.output_dir,
        num_train_epochs=config.num_train_epochs,
        per_device_train_batch_size=config.per_device_train_batch_size,
        gradient_accumulation_steps=config.gradient_accumulation_steps,
        learning_rate=config.learning_rate,
        lr_scheduler_type=config.lr_scheduler_type,
        warmup_ratio=config.warmup_ratio, bf16=config.bf16,
        logging_steps=config.logging_steps,
        save_strategy=config.save_strategy, seed=config.seed,
        optim="adamw_torch", report_to="none", remove_unused_columns=False)


def main():
    config = read_config()
    accelerator = Accelerator()
    set_seed(config.seed)
    logging.basicConfig(level=logging.INFO)
    transformers.utils.logging.set_verbosity_info()
    logger.info("process %d of %d, %s", accelerator.process_index,
                accelerator.num_processes, config)
    tokenizer = AutoTokenizer.from_pretrained(config.model_name_or_path)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    data = load_dataset(config.dataset_name, split="train")
    data = data.train_test_split(test_size=0.01, seed=config.seed)
    trainer = Trainer(model=build_model(config),
                      args=training_arguments(config),
                      train_dataset=data["train"], eval_dataset=data["test"],
                      data_collator=Collator(tokenizer, config.max_seq_length))
    result = trainer.train()
    trainer.log_metrics("train", result.metrics)
    trainer.save_model(config.output_dir)
    logger.info("done")


if __name__ == "__main__":
    main()
