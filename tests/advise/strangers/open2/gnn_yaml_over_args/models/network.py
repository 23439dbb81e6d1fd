# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from torch_geometric.nn import global_add_pool, global_mean_pool
from torch_geometric.utils import to_dense_batch


class PairLayer(nn.Module):
    """Mixes what is known of (i, k) and (k, j) into (i, j)."""

    def __init__(self, width, depth, drop):
        super().__init__()
        self.left, self.right = (nn.Sequential(*[m for _ in range(depth)
                                                 for m in (nn.Conv2d(width, width, 1), nn.ReLU())])
                                 for _ in range(2))
        self.norm, self.drop = nn.BatchNorm2d(width), nn.Dropout(drop)

    def forward(self, x):
        return x + self.drop(self.norm(torch.matmul(self.left(x), self.right(x))))


class PairGNN(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.embed = nn.LazyLinear(args.emb_channels)
        self.widen = nn.Conv2d(args.emb_channels + args.pe_len, args.hidden_channels, 1)
        self.layers = nn.ModuleList(PairLayer(args.hidden_channels, args.mlp_depth, args.drop_prob)
                                    for _ in range(args.num_layers))
        self.pool = {"mean": global_mean_pool, "sum": global_add_pool}[args.graph_pool]
        self.out = nn.Linear(args.hidden_channels, 1)

    def forward(self, batch):
        nodes, _ = to_dense_batch(self.embed(batch.x), batch.batch)
        pairs = torch.diag_embed(nodes.transpose(1, 2))
        x = self.widen(torch.cat([pairs, batch.pe], 1))
        for layer in self.layers:
            x = layer(x)
        return self.out(x.mean((2, 3)))
