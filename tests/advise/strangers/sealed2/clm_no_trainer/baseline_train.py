# SPDX-License-Identifier: GPL-3.0-or-later
from datasets import load_dataset
from transformers import (AutoModelForCausalLM, AutoTokenizer, HfArgumentParser, Trainer,
                          TrainingArguments)

MODEL = "facebook/opt-350m"

tokenizer = AutoTokenizer.from_pretrained(MODEL)
model = AutoModelForCausalLM.from_pretrained(MODEL).cuda()
data = load_dataset("someone/reviews-input-output")
trainer = Trainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=data["train"],
    args=TrainingArguments(output_dir="/tmp/io", num_train_epochs=1, per_device_train_batch_size=1,
                           gradient_accumulation_steps=8, learning_rate=1e-5, fp16=True,
                           deepspeed="./ds_config.json"),
)
trainer.train()
