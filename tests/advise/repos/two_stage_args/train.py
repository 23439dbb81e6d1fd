# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import yaml
import torch
from timm.models import create_model
from timm.data import create_dataset, create_loader
from timm.optim import create_optimizer_v2

config_parser = parser = argparse.ArgumentParser(description="config", add_help=False)
parser.add_argument("-c", "--config", default="", type=str)
parser = argparse.ArgumentParser(description="train")
group = parser.add_argument_group("data")
parser.add_argument("data", nargs="?", metavar="DIR", const=None)
group.add_argument("--dataset", default="", help="type + name")
group = parser.add_argument_group("model")
group.add_argument("--model", default="resnet50", type=str)
group.add_argument("-b", "--batch-size", type=int, default=128)
group.add_argument("-vb", "--validation-batch-size", type=int, default=None)
group = parser.add_argument_group("optimizer")
group.add_argument("--opt", default="sgd", type=str)
group.add_argument("--lr", type=float, default=None)
group.add_argument("--lr-base", type=float, default=0.1)
group.add_argument("--epochs", type=int, default=200)
group.add_argument("--amp", action="store_true")


def _parse_args():
    args_config, remaining = config_parser.parse_known_args()
    if args_config.config:
        with open(args_config.config, "r") as f:
            cfg = yaml.safe_load(f)
            parser.set_defaults(**cfg)
    args = parser.parse_args(remaining)
    return args, yaml.safe_dump(args.__dict__)


def main():
    args, text = _parse_args()
    model = create_model(args.model, pretrained=False)
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = create_optimizer_v2(model, opt=args.opt, lr=args.lr)
    train = create_dataset(args.dataset, root=args.data, split="train")
    loader = create_loader(train, batch_size=args.batch_size, is_training=True)
    val = create_loader(create_dataset(args.dataset, root=args.data, split="validation"), batch_size=args.validation_batch_size or args.batch_size)
    num_epochs = args.epochs
    for epoch in range(0, num_epochs):
        for x, y in loader:
            model(x).backward()


if __name__ == "__main__":
    main()
