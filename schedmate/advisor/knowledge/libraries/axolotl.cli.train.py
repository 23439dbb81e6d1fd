# SPDX-License-Identifier: GPL-3.0-or-later
"""Axolotl: `axolotl train CONFIG` or `-m axolotl.cli.train CONFIG`."""
import sys

import yaml
from schedsim import job

config = {}
for word in sys.argv[1:]:
    if word.endswith(".yml") or word.endswith(".yaml"):
        config = yaml.safe_load(open(word))
job(framework="PyTorch + HF Transformers + Axolotl",
    model_name=config["base_model"])
kind = config.get("rl")
if kind is None:
    job(task_type="instruction tuning")
elif kind == "grpo":
    job(task_type="reinforcement learning")
else:
    job(task_type="preference tuning")
if config.get("optimizer") is None:
    job(optimizer="adamw_torch_fused")
