# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from lightning import LightningModule


class MNISTLitModule(LightningModule):
    def __init__(self, net: torch.nn.Module, optimizer, scheduler, compile: bool):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.net = net

    def configure_optimizers(self):
        optimizer = self.hparams.optimizer(params=self.trainer.model.parameters())
        if self.hparams.scheduler is not None:
            scheduler = self.hparams.scheduler(optimizer=optimizer)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}
        return {"optimizer": optimizer}
