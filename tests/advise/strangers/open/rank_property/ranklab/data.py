# SPDX-License-Identifier: GPL-3.0-or-later
from torch.utils.data import DataLoader

from ranklab.interactions import Interactions


def make_data(config):
    data = Interactions(config["data_path"], config["dataset"], config["MAX_ITEM_LIST_LENGTH"])
    parts = data.split(config["eval_args"])
    sizes = (config["train_batch_size"], config["eval_batch_size"], config["eval_batch_size"])
    return [DataLoader(p, batch_size=n) for p, n in zip(parts, sizes)]
