# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn


class Policy(nn.Module):
    pass
