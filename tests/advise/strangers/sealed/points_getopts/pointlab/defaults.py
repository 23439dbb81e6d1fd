# SPDX-License-Identifier: GPL-3.0-or-later
import argparse

from pointlab.config import Config, DictAction
from pointlab.launch import world_size


def default_argument_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config-file", default="", metavar="FILE")
    parser.add_argument("--num-gpus", type=int, default=1, help="GPUs of a machine")
    parser.add_argument("--num-machines", type=int, default=1)
    parser.add_argument("--machine-rank", type=int, default=0)
    parser.add_argument("--options", nargs="+", action=DictAction)
    return parser


def default_config_parser(path, options):
    cfg = Config.fromfile(path)
    if options:
        cfg.merge_from_dict(options)
    return cfg


def default_setup(cfg):
    cfg.batch_size_per_gpu = cfg.batch_size // world_size()
    cfg.batch_size_val_per_gpu = (cfg.batch_size_val or world_size()) // world_size()
    return cfg
