# SPDX-License-Identifier: GPL-3.0-or-later
"""Image classification, one process a GPU."""
import argparse

import torch
import torch.nn as nn
import torch.optim
import torchvision.datasets as datasets
import torchvision.models as models
import torchvision.transforms as transforms

parser = argparse.ArgumentParser(description="classify images")
parser.add_argument("data", metavar="DIR", nargs="?", default="imagenet",
                    help="path to the data")
parser.add_argument("-a", "--arch", metavar="ARCH", default="resnet18")
parser.add_argument("-j", "--workers", default=4, type=int)
parser.add_argument("--epochs", default=90, type=int,
                    help="number of total epochs (default: 90)")
parser.add_argument("-b", "--batch-size", default=256, type=int,
                    help="of all GPUs (of the node, not of one)")
parser.add_argument("--lr", "--learning-rate", default=0.1, type=float)
parser.add_argument("--dist-url", default="tcp://host:23456", type=str)


def main():
    args = parser.parse_args()
    torch.distributed.init_process_group("nccl")
    model = models.__dict__[args.arch]()
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    train = datasets.ImageFolder(args.data, transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip()]))
    return optimizer, train


main()
