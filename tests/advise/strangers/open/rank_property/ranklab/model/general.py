# SPDX-License-Identifier: GPL-3.0-or-later
from torch import nn


class BPR(nn.Module):
    """Matrix factors and pairs."""

    def __init__(self, config, dataset):
        super().__init__()
        self.users = nn.Embedding(dataset.n_users, config["embedding_size"])
        self.items = nn.Embedding(dataset.n_items, config["embedding_size"])
