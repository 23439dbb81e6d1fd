#!/usr/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -ex

# Overrides by environment, for example:
#   LOG_RANK=0,1 NGPU=2 ./launch.sh
NGPU=${NGPU:-"8"}
export LOG_RANK=${LOG_RANK:-0}
CONFIG_FILE=${CONFIG_FILE:-"./pretrainer/recipes/debug.toml"}
TRAIN_MODULE=${TRAIN_MODULE:-"pretrainer.train"}

PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True" \
torchrun --nproc_per_node=${NGPU} --rdzv_backend c10d --rdzv_endpoint="localhost:0" \
    --local-ranks-filter ${LOG_RANK} --role rank --tee 3 \
    -m ${TRAIN_MODULE} --job.config_file ${CONFIG_FILE} "$@"
