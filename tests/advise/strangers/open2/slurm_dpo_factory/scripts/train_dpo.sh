#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --job-name=judge-dpo
#SBATCH --nodes=1
#SBATCH --ntasks=4
#SBATCH --gres=gpu:2
#SBATCH --partition=gpus
source ~/.bashrc
conda activate judge
WANDB_MODE=offline CUDA_VISIBLE_DEVICES="2,3" accelerate launch \
    --config_file accelerate/fsdp.yaml \
    --main_process_port=12540 \
    train/factory/src/train.py configs/train/gemma_full_dpo.yaml
