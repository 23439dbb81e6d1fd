# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks texts and names: comments must not name files or functions that do
not exist, no two headers may define structs with one name, and words that
docs/contributing.md advises against must not become more frequent."""
import json
import os
import re

import source
from source import COMMENT

NAMED = re.compile(r"\b((?:base|commands|lib|sim|models|policies|schedmate|traces|tests|bench|docs)"
                   r"/[a-z0-9_/]+\.(?:c|h|py|json|md|txt))\b")
BARE = re.compile(r"(?<![\w/.])([a-z][a-z0-9_]+\.[ch])\b")

# Headers of the system that comments name.
SYSTEM = {"argp.h", "malloc.h", "glpk.h", "math.h", "stdio.h"}


def missing_files(files, root):
    """Yields a complaint for each comment that names a file that does not
    exist."""
    names = {os.path.basename(path) for path in files}
    for path, text in sorted(files.items()):
        for comment in COMMENT.findall(text):
            for name in NAMED.findall(comment):
                if not os.path.exists(os.path.join(root, name)):
                    yield "%s names %s, which does not exist" % (path, name)
            for name in BARE.findall(comment):
                if name not in names and name not in SYSTEM:
                    yield "%s names %s, which does not exist" % (path, name)


# Foreign words that comments quote: from Python, CUDA, TensorFlow, glibc,
# Lucid.
FOREIGN = {
    "ARRAY_name", "CPU_FEATURE_ACTIVE", "DEFINE_integer", "P_naive",
    "cudaError_t", "diffusion_steps", "encode", "ensure_ascii",
    "estimate_for_philly", "iter_time", "ncclResult_t", "sort_keys",
}
# Paths and file names, which missing_files checks.
FILE = re.compile(r"[\w.-]+/[\w./-]+|[\w-]+\.(?:c|h|py|txt|md|json|jsonl|csv)\b")
# A name. In formulas, a symbol such as T_grad, f_i or sum_p has one letter on
# one side and is no name.
NAME = re.compile(r"\b(?!\w_\w)(?!\w+_[A-Za-z]\b)[A-Za-z]\w*_\w+\b"
                  r"|\b[a-z]\w+(?=\(\))")


def missing_names(files):
    """Yields a complaint for each comment that names a function, field, macro
    or setting that neither code nor strings have."""
    known = set(FOREIGN) | {re.sub(r"\.\w+$", "", os.path.basename(path))
                            for path in files}
    for text in files.values():
        known |= set(re.findall(r"\w+", COMMENT.sub(" ", text)))
    for path, text in sorted(files.items()):
        for comment in COMMENT.findall(text):
            for name in NAME.findall(FILE.sub(" ", comment)):
                if name not in known:
                    yield "%s names %s, which does not exist" % (path, name)


STRUCT = re.compile(r"^struct (\w+) \{", re.M)


def twice(files):
    """Yields a complaint for each struct name that two headers define, also
    headers of tests."""
    seen = {}
    for path, text in sorted(files.items()):
        if not path.endswith(".h"):
            continue
        for name in STRUCT.findall(source.bare(text)):
            if seen.setdefault(name, path) != path:
                yield "struct %s is defined in %s and %s" % (
                    name, seen[name], path)


WORDS = {
    "behind": r"\bbehind\b",
    "likewise": r"\blikewise\b",
    "so many": r"\bso many\b",
    "begins with Of": r"^/\*\s+(?-i:Of)\b",
    "whoever": r"\bwho(?:ever|m)\b",
}


def count_words(files):
    """Returns word -> number of occurrences in comments and help texts."""
    counts = dict.fromkeys(WORDS, 0)
    for path, text in files.items():
        if path.startswith("tests/"):
            continue
        for piece in COMMENT.findall(text) + re.findall(
                r'"((?:\\.|[^"\\\n])*)"', COMMENT.sub("", text)):
            for word, pattern in WORDS.items():
                counts[word] += len(re.findall(pattern, piece, re.I))
    return counts


def words(files, root):
    """Compares the numbers with tests/lint/words.json, which has the largest
    number that is allowed of each word."""
    with open(os.path.join(root, "tests", "lint", "words.json"),
              encoding="utf-8") as file:
        most = json.load(file)
    for word, count in count_words(files).items():
        if count > most[word]:
            yield "'%s' stands %d times in comments and texts, %d at most" % (
                word, count, most[word])
        elif count < most[word]:
            yield ("'%s' stands only %d times now: lower its limit of %d in "
                   "tests/lint/words.json" % (word, count, most[word]))
