# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from pointlab.registry import MODELS


@MODELS.register_module("DefaultSegmentor")
class DefaultSegmentor(torch.nn.Module):
    def __init__(self, num_classes, backbone_out_channels, backbone=None, criteria=None):
        super().__init__()
        self.head = torch.nn.Linear(backbone_out_channels, num_classes)
        self.backbone = MODELS.build(backbone)
        self.criteria = criteria


@MODELS.register_module("DefaultClassifier")
class DefaultClassifier(torch.nn.Module):
    pass
