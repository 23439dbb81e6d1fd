# SPDX-License-Identifier: GPL-3.0-or-later
from lightning.pytorch import LightningDataModule
from torch_geometric.loader import DataLoader


class PairData(LightningDataModule):
    def __init__(self, parts, batch_size=32, num_workers=0):
        super().__init__()
        self.parts, self.batch_size, self.num_workers = parts, batch_size, num_workers

    def _loader(self, name):
        return DataLoader(self.parts[name], self.batch_size, shuffle=name == "train",
                          num_workers=self.num_workers)

    def train_dataloader(self):
        return self._loader("train")

    def val_dataloader(self):
        return self._loader("val")

    def test_dataloader(self):
        return self._loader("test")
