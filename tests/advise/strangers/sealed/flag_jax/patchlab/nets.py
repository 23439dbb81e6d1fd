# SPDX-License-Identifier: GPL-3.0-or-later
import flax.linen as nn


class VisionTransformer(nn.Module):
    patches: tuple
    hidden_size: int
    transformer: dict

    @nn.compact
    def __call__(self, x, *, train):
        x = nn.Conv(self.hidden_size, self.patches, strides=self.patches)(x)
        return nn.Dense(1000)(x.mean(axis=(1, 2)))


class MlpMixer(nn.Module):
    hidden_dim: int

    @nn.compact
    def __call__(self, x, *, train):
        return nn.Dense(self.hidden_dim)(x)


def make(config):
    if config.model_name.startswith("Mixer"):
        return MlpMixer(config.hidden_dim)
    return VisionTransformer(tuple(config.patches.size), config.hidden_size, config.transformer)
