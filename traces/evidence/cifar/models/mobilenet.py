# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn

ROWS = ((1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 3, 2), (6, 64, 4, 2),
        (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, expand, stride):
        super().__init__()
        inner = inputs * expand
        self.same = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            nn.Conv2d(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner),
            nn.ReLU6(), nn.Conv2d(inner, inner, 3, stride, 1, groups=inner,
                                  bias=False), nn.BatchNorm2d(inner),
            nn.ReLU6(), nn.Conv2d(inner, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs))

    def forward(self, x):
        return x + self.body(x) if self.same else self.body(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        layers, inputs = [nn.Conv2d(3, 32, 3, 1, 1), nn.ReLU6()], 32
        for expand, width, repeats, stride in ROWS:
            for i in range(repeats):
                layers.append(Inverted(inputs, width, expand,
                                       stride if i == 0 else 1))
                inputs = width
        self.body = nn.Sequential(*layers)
        self.fc = nn.Linear(320, classes)

    def forward(self, x):
        return self.fc(self.body(x).mean((2, 3)))
