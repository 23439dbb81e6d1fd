# SPDX-License-Identifier: GPL-3.0-or-later
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, Seq2SeqTrainer
from trl import DPOTrainer

from tunehub.data import load_data
from tunehub.hparams import read_args


def run_sft(model_args, data_args, training_args, tuning_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    if tuning_args.finetuning_type == "lora":
        model = get_peft_model(model, LoraConfig(r=tuning_args.lora_rank))
    trainer = Seq2SeqTrainer(model=model, args=training_args, tokenizer=tokenizer,
                             train_dataset=load_data(data_args, tokenizer))
    if training_args.do_train:
        trainer.train()


def run_dpo(model_args, data_args, training_args, tuning_args):
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    DPOTrainer(model, args=training_args, beta=tuning_args.pref_beta).train()


def run_exp():
    parts = read_args()
    stage = parts[-1].stage
    if stage == "sft":
        run_sft(*parts)
    elif stage == "dpo":
        run_dpo(*parts)
    else:
        raise ValueError(f"no stage {stage}")
