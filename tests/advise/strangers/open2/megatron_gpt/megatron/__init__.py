# SPDX-License-Identifier: GPL-3.0-or-later
from .arguments import parse_args

_ARGS = None


def initialize(defaults):
    global _ARGS
    _ARGS = parse_args(defaults)
    return _ARGS


def get_args():
    assert _ARGS is not None, "not initialized"
    return _ARGS
