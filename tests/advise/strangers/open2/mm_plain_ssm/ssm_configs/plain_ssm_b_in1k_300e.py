# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ['./plain_ssm_s_in1k_300e.py']

embed_dims = 384

model = dict(
    backbone=dict(arch='B', drop_path_rate=0.4),
    head=dict(in_channels=embed_dims))

samples_per_gpu = 64
data = dict(samples_per_gpu=samples_per_gpu)
