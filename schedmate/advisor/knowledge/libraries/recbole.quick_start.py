# SPDX-License-Identifier: GPL-3.0-or-later
"""RecBole 1.2: a training that names and files describe, with the defaults
of properties/overall.yaml."""
import yaml
from schedsim import job


def run_recbole(model=None, dataset=None, config_file_list=None,
                config_dict=None, saved=True, **more):
    config = {"epochs": 300, "train_batch_size": 2048, "learner": "adam",
              "learning_rate": 0.001}
    if config_file_list is not None:
        for path in config_file_list:
            config.update(yaml.safe_load(open(path)))
    if config_dict is not None:
        config.update(config_dict)
    job(framework="PyTorch + RecBole", task_type="recommendation",
        model_name=model, dataset_name=dataset, epochs=config["epochs"],
        batch_size=config["train_batch_size"], optimizer=config["learner"],
        learning_rate=config["learning_rate"])
    if "MAX_ITEM_LIST_LENGTH" in config:
        job(sequence_length=config["MAX_ITEM_LIST_LENGTH"])


run = run_recbole
