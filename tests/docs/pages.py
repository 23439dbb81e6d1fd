# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the commands on the pages of the tree: lines of code blocks, indented
or fenced, that begin with "$ " or with the name of a program."""
import glob
import os
import re

STARTS = re.compile(r"for \w+ in |(\./|build[\w-]*/)?schedsim\s|(\S*/)?python3? |"
                    r"(\./)?(tests|bench|packaging|docs|traces)/[\w/.-]+(\s|$)|"
                    r"meson |ninja |pip |cc |c\+\+ |gcc |sudo |dpkg-|"
                    r"build[\w-]*/tests/")


def names(root):
    found = []
    for pattern in ("*.md", "docs/*.md", "*/README.md", "*/*/README.md"):
        found += glob.glob(os.path.join(root, pattern))
    # The list of changes shows commands of older versions.
    return sorted({os.path.relpath(path, root) for path in found
                   if "/build" not in path} - {"CHANGELOG.md", "paper.md"})


def code(text):
    """Yields the lines of code blocks without their indentation, and None
    between blocks."""
    fenced, blank, shown = None, True, False
    for line in text.split("\n"):
        fence = re.match(r"\s*```\s*(\w*)", line)
        if fence:
            fenced = None if fenced is not None else fence.group(1)
            yield None
        elif fenced is not None:
            if fenced in ("", "sh", "bash", "console", "shell", "json"):
                yield line.strip()
        elif re.match(r" {4,}\S", line) and (blank or shown):
            shown = True
            yield line.strip()
            continue
        elif line.strip():
            shown = False
            yield None
        blank = not line.strip()


def commands(text):
    """Yields (command, is_prompt) for each command of a page, and (text, None)
    for each object of JSON, which a command may read as its file. A command
    that ends with a backslash goes on in the next line, and a loop goes on
    until its `done`."""
    lines = list(code(text))
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if line is None:
            continue
        if line == "{":
            last = i
            while last < len(lines) and lines[last] not in (None, "}"):
                last += 1
            yield "\n".join(["{"] + lines[i:last] + ["}"]), None
            i = last
            continue
        prompt = line.startswith("$ ")
        if not prompt and not STARTS.match(line):
            continue
        whole = line[2:] if prompt else line
        while i < len(lines) and lines[i] is not None and (
                whole.endswith("\\") or (whole.startswith("for ") and
                                         not whole.endswith("done"))):
            more = re.sub(r"^> ?", "", lines[i])
            whole = (whole[:-1].rstrip() + " " + more if whole.endswith("\\")
                     else whole + "\n" + more)
            i += 1
        yield whole, prompt
