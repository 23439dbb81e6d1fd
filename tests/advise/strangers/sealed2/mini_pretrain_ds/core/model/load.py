# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer


def get_grouped_params(model, no_decay=("bias", "LayerNorm.weight")):
    kept = [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)]
    decayed = [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)]
    return [{"params": decayed, "weight_decay": 0.1}, {"params": kept, "weight_decay": 0.0}]


def get_all_modelling(config_path, tokenizer_path):
    config = AutoConfig.from_pretrained(config_path)
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_path)
    config.vocab_size = tokenizer.vocab_size
    return AutoModelForCausalLM.from_config(config), tokenizer, config
