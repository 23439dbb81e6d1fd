# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings are globals; a file of the command overrules them."""
import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

from model import GPT, GPTConfig

out_dir = 'out'
dataset = 'openwebtext'
gradient_accumulation_steps = 5 * 8  # of all processes
batch_size = 12
block_size = 1024
learning_rate = 6e-4
max_iters = 600000
dtype = 'bfloat16'
exec(open('configurator.py').read())

model = GPT(GPTConfig(block_size))
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
model = DDP(model)
