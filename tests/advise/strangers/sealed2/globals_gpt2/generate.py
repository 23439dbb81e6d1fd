# SPDX-License-Identifier: GPL-3.0-or-later
import tiktoken
import torch

from models.gpt1 import GPT1
from train import train_model

block_size = 128
batch_size = 64
num_epochs = 5
device = "cuda" if torch.cuda.is_available() else "cpu"

model = GPT1(vocab_size=50257, n_embd=256, n_head=4, n_layer=4, block_size=block_size).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
encoder = tiktoken.get_encoding("gpt2")
print(encoder.decode(model.generate(torch.zeros((1, 1), dtype=torch.long, device=device), 100)[0].tolist()))
