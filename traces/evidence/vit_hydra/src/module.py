# SPDX-License-Identifier: GPL-3.0-or-later
"""A timm model, its loss and its schedule."""
import math

import lightning
import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy


class Classifier(lightning.LightningModule):
    def __init__(self, model, optim, mixup, max_epochs):
        super().__init__()
        self.save_hyperparameters()
        self.net = timm.create_model(model.name, num_classes=1000,
                                     drop_path_rate=model.drop_path)
        if model.compile:
            self.net = torch.compile(self.net)
        self.mixup = Mixup(mixup_alpha=mixup, num_classes=1000)
        self.loss = SoftTargetCrossEntropy()
        self.optim, self.max_epochs = optim, max_epochs

    def training_step(self, batch, index):
        images, target = self.mixup(*batch)
        loss = self.loss(self.net(images), target)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        images, target = batch
        hits = (self.net(images).argmax(1) == target).float().mean()
        self.log("val_acc", hits, prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.optim.lr,
                                      weight_decay=self.optim.weight_decay)

        def factor(epoch):
            if epoch < self.optim.warmup_epochs:
                return (epoch + 1) / self.optim.warmup_epochs
            return 0.5 * (1 + math.cos(math.pi * epoch / self.max_epochs))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
        return [optimizer], [schedule]
