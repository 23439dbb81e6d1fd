# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tunes a model for extractive question answering."""
import argparse
import logging

from datasets import load_dataset
from transformers import (AutoModelForQuestionAnswering, AutoTokenizer,
                          Trainer, TrainingArguments, default_data_collator,
                          set_seed)

from features import prepare

logger = logging.getLogger("run_qa")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_name_or_path", default="bert-base-uncased")
    parser.add_argument("--dataset_name", default="squad")
    parser.add_argument("--max_seq_length", type=int, default=384)
    parser.add_argument("--doc_stride", type=int, default=128)
    parser.add_argument("--do_train", action="store_true")
    parser.add_argument("--do_eval", action="store_true")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--per_device_train_batch_size", type=int, default=32)
    parser.add_argument("--learning_rate", type=float, default=3e-5)
    parser.add_argument("--num_train_epochs", type=float, default=2.0)
    parser.add_argument("--warmup_ratio", type=float, default=0.1)
    parser.add_argument("--logging_steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--output_dir", default="out")
    return parser.parse_args()


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO)
    set_seed(args.seed)
    raw = load_dataset(args.dataset_name)
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    model = AutoModelForQuestionAnswering.from_pretrained(
        args.model_name_or_path)
    columns = raw["train"].column_names
    data = raw.map(prepare(tokenizer, args.max_seq_length, args.doc_stride),
                   batched=True, remove_columns=columns)
    logger.info("***** Running training *****")
    logger.info("  windows: %d", len(data["train"]))
    trainer = Trainer(
        model=model, train_dataset=data["train"],
        eval_dataset=data["validation"], tokenizer=tokenizer,
        data_collator=default_data_collator,
        args=TrainingArguments(
            output_dir=args.output_dir, fp16=args.fp16, seed=args.seed,
            per_device_train_batch_size=args.per_device_train_batch_size,
            learning_rate=args.learning_rate,
            num_train_epochs=args.num_train_epochs,
            warmup_ratio=args.warmup_ratio,
            logging_steps=args.logging_steps, save_strategy="epoch",
            report_to="none"))
    if args.do_train:
        metrics = trainer.train().metrics
        trainer.log_metrics("train", metrics)
        trainer.save_model()
    if args.do_eval:
        trainer.log_metrics("eval", trainer.evaluate())


if __name__ == "__main__":
    main()
