# SPDX-License-Identifier: GPL-3.0-or-later
from torch import optim

from graphlab.config import cfg


def create_optimizer(params):
    if cfg.optim.optimizer == "adam":
        return optim.Adam(params, lr=cfg.optim.base_lr, weight_decay=cfg.optim.weight_decay)
    if cfg.optim.optimizer == "sgd":
        return optim.SGD(params, lr=cfg.optim.base_lr, momentum=cfg.optim.momentum)
    raise ValueError(cfg.optim.optimizer)


def create_scheduler(optimizer):
    return optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.optim.max_epoch)
