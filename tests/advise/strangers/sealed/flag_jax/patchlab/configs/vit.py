# SPDX-License-Identifier: GPL-3.0-or-later
from patchlab.configs import common, models


def get_config(model_dataset):
    """For a string such as 'b32,cifar10'."""
    model, dataset = model_dataset.split(",")
    config = common.with_dataset(common.get_config(), dataset)
    config.model = getattr(models, f"get_{model}_config")()
    if model == "b32" and dataset == "cifar10":
        config.base_lr = 0.01
    return config
