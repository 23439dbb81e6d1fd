# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn, optim

from data_provider.factory import data_provider
from exp.basic import Exp_Basic


class Exp_Long_Term_Forecast(Exp_Basic):
    def _select_optimizer(self):
        return optim.Adam(self.model.parameters(), lr=self.args.learning_rate)

    def train(self, setting):
        loader = data_provider(self.args, flag='train')
        optimizer = self._select_optimizer()
        criterion = nn.MSELoss()
        scaler = torch.cuda.amp.GradScaler() if self.args.use_amp else None
        for epoch in range(self.args.train_epochs):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(self.model(x), y)
                if scaler:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    loss.backward()
                    optimizer.step()
