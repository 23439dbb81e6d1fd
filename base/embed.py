#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files into a C source as an array of {name, text, len}:
embed.py [--whole-names] OUT.c HEADER ARRAY FILE... Each element is a struct
whose name is the name of the array without its final s. Its name is that of the
file, without the extension unless --whole-names is given."""

import os
import sys


def main(argv):
    whole = argv[1] == "--whole-names"
    out, header, array, *files = argv[1 + whole:]
    with open(out, "w") as f:
        f.write('#include "%s"\n\n' % header)
        for i, path in enumerate(files):
            with open(path, "rb") as source:
                data = source.read()
            f.write("static const char %s_%d[] = {\n" % (array, i))
            for at in range(0, len(data), 20):
                f.write(",".join(map(str, data[at:at + 20])) + ",\n")
            f.write("};\n")
        f.write("\nconst struct %s %s[] = {\n" % (array[:-1], array))
        for i, path in enumerate(files):
            name = os.path.basename(path)
            f.write('    {"%s", %s_%d, sizeof %s_%d},\n'
                    % (name if whole else os.path.splitext(name)[0],
                       array, i, array, i))
        f.write("    {0},\n};\n")


if __name__ == "__main__":
    main(sys.argv)
