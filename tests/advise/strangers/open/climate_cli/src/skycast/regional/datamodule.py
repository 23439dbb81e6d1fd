# SPDX-License-Identifier: GPL-3.0-or-later
from pytorch_lightning import LightningDataModule
from torch.utils.data import DataLoader

from skycast.shards import ShardReader


class RegionalForecastDataModule(LightningDataModule):
    """Hourly reanalysis fields in .npz shards, cut to a region."""

    def __init__(self, root_dir, variables, out_variables=None, region: str = "Global",
                 predict_range: int = 6, hrs_each_step: int = 1, buffer_size: int = 10000,
                 batch_size: int = 64, num_workers: int = 0, pin_memory: bool = False):
        super().__init__()
        self.save_hyperparameters(logger=False)

    def train_dataloader(self):
        return DataLoader(ShardReader(self.hparams.root_dir, "train"),
                          batch_size=self.hparams.batch_size, drop_last=False,
                          num_workers=self.hparams.num_workers)

    def val_dataloader(self):
        return DataLoader(ShardReader(self.hparams.root_dir, "val"), batch_size=32)
