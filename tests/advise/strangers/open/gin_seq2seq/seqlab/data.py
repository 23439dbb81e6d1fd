# SPDX-License-Identifier: GPL-3.0-or-later
import dataclasses

import gin
import seqio


@gin.configurable
@dataclasses.dataclass
class DatasetConfig:
    mixture_or_task_name: str
    task_feature_lengths: dict
    split: str
    batch_size: int
    shuffle: bool
    seed: int = None
    use_cached: bool = False
    pack: bool = False


def get_dataset(cfg):
    task = seqio.get_mixture_or_task(cfg.mixture_or_task_name)
    ds = task.get_dataset(cfg.task_feature_lengths, cfg.split, shuffle=cfg.shuffle)
    return ds.batch(cfg.batch_size, drop_remainder=True)
