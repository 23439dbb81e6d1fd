# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import os

import yaml


def args_setup():
    parser = argparse.ArgumentParser("arguments for training and testing")
    parser.add_argument("--save_dir", type=str, default="./results")
    parser.add_argument("--seed", type=int, default=234)

    # training
    parser.add_argument("--batch_size", type=int, default=64, help="graphs on one GPU")
    parser.add_argument("--num_workers", type=int, default=0)
    parser.add_argument("--lr", type=float, default=0.0005)
    parser.add_argument("--min_lr", type=float, default=1e-6)
    parser.add_argument("--l2_wd", type=float, default=0.)
    parser.add_argument("--num_epochs", type=int, default=500)
    parser.add_argument("--num_warmup_epochs", type=int, default=50)
    parser.add_argument("--factor", type=float, default=0.5)
    parser.add_argument("--patience", type=int, default=20)
    parser.add_argument("--offline", action="store_true")

    # positions
    parser.add_argument("--pe_method", type=str, default="rrwp")
    parser.add_argument("--pe_power", type=int, default=8)

    # network
    parser.add_argument("--emb_channels", type=int, default=16)
    parser.add_argument("--hidden_channels", type=int, default=64)
    parser.add_argument("--num_layers", type=int, default=6)
    parser.add_argument("--mlp_depth", type=int, default=2)
    parser.add_argument("--drop_prob", type=float, default=0.0)
    parser.add_argument("--graph_pool", type=str, default="mean", choices=("mean", "sum"))
    return parser


def update_args(args):
    """The file of settings wins over what the command line says."""
    if args.config_file is not None:
        with open(args.config_file) as f:
            for key, value in yaml.safe_load(f).items():
                setattr(args, key, value)
    shape = [args.num_layers, args.hidden_channels, args.mlp_depth, args.pe_method, args.pe_power]
    args.project_name = args.dataset_name + "_" + ".".join(map(str, shape))
    args.save_dir = os.path.join(args.save_dir, args.project_name)
    os.makedirs(args.save_dir, exist_ok=True)
    return args
