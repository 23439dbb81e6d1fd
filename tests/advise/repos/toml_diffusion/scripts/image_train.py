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
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=None)
    for key, value in defaults.items():
        parser.add_argument("--" + key, default=value, type=type(value))
    return parser


args, _ = create_argparser().parse_known_args()
with open(args.config, "rb") as file:
    settings = tomllib.load(file)
model = UNetModel()
opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
