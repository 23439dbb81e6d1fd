# SPDX-License-Identifier: GPL-3.0-or-later
"""A diffusion model; settings are a dictionary of defaults and a file."""
import argparse
import tomllib

import torch

from improved_diffusion.unet import UNetModel


def create_argparser():
    defaults = dict(
        data_dir="",
        lr=1e-4,
        weight_decay=0.0,
        lr_anneal_steps=0,
        batch_size=1,
        use_fp16=False,
    )
    return defaults


model = UNetModel()
opt = torch.optim.AdamW(model.parameters())
