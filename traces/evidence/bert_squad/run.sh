#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts run_qa.py on all GPUs of the job: run.sh BATCH_SIZE is no longer
# supported, give --per_device_train_batch_size instead.
set -eu
GPUS=${GPUS:-1}
torchrun --nproc_per_node $GPUS run_qa.py \
    --model_name_or_path bert-base-uncased \
    --dataset_name squad \
    --do_train --do_eval --fp16 \
    --max_seq_length 384 --doc_stride 128 \
    "$@"
