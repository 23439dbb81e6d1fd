# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import (AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq,
                          Seq2SeqTrainer)

from .data import get_dataset


def run_sft(model_args, data_args, training_args, finetuning_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    trainer = Seq2SeqTrainer(model=model, args=training_args, tokenizer=tokenizer,
                             data_collator=DataCollatorForSeq2Seq(tokenizer),
                             train_dataset=get_dataset(data_args, tokenizer, stage="sft"))
    trainer.train()
    trainer.save_model()
