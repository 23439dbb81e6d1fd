# SPDX-License-Identifier: GPL-3.0-or-later
from lightning import LightningDataModule
from torch.utils.data import DataLoader, random_split
from torchvision.datasets import MNIST


class MNISTDataModule(LightningDataModule):
    def __init__(self, data_dir="data/", batch_size=64, num_workers=0):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.data_train = None

    def setup(self, stage=None):
        trainset = MNIST(self.hparams.data_dir, train=True)
        self.data_train, self.data_val = random_split(trainset, [55000, 5000])

    def train_dataloader(self):
        return DataLoader(dataset=self.data_train, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(dataset=self.data_val, batch_size=self.hparams.batch_size)
