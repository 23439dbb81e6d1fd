# SPDX-License-Identifier: GPL-3.0-or-later
"""Teaches Stable Diffusion one subject from a few pictures."""
import argparse

import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTokenizer


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pretrained_model_name_or_path", default="CompVis/stable-diffusion-v1-4")
    parser.add_argument("--instance_data_dir", required=True)
    parser.add_argument("--instance_prompt", required=True)
    parser.add_argument("--resolution", type=int, default=512)
    parser.add_argument("--train_batch_size", type=int, default=4)
    parser.add_argument("--max_train_steps", type=int, default=800)
    parser.add_argument("--learning_rate", type=float, default=5e-6)
    parser.add_argument("--mixed_precision", default="bf16")
    return parser.parse_args()


def main(args):
    accelerator = Accelerator(mixed_precision=args.mixed_precision)
    base = args.pretrained_model_name_or_path
    tokenizer = CLIPTokenizer.from_pretrained(base, subfolder="tokenizer")
    text_encoder = CLIPTextModel.from_pretrained(base, subfolder="text_encoder")
    vae = AutoencoderKL.from_pretrained(base, subfolder="vae")
    unet = UNet2DConditionModel.from_pretrained(base, subfolder="unet")
    scheduler = DDPMScheduler.from_pretrained(base, subfolder="scheduler")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate)
    unet, optimizer = accelerator.prepare(unet, optimizer)
    print(tokenizer, text_encoder, vae, scheduler)


if __name__ == "__main__":
    main(parse_args())
