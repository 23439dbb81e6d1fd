#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Causal language modelling with accelerate, without the Trainer."""
import argparse
import json
import logging
import math
import os
from itertools import chain

import datasets
import torch
import transformers
from accelerate import Accelerator, DistributedType
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import (CONFIG_MAPPING, MODEL_MAPPING, AutoConfig, AutoModelForCausalLM,
                          AutoTokenizer, SchedulerType, default_data_collator, get_scheduler)

logger = get_logger(__name__)
MODEL_TYPES = tuple(conf.model_type for conf in MODEL_MAPPING.keys())


def parse_args():
    parser = argparse.ArgumentParser(description="Tune a transformer on a causal language modelling task")
    parser.add_argument("--dataset_name", type=str, default=None)
    parser.add_argument("--dataset_config_name", type=str, default=None)
    parser.add_argument("--train_file", type=str, default=None)
    parser.add_argument("--validation_file", type=str, default=None)
    parser.add_argument("--validation_split_percentage", default=5)
    parser.add_argument("--model_name_or_path", type=str, required=False)
    parser.add_argument("--config_name", type=str, default=None)
    parser.add_argument("--tokenizer_name", type=str, default=None)
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--per_device_eval_batch_size", type=int, default=8)
    parser.add_argument("--learning_rate", type=float, default=5e-5)
    parser.add_argument("--weight_decay", type=float, default=0.0)
    parser.add_argument("--num_train_epochs", type=int, default=3)
    parser.add_argument("--max_train_steps", type=int, default=None)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument("--lr_scheduler_type", type=SchedulerType, default="linear")
    parser.add_argument("--num_warmup_steps", type=int, default=0)
    parser.add_argument("--output_dir", type=str, default=None)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--model_type", type=str, default=None, choices=MODEL_TYPES)
    parser.add_argument("--block_size", type=int, default=None)
    parser.add_argument("--preprocessing_num_workers", type=int, default=None)
    parser.add_argument("--checkpointing_steps", type=str, default=None)
    parser.add_argument("--with_tracking", action="store_true")
    parser.add_argument("--report_to", type=str, default="all")
    args = parser.parse_args()
    if args.dataset_name is None and args.train_file is None and args.validation_file is None:
        raise ValueError("a data set or a file is needed")
    return args


def main():
    args = parse_args()
    log_with = {"log_with": args.report_to, "logging_dir": args.output_dir} if args.with_tracking else {}
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps, **log_with)
    logging.basicConfig(level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    datasets.utils.logging.set_verbosity_warning()
    transformers.utils.logging.set_verbosity_info()
    if args.seed is not None:
        set_seed(args.seed)
    os.makedirs(args.output_dir, exist_ok=True)

    if args.dataset_name is not None:
        raw = load_dataset(args.dataset_name, args.dataset_config_name)
    else:
        raw = load_dataset(args.train_file.split(".")[-1],
                           data_files={"train": args.train_file, "validation": args.validation_file})

    if args.model_name_or_path:
        config = AutoConfig.from_pretrained(args.model_name_or_path)
        model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path, config=config)
    else:
        config = CONFIG_MAPPING[args.model_type]()
        model = AutoModelForCausalLM.from_config(config)
    tokenizer = AutoTokenizer.from_pretrained(args.tokenizer_name or args.model_name_or_path)
    if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(len(tokenizer))

    names = raw["train"].column_names
    column = "text" if "text" in names else names[0]
    with accelerator.main_process_first():
        tokenized = raw.map(lambda rows: tokenizer(rows[column]), batched=True, remove_columns=names,
                            num_proc=args.preprocessing_num_workers)
    block_size = min(args.block_size or 1024, tokenizer.model_max_length)

    def group(rows):
        joined = {k: list(chain(*rows[k])) for k in rows.keys()}
        total = len(joined["input_ids"]) // block_size * block_size
        result = {k: [t[i:i + block_size] for i in range(0, total, block_size)]
                  for k, t in joined.items()}
        result["labels"] = result["input_ids"].copy()
        return result

    with accelerator.main_process_first():
        blocks = tokenized.map(group, batched=True, num_proc=args.preprocessing_num_workers)
    train_dataloader = DataLoader(blocks["train"], shuffle=True, collate_fn=default_data_collator,
                                  batch_size=args.per_device_train_batch_size)
    eval_dataloader = DataLoader(blocks["validation"], collate_fn=default_data_collator,
                                 batch_size=args.per_device_eval_batch_size)

    no_decay = ["bias", "layer_norm.weight"]
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)],
         "weight_decay": args.weight_decay},
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)],
         "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=args.learning_rate)

    per_epoch = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    if args.max_train_steps is None:
        args.max_train_steps = args.num_train_epochs * per_epoch
    scheduler = get_scheduler(name=args.lr_scheduler_type, optimizer=optimizer,
                              num_warmup_steps=args.num_warmup_steps,
                              num_training_steps=args.max_train_steps)
    model, optimizer, train_dataloader, eval_dataloader, scheduler = accelerator.prepare(
        model, optimizer, train_dataloader, eval_dataloader, scheduler)
    if accelerator.distributed_type == DistributedType.TPU:
        model.tie_weights()
    if args.with_tracking:
        accelerator.init_trackers("clm_no_trainer", vars(args))

    logger.info("***** Running training *****")
    bar = tqdm(range(args.max_train_steps), disable=not accelerator.is_local_main_process)
    for epoch in range(args.num_train_epochs):
        model.train()
        for batch in train_dataloader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                bar.update(1)
        model.eval()
        losses = []
        for batch in eval_dataloader:
            with torch.no_grad():
                losses.append(accelerator.gather_for_metrics(
                    model(**batch).loss.repeat(args.per_device_eval_batch_size)))
        perplexity = math.exp(torch.mean(torch.cat(losses)))
        logger.info(f"epoch {epoch}: perplexity: {perplexity}")

    accelerator.unwrap_model(model).save_pretrained(args.output_dir)
    with open(os.path.join(args.output_dir, "all_results.json"), "w") as f:
        json.dump({"perplexity": perplexity}, f)


if __name__ == "__main__":
    main()
