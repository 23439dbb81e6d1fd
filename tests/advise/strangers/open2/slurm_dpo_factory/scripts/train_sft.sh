#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --job-name=judge-sft
#SBATCH --nodes=1
#SBATCH --gres=gpu:4
#SBATCH --partition=gpus
source ~/.bashrc
conda activate judge
accelerate launch --config_file accelerate/fsdp.yaml --num_processes 4 \
    train/factory/src/train.py configs/train/llama3_full_sft.yaml
