# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedding, LSTM, softmax."""
from torch import nn


class RNNModel(nn.Module):
    def __init__(self, kind, words, width, hidden, layers, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(words, width)
        self.rnn = getattr(nn, kind)(width, hidden, layers, dropout=dropout)
        self.decoder = nn.Linear(hidden, words)

    def forward(self, x, state=None):
        y, state = self.rnn(self.drop(self.encoder(x)), state)
        return self.decoder(self.drop(y)), state
