# SPDX-License-Identifier: GPL-3.0-or-later
import paddle.nn as nn

__all__ = ["ResNet18_vd", "ResNet50_vd", "ResNet101_vd"]


class ResNet(nn.Layer):
    def __init__(self, depth, class_num=1000):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 32, 3, 2), nn.Conv2D(32, 64, 3))
        self.blocks = nn.LayerList([nn.Conv2D(64, 64, 3) for _ in range(depth)])
        self.fc = nn.Linear(64, class_num)


def ResNet18_vd(**kw):
    return ResNet(18, **kw)


def ResNet50_vd(pretrained=False, **kw):
    return ResNet(50, **kw)


def ResNet101_vd(**kw):
    return ResNet(101, **kw)
