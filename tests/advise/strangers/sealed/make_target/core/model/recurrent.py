# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn


class GRUAttention(nn.Module):
    """A bidirectional GRU with attention over its states."""

    def __init__(self, vocab_size, n_classes, d_emb=128, d_hid=64, n_layer=1, attention=False):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_emb, padding_idx=0)
        self.rnn = nn.GRU(d_emb, d_hid, n_layer, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * d_hid, 1) if attention else None
        self.head = nn.Linear(2 * d_hid, n_classes)

    def forward(self, tokens):
        x, _ = self.rnn(self.embed(tokens))
        if self.score is not None:
            x = (torch.softmax(self.score(x), dim=1) * x).sum(dim=1)
        else:
            x = x[:, -1]
        return self.head(x)


class LSTMPlain(nn.Module):
    def __init__(self, vocab_size, n_classes, d_emb=128):
        super().__init__()
        self.rnn = nn.LSTM(d_emb, n_classes)
