#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
train_batch_size=${1:-8192}
learning_rate=${2:-"6e-3"}
precision=${3:-"fp16"}
num_gpus=${4:-8}
train_steps=${5:-7038}
python3 -m torch.distributed.launch --nproc_per_node=$num_gpus run_pretraining.py \
    --train_batch_size=$train_batch_size --learning_rate=$learning_rate --max_steps=$train_steps
