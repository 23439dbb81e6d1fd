# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class Synthesizer(nn.Module):
    pass
