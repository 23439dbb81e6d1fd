#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the rows of usage.json into a C source, as usage_read
would read them: embed_usage.py OUT.c IN.json. They are compiled in as rows
and not as text, because parsing the text took a twentieth of the time of a
small run."""

import json
import sys


def literal(text):
    """Returns a C string literal, with octal escapes for all bytes but printable
    ASCII."""
    return '"%s"' % "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else "\\%03o" % b
        for b in text.encode())


def usage(data, row, batch_size, amp):
    figures = dict.fromkeys(data["figures"], '{-1, "", FIGURE_UNKNOWN}')
    for name, (value, key) in zip(data["figures"], row["figures"]):
        source = data["sources"][key]
        figures[name] = "{%r, %s, FIGURE_%s}" % (
            float(value), literal(source["text"]), source["status"].upper())
    return ("    {.family = %s, .model = %s, .dataset = %s,\n"
            "     .class = CLASS_%s, .batch_size = %d, .amp = %d,\n"
            "     .figures = {\n%s     }},\n") % (
                literal(row["family"]), literal(row["model"]),
                literal(row["dataset"]), row["class"].upper(), batch_size, amp,
                "".join("         [FIGURE_%s] = %s,\n" % (name.upper(), figure)
                        for name, figure in figures.items()))


def main(argv):
    with open(argv[2], encoding="utf-8") as source:
        data = json.load(source)
    rows = [usage(data, row, size, amp) for row in data["rows"]
            for size in row["batch_sizes"] for amp in row["amp"]]
    with open(argv[1], "w", encoding="utf-8") as out:
        out.write('#include "models/usage/usage.h"\n\n'
                  "const struct usage usage_built_in[] = {\n%s};\n"
                  "const size_t usage_n_built_in = %d;\n" % (
                      "".join(rows), len(rows)))


if __name__ == "__main__":
    main(sys.argv)
