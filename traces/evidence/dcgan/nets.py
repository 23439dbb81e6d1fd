# SPDX-License-Identifier: GPL-3.0-or-later
"""Generator and discriminator for images of 64 by 64 pixels."""
from torch import nn


class Generator(nn.Module):
    def __init__(self, noise, features, channels=3):
        super().__init__()
        layers, inputs = [], noise
        for scale, stride in ((8, 1), (4, 2), (2, 2), (1, 2)):
            layers += [nn.ConvTranspose2d(inputs, features * scale, 4, stride,
                                          0 if stride == 1 else 1, bias=False),
                       nn.BatchNorm2d(features * scale), nn.ReLU(True)]
            inputs = features * scale
        layers += [nn.ConvTranspose2d(inputs, channels, 4, 2, 1, bias=False),
                   nn.Tanh()]
        self.main = nn.Sequential(*layers)

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, features, channels=3):
        super().__init__()
        layers, inputs = [], channels
        for i, scale in enumerate((1, 2, 4, 8)):
            layers.append(nn.Conv2d(inputs, features * scale, 4, 2, 1,
                                    bias=False))
            if i:
                layers.append(nn.BatchNorm2d(features * scale))
            layers.append(nn.LeakyReLU(0.2, True))
            inputs = features * scale
        layers.append(nn.Conv2d(inputs, 1, 4, 1, 0, bias=False))
        self.main = nn.Sequential(*layers)

    def forward(self, x):
        return self.main(x).flatten()


def init(module):
    name = type(module).__name__
    if "Conv" in name:
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)
