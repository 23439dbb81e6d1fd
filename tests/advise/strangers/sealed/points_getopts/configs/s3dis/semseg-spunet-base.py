# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ["../_base_/default_runtime.py"]
batch_size = 24
enable_amp = True
model = dict(
    type="DefaultSegmentor",
    backbone=dict(type="SpUNet-v1m1", in_channels=6, num_classes=13),
)
epoch = 3000
optimizer = dict(type="SGD", lr=0.1, momentum=0.9, weight_decay=0.0001, nesterov=True)
