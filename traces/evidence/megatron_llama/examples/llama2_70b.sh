#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
torchrun --nproc_per_node 8 finetune.py --model-name llama2-70b \
    --tensor-model-parallel-size 8 --num-layers 80 --hidden-size 8192 \
    --num-attention-heads 64 --seq-length 4096 --micro-batch-size 1 \
    --data-path /data/redpajama/text_document --lr 1e-5 "$@"
