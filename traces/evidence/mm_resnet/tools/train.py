# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains by a configuration file."""
import argparse
import os
import sys

from mmengine.config import Config, DictAction
from mmengine.runner import Runner

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import mmtrain  # noqa: E402,F401


def parse_args():
    parser = argparse.ArgumentParser(description="train a classifier")
    parser.add_argument("config", help="path of a configuration file")
    parser.add_argument("--work-dir", help="folder of logs and checkpoints")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--cfg-options", nargs="+", action=DictAction,
                        default={})
    parser.add_argument("--launcher", default="none",
                        choices=["none", "pytorch", "slurm"])
    parser.add_argument("--local_rank", type=int, default=0)
    return parser.parse_args()


def main():
    args = parse_args()
    cfg = Config.fromfile(args.config)
    cfg.launcher = args.launcher
    cfg.merge_from_dict(args.cfg_options)
    if args.work_dir:
        cfg.work_dir = args.work_dir
    if args.amp:
        cfg.optim_wrapper.type = "AmpOptimWrapper"
    cfg.resume = args.resume
    Runner.from_cfg(cfg).train()


if __name__ == "__main__":
    main()
