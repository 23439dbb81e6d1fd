# SPDX-License-Identifier: GPL-3.0-or-later
"""Twin delayed deterministic policy gradients."""
import copy
import random

import numpy
import torch
from torch import nn

from .report import Report


def mlp(inputs, outputs, last=None):
    layers = [nn.Linear(inputs, 400), nn.ReLU(), nn.Linear(400, 300),
              nn.ReLU(), nn.Linear(300, outputs)]
    return nn.Sequential(*layers, *([last] if last else []))


class TD3:
    def __init__(self, envs, settings, learning_rate, device):
        self.envs, self.settings, self.device = envs, settings, device
        states = envs.single_observation_space.shape[0]
        actions = envs.single_action_space.shape[0]
        self.actor = mlp(states, actions, nn.Tanh()).to(device)
        self.critics = nn.ModuleList(
            mlp(states + actions, 1) for _ in range(2)).to(device)
        self.targets = copy.deepcopy(self.critics)
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=learning_rate)
                           for m in (self.actor, self.critics)]
        self.buffer = []

    def batch(self):
        rows = random.sample(self.buffer, self.settings["batch_size"])
        return [torch.as_tensor(numpy.array(c), dtype=torch.float32,
                                device=self.device) for c in zip(*rows)]

    def update(self, step):
        state, action, reward, after = self.batch()
        with torch.no_grad():
            ahead = torch.cat([after, self.actor(after)], 1)
            best = torch.min(*(t(ahead) for t in self.targets)).squeeze(1)
            goal = reward + self.settings["gamma"] * best
        both = torch.cat([state, action], 1)
        loss = sum((c(both).squeeze(1) - goal).pow(2).mean()
                   for c in self.critics)
        self.optimizers[1].zero_grad()
        loss.backward()
        self.optimizers[1].step()
        if step % 2 == 0:
            value = self.critics[0](torch.cat([state, self.actor(state)], 1))
            self.optimizers[0].zero_grad()
            (-value.mean()).backward()
            self.optimizers[0].step()
        return loss.item()

    def learn(self, total):
        report, loss, rewards = Report(), 0.0, []
        state, _ = self.envs.reset()
        for step in range(1, total + 1):
            x = torch.as_tensor(state, dtype=torch.float32,
                                device=self.device)
            with torch.no_grad():
                action = self.actor(x).cpu().numpy()
            action += numpy.random.normal(0, self.settings["noise_std"],
                                          action.shape)
            after, reward, _, _, _ = self.envs.step(action.clip(-1, 1))
            self.buffer.append((state[0], action[0], reward[0], after[0]))
            rewards.append(float(reward[0]))
            state = after
            if step > self.settings["learning_starts"]:
                loss = self.update(step)
            if step % 2000 == 0:
                report.show(step, rewards[-2000:], critic_loss=loss)
