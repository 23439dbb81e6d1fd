# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn


class SASRec(nn.Module):
    """Self-attention over the items that a user saw."""

    def __init__(self, config, dataset):
        super().__init__()
        self.items = nn.Embedding(dataset.n_items, config["hidden_size"], padding_idx=0)
        self.positions = nn.Embedding(config["MAX_ITEM_LIST_LENGTH"], config["hidden_size"])
        layer = nn.TransformerEncoderLayer(config["hidden_size"], config["n_heads"])
        self.encoder = nn.TransformerEncoder(layer, config["n_layers"])
        self.loss = nn.CrossEntropyLoss()

    def calculate_loss(self, batch):
        x = self.encoder(self.items(batch["history"]))
        return self.loss(torch.matmul(x[:, -1], self.items.weight.t()), batch["next"])


class GRU4Rec(nn.Module):
    def __init__(self, config, dataset):
        super().__init__()
        self.gru = nn.GRU(config["embedding_size"], config["hidden_size"], config["num_layers"])
