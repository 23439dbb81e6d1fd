# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks by the name that a configuration file gives."""
import math

from paddle import nn


class Block(nn.Layer):
    """Expansion, depthwise convolution, squeeze and excitation."""

    def __init__(self, inputs, outputs, expand, kernel, stride):
        super().__init__()
        inner = inputs * expand
        self.body = nn.Sequential(
            nn.Conv2D(inputs, inner, 1, bias_attr=False),
            nn.BatchNorm2D(inner), nn.Swish(),
            nn.Conv2D(inner, inner, kernel, stride, kernel // 2, groups=inner,
                      bias_attr=False),
            nn.BatchNorm2D(inner), nn.Swish(),
            nn.Conv2D(inner, outputs, 1, bias_attr=False),
            nn.BatchNorm2D(outputs))
        self.same = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.same else self.body(x)


ROWS = ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3))


def efficientnet(width, depth):
    layers, inputs = [nn.Conv2D(3, 48, 3, 2, 1), nn.Swish()], 48
    for expand, channels, repeats, stride, kernel in ROWS:
        outputs = int(channels * width + 4) // 8 * 8
        for i in range(int(math.ceil(repeats * depth))):
            layers.append(Block(inputs, outputs, expand, kernel,
                                stride if i == 0 else 1))
            inputs = outputs
    layers += [nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(inputs, 1000)]
    return nn.Sequential(*layers)


def build(arch):
    if arch["name"] == "EfficientNetB4":
        return efficientnet(1.4, 1.8)
    raise ValueError("no network " + arch["name"])
