# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ["../_base_/default_runtime.py"]
batch_size = 24
epoch = 800
model = dict(type="DefaultSegmentor", backbone=dict(type="PT-v3m1", in_channels=6))
optimizer = dict(type="AdamW", lr=0.004, weight_decay=0.05)
dataset_type = "ScanNetDataset"
