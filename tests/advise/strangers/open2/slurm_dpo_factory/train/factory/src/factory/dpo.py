# SPDX-License-Identifier: GPL-3.0-or-later
import copy

from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOTrainer

from .data import get_dataset


class PreferenceTrainer(DPOTrainer):
    def __init__(self, model, ref_model, finetuning_args, **kwargs):
        self.beta = finetuning_args.pref_beta
        self.loss_type = finetuning_args.pref_loss
        super().__init__(model=model, ref_model=ref_model, **kwargs)


def run_dpo(model_args, data_args, training_args, finetuning_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    reference = copy.deepcopy(model).eval()
    trainer = PreferenceTrainer(model, reference, finetuning_args, args=training_args,
                                tokenizer=tokenizer,
                                train_dataset=get_dataset(data_args, tokenizer, stage="rm"))
    if training_args.do_train:
        trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)
        trainer.save_model()
