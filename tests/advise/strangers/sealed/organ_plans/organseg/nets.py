# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class PlainConvUNet(nn.Module):
    def __init__(self, stages, features, conv_op):
        super().__init__()
        self.stages = nn.ModuleList([conv_op(1, f, 3) for f in features[:stages]])


class ResidualEncoderUNet(PlainConvUNet):
    pass


KNOWN = {"PlainConvUNet": PlainConvUNet, "ResidualEncoderUNet": ResidualEncoderUNet}


def build_network(configuration):
    conv = nn.Conv3d if len(configuration["patch_size"]) == 3 else nn.Conv2d
    return KNOWN[configuration["network"]](configuration["n_stages"], configuration["features"], conv)
