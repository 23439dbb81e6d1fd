#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
torchrun --nproc_per_node 8 train.py data-bin/wmt14.en-de \
    --arch transformer_big --batch-size 512 --max-update 300000
