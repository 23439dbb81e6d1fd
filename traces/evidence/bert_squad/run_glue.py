# SPDX-License-Identifier: GPL-3.0-or-later
"""Text classification with RoBERTa on MNLI; superseded by run_qa.py."""
import argparse

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_name_or_path", default="roberta-large")
    parser.add_argument("--task_name", default="mnli")
    parser.add_argument("--per_device_train_batch_size", type=int, default=16)
    args = parser.parse_args()
    data = load_dataset("glue", args.task_name)
    model = AutoModelForSequenceClassification.from_pretrained(
        args.model_name_or_path, num_labels=3)
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    print(len(data), model.config, tokenizer)


if __name__ == "__main__":
    main()
