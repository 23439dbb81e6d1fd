# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, configs):
        super().__init__()
        c = configs['hifigan']
        width = c['upsample_initial_channel']
        size = configs['model']['codebook_dim'] * configs['model']['codebook_num']
        self.embed = nn.Embedding(size, width)
        self.ups = nn.ModuleList(
            nn.ConvTranspose1d(width // 2 ** i, width // 2 ** (i + 1), k, u, padding=(k - u) // 2)
            for i, (u, k) in enumerate(zip(c['upsample_rates'], c['upsample_kernel_sizes'])))
        self.last = nn.Conv1d(width // 2 ** len(self.ups), 1, 7, padding=3)

    def forward(self, codes):
        x = self.embed(codes).sum(2).transpose(1, 2)
        for up in self.ups:
            x = up(torch.nn.functional.leaky_relu(x, 0.1))
        return torch.tanh(self.last(x))


class MultiPeriodDiscriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Conv2d(1, 32, (5, 1), (3, 1)) for _ in (2, 3, 5, 7, 11))


class MultiScaleDiscriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Conv1d(1, 128, 15) for _ in range(3))


def feature_loss(real, fake):
    return 2 * sum((r - f).abs().mean() for r, f in zip(real, fake))


def generator_loss(fake):
    return sum(((1 - f) ** 2).mean() for f in fake)


def discriminator_loss(real, fake):
    return sum(((1 - r) ** 2).mean() + (f ** 2).mean() for r, f in zip(real, fake))
