# SPDX-License-Identifier: GPL-3.0-or-later
"""ImageNet as a Lightning data module."""
import os

import lightning
from timm.data import create_transform
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


class ImageNetData(lightning.LightningDataModule):
    def __init__(self, root, batch_size, workers, randaugment, **_):
        super().__init__()
        self.root, self.batch_size, self.workers = root, batch_size, workers
        self.randaugment = randaugment

    def _loader(self, part, training):
        transform = create_transform(
            224, is_training=training,
            auto_augment=self.randaugment if training else None)
        data = ImageFolder(os.path.join(self.root, part), transform)
        return DataLoader(data, batch_size=self.batch_size, shuffle=training,
                          num_workers=self.workers, drop_last=training)

    def train_dataloader(self):
        return self._loader("train", True)

    def val_dataloader(self):
        return self._loader("val", False)
