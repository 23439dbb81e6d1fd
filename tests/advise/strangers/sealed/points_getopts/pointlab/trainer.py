# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from pointlab.datasets import build_dataset
from pointlab.models import build_model
from pointlab.registry import Registry

TRAINERS = Registry("trainers")
OPTIMIZERS = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}


@TRAINERS.register_module("DefaultTrainer")
class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.max_epoch = cfg.eval_epoch
        model = build_model(cfg.model)
        self.model = torch.nn.parallel.DistributedDataParallel(model.cuda())
        self.loader = torch.utils.data.DataLoader(build_dataset(cfg.data.train),
                                                  batch_size=cfg.batch_size_per_gpu)
        kw = dict(cfg.optimizer)
        self.optimizer = OPTIMIZERS[kw.pop("type")](self.model.parameters(), **kw)
        self.scaler = torch.cuda.amp.GradScaler() if cfg.enable_amp else None

    def train(self):
        # epochs of the data are epoch // eval_epoch times eval_epoch
        for epoch in range(self.max_epoch):
            for batch in self.loader:
                with torch.cuda.amp.autocast(enabled=self.cfg.enable_amp):
                    loss = self.model(batch)["loss"]
                self.scaler.scale(loss).backward()
                self.scaler.step(self.optimizer)
                self.scaler.update()
