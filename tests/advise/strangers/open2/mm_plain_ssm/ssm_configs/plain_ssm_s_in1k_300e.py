# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = [
    '../configs/_base_/datasets/imagenet_bs64_224.py',
    '../configs/_base_/schedules/imagenet_bs1024_adamw.py',
    '../configs/_base_/default_runtime.py'
]

embed_dims = 192

model = dict(
    type='ImageClassifier',
    backbone=dict(type='PlainSSM', arch='S', drop_path_rate=0.2),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(
        type='LinearClsHead',
        num_classes=1000,
        in_channels=embed_dims,
        loss=dict(type='LabelSmoothLoss', label_smooth_val=0.1, mode='original'),
        topk=(1, 5)),
    train_cfg=dict(augments=[
        dict(type='BatchMixup', alpha=0.8, num_classes=1000, prob=0.5),
        dict(type='BatchCutMix', alpha=1.0, num_classes=1000, prob=0.5)
    ]))

samples_per_gpu = 128
data = dict(samples_per_gpu=samples_per_gpu, workers_per_gpu=4)

world_size = 8
optimizer = dict(lr=5e-4 * samples_per_gpu * world_size / 512)
lr_config = dict(warmup_iters=15)
checkpoint_config = dict(interval=5, max_keep_ckpts=10)
evaluation = dict(interval=5, metric='accuracy')
