#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the completion script of a shell from the tables of the program:
commands, options, names of policies and other parts, their settings, files.

    packaging/completions.py PROGRAM bash|zsh|fish > FILE"""
import sys

import complete_bash
import complete_fish
import complete_zsh
import tables

SHELLS = {"bash": complete_bash.script, "fish": complete_fish.script,
          "zsh": complete_zsh.script}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in SHELLS:
        sys.exit("usage: packaging/completions.py PROGRAM bash|zsh|fish")
    print("\n".join(SHELLS[sys.argv[2]](tables.Program(sys.argv[1]))))
