# SPDX-License-Identifier: GPL-3.0-or-later
"""A U-Net with 2D convolutions."""
import torch
from torch import nn


def double(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True))


class UNet2D(nn.Module):
    def __init__(self, inputs, classes, channels=64, depth=4):
        super().__init__()
        widths = [channels << i for i in range(depth + 1)]
        self.down = nn.ModuleList()
        for width in widths:
            self.down.append(double(inputs, width))
            inputs = width
        self.up, self.join = nn.ModuleList(), nn.ModuleList()
        for width in reversed(widths[:-1]):
            self.up.append(nn.ConvTranspose2d(inputs, width, 2, stride=2))
            self.join.append(double(2 * width, width))
            inputs = width
        self.head = nn.Conv2d(inputs, classes, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        kept.pop()
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.head(x)
