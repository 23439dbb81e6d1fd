# SPDX-License-Identifier: GPL-3.0-or-later
import argparse


def get_hparams():
    parser = argparse.ArgumentParser()
    parser.add_argument('-c', '--config', type=str,
                        default="./configs/base.json")
    parser.add_argument('-m', '--model', type=str, required=True)
    return parser.parse_args()
