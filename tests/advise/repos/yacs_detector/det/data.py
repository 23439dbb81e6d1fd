# SPDX-License-Identifier: GPL-3.0-or-later
import torch.utils.data


def build_train_loader(cfg):
    dataset = get_dataset(cfg.DATASETS.TRAIN)
    return torch.utils.data.DataLoader(dataset, batch_size=cfg.SOLVER.IMS_PER_BATCH, shuffle=True)


def build_test_loader(cfg):
    return torch.utils.data.DataLoader(get_dataset(cfg.DATASETS.TEST), batch_size=cfg.TEST.IMS_PER_BATCH)


def get_dataset(names):
    return [n for n in names]
