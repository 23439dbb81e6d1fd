#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All three networks, one after the other.
for model in resnet18 vgg16 mobilenetv2; do
    python main.py --model $model --epochs 200 "$@"
done
