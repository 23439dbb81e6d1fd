#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
CONFIG=$1
GPUS=$2
PORT=${PORT:-29500}
python -m torch.distributed.launch --nproc_per_node=$GPUS --master_port=$PORT \
    $(dirname "$0")/train.py $CONFIG --launcher pytorch ${@:3}
