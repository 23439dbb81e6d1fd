# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts training by a configuration file."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from ppcls.config import get_config  # noqa: E402
from ppcls.engine import Engine  # noqa: E402

if __name__ == "__main__":
    Engine(get_config()).train()
