# SPDX-License-Identifier: GPL-3.0-or-later
import os
import time
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
import tyro
from torch.distributions.categorical import Categorical

from rl_utils.wrappers import ClipReward, FireReset, MaxAndSkip, NoopReset


@dataclass
class Args:
    exp_name: str = os.path.basename(__file__)[: -len(".py")]
    """name of the experiment"""
    seed: int = 1
    """seed of all generators"""
    cuda: bool = True
    """use a GPU if there is one"""
    track: bool = False
    """report to Weights and Biases"""
    capture_video: bool = False
    """film the agent"""

    env_id: str = "BreakoutNoFrameskip-v4"
    """the environment"""
    total_timesteps: int = 10000000
    """steps of all environments together"""
    learning_rate: float = 2.5e-4
    """rate of the optimizer"""
    num_envs: int = 8
    """environments side by side"""
    num_steps: int = 128
    """steps of an environment between updates"""
    anneal_lr: bool = True
    """lower the rate linearly"""
    gamma: float = 0.99
    """discount"""
    num_minibatches: int = 4
    """parts of a batch"""
    update_epochs: int = 4
    """passes over a batch"""
    clip_coef: float = 0.1
    """clipping of the ratio"""
    ent_coef: float = 0.01
    """weight of the entropy"""

    batch_size: int = 0
    """environments times steps (computed)"""
    minibatch_size: int = 0
    """batch over its parts (computed)"""
    num_iterations: int = 0
    """updates (computed)"""


def make_env(env_id, idx, capture_video, run_name):
    def thunk():
        env = gym.make(env_id, render_mode="rgb_array" if capture_video and idx == 0 else None)
        env = NoopReset(env, noop_max=30)
        env = MaxAndSkip(env, skip=4)
        if "FIRE" in env.unwrapped.get_action_meanings():
            env = FireReset(env)
        env = ClipReward(env)
        env = gym.wrappers.ResizeObservation(env, (84, 84))
        env = gym.wrappers.GrayScaleObservation(env)
        return gym.wrappers.FrameStack(env, 4)

    return thunk


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        self.network = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(64 * 7 * 7, 512), nn.ReLU())
        self.actor = nn.Linear(512, envs.single_action_space.n)
        self.critic = nn.Linear(512, 1)

    def act(self, x, action=None):
        hidden = self.network(x / 255.0)
        probs = Categorical(logits=self.actor(hidden))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(hidden)


if __name__ == "__main__":
    args = tyro.cli(Args)
    args.batch_size = int(args.num_envs * args.num_steps)
    args.minibatch_size = int(args.batch_size // args.num_minibatches)
    args.num_iterations = args.total_timesteps // args.batch_size
    run_name = f"{args.env_id}__{args.exp_name}__{args.seed}__{int(time.time())}"
    if args.track:
        import wandb
        wandb.init(project="pixels", name=run_name, config=vars(args))
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() and args.cuda else "cpu")

    envs = gym.vector.SyncVectorEnv(
        [make_env(args.env_id, i, args.capture_video, run_name) for i in range(args.num_envs)])
    agent = Agent(envs).to(device)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    obs = torch.zeros((args.num_steps, args.num_envs, 4, 84, 84)).to(device)

    for iteration in range(1, args.num_iterations + 1):
        if args.anneal_lr:
            left = 1.0 - (iteration - 1.0) / args.num_iterations
            optimizer.param_groups[0]["lr"] = left * args.learning_rate
        order = np.arange(args.batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(order)
            for start in range(0, args.batch_size, args.minibatch_size):
                part = order[start:start + args.minibatch_size]
                _, logprob, entropy, value = agent.act(obs.flatten(0, 1)[part])
                ratio = (logprob - logprob.detach()).exp()
                clipped = torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                loss = -torch.min(ratio, clipped).mean() - args.ent_coef * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
    envs.close()
