# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn


class MobileNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()

        def step(a, b, stride):
            return nn.Sequential(nn.Conv2d(a, a, 3, stride, 1, groups=a, bias=False),
                                 nn.BatchNorm2d(a), nn.ReLU(inplace=True),
                                 nn.Conv2d(a, b, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU())

        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), step(16, 32, 1), step(32, 64, 2),
                                  nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))

    def forward(self, x):
        return self.body(x)
