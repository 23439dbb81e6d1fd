# SPDX-License-Identifier: GPL-3.0-or-later
from .config import add_boxflow_cfg
from .mapper import BoxFlowMapper
from .model import BoxFlow

__all__ = ["BoxFlow", "BoxFlowMapper", "add_boxflow_cfg"]
