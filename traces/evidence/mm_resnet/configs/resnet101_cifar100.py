# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ['_base_/runtime.py']
model = dict(type='ImageClassifier', backbone=dict(type='ResNet', depth=101))
train_dataloader = dict(batch_size=16, dataset=dict(type='CIFAR100'))
train_cfg = dict(by_epoch=True, max_epochs=200)
