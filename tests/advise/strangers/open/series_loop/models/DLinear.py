# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class Model(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.trend = nn.Linear(configs.seq_len, configs.pred_len)
