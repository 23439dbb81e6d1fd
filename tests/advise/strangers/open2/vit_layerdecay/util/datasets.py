# SPDX-License-Identifier: GPL-3.0-or-later
import os

import PIL
from timm.data import create_transform
from torchvision import datasets, transforms


def build_chromosomes(part, args):
    if part == 'train':
        steps = create_transform(input_size=args.input_size, is_training=True,
                                 auto_augment=args.aa, re_prob=args.reprob,
                                 interpolation='bicubic')
    else:
        steps = transforms.Compose([
            transforms.Resize(256, interpolation=PIL.Image.BICUBIC),
            transforms.CenterCrop(args.input_size),
            transforms.ToTensor(),
        ])
    found = datasets.ImageFolder(os.path.join(args.data_path, part), transform=steps)
    print(part, found)
    return found
