# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass

from torch import nn


@dataclass
class Sizes:
    dim: int = 4096
    n_layers: int = 32
    n_heads: int = 32


class Llama(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(
            [nn.TransformerEncoderLayer(sizes.dim, sizes.n_heads) for _ in range(sizes.n_layers)])


class SparseMoE(nn.Module):
    def __init__(self, sizes, experts=64):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(sizes.dim, sizes.dim) for _ in range(experts)])


@dataclass
class TrainSpec:
    cls: type
    flavors: dict


_SPECS = {
    "llama3": TrainSpec(Llama, {"debugmodel": Sizes(256, 6, 16), "8B": Sizes(4096, 32, 32),
                                "70B": Sizes(8192, 80, 64)}),
    "sparse": TrainSpec(SparseMoE, {"16B": Sizes(2048, 27, 16)}),
}


def get_train_spec(name):
    return _SPECS[name]
