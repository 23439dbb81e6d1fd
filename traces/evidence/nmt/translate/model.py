# SPDX-License-Identifier: GPL-3.0-or-later
"""Encoder and decoder by the name of an architecture."""
import math

import torch
from torch import nn

ARCHITECTURES = {
    "transformer_small": dict(width=512, heads=8, layers=3, inner=1024),
    "transformer_big": dict(width=1024, heads=16, layers=6, inner=4096),
}


def positions(length, width):
    at = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2) * -(math.log(1e4) / width))
    table = torch.zeros(length, width)
    table[:, 0::2], table[:, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
    return table


class TransformerModel(nn.Module):
    def __init__(self, arch, source_words, target_words, dropout):
        super().__init__()
        shape = ARCHITECTURES[arch]
        width = shape["width"]
        self.source = nn.Embedding(source_words, width)
        self.target = nn.Embedding(target_words, width)
        self.register_buffer("at", positions(512, width))
        self.body = nn.Transformer(width, shape["heads"], shape["layers"],
                                   shape["layers"], shape["inner"], dropout,
                                   batch_first=True)
        self.head = nn.Linear(width, target_words)

    def forward(self, source, target):
        x = self.source(source) + self.at[:source.size(1)]
        y = self.target(target) + self.at[:target.size(1)]
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        return self.head(self.body(x, y, tgt_mask=mask.to(y.device)))
