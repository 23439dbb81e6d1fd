# SPDX-License-Identifier: GPL-3.0-or-later
import spconv.pytorch as spconv
import torch

from pointlab.registry import MODELS


@MODELS.register_module("SpUNet-v1m1")
class SparseUNet(torch.nn.Module):
    def __init__(self, in_channels, num_classes, base_channels=32):
        super().__init__()
        self.stem = spconv.SubMConv3d(in_channels, base_channels, kernel_size=5)
