# SPDX-License-Identifier: GPL-3.0-or-later
_base_ = ["../_base_/default_runtime.py"]

batch_size = 12  # of all GPUs
num_worker = 24
mix_prob = 0.8
enable_amp = True

model = dict(
    type="DefaultSegmentor",
    num_classes=13,
    backbone_out_channels=64,
    backbone=dict(
        type="PT-v3m1",
        in_channels=6,
        order=("z", "z-trans", "hilbert", "hilbert-trans"),
        enc_depths=(2, 2, 2, 6, 2),
        enc_channels=(32, 64, 128, 256, 512),
        drop_path=0.3,
        enable_flash=True,
    ),
    criteria=[dict(type="CrossEntropyLoss", loss_weight=1.0, ignore_index=-1)],
)

epoch = 3000
optimizer = dict(type="AdamW", lr=0.006, weight_decay=0.05)
scheduler = dict(type="OneCycleLR", max_lr=[0.006, 0.0006], pct_start=0.05)
param_dicts = [dict(keyword="block", lr=0.0006)]

dataset_type = "S3DISDataset"
data_root = "data/s3dis"

data = dict(
    num_classes=13,
    train=dict(
        type=dataset_type,
        split=("Area_1", "Area_2", "Area_3", "Area_4", "Area_6"),
        data_root=data_root,
        transform=[
            dict(type="RandomScale", scale=[0.9, 1.1]),
            # dict(type="RandomShift", shift=[0.2, 0.2, 0.2]),
            dict(type="RandomFlip", p=0.5),
        ],
    ),
    val=dict(type=dataset_type, split="Area_5", data_root=data_root),
)
