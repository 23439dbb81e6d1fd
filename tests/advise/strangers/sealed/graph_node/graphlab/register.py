# SPDX-License-Identifier: GPL-3.0-or-later
from graphlab.config import cfg


def standard(loaders, model, optimizer, scheduler):
    for epoch in range(cfg.optim.max_epoch):
        for batch in loaders[0]:
            optimizer.zero_grad()
            loss = model(batch)
            loss.backward()
            optimizer.step()
        scheduler.step()


train_dict = {"standard": standard}
