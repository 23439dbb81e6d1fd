# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))

from clslab.engine import Engine
from clslab.utils import config

if __name__ == "__main__":
    args = config.parse_args()
    settings = config.get_config(args.config, overrides=args.override, show=False)
    Engine(settings, mode="train").train()
