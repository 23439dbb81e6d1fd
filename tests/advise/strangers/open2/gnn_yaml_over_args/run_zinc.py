# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains on ZINC (12,000 molecules)."""
from lightning.pytorch import Trainer
from torch import nn
from torch_geometric.datasets import ZINC
from torchmetrics import MeanAbsoluteError

import utils
from interfaces.data import PairData
from interfaces.model import TestOnValModule


def main():
    parser = utils.args_setup()
    parser.add_argument("--dataset_name", type=str, default="ZINC")
    parser.add_argument("--config_file", type=str, default="configs/zinc.yaml")
    parser.add_argument("--runs", type=int, default=10)
    args = utils.update_args(parser.parse_args())
    parts = {name: ZINC("data/ZINC", subset=True, split=name) for name in ("train", "val", "test")}
    for _ in range(args.runs):
        module = TestOnValModule(nn.L1Loss(), MeanAbsoluteError(), args)
        trainer = Trainer(accelerator="auto", devices="auto", max_epochs=args.num_epochs)
        trainer.fit(module, datamodule=PairData(parts, args.batch_size, args.num_workers))


if __name__ == "__main__":
    main()
