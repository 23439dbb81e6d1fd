# SPDX-License-Identifier: GPL-3.0-or-later
"""The training loop."""
import time

import paddle
import paddle.distributed as dist
from paddle.io import DataLoader, DistributedBatchSampler
from paddle.vision import transforms
from paddle.vision.datasets import DatasetFolder

from ppcls.models import build


class Engine:
    def __init__(self, config):
        self.config = config
        if dist.get_world_size() > 1:
            dist.init_parallel_env()
        paddle.seed(config["Global"]["seed"])
        self.model = build(config["Arch"])
        if dist.get_world_size() > 1:
            self.model = paddle.DataParallel(self.model)
        self.loader = self._loader()
        rate = config["Optimizer"]["lr"]
        schedule = paddle.optimizer.lr.CosineAnnealingDecay(
            rate["learning_rate"],
            config["Global"]["epochs"] * len(self.loader))
        self.optimizer = paddle.optimizer.RMSProp(
            schedule, parameters=self.model.parameters(),
            momentum=config["Optimizer"]["momentum"])
        self.scaler = paddle.amp.GradScaler(enable=config["AMP"]["use_amp"])

    def _loader(self):
        train = self.config["DataLoader"]["Train"]
        size = self.config["Global"]["image_shape"][1:]
        data = DatasetFolder(
            train["dataset"]["image_root"],
            transform=transforms.Compose([
                transforms.RandomResizedCrop(size),
                transforms.RandomHorizontalFlip(), transforms.ToTensor()]))
        sampler = DistributedBatchSampler(
            data, batch_size=train["sampler"]["batch_size"], shuffle=True,
            drop_last=train["sampler"]["drop_last"])
        return DataLoader(data, batch_sampler=sampler,
                          num_workers=train["loader"]["num_workers"])

    def train_epoch(self, epoch):
        every = self.config["Global"]["print_batch_step"]
        start, read = time.time(), 0.0
        for i, (images, labels) in enumerate(self.loader):
            read += time.time() - start if i == 0 else 0.0
            with paddle.amp.auto_cast(self.config["AMP"]["use_amp"]):
                loss = paddle.nn.functional.cross_entropy(self.model(images),
                                                          labels)
            self.scaler.minimize(self.optimizer, self.scaler.scale(loss))
            self.optimizer.clear_grad()
            if i % every == 0 and dist.get_rank() == 0:
                cost = (time.time() - start) / (i + 1)
                print("[Train][Epoch %d/%d][Iter: %d/%d]lr: %.5f, loss: %.5f, "
                      "batch_cost: %.5fs, reader_cost: %.5f, ips: %.5f "
                      "images/sec" % (epoch, self.config["Global"]["epochs"],
                                      i, len(self.loader),
                                      self.optimizer.get_lr(), loss.item(),
                                      cost, read, len(images) / cost))

    def train(self):
        for epoch in range(1, self.config["Global"]["epochs"] + 1):
            self.train_epoch(epoch)
            if epoch % self.config["Global"]["save_interval"] == 0:
                paddle.save(self.model.state_dict(), "%s/epoch_%d.pdparams" % (
                    self.config["Global"]["output_dir"], epoch))
