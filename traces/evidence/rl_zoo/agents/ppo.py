# SPDX-License-Identifier: GPL-3.0-or-later
"""Proximal policy optimisation for discrete actions."""
import torch
from torch import nn
from torch.distributions import Categorical

from .report import Report


class ActorCritic(nn.Module):
    def __init__(self, inputs, actions, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(),
                                  nn.Linear(width, width), nn.Tanh())
        self.policy, self.value = nn.Linear(width, actions), \
            nn.Linear(width, 1)

    def forward(self, x):
        y = self.body(x)
        return Categorical(logits=self.policy(y)), self.value(y).squeeze(-1)


class PPO:
    def __init__(self, envs, settings, learning_rate, device):
        self.envs, self.settings, self.device = envs, settings, device
        shape = envs.single_observation_space.shape
        self.net = ActorCritic(shape[0], envs.single_action_space.n)
        self.net.to(device)
        self.optimizer = torch.optim.Adam(self.net.parameters(),
                                          lr=learning_rate, eps=1e-5)

    def rollout(self, state):
        rows, rewards = [], []
        for _ in range(self.settings["n_steps"]):
            x = torch.as_tensor(state, dtype=torch.float32,
                                device=self.device)
            with torch.no_grad():
                policy, value = self.net(x)
            action = policy.sample()
            state, reward, ended, cut, _ = self.envs.step(
                action.cpu().numpy())
            rows.append((x, action, policy.log_prob(action), value,
                         torch.as_tensor(reward, dtype=torch.float32),
                         torch.as_tensor(ended | cut)))
            rewards.append(reward.sum())
        return state, rows, rewards

    def update(self, rows):
        x, action, before, value, reward, _ = (torch.stack(c).flatten(0, 1)
                                               for c in zip(*rows))
        advantage = reward.to(value.device) - value
        loss = torch.zeros(())
        for _ in range(self.settings["n_epochs"]):
            order = torch.randperm(len(x))
            for at in order.split(self.settings["batch_size"]):
                policy, guess = self.net(x[at])
                ratio = (policy.log_prob(action[at]) - before[at]).exp()
                gain = torch.min(ratio * advantage[at],
                                 ratio.clamp(0.8, 1.2) * advantage[at])
                loss = -gain.mean() + 0.5 * (guess - value[at]).pow(2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        return loss.item()

    def learn(self, total):
        report, steps = Report(), 0
        state, _ = self.envs.reset()
        while steps < total:
            state, rows, rewards = self.rollout(state)
            loss = self.update(rows)
            steps += len(rows) * len(rewards)
            report.show(steps, rewards, loss=loss)
