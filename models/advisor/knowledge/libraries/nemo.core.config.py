# SPDX-License-Identifier: GPL-3.0-or-later
"""NeMo: its runner is that of Hydra."""
from hydra import main as hydra_runner
