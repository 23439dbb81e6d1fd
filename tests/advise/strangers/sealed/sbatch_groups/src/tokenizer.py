# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import AutoTokenizer


def load_tokenizer(cfg, dataset):
    tokenizer = AutoTokenizer.from_pretrained(cfg.tokenizer.name)
    return tokenizer.train_new_from_iterator(dataset["train"]["text"],
                                             vocab_size=cfg.tokenizer.vocab_size)
