# SPDX-License-Identifier: GPL-3.0-or-later
"""A decoder to replace the LSTM some day."""
from torch import nn


class TransformerLM(nn.Module):
    def __init__(self, words, width=512, heads=8, layers=6):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads)
        self.embed = nn.Embedding(words, width)
        self.body = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        return self.head(self.body(self.embed(x)))
