#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunes Stable Diffusion with low-rank adapters on pictures and captions."""

import argparse
import logging
import math
import os
import random

import datasets
import diffusers
import numpy as np
import torch
import torch.nn.functional as F
import transformers
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from datasets import load_dataset
from diffusers import AutoencoderKL, DDPMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from diffusers.optimization import get_scheduler
from diffusers.training_utils import cast_training_params, compute_snr
from diffusers.utils import convert_state_dict_to_diffusers
from peft import LoraConfig
from peft.utils import get_peft_model_state_dict
from torchvision import transforms
from tqdm.auto import tqdm
from transformers import CLIPTextModel, CLIPTokenizer

logger = get_logger(__name__, log_level="INFO")


def parse_args():
    parser = argparse.ArgumentParser(description="text to image with LoRA")
    parser.add_argument("--pretrained_model_name_or_path", type=str, default=None, required=True,
                        help="folder or name on the hub")
    parser.add_argument("--revision", type=str, default=None)
    parser.add_argument("--variant", type=str, default=None, help="such as fp16")
    parser.add_argument("--dataset_name", type=str, default=None, help="name on the hub, or a folder")
    parser.add_argument("--dataset_config_name", type=str, default=None)
    parser.add_argument("--train_data_dir", type=str, default=None)
    parser.add_argument("--image_column", type=str, default="image")
    parser.add_argument("--caption_column", type=str, default="text")
    parser.add_argument("--validation_prompt", type=str, default=None)
    parser.add_argument("--num_validation_images", type=int, default=4)
    parser.add_argument("--validation_epochs", type=int, default=1)
    parser.add_argument("--max_train_samples", type=int, default=None)
    parser.add_argument("--output_dir", type=str, default="sd-lora")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--resolution", type=int, default=512)
    parser.add_argument("--center_crop", default=False, action="store_true")
    parser.add_argument("--random_flip", action="store_true")
    parser.add_argument("--train_batch_size", type=int, default=16, help="on one device")
    parser.add_argument("--num_train_epochs", type=int, default=100)
    parser.add_argument("--max_train_steps", type=int, default=None,
                        help="if given, it overrides --num_train_epochs")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument("--gradient_checkpointing", action="store_true")
    parser.add_argument("--learning_rate", type=float, default=1e-4)
    parser.add_argument("--scale_lr", action="store_true", default=False)
    parser.add_argument("--lr_scheduler", type=str, default="constant")
    parser.add_argument("--lr_warmup_steps", type=int, default=500)
    parser.add_argument("--snr_gamma", type=float, default=None)
    parser.add_argument("--use_8bit_adam", action="store_true")
    parser.add_argument("--allow_tf32", action="store_true")
    parser.add_argument("--dataloader_num_workers", type=int, default=0)
    parser.add_argument("--adam_beta1", type=float, default=0.9)
    parser.add_argument("--adam_beta2", type=float, default=0.999)
    parser.add_argument("--adam_weight_decay", type=float, default=1e-2)
    parser.add_argument("--adam_epsilon", type=float, default=1e-08)
    parser.add_argument("--max_grad_norm", default=1.0, type=float)
    parser.add_argument("--logging_dir", type=str, default="logs")
    parser.add_argument("--mixed_precision", type=str, default=None, choices=["no", "fp16", "bf16"])
    parser.add_argument("--report_to", type=str, default="tensorboard")
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--checkpointing_steps", type=int, default=500)
    parser.add_argument("--resume_from_checkpoint", type=str, default=None)
    parser.add_argument("--noise_offset", type=float, default=0)
    parser.add_argument("--rank", type=int, default=4)
    args = parser.parse_args()
    env_local_rank = int(os.environ.get("LOCAL_RANK", -1))
    if env_local_rank != -1 and env_local_rank != args.local_rank:
        args.local_rank = env_local_rank
    if args.dataset_name is None and args.train_data_dir is None:
        raise ValueError("give --dataset_name or --train_data_dir")
    return args


DATASET_NAME_MAPPING = {"lambdalabs/naruto-blip-captions": ("image", "text")}


