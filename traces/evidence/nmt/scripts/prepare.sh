#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
python -m translate.preprocess --source de --target en \
    --train data/multi30k/train --valid data/multi30k/val \
    --out data-bin/multi30k.de-en
