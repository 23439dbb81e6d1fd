# SPDX-License-Identifier: GPL-3.0-or-later
"""Megatron-LM: its training loop, called with the functions of the job."""
import argparse

from schedsim import job


def options():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--micro-batch-size", type=int, default=None)
    parser.add_argument("--global-batch-size", type=int, default=None)
    parser.add_argument("--seq-length", type=int, default=None)
    parser.add_argument("--lr", type=float, default=None)
    parser.add_argument("--train-iters", type=int, default=None)
    parser.add_argument("--optimizer", default="adam")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--data-path", nargs="*", default=None)
    args, rest = parser.parse_known_args()
    return args


def get_args():
    return options()


def pretrain(train_valid_test_dataset_provider, model_provider, model_type,
             forward_step_func, *rest, **more):
    args = options()
    model = model_provider()
    job(optimizer=args.optimizer, distributed="Megatron-LM data parallel")
    if args.data_path is not None and len(args.data_path):
        job(dataset_name=args.data_path[-1])
    return model
