# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class Model(nn.Module):
    """Patches of each series as tokens of a transformer."""

    def __init__(self, configs, patch_len=16, stride=8):
        super().__init__()
        layer = nn.TransformerEncoderLayer(configs.d_model, configs.n_heads)
        self.embed = nn.Linear(patch_len, configs.d_model)
        self.encoder = nn.TransformerEncoder(layer, configs.e_layers)
        self.head = nn.Linear(configs.d_model * (configs.seq_len // stride), configs.pred_len)
