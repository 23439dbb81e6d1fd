# SPDX-License-Identifier: GPL-3.0-or-later
"""PointNet with its input transform."""
import torch
from torch import nn


def mlp(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU()]
    return nn.Sequential(*layers)


class Transform(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.size = size
        self.body = mlp(size, 64, 128, 1024)
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(),
                                  nn.Linear(512, size * size))

    def forward(self, x):
        y = self.head(self.body(x).amax(2)).view(-1, self.size, self.size)
        return y + torch.eye(self.size, device=x.device)


class PointNet(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.transform = Transform()
        self.local, self.deep = mlp(3, 64, 64), mlp(64, 128, 1024)
        self.head = nn.Sequential(mlp(1088, 512, 256, 128),
                                  nn.Conv1d(128, parts, 1))

    def forward(self, x):
        x = torch.bmm(self.transform(x), x)
        local = self.local(x)
        whole = self.deep(local).amax(2, keepdim=True)
        whole = whole.expand(-1, -1, x.size(2))
        return self.head(torch.cat([local, whole], 1))
