# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch.optim as optim


class Trainer:
    def __init__(self, config, model):
        self.config = config
        self.model = model
        os.environ["CUDA_VISIBLE_DEVICES"] = str(config["gpu_id"])
        self.epochs = config["epochs"]
        self.optimizer = self._optimizer(config["learner"], config["learning_rate"])

    def _optimizer(self, learner, lr):
        params = self.model.parameters()
        if learner.lower() == "adam":
            return optim.Adam(params, lr=lr)
        if learner.lower() == "sgd":
            return optim.SGD(params, lr=lr)
        if learner.lower() == "adagrad":
            return optim.Adagrad(params, lr=lr)
        if learner.lower() == "rmsprop":
            return optim.RMSprop(params, lr=lr)
        return optim.Adam(params, lr=lr)

    def fit(self, train, valid):
        for epoch in range(self.epochs):
            for batch in train:
                self.optimizer.zero_grad()
                self.model.calculate_loss(batch).backward()
                self.optimizer.step()
