# SPDX-License-Identifier: GPL-3.0-or-later
"""NeMo: the decorator hydra_runner does what hydra.main does."""
from hydra import main as hydra_runner
