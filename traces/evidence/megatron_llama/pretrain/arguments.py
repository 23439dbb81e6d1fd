# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of finetune.py."""
import argparse


def parse_args():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    model = parser.add_argument_group("model")
    model.add_argument("--model-name", default="llama")
    model.add_argument("--num-layers", type=int, default=None)
    model.add_argument("--hidden-size", type=int, default=None)
    model.add_argument("--num-attention-heads", type=int, default=None)
    model.add_argument("--seq-length", type=int, default=None)
    model.add_argument("--max-position-embeddings", type=int, default=None)
    model.add_argument("--tensor-model-parallel-size", type=int, default=1)
    train = parser.add_argument_group("training")
    train.add_argument("--micro-batch-size", type=int, default=None)
    train.add_argument("--train-iters", type=int, default=1000)
    train.add_argument("--lr", type=float, default=None)
    train.add_argument("--min-lr", type=float, default=0.0)
    train.add_argument("--lr-decay-style", default="linear")
    train.add_argument("--weight-decay", type=float, default=0.01)
    train.add_argument("--clip-grad", type=float, default=1.0)
    train.add_argument("--bf16", action="store_true")
    train.add_argument("--seed", type=int, default=1234)
    train.add_argument("--log-interval", type=int, default=100)
    train.add_argument("--save", default="ckpt")
    train.add_argument("--save-interval", type=int, default=None)
    data = parser.add_argument_group("data")
    data.add_argument("--data-path", default=None)
    data.add_argument("--tokenizer-model", default=None)
    return parser.parse_args()
