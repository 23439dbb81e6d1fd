# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the library as exceptions; the text is one line."""
from . import _library


class Error(Exception):
    """A run could not be made. `status` is the exit status that the program
    would have ended with."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class UsageError(Error, ValueError):
    """An unknown option, policy or value."""


class InputError(Error, ValueError):
    """Bad input: the text names file, line and column."""


KINDS = {_library.USAGE: UsageError, _library.BAD_INPUT: InputError}


def check(handle, status):
    """Raises the error of a call; returns the status of one that went well."""
    if status in (_library.DONE, _library.INCOMPLETE, _library.ASKED,
                  _library.MORE):
        return status
    text = _library.functions().error(handle).decode()
    raise KINDS.get(status, Error)(text, status)
