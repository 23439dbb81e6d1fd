# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass

import torch.optim as optim
import tyro


@dataclass
class Args:
    env_id: str = "BreakoutNoFrameskip-v4"
    total_timesteps: int = 10000000
    learning_rate: float = 1e-4
    buffer_size: int = 1000000
    batch_size: int = 32
    """transitions of an update"""
    train_frequency: int = 4


class QNetwork:
    pass


if __name__ == "__main__":
    args = tyro.cli(Args)
    optimizer = optim.Adam(QNetwork().parameters(), lr=args.learning_rate)
