#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the notes of a release, the part of CHANGELOG.md on that version, with
how to install, cite and verify it.

    packaging/release_notes.py [VERSION|Unreleased]"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
END = """
## Install

[docs/packages.md](docs/packages.md): Debian packages, the wheel for Python, a container,
Homebrew, or from source.
`sha256sum -c SHA256SUMS` checks what was downloaded, `schedsim.spdx.json` lists what the
program was built from, and [CITATION.cff](CITATION.cff) says how to cite it.
"""


def sections():
    """Returns the text of each version in CHANGELOG.md, by heading."""
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        parts = re.split(r"^## (.+)$", file.read(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def notes(version):
    for heading, text in sections().items():
        if heading.split()[0] == version:
            return "# schedsim %s\n\n%s\n%s" % (heading, text.strip(), END)
    return None


def main():
    versions = [heading.split()[0] for heading in sections()]
    version = sys.argv[1] if len(sys.argv) > 1 else versions[0]
    text = notes(version)
    if text is None:
        sys.exit("CHANGELOG.md has no version '%s'; it has %s"
                 % (version, ", ".join(versions)))
    print(text, end="")


if __name__ == "__main__":
    main()
