# SPDX-License-Identifier: GPL-3.0-or-later
import torch.nn as nn


class GPTConfig:
    block_size: int = 512


class GPT(nn.Module):
    pass
