# SPDX-License-Identifier: GPL-3.0-or-later
dataset_type = 'CocoDataset'
data_root = 'data/coco/'
train_dataloader = dict(batch_size=2, num_workers=2)
