# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a BERT from nothing."""
from megatron.data.bert_dataset import build_datasets
from megatron.model import BertModel
from megatron.training import pretrain


def model_provider(pre_process=True, post_process=True):
    return BertModel(num_tokentypes=2, add_binary_head=True)


def forward_step(iterator, model):
    batch = next(iterator)
    return model(batch["text"], batch["padding_mask"], lm_labels=batch["labels"]), lambda out: out


if __name__ == "__main__":
    pretrain(build_datasets, model_provider, forward_step,
             args_defaults={"tokenizer_type": "BertWordPieceLowerCase"})
