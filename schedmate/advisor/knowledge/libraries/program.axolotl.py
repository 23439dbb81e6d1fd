# SPDX-License-Identifier: GPL-3.0-or-later
"""Axolotl: `axolotl train CONFIG`."""
import axolotl.cli.train
