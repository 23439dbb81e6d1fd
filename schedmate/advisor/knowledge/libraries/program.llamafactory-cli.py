# SPDX-License-Identifier: GPL-3.0-or-later
"""LLaMA-Factory 0.9: `llamafactory-cli train CONFIG name=value ...`."""
import sys

import yaml
from omegaconf import OmegaConf
from transformers import TrainingArguments, say
from schedsim import job

config = OmegaConf.from_cli()
for word in sys.argv[1:]:
    if word.endswith(".yaml") or word.endswith(".yml") or word.endswith(".json"):
        config = OmegaConf.merge(yaml.safe_load(open(word)), config)
TASKS = {"sft": "instruction tuning", "pt": "language modelling",
         "dpo": "preference tuning", "kto": "preference tuning",
         "rm": "preference tuning", "ppo": "reinforcement learning"}
job(framework="PyTorch + HF Transformers + LLaMA-Factory",
    model_name=config["model_name_or_path"], dataset_name=config["dataset"],
    task_type=TASKS[config.get("stage", "sft")])
say(TrainingArguments(**config))
