# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP

from organseg.data import loaders
from organseg.nets import build_network
from organseg.schedules import PolyLR


class OrganTrainer:
    def __init__(self, plans, configuration, fold, device):
        self.plans = plans
        self.configuration = plans["configurations"][configuration]
        self.fold = fold
        self.device = device
        self.initial_lr = 1e-2
        self.weight_decay = 3e-5
        self.oversample_foreground_percent = 0.33
        self.num_iterations_per_epoch = 250
        self.num_val_iterations_per_epoch = 50
        self.num_epochs = 1000
        self.batch_size = self.configuration["batch_size"]
        self.grad_scaler = GradScaler() if device.type == "cuda" else None

    def initialize(self):
        self.network = build_network(self.configuration).to(self.device)
        self.optimizer, self.schedule = self.configure_optimizers()
        if torch.distributed.is_initialized():
            self.network = DDP(self.network, device_ids=[self.device.index])

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.network.parameters(), self.initial_lr,
                                    weight_decay=self.weight_decay, momentum=0.99, nesterov=True)
        return optimizer, PolyLR(optimizer, self.initial_lr, self.num_epochs)

    def train_step(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        with autocast():
            loss = self.loss(self.network(batch["data"]), batch["target"])
        self.grad_scaler.scale(loss).backward()
        self.grad_scaler.step(self.optimizer)
        self.grad_scaler.update()
        return loss

    def run_training(self):
        self.initialize()
        train, val = loaders(self.plans, self.fold, self.batch_size)
        for epoch in range(self.num_epochs):
            for _ in range(self.num_iterations_per_epoch):
                self.train_step(next(train))
