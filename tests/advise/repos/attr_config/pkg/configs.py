# SPDX-License-Identifier: GPL-3.0-or-later
import os


class Base:
    lr = float(os.environ.get("LR", 0.1))
    opt = "adam"
    batch_size = 32
    epochs = 90


class Small(Base):
    net = "small"
    batch_size = 100
    epochs = 7


class Large(Base):
    net = "large"
    batch_size = 512


CONFIGS = {c.__name__.lower(): c for c in (Small, Large)}


def get_config(name):
    return CONFIGS[name]()
