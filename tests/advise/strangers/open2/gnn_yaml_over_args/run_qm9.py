# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains on the targets of QM9."""
import os

import torch
import wandb
from lightning.pytorch import Trainer, seed_everything
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint, Timer
from lightning.pytorch.loggers import WandbLogger
from torch import nn
from torch_geometric.datasets import QM9
from torchmetrics import MeanAbsoluteError

import utils
from interfaces.data import PairData
from interfaces.model import TestOnValModule
from positional import PositionalEncoding

torch.set_num_threads(8)
torch.set_float32_matmul_precision('high')


class ScaledError(MeanAbsoluteError):
    def __init__(self, std, **kwargs):
        super().__init__(**kwargs)
        self.std = std

    def compute(self):
        return super().compute() * self.std


def main():
    parser = utils.args_setup()
    parser.add_argument("--dataset_name", type=str, default="QM9")
    parser.add_argument("--config_file", type=str, default="configs/qm9.yaml",
                        help="settings of the data set and of the network")
    parser.add_argument("--task", type=int, default=-1, choices=list(range(-1, 19)),
                        help="target; -1: the first twelve, one by one")
    args = utils.update_args(parser.parse_args())

    encoding = PositionalEncoding(args.pe_method, args.pe_power)
    args.pe_len = encoding.length
    dataset = QM9("data/QM9", pre_transform=encoding)
    targets = list(range(12)) if args.task == -1 else [args.task]

    for target in targets:
        args.task = target
        tenth = len(dataset) // 10
        dataset = dataset.shuffle()
        parts = {"test": dataset[:tenth], "val": dataset[tenth:2 * tenth],
                 "train": dataset[2 * tenth:]}
        labels = parts["train"].y[:, target]
        machine = os.environ.get("MACHINE", "") + "_"
        logger = WandbLogger(f"target_{target + 1}", args.save_dir, offline=args.offline,
                             project=machine + args.project_name)
        timer = Timer(duration=dict(weeks=4))
        seed_everything(args.seed)

        data = PairData(parts, batch_size=args.batch_size, num_workers=args.num_workers)
        module = TestOnValModule(loss_criterion=nn.MSELoss(),
                                 evaluator=ScaledError(labels.std().item()), args=args)
        trainer = Trainer(
            accelerator="auto",
            devices=1,
            max_epochs=args.num_epochs,
            logger=logger,
            callbacks=[ModelCheckpoint(monitor="val/metric", mode="min"),
                       LearningRateMonitor(logging_interval="epoch"), timer],
        )
        trainer.fit(module, datamodule=data)
        trainer.test(module, datamodule=data, ckpt_path="best")
        wandb.finish()


if __name__ == "__main__":
    main()
