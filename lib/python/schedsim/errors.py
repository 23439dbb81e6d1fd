# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the library as exceptions. The text of an error is one line."""
import errno
import os

from . import _library


class Error(Exception):
    """A run failed. `status` is the exit status with which the program would
    have ended."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class UsageError(Error, ValueError):
    """An unknown option, policy or value."""


class InputError(Error, ValueError):
    """Bad input. The text names file, line and column."""


class MissingFile(InputError, FileNotFoundError):
    """A file or directory that does not exist."""


KINDS = {_library.USAGE: UsageError, _library.BAD_INPUT: InputError}


def check(handle: _library.Handle, status: int) -> int:
    """Raises the error of a call; returns the status of a call without an
    error."""
    if status in (_library.DONE, _library.INCOMPLETE, _library.ASKED,
                  _library.MORE):
        return status
    text = _library.functions().error(handle).decode()
    kind = KINDS.get(status, Error)
    # The library reports in the words of the system that a file is missing.
    if kind is InputError and text.endswith(": " + os.strerror(errno.ENOENT)):
        kind = MissingFile
    raise kind(text, status)
