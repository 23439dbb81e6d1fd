# SPDX-License-Identifier: GPL-3.0-or-later
import gymnasium as gym
import numpy as np


class NoopReset(gym.Wrapper):
    def __init__(self, env, noop_max=30):
        super().__init__(env)
        self.noop_max = noop_max


class MaxAndSkip(gym.Wrapper):
    def __init__(self, env, skip=4):
        super().__init__(env)
        self.skip = skip


class FireReset(gym.Wrapper):
    pass


class ClipReward(gym.RewardWrapper):
    def reward(self, reward):
        return np.sign(float(reward))
