# SPDX-License-Identifier: GPL-3.0-or-later
from torch_geometric.datasets import Planetoid, TUDataset
from torch_geometric.loader import DataLoader, NeighborLoader

from graphlab.config import cfg


def create_dataset():
    if cfg.dataset.name in ("Cora", "CiteSeer", "PubMed"):
        return [Planetoid("data", cfg.dataset.name)]
    return [TUDataset("data", cfg.dataset.name)]


def create_loader(datasets):
    if cfg.train.sampler == "neighbor":
        return [NeighborLoader(datasets[0][0], [10, 10], batch_size=cfg.train.batch_size)]
    return [DataLoader(d, batch_size=cfg.train.batch_size, shuffle=True) for d in datasets]
