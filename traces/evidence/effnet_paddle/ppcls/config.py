# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration files and overrides such as Global.epochs=10."""
import argparse

import yaml


def override(config, items):
    for item in items:
        key, _, value = item.partition("=")
        at = config
        *parents, last = key.split(".")
        for parent in parents:
            at = at.setdefault(parent, {})
        at[last] = yaml.safe_load(value)
    return config


def get_config():
    parser = argparse.ArgumentParser("train")
    parser.add_argument("-c", "--config", default="configs/EfficientNetB4.yaml")
    parser.add_argument("-o", "--override", action="append", default=[])
    args = parser.parse_args()
    with open(args.config, encoding="utf-8") as file:
        return override(yaml.safe_load(file), args.override)
