# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass

import torch.optim as optim
import tyro


@dataclass
class Args:
    env_id: str = "Hopper-v4"
    total_timesteps: int = 1000000
    batch_size: int = 256
    policy_lr: float = 3e-4
    q_lr: float = 1e-3
