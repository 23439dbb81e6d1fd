# SPDX-License-Identifier: GPL-3.0-or-later
"""Full fine-tuning with the DeepSpeed engine."""
import argparse
import functools
import os
import random

import deepspeed
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer

from data.alpaca import AlpacaDataset, collate


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-name-or-path", default="Qwen/Qwen2.5-14B")
    parser.add_argument("--data-path", default="/data/alpaca/alpaca_data.json")
    parser.add_argument("--max-seq-len", type=int, default=512)
    parser.add_argument("--num-train-epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-5)
    parser.add_argument("--warmup-steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--save-dir", default="checkpoints")
    parser.add_argument("--local_rank", type=int, default=-1)
    parser = deepspeed.add_config_arguments(parser)
    return parser.parse_args()


def loader_of(args, tokenizer, engine):
    data = AlpacaDataset(args.data_path, tokenizer, args.max_seq_len)
    sampler = DistributedSampler(data, shuffle=True, seed=args.seed)
    return DataLoader(
        data, batch_size=engine.train_micro_batch_size_per_gpu(),
        sampler=sampler, num_workers=4,
        collate_fn=functools.partial(collate, pad=tokenizer.pad_token_id))


def train_epoch(args, engine, loader, epoch):
    loader.sampler.set_epoch(epoch)
    for batch in loader:
        batch = {k: v.to(engine.device) for k, v in batch.items()}
        loss = engine(**batch).loss
        engine.backward(loss)
        engine.step()
        for group in engine.optimizer.param_groups:
            warm = min(1.0, (engine.global_steps + 1) / args.warmup_steps)
            group["lr"] = args.lr * warm


def main():
    args = parse()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    deepspeed.init_distributed()
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(
        args.model_name_or_path, torch_dtype=torch.bfloat16)
    model.gradient_checkpointing_enable()
    engine, _, _, _ = deepspeed.initialize(
        args=args, model=model, model_parameters=model.parameters())
    loader = loader_of(args, tokenizer, engine)
    for epoch in range(args.num_train_epochs):
        train_epoch(args, engine, loader, epoch)
        engine.save_checkpoint(args.save_dir, tag="epoch%d" % epoch)
    if int(os.environ.get("RANK", 0)) == 0:
        print("finished after %d steps" % engine.global_steps)


if __name__ == "__main__":
    main()
