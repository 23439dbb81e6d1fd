#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --job-name=llama3-8b
#SBATCH --gres=gpu:8
#SBATCH --ntasks-per-node=1
set -eu
TP=2
MICRO_BATCH=1
DATA=/data/alpaca/alpaca_text_document
TOKENIZER=/models/Meta-Llama-3-8B/tokenizer.model
export CUDA_DEVICE_MAX_CONNECTIONS=1

torchrun --nproc_per_node 8 finetune.py \
    --model-name llama3-8b \
    --tensor-model-parallel-size $TP \
    --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
    --seq-length 512 --max-position-embeddings 8192 \
    --micro-batch-size $MICRO_BATCH \
    --data-path $DATA --tokenizer-model $TOKENIZER \
    --lr 2e-5 --min-lr 2e-6 --lr-decay-style cosine \
    --weight-decay 0.1 --clip-grad 1.0 --bf16 \
    --log-interval 10 --save-interval 500 \
    "$@"
