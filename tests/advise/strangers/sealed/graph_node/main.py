# SPDX-License-Identifier: GPL-3.0-or-later
import logging

import torch

from graphlab.cmd_args import parse_args
from graphlab.config import cfg, load_cfg
from graphlab.loader import create_dataset, create_loader
from graphlab.model_builder import create_model
from graphlab.optimizer import create_optimizer, create_scheduler
from graphlab.register import train_dict

if __name__ == "__main__":
    args = parse_args()
    load_cfg(cfg, args)
    torch.set_num_threads(cfg.num_threads)
    for i in range(args.repeat):
        torch.manual_seed(cfg.seed + i)
        if cfg.device == "auto":
            cfg.device = "cuda:0" if torch.cuda.is_available() else "cpu"
        datasets = create_dataset()
        loaders = create_loader(datasets)
        model = create_model(datasets)
        optimizer = create_optimizer(model.parameters())
        scheduler = create_scheduler(optimizer)
        logging.info(model)
        train_dict[cfg.train.mode](loaders, model, optimizer, scheduler)
