# SPDX-License-Identifier: GPL-3.0-or-later
from functools import partial
from flax import linen as nn


class ResNet(nn.Module):
    stage_sizes: tuple
    num_classes: int

    @nn.compact
    def __call__(self, x):
        return nn.Conv(64, (7, 7))(x)


ResNet18 = partial(ResNet, stage_sizes=[2, 2, 2, 2])
ResNet50 = partial(ResNet, stage_sizes=[3, 4, 6, 3])
