# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from mamba_ssm import Mamba
from mmcls.models.builder import BACKBONES
from mmcv.cnn.bricks.drop import DropPath
from mmcv.runner import BaseModule
from torch import nn


@BACKBONES.register_module()
class PlainSSM(BaseModule):
    """A state-space model that walks over the patches of an image in four directions."""

    arch_zoo = {
        'S': dict(embed_dims=192, num_layers=24),
        'B': dict(embed_dims=384, num_layers=24),
        'L': dict(embed_dims=448, num_layers=36),
    }

    def __init__(self, arch='S', patch_size=16, drop_path_rate=0., init_cfg=None):
        super().__init__(init_cfg)
        width, depth = self.arch_zoo[arch]['embed_dims'], self.arch_zoo[arch]['num_layers']
        self.patches = nn.Conv2d(3, width, patch_size, patch_size)
        rates = torch.linspace(0, drop_path_rate, depth)
        self.layers = nn.ModuleList(
            nn.ModuleDict(dict(norm=nn.LayerNorm(width), mix=Mamba(width),
                               drop=DropPath(float(rate)))) for rate in rates)

    def forward(self, x):
        x = self.patches(x)
        b, c, h, w = x.shape
        x = x.flatten(2).transpose(1, 2)
        for layer in self.layers:
            y = layer['norm'](x)
            y = layer['mix'](y) + layer['mix'](y.flip(1)).flip(1)
            x = x + layer['drop'](y)
        return (x.transpose(1, 2).reshape(b, c, h, w), )
