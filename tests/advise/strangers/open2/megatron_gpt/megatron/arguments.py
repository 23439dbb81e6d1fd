# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import os


def parse_args(defaults):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    _network(parser)
    _training(parser)
    _mixed_precision(parser)
    _distributed(parser)
    _data(parser)
    args = parser.parse_args()
    for key, value in defaults.items():
        if getattr(args, key, None) is None:
            setattr(args, key, value)

    args.rank = int(os.getenv("RANK", "0"))
    args.world_size = int(os.getenv("WORLD_SIZE", "1"))
    model_parallel = args.tensor_model_parallel_size * args.pipeline_model_parallel_size
    assert args.world_size % model_parallel == 0
    args.data_parallel_size = args.world_size // model_parallel
    if args.global_batch_size is None:
        args.global_batch_size = args.micro_batch_size * args.data_parallel_size
    if args.ffn_hidden_size is None:
        args.ffn_hidden_size = 4 * args.hidden_size
    return args


def _network(parser):
    group = parser.add_argument_group("network size")
    group.add_argument("--num-layers", type=int, default=None)
    group.add_argument("--hidden-size", type=int, default=None)
    group.add_argument("--ffn-hidden-size", type=int, default=None)
    group.add_argument("--num-attention-heads", type=int, default=None)
    group.add_argument("--max-position-embeddings", type=int, default=None)
    group.add_argument("--make-vocab-size-divisible-by", type=int, default=128)


def _training(parser):
    group = parser.add_argument_group("training")
    group.add_argument("--micro-batch-size", type=int, default=None)
    group.add_argument("--global-batch-size", type=int, default=None)
    group.add_argument("--train-iters", type=int, default=None)
    group.add_argument("--train-samples", type=int, default=None)
    group.add_argument("--exit-duration-in-mins", type=int, default=None)
    group.add_argument("--optimizer", default="adam", choices=["adam", "sgd"])
    group.add_argument("--lr", type=float, default=None)
    group.add_argument("--min-lr", type=float, default=0.0)
    group.add_argument("--lr-decay-style", default="linear")
    group.add_argument("--lr-decay-iters", type=int, default=None)
    group.add_argument("--lr-warmup-fraction", type=float, default=None)
    group.add_argument("--weight-decay", type=float, default=0.01)
    group.add_argument("--clip-grad", type=float, default=1.0)
    group.add_argument("--adam-beta1", type=float, default=0.9)
    group.add_argument("--adam-beta2", type=float, default=0.999)
    group.add_argument("--log-interval", type=int, default=100)
    group.add_argument("--eval-interval", type=int, default=1000)
    group.add_argument("--eval-iters", type=int, default=100)
    group.add_argument("--save", default=None)
    group.add_argument("--load", default=None)
    group.add_argument("--save-interval", type=int, default=None)
    group.add_argument("--seed", type=int, default=1234)


def _mixed_precision(parser):
    group = parser.add_argument_group("mixed precision")
    group.add_argument("--fp16", action="store_true")
    group.add_argument("--bf16", action="store_true")
    group.add_argument("--loss-scale", type=float, default=None)


def _distributed(parser):
    group = parser.add_argument_group("distributed")
    group.add_argument("--tensor-model-parallel-size", type=int, default=1)
    group.add_argument("--pipeline-model-parallel-size", type=int, default=1)
    group.add_argument("--distributed-backend", default="nccl", choices=["nccl", "gloo"])
    group.add_argument("--DDP-impl", default="local", choices=["local", "torch"])
    group.add_argument("--use-distributed-optimizer", action="store_true")
    group.add_argument("--local_rank", type=int, default=None)


def _data(parser):
    group = parser.add_argument_group("data and dataloader")
    group.add_argument("--data-path", nargs="*", default=None)
    group.add_argument("--split", default="969, 30, 1")
    group.add_argument("--vocab-file", default=None)
    group.add_argument("--merge-file", default=None)
    group.add_argument("--seq-length", type=int, default=None)
    group.add_argument("--num-workers", type=int, default=2)
    group.add_argument("--tokenizer-type", default=None)
