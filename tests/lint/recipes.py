# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that docs/extend.md can be followed: each C block that begins with a
licence line compiles with the warnings of the build and has the layout of
clang-format, and each file that the page or docs/contributing.md names exists
or is written by a recipe. The file that docs/contributing.md shows is the one
of the tree."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-include", "base/banned.h",
         "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unknown-warning-option",
         "-Werror"]
FOLDERS = "base|commands|sim|models|policies|schedmate|traces|tests|bench|docs"
NAMED = re.compile(r"(?<![\w/.])(?:%s)/[\w./]+" % FOLDERS)


def build_warnings(root):
    """Returns the warning options that meson.build adds for all C files."""
    with open(os.path.join(root, "meson.build"), encoding="utf-8") as file:
        return re.findall(r"'(-W[a-z][a-z-]*)'", file.read())


def page_of(root, name="docs/extend.md"):
    with open(os.path.join(root, name), encoding="utf-8") as page:
        return page.read()


def templates(root):
    """Yields (heading, C source) of each whole file in the page."""
    parts = re.split(r"^## (.*)$", page_of(root), flags=re.M)
    for heading, text in zip(parts[1::2], parts[2::2]):
        for block in re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S):
            if block.startswith("/* SPDX"):
                yield heading, block


def complaint_of(root, block, options):
    """Returns the complaint of the compiler or of clang-format about a
    template, or None."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(block)
        source.flush()
        run = subprocess.run(
            compiler + FLAGS + options + ["-I", root, source.name], cwd=root,
            capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip().split("\n")[0]
    if not shutil.which("clang-format"):
        return None
    done = subprocess.run(
        ["clang-format", "--assume-filename",
         os.path.join(root, "template.c")],
        input=block, capture_output=True, text=True, check=False)
    return None if done.stdout == block else "is not as clang-format leaves it"


def missing(root):
    """Yields the files that the pages name but that neither exist nor are
    written by a recipe. A recipe has `Write` or `write` before the name."""
    page = page_of(root) + page_of(root, "docs/contributing.md")
    written = set(re.findall(r"\b[Ww]rite\s+`([^`]+)`", page))
    written |= set(re.findall(r"\band `(tests/corpus/[^`]+)`", page))
    for name in sorted(set(NAMED.findall(page))):
        name = name.rstrip(".")
        if name not in written and not os.path.exists(
                os.path.join(root, name)):
            yield name


def check(root):
    """Yields a complaint for each wrong template and each wrong name."""
    options = build_warnings(root)
    found = 0
    for heading, block in templates(root):
        found += 1
        words = complaint_of(root, block, options)
        if words:
            yield "docs/extend.md, %s: %s" % (heading, words)
    if found < 11:
        yield "docs/extend.md has only %d templates" % found
    for name in missing(root):
        yield "a page names %s, which does not exist" % name
    shown = re.search(r"`([\w/.]+)`:\n\n```c\n(.*?)^```$",
                      page_of(root, "docs/contributing.md"), re.M | re.S)
    if not shown or page_of(root, shown.group(1)) != shown.group(2):
        yield "the file that docs/contributing.md shows is not that of the tree"
