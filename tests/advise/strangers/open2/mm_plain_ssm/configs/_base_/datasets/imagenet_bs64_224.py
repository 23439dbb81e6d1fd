# SPDX-License-Identifier: GPL-3.0-or-later
dataset_type = 'ImageNet'
img_norm_cfg = dict(mean=[123.675, 116.28, 103.53], std=[58.395, 57.12, 57.375], to_rgb=True)

train_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='RandomResizedCrop', size=224, backend='pillow', interpolation='bicubic'),
    dict(type='RandomFlip', flip_prob=0.5, direction='horizontal'),
    dict(type='RandAugment', policies='timm_increasing', num_policies=2, total_level=10,
         magnitude_level=9, magnitude_std=0.5),
    dict(type='RandomErasing', erase_prob=0.25, mode='rand'),
    dict(type='Normalize', **img_norm_cfg),
    dict(type='ImageToTensor', keys=['img']),
    dict(type='ToTensor', keys=['gt_label']),
    dict(type='Collect', keys=['img', 'gt_label'])
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', size=(256, -1), backend='pillow', interpolation='bicubic'),
    dict(type='CenterCrop', crop_size=224),
    dict(type='Normalize', **img_norm_cfg),
    dict(type='ImageToTensor', keys=['img']),
    dict(type='Collect', keys=['img'])
]
data = dict(
    samples_per_gpu=64,
    workers_per_gpu=8,
    train=dict(type=dataset_type, data_prefix='data/imagenet/train', pipeline=train_pipeline),
    val=dict(type=dataset_type, data_prefix='data/imagenet/val',
             ann_file='data/imagenet/meta/val.txt', pipeline=test_pipeline),
    test=dict(type=dataset_type, data_prefix='data/imagenet/val',
              ann_file='data/imagenet/meta/val.txt', pipeline=test_pipeline))
evaluation = dict(interval=10, metric='accuracy')
