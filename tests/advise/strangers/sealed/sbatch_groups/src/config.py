# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass, field

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING


@dataclass
class ExperimentParams:
    seed: int = MISSING
    name: str = MISSING
    group: str = MISSING
    dry_run: bool = False


@dataclass
class DatasetParams:
    name: str = MISSING
    subconfig: str = MISSING


@dataclass
class ModelParams:
    name: str = MISSING
    model_kwargs: dict = field(default_factory=dict)


@dataclass
class TrainerParams:
    batch_size: int = 8
    lr: float = 1e-4
    num_warmup_steps: int = 1000
    max_training_steps: int = 10000
    accumulation: int = 1


@dataclass
class ChildLMConfig:
    experiment: ExperimentParams
    dataset: DatasetParams
    model: ModelParams
    trainer: TrainerParams


def register():
    ConfigStore.instance().store(name="base_config", node=ChildLMConfig)
