# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import (GPT2Config, GPT2LMHeadModel, OPTConfig, OPTForCausalLM, RobertaConfig,
                          RobertaForMaskedLM)

REGISTRY = {}


def register_model(name, config):
    def add(cls):
        REGISTRY[name] = (cls, config)
        return cls
    return add


register_model("roberta_mlm", RobertaConfig)(RobertaForMaskedLM)
register_model("opt_125m", OPTConfig)(OPTForCausalLM)
register_model("gpt2_lm", GPT2Config)(GPT2LMHeadModel)


def load_base_model(cfg):
    cls, config = REGISTRY[cfg.model.name]
    return cls(config(**dict(cfg.model.model_kwargs)))
