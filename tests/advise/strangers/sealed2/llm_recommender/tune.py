# SPDX-License-Identifier: GPL-3.0-or-later
import os
import pickle
from typing import List

import fire
import torch
import transformers

from model import LLMRec
from utils.data_utils import ItemSequences, SequenceCollator
from utils.eval_utils import compute_metrics
from utils.prompter import Prompter
from utils.train_utils import RecTrainer


def train(
    # model and data
    base_model: str = "",
    cache_dir: str = "",
    output_dir: str = "",
    task_type: str = "",
    train_strategy: str = "lora",
    domain_type: str = "cloths",
    # loop
    batch_size: int = 128,
    micro_batch_size: int = 8,
    num_epochs: int = 1,
    learning_rate: float = 3e-4,
    cutoff_len: int = 4096,
    lr_scheduler: str = "cosine",
    max_steps: int = -1,
    warmup_steps: int = 100,
    save_steps: int = 100,
    eval_steps: int = 100,
    # adapter
    lora_r: int = 16,
    lora_alpha: int = 16,
    lora_dropout: float = 0.05,
    lora_target_modules: List[str] = ["gate_proj", "down_proj", "up_proj"],
    # text
    prompt_template_name: str = "alpaca",
    resume_from_checkpoint: str = None,
    llama_decoder_nums: int = 32,
):
    if int(os.environ.get("LOCAL_RANK", 0)) == 0:
        print(f"domain_type: {domain_type}\nbatch_size: {batch_size}\n"
              f"micro_batch_size: {micro_batch_size}\nnum_epochs: {num_epochs}\n"
              f"learning_rate: {learning_rate}\nllama_decoder_nums: {llama_decoder_nums}")

    prompter = Prompter(prompt_template_name)
    device_map = "auto"
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    ddp = world_size != 1
    if ddp:
        device_map = {"": int(os.environ.get("LOCAL_RANK") or 0)}

    # item vectors of a small recommender that was trained before
    with open(f"./sasrec_{domain_type}/items.pkl", "rb") as f:
        items = pickle.load(f)["item_embedding"]

    model = LLMRec(
        task_type=task_type,
        cache_dir=cache_dir,
        input_dim=128,
        lora_r=lora_r,
        lora_alpha=lora_alpha,
        lora_dropout=lora_dropout,
        lora_target_modules=lora_target_modules,
        device_map=device_map,
        instruction_text=prompter.generate(task_type),
        train_strategy=train_strategy,
        input_embeds=items,
        llama_decoder_nums=llama_decoder_nums,
    )
    if not ddp and torch.cuda.device_count() > 1:
        model.is_parallelizable = True
        model.model_parallel = True

    path = f"./dataset/sequential/{domain_type}.csv"
    trainer = RecTrainer(
        model=model,
        train_dataset=ItemSequences(path, "train", max_seq_length=30),
        eval_dataset=ItemSequences(path, "valid", max_seq_length=30),
        args=transformers.TrainingArguments(
            per_device_train_batch_size=micro_batch_size,
            gradient_accumulation_steps=1,
            warmup_steps=warmup_steps,
            num_train_epochs=num_epochs,
            learning_rate=learning_rate,
            dataloader_num_workers=8,
            per_device_eval_batch_size=512,
            remove_unused_columns=False,
            max_steps=max_steps,
            fp16=True,
            logging_steps=1,
            optim="adamw_torch",
            evaluation_strategy="epoch" if eval_steps < 0 else "steps",
            save_strategy="epoch" if save_steps < 0 else "steps",
            eval_steps=eval_steps,
            save_steps=save_steps,
            lr_scheduler_type=lr_scheduler,
            output_dir=output_dir,
            ddp_find_unused_parameters=False if ddp else None,
            report_to="tensorboard",
        ),
        data_collator=SequenceCollator(),
        compute_metrics=compute_metrics,
    )
    trainer.train(resume_from_checkpoint=resume_from_checkpoint)
    print(trainer.predict(ItemSequences(path, "test", max_seq_length=30)).metrics)


if __name__ == "__main__":
    torch.cuda.empty_cache()
    fire.Fire(train)
