# SPDX-License-Identifier: GPL-3.0-or-later
"""Reproduces published results from experiments, which are JSON files: see
../README.md."""
