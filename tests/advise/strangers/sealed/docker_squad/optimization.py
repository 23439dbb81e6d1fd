# SPDX-License-Identifier: GPL-3.0-or-later
from torch.optim import Optimizer


def warmup_linear(x, warmup=0.002):
    return x / warmup if x < warmup else max((x - 1.0) / (warmup - 1.0), 0)


class BertAdam(Optimizer):
    def __init__(self, params, lr=1e-3, warmup=-1, b1=0.9, b2=0.999, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, warmup=warmup, b1=b1, b2=b2))
