# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes published results again from experiments that are data: see
../README.md."""
