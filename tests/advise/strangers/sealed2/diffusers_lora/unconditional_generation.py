# SPDX-License-Identifier: GPL-3.0-or-later
"""A small diffusion model of butterflies."""
import torch
from datasets import load_dataset
from diffusers import DDPMScheduler, UNet2DModel

dataset = load_dataset("huggan/smithsonian_butterflies_subset", split="train")
model = UNet2DModel(sample_size=128, in_channels=3, out_channels=3, layers_per_block=2,
                    block_out_channels=(128, 128, 256, 256, 512, 512))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
scheduler = DDPMScheduler(num_train_timesteps=1000)
num_epochs, train_batch_size = 50, 16
