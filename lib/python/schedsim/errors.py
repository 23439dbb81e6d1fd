# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the library as exceptions. The text of an error is one line."""
from . import _library


class Error(Exception):
    """A run failed. `status` is the exit status with which the program would
    have ended."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class UsageError(Error, ValueError):
    """An unknown option, policy or value."""


class InputError(Error, ValueError):
    """Bad input. The text names file, line and column."""


KINDS = {_library.USAGE: UsageError, _library.BAD_INPUT: InputError}


def check(handle, status):
    """Raises the error of a call; returns the status of a call without an
    error."""
    if status in (_library.DONE, _library.INCOMPLETE, _library.ASKED,
                  _library.MORE):
        return status
    text = _library.functions().error(handle).decode()
    raise KINDS.get(status, Error)(text, status)
