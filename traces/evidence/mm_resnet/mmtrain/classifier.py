# SPDX-License-Identifier: GPL-3.0-or-later
"""The registered modules that the configurations name."""
import torch
from mmengine.model import BaseModel
from mmengine.registry import MODELS
from torch import nn
from torchvision import models


@MODELS.register_module()
class ResNet(nn.Module):
    def __init__(self, depth, num_stages=4, style="pytorch"):
        super().__init__()
        whole = getattr(models, "resnet%d" % depth)(weights=None)
        self.body = nn.Sequential(*list(whole.children())[:4 + num_stages])
        self.style = style

    def forward(self, x):
        return self.body(x)


@MODELS.register_module()
class GlobalAveragePooling(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


@MODELS.register_module()
class LinearClsHead(nn.Module):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.fc = nn.Linear(in_channels, num_classes)

    def forward(self, x):
        return self.fc(x)


@MODELS.register_module()
class ImageClassifier(BaseModel):
    def __init__(self, backbone, neck=None, head=None):
        super().__init__()
        self.backbone = MODELS.build(backbone)
        self.neck = MODELS.build(neck) if neck else nn.Identity()
        self.head = MODELS.build(head)

    def forward(self, inputs, data_samples=None, mode="tensor"):
        x = self.head(self.neck(self.backbone(torch.stack(inputs))))
        if mode == "loss":
            target = torch.tensor([s.gt_label for s in data_samples]).cuda()
            return {"loss": nn.functional.cross_entropy(x, target)}
        return x
