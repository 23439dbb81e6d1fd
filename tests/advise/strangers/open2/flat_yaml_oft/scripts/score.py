#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import argparse

import evaluate
from datasets import load_dataset
from transformers import pipeline

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--benchmark", default="humaneval", choices=["humaneval", "mbpp"])
parser.add_argument("--pass_k", default="1")
parser.add_argument("--max_new_tokens", type=int, default=512)
parser.add_argument("--batch_size", type=int, default=16)
args = parser.parse_args()

source = {"humaneval": "openai/openai_humaneval", "mbpp": "Muennighoff/mbpp"}[args.benchmark]
tasks = load_dataset(source, split="test")
write = pipeline("text-generation", model=args.model, device_map="auto")
answers = [[one["generated_text"] for one in write(task["prompt"], num_return_sequences=1)]
           for task in tasks]
print(evaluate.load("code_eval").compute(predictions=answers,
                                         references=[task["test"] for task in tasks],
                                         k=[int(k) for k in args.pass_k.split(",")]))
