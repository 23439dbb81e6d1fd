# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads C source for the lint: text without comments and literals, functions
with their size and complexity, the elements of an initialiser."""
import re

COMMENT = re.compile(r"/\*.*?\*/", re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")


def bare(text):
    """Returns the text without comments and with empty literals, so that only
    code is left."""
    return LITERAL.sub('""', COMMENT.sub(" ", text))


def functions(text):
    """Yields (name, lines, complexity) of each function definition. The
    complexity is 1 + the number of if, for, while, case, &&, || and ?."""
    lines = text.split("\n")
    start = None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            head = start - 1
            while head > 0 and re.match(r"[\s(]", lines[head]):
                head -= 1
            name = re.search(r"(\w+)\(", " ".join(lines[head:start]))
            body = bare("\n".join(lines[start:i]))
            yield (name.group(1) if name else "?", i - head + 1,
                   len(BRANCH.findall(body)) + 1)
            start = None


def elements(code, start):
    """Returns the top-level elements of the brace or parenthesis at `start`.
    The code must be bare."""
    depth, out, last = 0, [], start + 1
    for i in range(start, len(code)):
        if code[i] in "({[":
            depth += 1
        elif code[i] in ")}]":
            depth -= 1
            if depth == 0:
                final = code[last:i].strip()
                return out + ([final] if final else [])
        elif code[i] == "," and depth == 1:
            out.append(code[last:i].strip())
            last = i + 1
    return out
