# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs the man pages and completions of the program that was built; called by
`meson install`.

    install_pages.py PROGRAM MANDIR DATADIR"""
import os
import sys

import completions
import manual
import tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Folders in which the shells look for completions, below DATADIR.
PLACES = {"bash": "bash-completion/completions/schedsim",
          "fish": "fish/vendor_completions.d/schedsim.fish",
          "zsh": "zsh/vendor-completions/_schedsim"}


def main():
    sys.dont_write_bytecode = True
    program, man, data = sys.argv[1:]
    if os.environ.get("MESON_INSTALL_DRY_RUN"):
        return
    prefix = os.environ["MESON_INSTALL_DESTDIR_PREFIX"]
    read = tables.Program(program)
    manual.write(read, os.path.join(prefix, man, "man1"), tables.released(ROOT))
    for shell, place in PLACES.items():
        path = os.path.join(prefix, data, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(completions.SHELLS[shell](read)) + "\n")


main()
