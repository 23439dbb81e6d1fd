# SPDX-License-Identifier: GPL-3.0-or-later
import argparse

import yaml


def parse_args():
    parser = argparse.ArgumentParser("clslab")
    parser.add_argument("-c", "--config", type=str, default="configs/config.yaml",
                        help="file of settings")
    parser.add_argument("-o", "--override", action="append", default=[],
                        help="settings to change, as A.b.c=value")
    parser.add_argument("-p", "--profiler_options", type=str, default=None)
    return parser.parse_args()


def override(tree, dotted, value):
    keys = dotted.split(".")
    for key in keys[:-1]:
        tree = tree[int(key) if isinstance(tree, list) else key]
    tree[keys[-1]] = yaml.safe_load(value)


def get_config(path, overrides=None, show=True):
    with open(path) as f:
        tree = yaml.safe_load(f)
    for item in overrides or []:
        key, value = item.split("=", 1)
        override(tree, key, value)
    if show:
        print(tree)
    return tree
