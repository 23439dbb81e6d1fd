# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn

META_ARCH = {}


def register(cls):
    META_ARCH[cls.__name__] = cls
    return cls


@register
class GeneralizedRCNN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7)


@register
class RetinaNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7)


def build_model(cfg):
    model = META_ARCH[cfg.MODEL.META_ARCHITECTURE](cfg)
    model.to(cfg.MODEL.DEVICE)
    return model
