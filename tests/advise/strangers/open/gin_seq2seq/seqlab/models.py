# SPDX-License-Identifier: GPL-3.0-or-later
import flax.linen as nn
import gin
import jax.numpy as jnp


class BaseModel:
    def __init__(self, optimizer_def):
        self.optimizer_def = optimizer_def


@gin.configurable
class EncoderDecoderModel(BaseModel):
    def __init__(self, module: nn.Module, input_vocabulary, output_vocabulary, optimizer_def,
                 label_smoothing: float = 0.0, z_loss: float = 0.0):
        super().__init__(optimizer_def)
        self.module = module
        self.loss = (label_smoothing, z_loss)


@gin.configurable
class DecoderOnlyModel(BaseModel):
    def __init__(self, module: nn.Module, vocabulary, optimizer_def):
        super().__init__(optimizer_def)
        self.module = module


@gin.configurable
class T5Config:
    def __init__(self, vocab_size, dtype=jnp.float32, emb_dim=512, num_heads=8,
                 num_encoder_layers=6, num_decoder_layers=6, mlp_dim=2048, dropout_rate=0.1):
        self.__dict__.update(locals())


@gin.configurable
class Transformer(nn.Module):
    config: T5Config

    @nn.compact
    def __call__(self, inputs, targets):
        x = nn.Embed(self.config.vocab_size, self.config.emb_dim)(inputs)
        return nn.Dense(self.config.vocab_size)(x)
