# SPDX-License-Identifier: GPL-3.0-or-later
"""Many models; the active line is the last."""
import argparse

import torch
import torch.optim as optim
import torchvision

from models import *

parser = argparse.ArgumentParser()
parser.add_argument('--lr', default=0.1, type=float, help='learning rate')
parser.add_argument('--resume', '-r', action='store_true')
args = parser.parse_args()

trainset = torchvision.datasets.CIFAR10(root='./data', train=True)
trainloader = torch.utils.data.DataLoader(
    trainset, batch_size=128, shuffle=True, num_workers=2)
testloader = torch.utils.data.DataLoader(
    trainset, batch_size=100, shuffle=False, num_workers=2)

# net = VGG('VGG19')
# net = ResNet18()
net = SimpleDLA()
net = torch.nn.DataParallel(net)
optimizer = optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200)
for epoch in range(0, 200):
    pass
