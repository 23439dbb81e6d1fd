# SPDX-License-Identifier: GPL-3.0-or-later
"""A decoder whose layers are split over the ranks of a tensor group."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return x * scale * self.weight


class ColumnParallel(nn.Linear):
    """A linear layer of which this rank holds some output columns."""

    def __init__(self, inputs, outputs, ranks):
        super().__init__(inputs, outputs // ranks, bias=False)


class Attention(nn.Module):
    def __init__(self, width, heads, ranks):
        super().__init__()
        self.heads = heads // ranks
        self.qkv = ColumnParallel(width, 3 * width, ranks)
        self.out = nn.Linear(width // ranks, width, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2)
                   for y in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, -1))


class Block(nn.Module):
    def __init__(self, width, heads, ranks):
        super().__init__()
        inner = int(math.ceil(width * 3.5 / 256)) * 256
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.attention = Attention(width, heads, ranks)
        self.gate = ColumnParallel(width, inner, ranks)
        self.up = ColumnParallel(width, inner, ranks)
        self.down = nn.Linear(inner // ranks, width, bias=False)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, args, vocabulary, ranks):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, args.hidden_size)
        self.blocks = nn.ModuleList(
            Block(args.hidden_size, args.num_attention_heads, ranks)
            for _ in range(args.num_layers))
        self.norm = RMSNorm(args.hidden_size)
        self.head = nn.Linear(args.hidden_size, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
