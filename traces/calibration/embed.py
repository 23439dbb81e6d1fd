#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the calibration files into a C source: embed.py OUT.c IN.json..."""

import os
import sys


def main(argv):
    out, files = argv[1], argv[2:]
    with open(out, "w") as f:
        f.write('#include "traces/calibration.h"\n\n')
        for path in files:
            name = os.path.splitext(os.path.basename(path))[0]
            with open(path, "rb") as source:
                data = source.read()
            f.write("static const char %s[] = {\n" % name)
            for at in range(0, len(data), 20):
                f.write(",".join(map(str, data[at:at + 20])) + ",\n")
            f.write("};\n")
        f.write("\nconst struct calibration_file calibration_files[] = {\n")
        for path in files:
            name = os.path.splitext(os.path.basename(path))[0]
            f.write('    {"%s", %s, sizeof %s},\n' % (name, name, name))
        f.write("    {0},\n};\n")


if __name__ == "__main__":
    main(sys.argv)
