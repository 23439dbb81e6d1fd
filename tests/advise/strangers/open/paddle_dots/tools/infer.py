# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))

from clslab.engine import Engine
from clslab.utils import config

if __name__ == "__main__":
    args = config.parse_args()
    Engine(config.get_config(args.config, overrides=args.override), mode="infer").infer()
