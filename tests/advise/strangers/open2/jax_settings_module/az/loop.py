# SPDX-License-Identifier: GPL-3.0-or-later
"""One process: games with the present weights fill a ring on the device, then some gradient
steps on samples of it."""
from __future__ import annotations

import time
from dataclasses import dataclass

import jax

from az import replay, selfplay
from az.env import Env, GameConfig
from az.search import Search, SearchConfig
from net.alphazero import TrainingConfig, create_train_state, make_model, save_checkpoint, train_step


@dataclass
class LoopConfig:
    num_generations: int = 1000
    games_per_gen: int = 256
    replay_capacity: int = 1_000_000
    eval_batch_size: int = 512


def train_loop(seed: int = 0, cfg: TrainingConfig | None = None, loop: LoopConfig | None = None,
               search_cfg: SearchConfig | None = None, game: GameConfig | None = None,
               run_dir: str | None = None):
    cfg = cfg or TrainingConfig()
    loop = loop or LoopConfig()
    search_cfg = search_cfg or SearchConfig()
    env = Env(game or GameConfig(4, 3, True))

    model = make_model(env, cfg.num_channels, cfg.num_res_blocks, cfg.variant)
    search = Search(env, model, search_cfg)
    key, init_key = jax.random.split(jax.random.PRNGKey(seed))
    state = create_train_state(init_key, cfg)
    ring = replay.empty(loop.replay_capacity, env)
    play = jax.jit(selfplay.play_batch, static_argnums=(2, 3, 4))

    for gen in range(loop.num_generations):
        began = time.time()
        key, play_key = jax.random.split(key)
        variables = {"params": state.params, "batch_stats": state.batch_stats}
        ring = replay.add(ring, *play(variables, play_key, env, search, loop.games_per_gen))
        loss = None
        if float(replay.filled(ring)) >= cfg.min_positions:
            for _ in range(cfg.steps_per_generation):
                key, sample_key = jax.random.split(key)
                state, metrics = train_step(state, replay.sample(ring, sample_key, cfg.batch_size),
                                            cfg.variant)
            loss = float(metrics["loss"])
        if gen % cfg.save_every_n_gens == 0 and loss is not None:
            save_checkpoint(state, cfg.checkpoint_dir, step=gen)
        print(f"[gen {gen:5d}] loss={loss} {time.time() - began:.2f} s", flush=True)
    return state


def demo():
    """A short run that has to learn something."""
    cfg = TrainingConfig()
    cfg.num_channels, cfg.num_res_blocks = 16, 2
    cfg.min_positions, cfg.batch_size = 256, 128
    cfg.steps_per_generation = 8
    train_loop(cfg=cfg, loop=LoopConfig(num_generations=30, games_per_gen=32,
                                        replay_capacity=50_000))


if __name__ == "__main__":
    demo()
