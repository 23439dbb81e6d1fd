#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -e
DATA=/data/shapenetcore_partanno
python -u train_partseg.py --model pointnet --dataset shapenet --data $DATA \
    --npoints 2500 --lr 0.001 "$@"
