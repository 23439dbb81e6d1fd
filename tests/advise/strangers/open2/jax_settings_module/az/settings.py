# SPDX-License-Identifier: GPL-3.0-or-later
"""All that can be set, in one place. Change it here, then start

    python -m az.settings
"""
from az.env import GameConfig
from az.loop import LoopConfig, train_loop
from az.search import SearchConfig
from net.alphazero import TrainingConfig

SEED = 0
RUN_DIR = None          # None: nothing to resume from

# --- game ---
GAME = GameConfig(
    size=5,
    win_length=4,
    misere=True,        # who completes a line loses
)

# --- search ---
SEARCH = SearchConfig(
    algorithm="gumbel",             # "muzero" | "gumbel"
    num_simulations=64,
    dirichlet_alpha=0.5,
    temperature=1.0,
    max_num_considered_actions=16,
)

# --- games and the ring that keeps them ---
LOOP = LoopConfig(
    num_generations=1500,
    games_per_gen=512,
    replay_capacity=1_000_000,
    eval_batch_size=512,
)

# --- network and optimizer ---
TRAIN = TrainingConfig()
TRAIN.num_channels = 96
TRAIN.num_res_blocks = 6
TRAIN.variant = "scalar_mse"
TRAIN.min_positions = 2048
TRAIN.batch_size = 256
TRAIN.steps_per_generation = 20
TRAIN.learning_rate = 0.002
TRAIN.weight_decay = 1e-4
TRAIN.grad_clip = 1.0
TRAIN.lr_schedule = "cosine"
TRAIN.lr_warmup_steps = 200
TRAIN.lr_decay_steps = 30_000
TRAIN.checkpoint_dir = "checkpoints"
TRAIN.save_every_n_gens = 10
TRAIN.evaluate_every_n_gens = 100

assert TRAIN.variant in {"scalar_mse", "softmax_ce"}, TRAIN.variant


if __name__ == "__main__":
    train_loop(seed=SEED, cfg=TRAIN, loop=LOOP, search_cfg=SEARCH, game=GAME, run_dir=RUN_DIR)
