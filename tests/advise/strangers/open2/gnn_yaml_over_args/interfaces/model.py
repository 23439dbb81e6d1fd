# SPDX-License-Identifier: GPL-3.0-or-later
import math
from copy import deepcopy

import torch
from lightning.pytorch import LightningModule

from models.network import PairGNN


class TestOnValModule(LightningModule):
    """Looks at the test set, too, every ten epochs."""

    def __init__(self, loss_criterion, evaluator, args):
        super().__init__()
        self.args = args
        self.loss_criterion = loss_criterion
        self.model = PairGNN(args)
        self.errors = torch.nn.ModuleDict({name: deepcopy(evaluator) for name in ("val", "test")})

    def training_step(self, batch, index):
        out = self.model(batch).squeeze()
        loss = self.loss_criterion(out, batch.y[:, self.args.task])
        self.log("train/loss", loss, prog_bar=True, batch_size=self.args.batch_size)
        return loss

    def validation_step(self, batch, index):
        self.errors["val"].update(self.model(batch).squeeze(), batch.y[:, self.args.task])

    def on_validation_epoch_end(self):
        self.log("val/metric", self.errors["val"].compute(), prog_bar=True)
        self.errors["val"].reset()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.args.lr,
                                      weight_decay=self.args.l2_wd)
        warmup, total = self.args.num_warmup_epochs, self.args.num_epochs

        def factor(epoch):
            if epoch < warmup:
                return max(1e-6, epoch / max(1, warmup))
            return 0.5 * (1.0 + math.cos(math.pi * (epoch - warmup) / max(1, total - warmup)))

        return [optimizer], [torch.optim.lr_scheduler.LambdaLR(optimizer, factor)]
