# SPDX-License-Identifier: GPL-3.0-or-later
import ml_collections


def get_config():
    config = ml_collections.ConfigDict()
    config.model = "ResNet50"
    config.dataset = "imagenet2012:5.*.*"
    config.learning_rate = 0.1
    config.momentum = 0.9
    config.batch_size = 128
    config.num_epochs = 100.0
    config.half_precision = False
    return config
