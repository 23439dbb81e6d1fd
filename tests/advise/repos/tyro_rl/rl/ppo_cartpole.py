# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass
import gymnasium as gym
import torch
import torch.nn as nn
import torch.optim as optim
import tyro


@dataclass
class Args:
    exp_name: str = "ppo"
    seed: int = 1
    env_id: str = "Acrobot-v1"
    """the id of the environment"""
    total_timesteps: int = 1000000
    learning_rate: float = 2.5e-4
    num_envs: int = 4
    num_steps: int = 128
    num_minibatches: int = 4
    update_epochs: int = 4
    batch_size: int = 0
    minibatch_size: int = 0
    num_iterations: int = 0


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))


if __name__ == "__main__":
    args = tyro.cli(Args)
    args.batch_size = int(args.num_envs * args.num_steps)
    args.minibatch_size = int(args.batch_size // args.num_minibatches)
    args.num_iterations = args.total_timesteps // args.batch_size
    envs = gym.vector.SyncVectorEnv([lambda: gym.make(args.env_id) for _ in range(args.num_envs)])
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    for iteration in range(1, args.num_iterations + 1):
        for epoch in range(args.update_epochs):
            loss = agent(envs)
            loss.backward()
            optimizer.step()
