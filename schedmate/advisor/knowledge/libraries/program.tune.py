# SPDX-License-Identifier: GPL-3.0-or-later
"""torchtune 0.3 to 0.6: `tune run [LAUNCHER OPTIONS] RECIPE --config CONFIG`."""
import sys

import yaml
from omegaconf import OmegaConf
from schedsim import job

words = sys.argv[1:]
config = {}
nproc = None
before = None
for word in words:
    if before == "--config":
        config = yaml.safe_load(open(word))
    if before == "--nproc_per_node" or before == "--nproc-per-node":
        nproc = word
    before = word
config = OmegaConf.merge(config, OmegaConf.from_cli())
model = config["model"]["_component_"]
job(framework="PyTorch + torchtune", model_type="Transformer",
    model_name=model.split(".")[-1], batch_size=config["batch_size"],
    epochs=config["epochs"], learning_rate=config["optimizer"]["lr"])
job(optimizer=config["optimizer"]["_component_"].split(".")[-1])
job(dataset_name=config["dataset"]["_component_"].split(".")[-1])
if nproc is not None:
    job(gpus=nproc)
if "dpo" in model or "ppo" in model:
    pass
else:
    job(task_type="instruction tuning")
