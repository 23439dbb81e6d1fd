# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

BASE = os.environ.get("BASE_MODEL", None)
assert BASE, "export BASE_MODEL=EleutherAI/gpt-j-6b, or whatever the adapter was made for"
base = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.bfloat16)
merged = PeftModel.from_pretrained(base, "adapter").merge_and_unload()
merged.save_pretrained("./merged")
