# SPDX-License-Identifier: GPL-3.0-or-later
"""Adapter for a vision-language model on pairs of picture and description."""
import argparse
import json
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from PIL import Image
from torch.utils.data import Dataset
from transformers import (AutoProcessor, Qwen2_5_VLForConditionalGeneration, Trainer,
                          TrainingArguments)


class Descriptions(Dataset):
    def __init__(self, path, processor):
        self.rows = [json.loads(line) for line in Path(path).read_text().splitlines() if line]
        self.processor = processor

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        found = self.processor(text=[row["prompt"] + row["response"]],
                               images=[Image.open(row["image"]).convert("RGB")], return_tensors="pt")
        found["labels"] = found["input_ids"].clone()
        return found


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", default="Qwen/Qwen2.5-VL-7B-Instruct")
    ap.add_argument("--train", required=True)
    ap.add_argument("--output", required=True)
    ap.add_argument("--steps", type=int, default=300)
    ap.add_argument("--lr", type=float, default=1e-4)
    ap.add_argument("--batch", type=int, default=1)
    ap.add_argument("--grad-accum", type=int, default=8)
    args = ap.parse_args()

    processor = AutoProcessor.from_pretrained(args.model)
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(args.model, torch_dtype=torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, task_type="CAUSAL_LM",
                                             target_modules=["q_proj", "k_proj", "v_proj", "o_proj"]))
    Trainer(model=model, train_dataset=Descriptions(args.train, processor),
            args=TrainingArguments(output_dir=args.output, per_device_train_batch_size=args.batch,
                                   gradient_accumulation_steps=args.grad_accum,
                                   learning_rate=args.lr, max_steps=args.steps, bf16=True)).train()


if __name__ == "__main__":
    main()
