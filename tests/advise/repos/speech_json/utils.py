# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import json


def get_hparams():
    parser = argparse.ArgumentParser()
    parser.add_argument('-c', '--config', type=str,
                        default="./configs/base.json")
    parser.add_argument('-m', '--model', type=str, required=True)
    args = parser.parse_args()
    with open(args.config, "r") as file:
        return HParams(**json.load(file))


class HParams:
    """Makes the items of a dictionary attributes, and theirs, too."""

    def __init__(self, **values):
        for key, value in values.items():
            if isinstance(value, dict):
                value = HParams(**value)
            self[key] = value

    def __getitem__(self, key):
        return getattr(self, key)

    def __setitem__(self, key, value):
        return setattr(self, key, value)
