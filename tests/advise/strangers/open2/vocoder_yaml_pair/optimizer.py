# SPDX-License-Identifier: GPL-3.0-or-later
import torch


class ScheduledOptim:
    """Adam with the warm-up of the transformer."""

    def __init__(self, model, configs):
        optim = configs['training']['optim']
        self.adam = torch.optim.Adam(model.parameters(), lr=optim['learning_rate'],
                                     betas=optim['betas'], eps=optim['eps'])

    def step_and_update_lr(self):
        self.adam.step()

    def zero_grad(self):
        self.adam.zero_grad()
