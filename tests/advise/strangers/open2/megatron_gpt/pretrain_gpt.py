# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a GPT from nothing."""
from functools import partial

import torch

from megatron import get_args
from megatron.data.gpt_dataset import build_datasets
from megatron.model import GPTModel
from megatron.training import pretrain


def model_provider(pre_process=True, post_process=True):
    return GPTModel(num_tokentypes=0, parallel_output=True, pre_process=pre_process,
                    post_process=post_process)


def loss_func(mask, output):
    losses = output.float().view(-1)
    loss = torch.sum(losses * mask.view(-1)) / mask.sum()
    return loss, {"lm loss": loss.detach()}


def forward_step(iterator, model):
    batch = next(iterator)
    tokens, labels = batch["text"][:, :-1].cuda(), batch["text"][:, 1:].cuda()
    mask = torch.ones_like(labels, dtype=torch.float)
    return model(tokens, labels=labels), partial(loss_func, mask)


def datasets_provider(sizes):
    args = get_args()
    return build_datasets(args.data_path, args.split, sizes, args.seq_length, args.seed)


if __name__ == "__main__":
    pretrain(datasets_provider, model_provider, forward_step,
             args_defaults={"tokenizer_type": "GPT2BPETokenizer"})
