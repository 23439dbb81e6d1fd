# SPDX-License-Identifier: GPL-3.0-or-later
"""The templates of docs/extend.md compile: each C block that begins with a
licence line is checked with the compiler and the warnings of the build."""
import os
import re
import shlex
import subprocess
import tempfile

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-include", "sim/base/banned.h",
         "-fsyntax-only", "-Wall", "-Wextra", "-Wno-pedantic", "-Werror"]


def templates(root):
    """(heading, C source) of each whole file in the page."""
    with open(os.path.join(root, "docs", "extend.md"),
              encoding="utf-8") as page:
        parts = re.split(r"^## (.*)$", page.read(), flags=re.M)
    for heading, text in zip(parts[1::2], parts[2::2]):
        for block in re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S):
            if block.startswith("/* SPDX"):
                yield heading, block


def check(root):
    """Yields a complaint for each template that does not compile."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    found = 0
    for heading, block in templates(root):
        found += 1
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(block)
            source.flush()
            run = subprocess.run(
                compiler + FLAGS + ["-I", root, source.name], cwd=root,
                capture_output=True, text=True, check=False)
        if run.returncode:
            yield "docs/extend.md, %s: %s" % (
                heading, run.stderr.strip().split("\n")[0])
    if found < 11:
        yield "docs/extend.md has only %d templates" % found
