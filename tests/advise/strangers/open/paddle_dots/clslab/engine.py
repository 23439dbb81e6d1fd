# SPDX-License-Identifier: GPL-3.0-or-later
import paddle
import paddle.distributed as dist

from clslab.arch import build_model
from clslab.data import build_dataloader
from clslab.optimizer import build_optimizer


class Engine:
    def __init__(self, config, mode="train"):
        self.config = config
        self.mode = mode
        paddle.set_device(config["Global"]["device"])
        self.model = build_model(config["Arch"])
        if mode == "train":
            self.loader = build_dataloader(config["DataLoader"], "Train")
            self.optimizer = build_optimizer(config["Optimizer"], self.model.parameters())
        if dist.get_world_size() != 1:
            dist.init_parallel_env()
            self.model = paddle.DataParallel(self.model)
        self.amp = "AMP" in config

    def train(self):
        for epoch in range(self.config["Global"]["epochs"]):
            for images, labels in self.loader:
                with paddle.amp.auto_cast(enable=self.amp):
                    loss = paddle.nn.functional.cross_entropy(self.model(images), labels)
                loss.backward()
                self.optimizer.step()
                self.optimizer.clear_grad()

    def infer(self):
        raise SystemExit("needs a checkpoint")
