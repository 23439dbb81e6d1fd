# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn


class SimpleDLA(nn.Module):
    def __init__(self):
        self.first = nn.Conv2d(3, 16, 3)
