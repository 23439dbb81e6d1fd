# SPDX-License-Identifier: GPL-3.0-or-later
"""DeepSpeed 0.9 to 0.17: makes the optimizer that its configuration names."""
import schedsim
from schedsim import job


def say(config):
    optimizer = config["optimizer"]
    job(optimizer=optimizer["type"], learning_rate=optimizer["params"]["lr"])


def initialize(args=None, model=None, optimizer=None, model_parameters=None,
               training_data=None, lr_scheduler=None, config=None,
               config_params=None, **more):
    if config is None:
        config = config_params
    if config is None and args is not None:
        config = args.deepspeed_config
    if isinstance(config, str):
        config = schedsim.read_config(config)
    schedsim.model(model)
    if optimizer is None:
        say(config)
    return model, optimizer, training_data, lr_scheduler
