# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn


class UNetModel(nn.Module):
    pass
