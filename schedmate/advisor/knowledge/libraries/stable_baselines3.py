# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable-Baselines3 2.x: the defaults of its algorithms."""
import torch
from schedsim import job


class Loaded:
    """A model that is loaded from a file; its settings are unknown."""

    def learn(self, total_timesteps, **more):
        job(max_steps=total_timesteps)
        return self

    def set_env(self, env):
        pass

    def save(self, path):
        pass


class Algorithm:
    name = "RL"
    rate = 3e-4
    batch = None

    def __init__(self, policy=None, env=None, learning_rate=None,
                 batch_size=None, **more):
        if learning_rate is None:
            learning_rate = self.rate
        if batch_size is None:
            batch_size = self.batch
        self.policy_name = policy
        job(framework="PyTorch + Stable-Baselines3",
            task_type="reinforcement learning", model_name=self.name,
            learning_rate=learning_rate)
        if batch_size is not None:
            job(batch_size=batch_size)
        if policy == "CnnPolicy":
            job(model_type="actor-critic CNN")
        elif self.name == "DQN":
            job(model_type="value network MLP")
        else:
            job(model_type="actor-critic MLP")
        self.optimize(learning_rate)

    def optimize(self, learning_rate):
        torch.optim.Adam([], lr=learning_rate)

    def learn(self, total_timesteps, **more):
        job(max_steps=total_timesteps)
        return self

    @classmethod
    def load(cls, path, env=None, **more):
        job(framework="PyTorch + Stable-Baselines3",
            task_type="reinforcement learning", model_name=cls.name)
        return Loaded()

    def save(self, path):
        pass


class PPO(Algorithm):
    name = "PPO"
    batch = 64


class A2C(Algorithm):
    name = "A2C"
    rate = 7e-4

    def optimize(self, learning_rate):
        torch.optim.RMSprop([], lr=learning_rate)


class DQN(Algorithm):
    name = "DQN"
    rate = 1e-4
    batch = 32


class SAC(Algorithm):
    name = "SAC"
    batch = 256


class TD3(Algorithm):
    name = "TD3"
    rate = 1e-3
    batch = 256


class DDPG(Algorithm):
    name = "DDPG"
    rate = 1e-3
    batch = 256
