# SPDX-License-Identifier: GPL-3.0-or-later
"""Loaders of the training and validation images."""
import os

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, transforms

NORMAL = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
SIZES = {"efficientnet_b4": 380}


def loaders(args):
    size = SIZES.get(args.arch, 224)
    train = datasets.ImageFolder(os.path.join(args.data, "train"),
                                 transforms.Compose([
                                     transforms.RandomResizedCrop(size),
                                     transforms.RandomHorizontalFlip(),
                                     transforms.ToTensor(), NORMAL]))
    val = datasets.ImageFolder(os.path.join(args.data, "val"),
                               transforms.Compose([
                                   transforms.Resize(size + 32),
                                   transforms.CenterCrop(size),
                                   transforms.ToTensor(), NORMAL]))
    sampler = None
    if torch.distributed.is_initialized():
        sampler = DistributedSampler(train)
    return (DataLoader(train, args.batch_size, shuffle=sampler is None,
                       sampler=sampler, num_workers=args.workers,
                       pin_memory=True, drop_last=True),
            DataLoader(val, args.batch_size, num_workers=args.workers,
                       pin_memory=True))
