# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small language model on child-directed text."""
import logging
import os

import hydra
from datasets import load_dataset
from transformers import DataCollatorForLanguageModeling, Trainer, TrainingArguments

from src.config import ChildLMConfig, register
from src.models import load_base_model
from src.tokenizer import load_tokenizer

logger = logging.getLogger(__name__)
register()


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: ChildLMConfig):
    assert "HF_READ_TOKEN" in os.environ, "set HF_READ_TOKEN"
    logger.info(cfg)
    dataset = load_dataset(cfg.dataset.name, cfg.dataset.subconfig)
    tokenizer = load_tokenizer(cfg, dataset)
    model = load_base_model(cfg)

    def tokenize(rows):
        return tokenizer(rows["text"], truncation=True,
                         max_length=cfg.data_preprocessing.max_input_length)

    args = TrainingArguments(
        output_dir=f"checkpoints/{cfg.experiment.group}/{cfg.experiment.name}",
        do_train=True,
        per_device_train_batch_size=cfg.trainer.batch_size,
        learning_rate=cfg.trainer.lr,
        max_steps=cfg.trainer.max_training_steps,
        warmup_steps=cfg.trainer.num_warmup_steps,
        gradient_accumulation_steps=cfg.trainer.accumulation,
        per_device_eval_batch_size=64,
        fp16=True,
        seed=cfg.experiment.seed,
        evaluation_strategy="steps",
        eval_steps=cfg.trainer.max_training_steps // 20,
    )
    trainer = Trainer(
        model=model, args=args, tokenizer=tokenizer,
        train_dataset=dataset["train"].map(tokenize, batched=True),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=cfg.objective.name == "mlm"))
    trainer.train()


if __name__ == "__main__":
    main()
