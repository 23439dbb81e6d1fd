#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later

# a GPT of 345 million parameters on two nodes

export CUDA_DEVICE_MAX_CONNECTIONS=1

GPUS_PER_NODE=8
MASTER_ADDR=${MASTER_ADDR:-localhost}
MASTER_PORT=6000
NNODES=2
NODE_RANK=${NODE_RANK:-0}
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))

CKPT=/ckpt/gpt_345m
VOCAB=/data/gpt2/vocab.json
MERGES=/data/gpt2/merges.txt
DATA_PATH=/data/openwebtext/owt_text_document

LAUNCH="
    --nproc_per_node $GPUS_PER_NODE \
    --nnodes $NNODES \
    --node_rank $NODE_RANK \
    --master_addr $MASTER_ADDR \
    --master_port $MASTER_PORT
"

MODEL="
    --num-layers 24 \
    --hidden-size 1024 \
    --num-attention-heads 16 \
    --seq-length 2048 \
    --max-position-embeddings 2048
"

LOOP="
    --micro-batch-size 4 \
    --global-batch-size 128 \
    --lr 0.00015 \
    --train-iters 250000 \
    --lr-decay-iters 160000 \
    --lr-decay-style cosine \
    --min-lr 1.0e-5 \
    --weight-decay 1e-2 \
    --lr-warmup-fraction .01 \
    --clip-grad 1.0 \
    --fp16
"

INPUT="
    --data-path $DATA_PATH \
    --vocab-file $VOCAB \
    --merge-file $MERGES \
    --split 949,50,1
"

OUTPUT="
    --log-interval 100 \
    --save-interval 10000 \
    --eval-interval 1000 \
    --eval-iters 10
"

torchrun $LAUNCH pretrain_gpt.py \
    $MODEL \
    $LOOP \
    $INPUT \
    $OUTPUT \
    --distributed-backend nccl \
    --save $CKPT \
    --load $CKPT
