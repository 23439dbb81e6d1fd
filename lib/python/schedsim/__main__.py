# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the command `schedsim`: the program that the wheel carries."""
import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib",
                           "schedsim")
    if not os.path.exists(program):
        sys.exit("schedsim: this copy of the package carries no program; "
                 "install the wheel")
    os.execv(program, [program] + sys.argv[1:])


if __name__ == "__main__":
    main()
