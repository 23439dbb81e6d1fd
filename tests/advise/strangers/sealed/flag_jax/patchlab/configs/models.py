# SPDX-License-Identifier: GPL-3.0-or-later
import ml_collections


def get_b16_config():
    config = ml_collections.ConfigDict()
    config.model_name = "ViT-B_16"
    config.patches = ml_collections.ConfigDict({"size": (16, 16)})
    config.hidden_size = 768
    config.transformer = ml_collections.ConfigDict({"mlp_dim": 3072, "num_heads": 12,
                                                    "num_layers": 12, "dropout_rate": 0.0})
    config.classifier = "token"
    return config


def get_b32_config():
    config = get_b16_config()
    config.model_name = "ViT-B_32"
    config.patches.size = (32, 32)
    return config


def get_l16_config():
    config = get_b16_config()
    config.model_name = "ViT-L_16"
    config.hidden_size = 1024
    return config


def get_mixer_b16_config():
    config = ml_collections.ConfigDict()
    config.model_name = "Mixer-B_16"
    config.hidden_dim = 768
    return config
