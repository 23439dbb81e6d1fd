# SPDX-License-Identifier: GPL-3.0-or-later
from .backbone import PlainSSM

__all__ = ['PlainSSM']
