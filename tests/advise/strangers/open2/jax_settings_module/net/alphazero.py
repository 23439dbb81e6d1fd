# SPDX-License-Identifier: GPL-3.0-or-later
import functools
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp
from flax.training import train_state


class TrainingConfig:
    num_channels = 64
    num_res_blocks = 4
    variant = "scalar_mse"
    min_positions = 1024
    batch_size = 128
    steps_per_generation = 10
    learning_rate = 0.001
    weight_decay = 1e-4
    grad_clip = 1.0
    lr_schedule = "constant"
    lr_warmup_steps = 100
    lr_decay_steps = 10_000
    lr_min = 1e-5
    checkpoint_dir = "checkpoints"
    save_every_n_gens = 10
    evaluate_every_n_gens = 300


class ResidualBlock(nn.Module):
    num_channels: int

    @nn.compact
    def __call__(self, x, training: bool = True):
        y = x
        for _ in range(2):
            y = nn.Conv(self.num_channels, (3, 3), padding="SAME")(nn.relu(y))
            y = nn.BatchNorm(use_running_average=not training)(y)
        return nn.relu(x + y)


class AlphaZeroNet(nn.Module):
    """From a board to a policy and a value."""
    num_channels: int = 64
    num_res_blocks: int = 4
    num_actions: int = 16
    variant: str = "scalar_mse"

    @nn.compact
    def __call__(self, x, training: bool = True):
        x = nn.Conv(self.num_channels, (3, 3), padding="SAME")(jnp.transpose(x, (0, 2, 3, 1)))
        for _ in range(self.num_res_blocks):
            x = ResidualBlock(self.num_channels)(x, training=training)
        policy = nn.Dense(self.num_actions)(nn.Conv(2, (1, 1))(x).reshape((x.shape[0], -1)))
        value = nn.Dense(1 if self.variant == "scalar_mse" else 3)(x.mean((1, 2)))
        return jax.nn.log_softmax(policy), jnp.tanh(value)


class TrainState(train_state.TrainState):
    batch_stats: Any


def make_model(env, channels, blocks, variant):
    return AlphaZeroNet(channels, blocks, env.cells, variant)


def create_train_state(key, cfg):
    model = AlphaZeroNet(cfg.num_channels, cfg.num_res_blocks, 25, cfg.variant)
    variables = model.init(key, jnp.zeros((1, 2, 5, 5)))
    rate = cfg.learning_rate
    if cfg.lr_schedule == "cosine":
        rate = optax.warmup_cosine_decay_schedule(0.0, cfg.learning_rate, cfg.lr_warmup_steps,
                                                  cfg.lr_decay_steps, cfg.lr_min)
    tx = optax.chain(optax.clip_by_global_norm(cfg.grad_clip),
                     optax.adamw(rate, weight_decay=cfg.weight_decay))
    return TrainState.create(apply_fn=model.apply, params=variables["params"], tx=tx,
                             batch_stats=variables["batch_stats"])


@functools.partial(jax.jit, static_argnums=(2,))
def train_step(state, batch, variant):
    def loss_fn(params):
        (policy, value), updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats}, batch["boards"],
            mutable=["batch_stats"])
        loss = -(batch["pi"] * policy).sum(-1).mean() + ((value - batch["z"]) ** 2).mean()
        return loss, updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(batch_stats=updates["batch_stats"]), {"loss": loss}


def save_checkpoint(state, folder, step):
    ocp.StandardCheckpointer().save(f"{folder}/{step}", state.params)
