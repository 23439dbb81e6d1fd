#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
import logging
import os
import sys
from dataclasses import dataclass, field
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
import transformers
from datasets import Audio, DatasetDict, load_dataset
from evaluate import load
from transformers import (AutoFeatureExtractor, AutoModelForCTC, AutoProcessor, AutoTokenizer,
                          HfArgumentParser, Trainer, TrainingArguments, set_seed)

logger = logging.getLogger(__name__)


@dataclass
class DistillationArguments:
    teacher_model_name: str = field(default="facebook/wav2vec2-base-100h")
    temperature: float = field(default=5.0)
    lambda_param: float = field(default=0.5, metadata={"help": "weight of what the teacher says"})
    hidden_size: int = field(default=None, metadata={"help": "width of the student"})
    intermediate_size: int = field(default=None)
    copy_feature_extractor: bool = field(default=True)
    alpha_mse: float = field(default=0.0)


@dataclass
class ModelArguments:
    model_name_or_path: str = field(metadata={"help": "student, for its tokenizer and features"})
    tokenizer_name_or_path: Optional[str] = field(default=None)
    cache_dir: Optional[str] = field(default=None)
    freeze_feature_encoder: bool = field(default=True)
    attention_dropout: float = field(default=0.0)
    mask_time_prob: float = field(default=0.05)
    layerdrop: float = field(default=0.0)


@dataclass
class DataTrainingArguments:
    dataset_name: str = field(default=None)
    data_dir: str = field(default=None)
    split_name: str = field(default="clean")
    train_split_name: str = field(default="train.100")
    eval_split_name: str = field(default="validation")
    audio_column_name: str = field(default="audio")
    text_column_name: str = field(default="text")
    max_duration_in_seconds: float = field(default=20.0)
    preprocessing_num_workers: Optional[int] = field(default=None)


class DistilCTCTrainer(Trainer):
    """CTC loss of the student and its distance from the teacher."""

    def __init__(self, teacher_model=None, temperature=5.0, lambda_param=0.5, alpha_mse=0.0, **kwargs):
        super().__init__(**kwargs)
        self.teacher = teacher_model.to(self.args.device).eval()
        self.temperature, self.lambda_param, self.alpha_mse = temperature, lambda_param, alpha_mse
        self.divergence = nn.KLDivLoss(reduction="batchmean")

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        student = model(**inputs, output_hidden_states=True)
        with torch.no_grad():
            teacher = self.teacher(**{k: v for k, v in inputs.items() if k != "labels"})
        t = self.temperature
        distance = self.divergence(F.log_softmax(student.logits / t, dim=-1),
                                   F.softmax(teacher.logits / t, dim=-1)) * t ** 2
        loss = (1.0 - self.lambda_param) * student.loss + self.lambda_param * distance
        return (loss, student) if return_outputs else loss


class Collator:
    def __init__(self, processor):
        self.processor = processor

    def __call__(self, rows):
        batch = self.processor.pad([{"input_values": row["input_values"]} for row in rows],
                                   padding=True, return_tensors="pt")
        labels = self.processor.pad(labels=[{"input_ids": row["labels"]} for row in rows],
                                    padding=True, return_tensors="pt")
        batch["labels"] = labels["input_ids"].masked_fill(labels.attention_mask.ne(1), -100)
        return batch


def main():
    parser = HfArgumentParser((ModelArguments, DataTrainingArguments, TrainingArguments,
                               DistillationArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        model_args, data_args, training_args, distil_args = parser.parse_json_file(
            json_file=os.path.abspath(sys.argv[1]))
    else:
        model_args, data_args, training_args, distil_args = parser.parse_args_into_dataclasses()
    logging.basicConfig(level=logging.INFO)
    transformers.utils.logging.set_verbosity_info()
    set_seed(training_args.seed)

    teacher = AutoModelForCTC.from_pretrained(distil_args.teacher_model_name)
    settings = teacher.config.to_dict()
    if distil_args.hidden_size is not None:
        settings["hidden_size"] = distil_args.hidden_size
    if distil_args.intermediate_size is not None:
        settings["intermediate_size"] = distil_args.intermediate_size
    student = AutoModelForCTC.from_config(type(teacher.config)(**settings))
    if distil_args.copy_feature_extractor:
        known = teacher.state_dict()
        with torch.no_grad():
            for name, value in student.named_parameters():
                if "feature_extractor" in name and name in known:
                    value.copy_(known[name])
    if model_args.freeze_feature_encoder:
        student.freeze_feature_encoder()

    tokenizer = AutoTokenizer.from_pretrained(model_args.tokenizer_name_or_path
                                              or model_args.model_name_or_path)
    features = AutoFeatureExtractor.from_pretrained(model_args.model_name_or_path)
    processor = AutoProcessor.from_pretrained(model_args.model_name_or_path)

    raw = DatasetDict()
    source = data_args.data_dir or data_args.dataset_name
    if training_args.do_train:
        raw["train"] = load_dataset(source, data_args.split_name, split=data_args.train_split_name)
    if training_args.do_eval:
        raw["eval"] = load_dataset(source, data_args.split_name, split=data_args.eval_split_name)
    raw = raw.cast_column(data_args.audio_column_name, Audio(sampling_rate=features.sampling_rate))

    def prepare(row):
        sound = row[data_args.audio_column_name]
        row["input_values"] = features(sound["array"],
                                       sampling_rate=sound["sampling_rate"]).input_values[0]
        row["input_length"] = len(sound["array"])
        row["labels"] = tokenizer(row[data_args.text_column_name]).input_ids
        return row

    raw = raw.map(prepare, num_proc=data_args.preprocessing_num_workers)
    longest = data_args.max_duration_in_seconds * features.sampling_rate
    raw = raw.filter(lambda n: n < longest, input_columns=["input_length"])
    wer = load("wer")

    def compute_metrics(pred):
        pred.label_ids[pred.label_ids == -100] = tokenizer.pad_token_id
        said = tokenizer.batch_decode(pred.predictions[0].argmax(-1))
        return {"wer": wer.compute(predictions=said,
                                   references=tokenizer.batch_decode(pred.label_ids, group_tokens=False))}

    trainer = DistilCTCTrainer(teacher_model=teacher, temperature=distil_args.temperature,
                               lambda_param=distil_args.lambda_param,
                               alpha_mse=distil_args.alpha_mse, model=student, args=training_args,
                               data_collator=Collator(processor), compute_metrics=compute_metrics,
                               train_dataset=raw.get("train"), eval_dataset=raw.get("eval"))
    if training_args.do_train:
        trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)
        trainer.save_model()
    if training_args.do_eval:
        trainer.log_metrics("eval", trainer.evaluate())


if __name__ == "__main__":
    main()
