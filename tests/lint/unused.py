# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds code that is not needed: fields of structs that are written and never
read, options that no code reads, and names that headers export although only
tests, or only their own file, use them."""
import collections
import re

import edges
import recipes
import source
from edges import INCLUDE

PRODUCT = tuple(room + "/" for room in edges.ROOMS) + ("bench/",)
# Headers for programs outside of the tree, which read their fields.
PUBLIC = ("lib/schedsim.h",)


def closures(files):
    """Returns path -> the paths of all files that it includes, with itself."""
    direct = {path: [header for header in INCLUDE.findall(text)
                     if header in files] for path, text in files.items()}
    out = {}
    for path in files:
        seen, todo = set(), [path]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += direct[at]
        out[path] = seen
    return out


STRUCT = re.compile(r"^(?:static (?:const )?)?struct (\w+) \{\n(.*?)^\}",
                    re.M | re.S)
FIELD = re.compile(r"^ +(?:const )?[a-z]\w*(?: \w+)*[ *]+(\w+)(?:\[[^\]]*\])*"
                   r"((?:, *\**\w+(?:\[[^\]]*\])*)*);", re.M)
# An access and its operator: "=" and operators such as "+=" write. A count
# whose value is used is read: "order = q->next++", "s->parts++ ? ...".
ACCESS = re.compile(r"(?:->|\.)(\w+)\b(?=(?:\[[^\]]*\])?"
                    r"\s*(=(?!=)|\+\+|--|[-+|&*/]=|))")
COUNTED = re.compile(r"(?:[=(\[|&+*/%<>?!]|\breturn)\s*"
                     r"(?:\w|->|\.|\[[^\]]*\])*?(?:->|\.)(\w+)(?:\+\+|--)"
                     r"|(?:->|\.)(\w+)(?:\+\+|--)\s*[?<>=!&|+*/%-]")


def accesses(text):
    """Returns the names of the fields that the text reads, and of those that it
    writes."""
    read, written = set(), set()
    for name, writes in ACCESS.findall(text):
        (written if writes else read).add(name)
    for before, after in COUNTED.findall(text):
        read.add(before or after)
    return read, written


def fields(body):
    for first, rest in FIELD.findall(body):
        for name in [first] + re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "",
                                                       rest)):
            yield name


def never_read(files):
    """Yields fields that some file writes and that no file which sees the
    struct reads. A field that a macro names, such as offsetof or an option
    row, counts as read."""
    code = {path: source.bare(text) for path, text in files.items()
            if path.startswith(PRODUCT)}
    sees = closures({path: files[path] for path in code})
    uses = {path: accesses(text) for path, text in code.items()}
    for path, text in sorted(code.items()):
        bodies = STRUCT.findall(text)
        if not bodies or path in PUBLIC:
            continue
        users = [other for other in code if path in sees[other]]
        read = set().union(*(uses[other][0] for other in users))
        written = set().union(*(uses[other][1] for other in users))
        for struct, body in bodies:
            for name in fields(body):
                if name in written and name not in read and not any(
                        re.search(r"[(,]\s*(?:struct )?\w+,\s*%s\b" % name,
                                  code[other]) for other in users):
                    yield "%s: field %s.%s is written and never read" % (
                        path, struct, name)


# A row of an option table. The option stores its value in a field of a struct.
ROW = re.compile(r"\b(?:OPT|TAKE)_[A-Z0-9_]+\(\s*struct (\w+),\s*([\w.]+)")


def holder(path, struct, field, bodies, sees):
    """Follows a field such as load.from of a struct that the file `path` sees.
    Returns the file that defines the struct with the last part of the name,
    and that part."""
    for home, body in bodies.get(struct, []):
        if home not in sees[path]:
            continue
        first, _, rest = field.partition(".")
        member = re.search(r"struct (\w+) [^;{]*\b%s\b" % first, body)
        if rest and member:
            return holder(path, member.group(1), rest, bodies, sees)
        return home, field.split(".")[-1]
    return path, field.split(".")[-1]


def stored_for_nobody(files):
    """Yields options whose field is read by no file that sees the struct, so
    that the option has no effect. A row itself does not read the field."""
    code = {path: source.bare(text) for path, text in files.items()
            if path.startswith(PRODUCT)}
    sees = closures({path: files[path] for path in code})
    rows, bodies, read = {}, {}, {}
    for path, text in code.items():
        for struct, body in STRUCT.findall(text):
            bodies.setdefault(struct, []).append((path, body))
        for struct, field in ROW.findall(text):
            rows.setdefault((struct, field), path)
        read[path] = accesses(ROW.sub("", text))[0]
    for (struct, field), path in sorted(rows.items()):
        home, last = holder(path, struct, field, bodies, sees)
        if not any(last in read[other] for other in code
                   if home in sees[other]):
            yield "%s: no code reads the option stored in %s.%s" % (
                path, struct, field)


WORD = re.compile(r"\b[a-z]\w*\b")
FUNCTION = re.compile(r"^(?!static)[a-z][\w \*]*?\b([a-z]\w*)\((?!\*)", re.M)
VARIABLE = re.compile(r"^extern [\w ]*?\*?(?:const )?\b(\w+)(?:\[\w*\])*;", re.M)
DEFINED = re.compile(
    r"^(?!static\b)[a-z][\w \*]*?\b([a-z]\w*)\([^;{]*\)\s*\{"
    r"|^(?!static\b|extern\b)[\w ]*?\*?(?:const )?\b(\w+)(?:\[\w*\])*\s*=",
    re.M)


def exported_for_nobody(files, contract=""):
    """Yields names of headers that no file but their own uses, and names that
    only tests use. The former should be static, unless a test calls them, the
    latter should go. Names in `contract`, docs/extend.md and its templates, may
    wait for their first caller."""
    code = {path: source.bare(text) for path, text in files.items()}
    promised = set(WORD.findall(contract))
    where, defined = {}, {}
    for path, text in code.items():
        defined[path] = {name for pair in DEFINED.findall(text)
                         for name in pair}
        for word in set(WORD.findall(text)):
            where.setdefault(word, []).append(path)
    for path, text in sorted(code.items()):
        if (not path.endswith(".h") or path.endswith("_internal.h")
                or not path.startswith(PRODUCT) or path.endswith("/banned.h")):
            continue
        times = collections.Counter(WORD.findall(text))
        for name in sorted(set(FUNCTION.findall(text)
                               + VARIABLE.findall(text))):
            if times[name] > 1 or name in promised:
                continue # the header itself uses the name, or the contract
            home = [p for p in where[name] if name in defined[p]]
            users = [p for p in where[name] if p != path and p not in home]
            if not home or any(p.startswith(PRODUCT) for p in users):
                continue
            if users and any(WORD.findall(code[p]).count(name) > 1 for p in home):
                continue
            yield "%s: only %s %s %s" % (
                path, "tests" if users else "its own file",
                "use" if users else "uses", name)


def check(files, root):
    contract = recipes.page_of(root) + "".join(
        text for _, text in recipes.templates(root))
    yield from sorted(set(exported_for_nobody(files, contract))
                      | set(never_read(files)) | set(stored_for_nobody(files)))
