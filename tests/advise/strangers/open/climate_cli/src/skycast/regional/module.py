# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from pytorch_lightning import LightningModule

from skycast.schedules import WarmupCosine


class RegionalForecastModule(LightningModule):
    def __init__(self, net: torch.nn.Module, pretrained_path: str = "", lr: float = 5e-4,
                 beta_1: float = 0.9, beta_2: float = 0.99, weight_decay: float = 1e-5,
                 warmup_epochs: int = 10000, max_epochs: int = 200000, eta_min: float = 1e-8):
        super().__init__()
        self.save_hyperparameters(logger=False, ignore=["net"])
        self.net = net
        if pretrained_path:
            self.load_pretrained(pretrained_path)

    def training_step(self, batch, idx):
        x, y, lead, variables, out_variables = batch
        loss, _ = self.net(x, y, lead, variables, out_variables)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, idx):
        self.log("val/w_rmse", self.net.evaluate(*batch))

    def configure_optimizers(self):
        decay, no_decay = [], []
        for name, p in self.named_parameters():
            (no_decay if "var_embed" in name else decay).append(p)
        opt = torch.optim.AdamW(
            [{"params": decay, "weight_decay": self.hparams.weight_decay},
             {"params": no_decay, "weight_decay": 0}],
            lr=self.hparams.lr, betas=(self.hparams.beta_1, self.hparams.beta_2))
        schedule = WarmupCosine(opt, self.hparams.warmup_epochs, self.hparams.max_epochs)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
