# SPDX-License-Identifier: GPL-3.0-or-later
"""What nobody may leave behind: comments that name files which do not exist,
public functions that only tests call, fields that are written and never read,
struct names that two headers define, and words that docs/writing.md advises
against."""
import json
import os
import re

COMMENT = re.compile(r"/\*.*?\*/", re.S)
NAMED = re.compile(r"\b((?:sim|models|policies|traces|tests|bench|docs)"
                   r"/[a-z0-9_/]+\.(?:c|h|py|json|md|txt))\b")
BARE = re.compile(r"(?<![\w/.])([a-z][a-z0-9_]+\.[ch])\b")

# Headers of the system that comments name.
SYSTEM = {"argp.h", "malloc.h", "glpk.h", "math.h", "stdio.h"}


def bare(text):
    """The text without comments and strings, so that only code is left."""
    text = COMMENT.sub(" ", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def missing_files(files, root):
    """Comments that name a file which is not there."""
    names = {os.path.basename(path) for path in files}
    for path, text in sorted(files.items()):
        for comment in COMMENT.findall(text):
            for name in NAMED.findall(comment):
                if not os.path.exists(os.path.join(root, name)):
                    yield "%s names %s, which does not exist" % (path, name)
            for name in BARE.findall(comment):
                if name not in names and name not in SYSTEM:
                    yield "%s names %s, which does not exist" % (path, name)


FUNCTION = re.compile(r"^[a-z][\w \*]*?\b([a-z]\w+)\((?!\*)", re.M)


def only_tests_call(files):
    """Functions of headers that nothing outside tests uses, but for those in
    an _internal.h and inline ones."""
    code = {path: bare(text) for path, text in files.items()}
    product = {p: t for p, t in code.items() if not p.startswith("tests/")}
    words = {}
    for path, text in product.items():
        for word in set(re.findall(r"\b[a-z]\w+\b", text)):
            words.setdefault(word, []).append(path)
    for path, text in sorted(product.items()):
        if not path.endswith(".h") or path.endswith("_internal.h"):
            continue
        for name in FUNCTION.findall(text):
            users = [p for p in words.get(name, ()) if p != path]
            own = [p for p in users if re.search(
                r"^[a-z][\w \*]*?\b%s\(" % name, product[p], re.M)]
            calls = sum(len(re.findall(r"\b%s\b" % name, product[p]))
                        for p in users)
            at_home = len(re.findall(r"\b%s\b" % name, text)) - 1
            if users and calls + at_home <= len(own):
                yield "%s: only tests call %s" % (path, name)


STRUCT = re.compile(r"^struct (\w+) \{", re.M)


def twice(files):
    """Struct names that two headers define."""
    seen = {}
    for path, text in sorted(files.items()):
        if not path.endswith(".h") or path.startswith("tests/"):
            continue
        for name in STRUCT.findall(bare(text)):
            if seen.setdefault(name, path) != path:
                yield "struct %s is defined in %s and %s" % (
                    name, seen[name], path)


FIELD = re.compile(r"^    [a-z][\w \*]*?\b\**(\w+)(?:\[[^\]]*\])?"
                   r"((?:, *\**\w+(?:\[[^\]]*\])?)*);", re.M)


# A count whose value is used: "order = q->next++", not "q->next++;".
COUNTED = re.compile(r"(?:[=(\[|&+*/%<>?!]|\breturn)\s*"
                     r"(?:\w|->|\.|\[[^\]]*\])*?(?:->|\.)(\w+)(?:\+\+|--)")


def never_read(files):
    """Fields of public structs that are assigned and never used otherwise."""
    code = {p: bare(t) for p, t in files.items()
            if not p.startswith(("tests/", "bench/"))}
    whole = "\n".join(code.values())
    uses = {}
    for name, after in re.findall(
            r"(?:->|\.)(\w+)\b(?=(?:\[[^\]]*\])?"
            r"\s*(=(?!=)|\+\+|--|[-+|&]=|))", whole):
        uses.setdefault(name, [0, 0])[1 if after else 0] += 1
    for name in COUNTED.findall(whole):
        uses[name][0] += 1
    for path, text in sorted(code.items()):
        if not path.endswith(".h"):
            continue
        for body in re.findall(r"^struct \w+ \{\n(.*?)^\}", text, re.M | re.S):
            for first, rest in FIELD.findall(body):
                for name in [first] + re.findall(r"\w+", rest):
                    reads, writes = uses.get(name, [0, 0])
                    if writes and not reads and not re.search(
                            r"[(,] *(?:struct )?\w+, *%s\b" % name, whole):
                        yield "%s: field %s is written and never read" % (
                            path, name)


WORDS = {
    "behind": r"\bbehind\b",
    "likewise": r"\blikewise\b",
    "so many": r"\bso many\b",
    "begins with Of": r"^/\*\s+(?-i:Of)\b",
    "whoever": r"\bwho(?:ever|m)\b",
}


def words(files, root):
    """Counts in comments and help texts against tests/lint/words.json, which
    holds the most of each that there may be."""
    with open(os.path.join(root, "tests", "lint", "words.json"),
              encoding="utf-8") as file:
        most = json.load(file)
    counts = dict.fromkeys(WORDS, 0)
    for path, text in files.items():
        if path.startswith("tests/"):
            continue
        for piece in COMMENT.findall(text) + re.findall(
                r'"((?:\\.|[^"\\\n])*)"', COMMENT.sub("", text)):
            for word, pattern in WORDS.items():
                counts[word] += len(re.findall(pattern, piece, re.I))
    for word, count in counts.items():
        if count > most[word]:
            yield ("'%s' stands %d times in comments and texts, %d at most: "
                   "see docs/writing.md" % (word, count, most[word]))
        elif count < most[word]:
            yield ("'%s' stands only %d times now: lower its limit of %d in "
                   "tests/lint/words.json" % (word, count, most[word]))


def known(files, root):
    """Dead code against tests/lint/known.json: what is listed there may stay
    until somebody removes it, nothing may be added, and what is gone leaves the
    list."""
    with open(os.path.join(root, "tests", "lint", "known.json"),
              encoding="utf-8") as file:
        listed = set(json.load(file))
    found = set(only_tests_call(files)) | set(never_read(files))
    for line in sorted(found - listed):
        yield line
    for line in sorted(listed - found):
        yield "%s: mended; take it out of tests/lint/known.json" % line
