#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tables of clues.json into a C source: embed_clues.py OUT.c IN.json.
The tables are compiled in, so that nothing is parsed when schedsim starts."""

import json
import sys


def literal(text):
    """Returns a C string; other bytes than plain ASCII become octal escapes."""
    return '"%s"' % "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else "\\%03o" % b
        for b in text.encode())


def clue(row):
    name, value, more = ((row, None, False) if isinstance(row, str)
                         else (list(row) + [False])[:3])
    return "    {%s, %s, %s, %s},\n" % (
        literal(name), literal(value) if value else "NULL",
        literal(more) if isinstance(more, str) else "NULL",
        "true" if more is True else "false")


def main(argv):
    with open(argv[2], encoding="utf-8") as source:
        data = json.load(source)
    lists = {key: table["rows"] for key, table in data.items()
             if isinstance(table, dict)}
    with open(argv[1], "w", encoding="utf-8") as out:
        out.write('#include "schedmate/advisor/advisor_internal.h"\n')
        for key, rows in lists.items():
            out.write("\nstatic const struct clue %s[] = {\n%s};\n"
                      % (key, "".join(map(clue, rows))))
        out.write("\nconst struct clues clues_built_in = {.lists = {\n%s}};\n"
                  % "".join("    [CLUES_%s] = {%s, %d},\n"
                            % (key.upper(), key, len(rows))
                            for key, rows in lists.items()))


if __name__ == "__main__":
    main(sys.argv)
