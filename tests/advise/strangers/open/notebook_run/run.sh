#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
mkdir -p models executed
python3 -m jupyter nbconvert --output-dir ./executed --ExecutePreprocessor.timeout=-1 \
    --ExecutePreprocessor.kernel_name=tf --to notebook --execute $1
