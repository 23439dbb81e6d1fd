#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later

export CUDA_DEVICE_MAX_CONNECTIONS=1

python pretrain_bert.py \
    --num-layers 24 \
    --hidden-size 1024 \
    --num-attention-heads 16 \
    --seq-length 512 \
    --max-position-embeddings 512 \
    --micro-batch-size 4 \
    --global-batch-size 8 \
    --lr 0.0001 \
    --train-iters 2000000 \
    --fp16 \
    --data-path /data/wiki/bert_text_sentence \
    --vocab-file /data/bert/vocab.txt
