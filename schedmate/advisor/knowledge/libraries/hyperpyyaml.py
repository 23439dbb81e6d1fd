# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPyYAML: YAML with !ref, !new: and !name:. The reader of YAML turns the
tags into ${...}, _target_ and _partial_."""
import schedsim
from hydra.utils import instantiate
from omegaconf import OmegaConf


def load_hyperpyyaml(stream, overrides=None, **more):
    config = schedsim.read_config(stream)
    if overrides is not None and not isinstance(overrides, str):
        config.update(overrides)
    return instantiate(OmegaConf.create(OmegaConf.merge(config)))