def main():
    args = parse_args()
    accelerator = Accelerator(
        gradient_accumulation_steps=args.gradient_accumulation_steps,
        mixed_precision=args.mixed_precision,
        log_with=args.report_to,
        project_config=ProjectConfiguration(project_dir=args.output_dir,
                                            logging_dir=os.path.join(args.output_dir, args.logging_dir)),
    )
    logging.basicConfig(level=logging.INFO)
    datasets.utils.logging.set_verbosity_warning()
    transformers.utils.logging.set_verbosity_warning()
    diffusers.utils.logging.set_verbosity_info()
    if args.seed is not None:
        set_seed(args.seed)

    base = args.pretrained_model_name_or_path
    noise_scheduler = DDPMScheduler.from_pretrained(base, subfolder="scheduler")
    tokenizer = CLIPTokenizer.from_pretrained(base, subfolder="tokenizer", revision=args.revision)
    text_encoder = CLIPTextModel.from_pretrained(base, subfolder="text_encoder")
    vae = AutoencoderKL.from_pretrained(base, subfolder="vae", variant=args.variant)
    unet = UNet2DConditionModel.from_pretrained(base, subfolder="unet", variant=args.variant)
    for frozen in (unet, vae, text_encoder):
        frozen.requires_grad_(False)

    weight_dtype = torch.float32
    if accelerator.mixed_precision == "fp16":
        weight_dtype = torch.float16
    elif accelerator.mixed_precision == "bf16":
        weight_dtype = torch.bfloat16
    for part in (unet, vae, text_encoder):
        part.to(accelerator.device, dtype=weight_dtype)

    unet.add_adapter(LoraConfig(r=args.rank, lora_alpha=args.rank, init_lora_weights="gaussian",
                                target_modules=["to_k", "to_q", "to_v", "to_out.0"]))
    if args.mixed_precision == "fp16":
        cast_training_params(unet, dtype=torch.float32)
    lora_layers = list(filter(lambda p: p.requires_grad, unet.parameters()))
    if args.gradient_checkpointing:
        unet.enable_gradient_checkpointing()
    if args.scale_lr:
        args.learning_rate = (args.learning_rate * args.gradient_accumulation_steps
                              * args.train_batch_size * accelerator.num_processes)

    if args.use_8bit_adam:
        import bitsandbytes as bnb

        optimizer_cls = bnb.optim.AdamW8bit
    else:
        optimizer_cls = torch.optim.AdamW
    optimizer = optimizer_cls(lora_layers, lr=args.learning_rate,
                              betas=(args.adam_beta1, args.adam_beta2),
                              weight_decay=args.adam_weight_decay, eps=args.adam_epsilon)

    if args.dataset_name is not None:
        dataset = load_dataset(args.dataset_name, args.dataset_config_name)
    else:
        dataset = load_dataset("imagefolder",
                               data_files={"train": os.path.join(args.train_data_dir, "**")})
    columns = DATASET_NAME_MAPPING.get(args.dataset_name, (args.image_column, args.caption_column))
    steps = transforms.Compose([
        transforms.Resize(args.resolution, interpolation=transforms.InterpolationMode.BILINEAR),
        transforms.CenterCrop(args.resolution) if args.center_crop
        else transforms.RandomCrop(args.resolution),
        transforms.RandomHorizontalFlip() if args.random_flip else transforms.Lambda(lambda x: x),
        transforms.ToTensor(),
        transforms.Normalize([0.5], [0.5]),
    ])

    def preprocess(rows):
        captions = [random.choice(c) if isinstance(c, (list, np.ndarray)) else c
                    for c in rows[columns[1]]]
        rows["pixel_values"] = [steps(image.convert("RGB")) for image in rows[columns[0]]]
        rows["input_ids"] = tokenizer(captions, max_length=tokenizer.model_max_length,
                                      padding="max_length", truncation=True,
                                      return_tensors="pt").input_ids
        return rows

    train_dataset = dataset["train"].with_transform(preprocess)
    train_dataloader = torch.utils.data.DataLoader(
        train_dataset, shuffle=True, batch_size=args.train_batch_size,
        collate_fn=lambda rows: {key: torch.stack([row[key] for row in rows])
                                 for key in ("pixel_values", "input_ids")},
        num_workers=args.dataloader_num_workers)

    per_epoch = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    if args.max_train_steps is None:
        args.max_train_steps = args.num_train_epochs * per_epoch
    lr_scheduler = get_scheduler(args.lr_scheduler, optimizer=optimizer,
                                 num_warmup_steps=args.lr_warmup_steps * accelerator.num_processes,
                                 num_training_steps=args.max_train_steps * accelerator.num_processes)
    unet, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
        unet, optimizer, train_dataloader, lr_scheduler)
    args.num_train_epochs = math.ceil(args.max_train_steps / per_epoch)

    logger.info("***** Running training *****")
    logger.info(f"  Num Epochs = {args.num_train_epochs}")
    logger.info(f"  Total optimization steps = {args.max_train_steps}")
    bar = tqdm(range(args.max_train_steps), desc="Steps", disable=not accelerator.is_local_main_process)
    global_step = 0
    for _ in range(args.num_train_epochs):
        unet.train()
        for batch in train_dataloader:
            with accelerator.accumulate(unet):
                latents = vae.encode(batch["pixel_values"].to(dtype=weight_dtype)).latent_dist.sample()
                latents = latents * vae.config.scaling_factor
                noise = torch.randn_like(latents)
                if args.noise_offset:
                    noise += args.noise_offset * torch.randn(latents.shape[:2] + (1, 1),
                                                             device=latents.device)
                times = torch.randint(0, noise_scheduler.config.num_train_timesteps,
                                      (latents.shape[0],), device=latents.device).long()
                noisy = noise_scheduler.add_noise(latents, noise, times)
                states = text_encoder(batch["input_ids"], return_dict=False)[0]
                predicted = unet(noisy, times, states, return_dict=False)[0]
                if args.snr_gamma is None:
                    loss = F.mse_loss(predicted.float(), noise.float(), reduction="mean")
                else:
                    snr = compute_snr(noise_scheduler, times).clamp(max=args.snr_gamma)
                    loss = (F.mse_loss(predicted.float(), noise.float(), reduction="none")
                            .mean(dim=[1, 2, 3]) * snr).mean()
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(lora_layers, args.max_grad_norm)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                bar.update(1)
                global_step += 1
            bar.set_postfix(step_loss=loss.detach().item(), lr=lr_scheduler.get_last_lr()[0])
            if global_step >= args.max_train_steps:
                break

    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        state = convert_state_dict_to_diffusers(get_peft_model_state_dict(unet.to(torch.float32)))
        StableDiffusionPipeline.save_lora_weights(save_directory=args.output_dir,
                                                  unet_lora_layers=state)
    accelerator.end_training()


if __name__ == "__main__":
    main()
