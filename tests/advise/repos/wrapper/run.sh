#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
MODEL=$1
shift
torchrun --nproc_per_node 4 tools/train.py --model $MODEL --batch-size 16 \
    --data /data/cityscapes "$@"
