# SPDX-License-Identifier: GPL-3.0-or-later
"""Published results again, from experiments that are data: see ../README.md."""
