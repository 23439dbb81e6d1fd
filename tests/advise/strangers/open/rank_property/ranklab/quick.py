# SPDX-License-Identifier: GPL-3.0-or-later
import importlib

from ranklab.config import Config
from ranklab.data import make_data
from ranklab.trainer import Trainer


def get_model(name):
    for room in ("general", "sequential"):
        module = importlib.import_module(f"ranklab.model.{room}")
        if hasattr(module, name):
            return getattr(module, name)
    raise ValueError(f"no model {name}")


def run(model=None, dataset=None, config_file_list=None):
    config = Config(model, dataset, config_file_list)
    train, valid, test = make_data(config)
    net = get_model(config["model"])(config, train.dataset).to(config["device"])
    trainer = Trainer(config, net)
    trainer.fit(train, valid)
    return trainer.evaluate(test)
