# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the command `schedsim`: the program that the wheel carries."""
import os
import sys

from ._library import program


def main() -> None:
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit("schedsim: %s" % error)
    os.execv(path, [path] + sys.argv[1:])


if __name__ == "__main__":
    main()
