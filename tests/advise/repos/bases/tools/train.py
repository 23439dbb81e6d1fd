# SPDX-License-Identifier: GPL-3.0-or-later
import sys

from mmengine.config import Config
from mmengine.runner import Runner

Runner.from_cfg(Config.fromfile(sys.argv[1])).train()
