# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from pointlab.registry import MODELS


@MODELS.register_module("PT-v3m1")
class PointTransformerV3(torch.nn.Module):
    def __init__(self, in_channels=6, order=("z",), enc_depths=(2, 2, 2, 6, 2),
                 enc_channels=(32, 64, 128, 256, 512), enable_flash=True, drop_path=0.3):
        super().__init__()
        self.blocks = torch.nn.ModuleList(
            [torch.nn.TransformerEncoderLayer(c, 2) for c in enc_channels])
