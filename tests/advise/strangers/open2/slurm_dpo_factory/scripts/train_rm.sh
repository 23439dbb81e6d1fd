#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
export NCCL_P2P_DISABLE=1
export WANDB_MODE=offline

pairs='data/hh_pairs_rm.jsonl'
base='weights/Llama-3.2-3B-Instruct'
n_gpu=2
lr=1e-5
max_len=1024

accelerate launch --num_processes ${n_gpu} --main_process_port 12541 \
    --config_file accelerate/fsdp.yaml \
    train/reward/run_reward.py \
    --base_model ${base} \
    --dataset ${pairs} \
    --num_train_epochs 3 \
    --per_device_train_batch_size 8 \
    --gradient_accumulation_steps 8 \
    --max_length ${max_len} \
    --learning_rate ${lr} \
    --bf16 True
