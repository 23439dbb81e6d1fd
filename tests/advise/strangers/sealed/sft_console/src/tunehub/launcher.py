# SPDX-License-Identifier: GPL-3.0-or-later
from tunehub.train.tuner import run_exp


def launch():
    run_exp()


if __name__ == "__main__":
    launch()
