# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ['_base_/imagenet_bs32.py', '_base_/runtime.py']

model = dict(
    type='ImageClassifier',
    backbone=dict(type='ResNet', depth=50, num_stages=4, style='pytorch'),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(type='LinearClsHead', num_classes=1000, in_channels=2048))

optim_wrapper = dict(
    type='AmpOptimWrapper',
    optimizer=dict(type='SGD', lr=0.1, momentum=0.9, weight_decay=0.0001))
train_cfg = dict(by_epoch=True, max_epochs=100)
param_scheduler = dict(type='MultiStepLR', milestones=[30, 60, 90], gamma=0.1)
work_dir = 'work_dirs/resnet50'
