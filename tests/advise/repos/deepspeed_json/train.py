# SPDX-License-Identifier: GPL-3.0-or-later
"""A classifier under DeepSpeed."""
import argparse

import deepspeed
import torch.nn as nn
import torchvision


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("-e", "--epochs", default=30, type=int)
    parser.add_argument("--dtype", default="fp32")
    return deepspeed.add_config_arguments(parser).parse_args()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)


args = arguments()
trainset = torchvision.datasets.CIFAR10(root="./data")
net = Net()
engine, _, _, _ = deepspeed.initialize(args=args, model=net)
