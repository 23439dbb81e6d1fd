# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = [
    '_base_/data.py',
    '_base_/schedule.py',
]
train_cfg = dict(max_epochs=300)
