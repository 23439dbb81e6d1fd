# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import torch
from torch.utils.data import DataLoader
from torchvision import datasets
from . import nets
from .configs import get_config


def make_optimizer(cfg, params):
    if cfg.opt == "adam":
        return torch.optim.Adam(params, lr=cfg.lr)
    elif cfg.opt == "sgd":
        return torch.optim.SGD(params, lr=cfg.lr, momentum=0.9)
    raise ValueError(cfg.opt)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="large")
    ap.add_argument("--opt", default=None)
    args = ap.parse_args()
    cfg = get_config(args.config)
    if args.opt:
        cfg.opt = args.opt
    train = datasets.SVHN("data", split="train")
    test = datasets.MNIST("data", train=False)
    model = nets.NETS[cfg.net]()
    optimizer = make_optimizer(cfg, model.parameters())
    test_loader = DataLoader(test, batch_size=1000)
    loader = DataLoader(train, cfg.batch_size, shuffle=True)
    for epoch in range(cfg.epochs):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
