# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervised tuning; everything stands in the recipe."""
from transformers import AutoTokenizer
from trl import SFTTrainer


def main(model_args, data_args, training_args):
    trainer = SFTTrainer(model=model_args.model_name_or_path,
                         args=training_args)
    trainer.train()
