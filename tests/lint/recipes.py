# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that docs/extend.md can be followed: each C file of docs/templates
compiles with the warnings of the build, has the layout of clang-format and is
named by the page, and each file that the page or docs/contributing.md names
exists. The file that docs/contributing.md shows is the one of the tree."""
import glob
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
    """Yields (path below docs/templates, C source) of each template."""
    above = os.path.join(root, "docs", "templates")
    for path in sorted(glob.glob(above + "/**/*.c", recursive=True)):
        yield os.path.relpath(path, above), page_of(root, path)


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
    """Yields the files that the pages name but that exist neither in the tree
    nor among the templates."""
    page = page_of(root) + page_of(root, "docs/contributing.md")
    for name in sorted(set(NAMED.findall(page))):
        name = name.rstrip(".")
        if not any(os.path.exists(os.path.join(root, folder, name))
                   for folder in ("", "docs/templates")):
            yield name


def check(root):
    """Yields a complaint for each wrong template and each wrong name."""
    options = build_warnings(root)
    page = page_of(root)
    found = 0
    for name, block in templates(root):
        found += 1
        words = complaint_of(root, block, options)
        if words:
            yield "docs/templates/%s: %s" % (name, words)
        if "docs/templates/" + name not in page:
            yield "docs/extend.md does not name docs/templates/" + name
    if found < 11:
        yield "docs/templates has only %d templates" % found
    for name in missing(root):
        yield "a page names %s, which does not exist" % name
    shown = re.search(r"`([\w/.]+)`:\n\n```c\n(.*?)^```$",
                      page_of(root, "docs/contributing.md"), re.M | re.S)
    if not shown or page_of(root, shown.group(1)) != shown.group(2):
        yield "the file that docs/contributing.md shows is not that of the tree"
