# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import torch
from det.config import get_cfg
from det.modeling import build_model
from det.data import build_train_loader, build_test_loader


def build_optimizer(cfg, model):
    return torch.optim.SGD(model.parameters(), lr=cfg.SOLVER.BASE_LR, momentum=cfg.SOLVER.MOMENTUM)


def setup(args):
    cfg = get_cfg()
    cfg.merge_from_file(args.config_file)
    cfg.merge_from_list(args.opts)
    cfg.freeze()
    return cfg


def do_train(cfg, model):
    model.train()
    optimizer = build_optimizer(cfg, model)
    loader = build_train_loader(cfg)
    max_iter = cfg.SOLVER.MAX_ITER
    for data, iteration in zip(loader, range(0, max_iter)):
        loss = sum(model(data).values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(args):
    cfg = setup(args)
    model = build_model(cfg)
    if args.eval_only:
        return build_test_loader(cfg)
    do_train(cfg, model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config-file", default="", metavar="FILE")
    parser.add_argument("--eval-only", action="store_true")
    parser.add_argument("opts", default=None, nargs=argparse.REMAINDER)
    main(parser.parse_args())
