# SPDX-License-Identifier: GPL-3.0-or-later
import ml_collections


def get_config():
    config = ml_collections.ConfigDict()
    config.pretrained_dir = "."
    config.dataset = None
    # Set by the data, unless given.
    config.total_steps = None
    config.grad_norm_clip = 1.0
    # Type of the momentum: bfloat16 or float32.
    config.optim_dtype = "bfloat16"
    config.accum_steps = 8
    # For training
    config.batch = 512
    # For evaluation
    config.batch_eval = 512
    config.shuffle_buffer = 50_000
    config.eval_every = 100
    config.progress_every = 10
    config.checkpoint_every = 1_000
    config.base_lr = 0.03
    config.decay_type = "cosine"
    config.warmup_steps = 500
    config.trainer = "train"
    config.model = None
    config.pp = None
    return config.lock()


PRESETS = {
    "cifar10": {"total_steps": 10_000, "pp": {"train": "train[:98%]", "test": "test", "crop": 384}},
    "cifar100": {"total_steps": 12_000,
                 "pp": {"train": "train[:98%]", "test": "test", "crop": 384}},
    "imagenet2012": {"total_steps": 20_000,
                     "pp": {"train": "train[:99%]", "test": "validation", "crop": 384}},
}


def with_dataset(config, dataset):
    config = ml_collections.ConfigDict(config.to_dict())
    config.dataset = dataset
    config.update(ml_collections.ConfigDict(PRESETS[dataset]))
    return config
