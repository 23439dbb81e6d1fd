# SPDX-License-Identifier: GPL-3.0-or-later
"""Transformers 4.40 to 4.57: the defaults of its trainer (TrainingArguments).
No module defines `Arguments`: the class has options beyond those here."""
from dataclasses import dataclass

from schedsim import job


@dataclass
class TrainingArguments(Arguments):  # noqa: F821
    output_dir: str = None
    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    learning_rate: float = 5e-5
    num_train_epochs: float = 3.0
    max_steps: int = -1
    optim: str = "adamw_torch"
    bf16: bool = False
    fp16: bool = False
    adafactor: bool = False


@dataclass
class Seq2SeqTrainingArguments(TrainingArguments):
    predict_with_generate: bool = False


def say(args):
    if args is None:
        return
    job(learning_rate=args.learning_rate,
        batch_size=args.per_device_train_batch_size)
    if args.max_steps > 0:
        job(max_steps=args.max_steps)
    else:
        job(epochs=args.num_train_epochs)
    if args.gradient_accumulation_steps != 1:
        job(gradient_accumulation=args.gradient_accumulation_steps)
    if args.adafactor:
        job(optimizer="Adafactor")
    else:
        job(optimizer=args.optim)


class Trainer:
    task = None

    def __init__(self, model=None, args=None, data_collator=None,
                 train_dataset=None, eval_dataset=None, optimizers=None,
                 **more):
        self.model = model
        self.args = args
        self.train_dataset = train_dataset
        if optimizers is None:
            say(args)
        if self.task is not None:
            job(task_type=self.task)

    def train(self, **more):
        pass


class Seq2SeqTrainer(Trainer):
    pass
