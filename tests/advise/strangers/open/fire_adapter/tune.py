# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys
from typing import List

import fire
import torch
import transformers
from datasets import load_dataset
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoTokenizer, LlamaForCausalLM

from prompts.template import Template


def train(
    # what to tune, and on what
    base_model: str = "",
    data_path: str = "tatsu-lab/alpaca",
    output_dir: str = "./adapter",
    # how
    batch_size: int = 128,
    micro_batch_size: int = 4,
    num_epochs: int = 3,
    learning_rate: float = 3e-4,
    cutoff_len: int = 256,
    val_set_size: int = 2000,
    # adapter
    lora_r: int = 8,
    lora_alpha: int = 16,
    lora_dropout: float = 0.05,
    lora_target_modules: List[str] = ["q_proj", "v_proj"],
    # text
    train_on_inputs: bool = True,
    add_eos_token: bool = False,
    group_by_length: bool = False,  # faster, but the loss curve looks odd
    # bookkeeping
    wandb_project: str = "",
    resume_from_checkpoint: str = None,
    template: str = "plain",
):
    assert base_model, "give --base_model"
    accumulate = batch_size // micro_batch_size
    prompter = Template(template)

    device_map = "auto"
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    ddp = world_size != 1
    if ddp:
        device_map = {"": int(os.environ.get("LOCAL_RANK") or 0)}
        accumulate = accumulate // world_size
    if wandb_project:
        os.environ["WANDB_PROJECT"] = wandb_project

    model = LlamaForCausalLM.from_pretrained(
        base_model, load_in_8bit=True, torch_dtype=torch.float16, device_map=device_map)
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    tokenizer.pad_token_id = 0
    tokenizer.padding_side = "left"

    def tokenize(row):
        text = prompter.fill(row["instruction"], row.get("context"), row["response"])
        ids = tokenizer(text, truncation=True, max_length=cutoff_len, padding=False)
        ids["labels"] = ids["input_ids"].copy()
        return ids

    model = prepare_model_for_kbit_training(model)
    model = get_peft_model(model, LoraConfig(
        r=lora_r, lora_alpha=lora_alpha, target_modules=lora_target_modules,
        lora_dropout=lora_dropout, bias="none", task_type="CAUSAL_LM"))

    if data_path.endswith((".json", ".jsonl")):
        data = load_dataset("json", data_files=data_path)
    else:
        data = load_dataset(data_path)
    split = data["train"].train_test_split(test_size=val_set_size, seed=42)

    trainer = transformers.Trainer(
        model=model,
        train_dataset=split["train"].shuffle().map(tokenize),
        eval_dataset=split["test"].map(tokenize),
        args=transformers.TrainingArguments(
            per_device_train_batch_size=micro_batch_size,
            gradient_accumulation_steps=accumulate,
            warmup_steps=100,
            num_train_epochs=num_epochs,
            learning_rate=learning_rate,
            fp16=True,
            logging_steps=10,
            optim="adamw_torch",
            evaluation_strategy="steps" if val_set_size > 0 else "no",
            eval_steps=200 if val_set_size > 0 else None,
            save_steps=200,
            output_dir=output_dir,
            ddp_find_unused_parameters=False if ddp else None,
            group_by_length=group_by_length,
        ),
        data_collator=transformers.DataCollatorForSeq2Seq(
            tokenizer, pad_to_multiple_of=8, return_tensors="pt", padding=True),
    )
    model.config.use_cache = False
    if torch.__version__ >= "2" and sys.platform != "win32":
        model = torch.compile(model)
    trainer.train(resume_from_checkpoint=resume_from_checkpoint)
    model.save_pretrained(output_dir)


if __name__ == "__main__":
    fire.Fire(train)
