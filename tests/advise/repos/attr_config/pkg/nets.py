# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 8, 3)


class LargeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = nn.TransformerEncoderLayer(64, 4)


NETS = {"small": SmallNet, "large": LargeNet}
