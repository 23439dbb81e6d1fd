# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the rules of docs/contributing.md and prints TAP; a check that fails
names the section that was broken. Also prints figures that are no rules: the largest
functions and files, and repeated blocks."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

import edges
import guards
import limits
import planted
import recipes
import source
import unused

ROOT = os.environ.get("SCHEDSIM_ROOT") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = tuple(edges.ROOMS) + ("bench", "tests", "packaging")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources():
    """Returns path from the root -> text, for each C file."""
    found = {}
    for folder in FOLDERS:
        for kind in ("c", "h"):
            pattern = os.path.join(ROOT, folder, "**", "*." + kind)
            for path in glob.glob(pattern, recursive=True):
                found[os.path.relpath(path, ROOT)] = read(path)
    return found


def scripts():
    found = []
    for folder in ("", ".ci") + FOLDERS:
        deep = "**" if folder in FOLDERS else ""
        for path in glob.glob(os.path.join(ROOT, folder, deep, "*"),
                              recursive=True):
            name = os.path.basename(path)
            if os.path.isfile(path) and (
                    name.endswith((".py", ".sh")) or name == "meson.build"
                    or (os.access(path, os.X_OK) and "." not in name)):
                found.append(path)
    return found


def check_edges(files):
    return list(edges.check(files))


def check_licence(files):
    bad = [path for path, text in sorted(files.items())
           if "SPDX-License-Identifier: GPL-3.0-or-later"
           not in text.split("\n", 1)[0]]
    for path in scripts():
        head = "\n".join(read(path).split("\n", 2)[:2])
        if "SPDX-License-Identifier: GPL-3.0-or-later" not in head:
            bad.append(os.path.relpath(path, ROOT))
    return bad


def check_format(files):
    if not shutil.which("clang-format"):
        return None
    run = subprocess.run(["clang-format", "--dry-run", "--Werror"]
                         + sorted(files), cwd=ROOT, capture_output=True,
                         text=True, check=False)
    lines = [l for l in run.stderr.splitlines() if "error:" in l]
    return lines if run.returncode else []


def check_width(files):
    return ["%s:%d is wider than 80 columns" % (path, i + 1)
            for path, text in sorted(files.items())
            for i, line in enumerate(text.split("\n")) if len(line) > 80]


def check_file_heads(files):
    """Checks that each file says at its beginning what it owns. A .c file may
    leave that to a header with its name."""
    bad = []
    for path, text in sorted(files.items()):
        lines = text.split("\n")
        header = path[:-2] + ".h"
        if path.endswith(".c") and header in files:
            continue
        if len(lines) < 2 or not lines[1].startswith("/*"):
            bad.append("%s does not say what it is for" % path)
    return bad


def check_quoted_scenarios(files):
    """Checks that scenarios named in comments exist."""
    bad = []
    for path, text in sorted(files.items()):
        for name in re.findall(r"scenarios?[:/ ]+([a-z0-9_-]+)\.txt", text):
            where = os.path.join(ROOT, "tests", "scenarios", name + ".txt")
            if not os.path.exists(where):
                bad.append("%s: no scenario %s.txt" % (path, name))
    return bad


def check_scenario_heads(_files):
    """Checks that each scenario begins by saying what it shows."""
    return [os.path.basename(path) for path in sorted(glob.glob(
        os.path.join(ROOT, "tests", "scenarios", "*.txt")))
        if not re.match(r"# \S.{20,}", read(path))]


SOURCE_NAME = re.compile(r"`([a-z_/]+\.[ch])`")


def find_source(name, room):
    """Returns the files that a page means by a name: a path from the root, or
    the end of a path inside the room."""
    return (os.path.exists(os.path.join(ROOT, name))
            or glob.glob(os.path.join(ROOT, room, "**", name), recursive=True))


def check_rooms(_files):
    """Checks that each room has a README of at most 40 lines, which names each
    of its folders with code, and that the files it names exist."""
    bad = []
    for room in edges.ROOMS:
        path = os.path.join(ROOT, room, "README.md")
        if not os.path.exists(path):
            bad.append("%s has no README.md" % room)
            continue
        text = read(path)
        if text.count("\n") > 40:
            bad.append("%s/README.md has more than 40 lines" % room)
        for code in glob.glob(os.path.join(ROOT, room, "*", "*.c")):
            name = os.path.basename(os.path.dirname(code))
            if not re.search(r"`(%s/)?%s`" % (room, name), text):
                bad.append("%s/README.md does not name %s" % (room, name))
        bad += ["%s/README.md names %s, which does not exist" % (room, name)
                for name in SOURCE_NAME.findall(text)
                if not find_source(name, room)]
    page = os.path.join("docs", "architecture.md")
    bad += ["%s names %s, which does not exist" % (page, name)
            for name in SOURCE_NAME.findall(read(os.path.join(ROOT, page)))
            if not find_source(name, "**")]
    return sorted(set(bad))


def check_comments(files):
    return (list(guards.missing_files(files, ROOT))
            + list(guards.missing_names(files))
            + list(guards.words(files, ROOT)))


def check_structs(files):
    return list(guards.twice(files))


def check_unused(files):
    return list(unused.check(files, ROOT))


def check_limits(files):
    over = limits.measure(files)
    del over["positional"]
    return list(limits.complaints(over))


def check_rows(files):
    return list(limits.complaints(
        {"positional": limits.measure(files)["positional"]}))


def check_planted(files):
    return list(planted.check(files))


def check_types(_files):
    """Checks the types of the Python package, as lib/python/pyproject.toml
    says."""
    if not shutil.which("mypy"):
        return None
    run = subprocess.run(["mypy", "--cache-dir=/dev/null"], check=False,
                         cwd=os.path.join(ROOT, "lib", "python"),
                         capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode else []


def check_recipes(_files):
    return list(recipes.check(ROOT))


OPTION_ROW = re.compile(r"OPT_(BOOL|U32|DOUBLE|SPAN|TEXT|CHOICE)\(")


def arguments(text, start):
    """Returns the top-level arguments of a macro call whose "(" is at `start`.
    """
    depth, quoted, out, last = 0, False, [], start + 1
    for i in range(start, len(text)):
        c = text[i]
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return out + [text[last:i].strip()]
        elif c == "," and depth == 1:
            out.append(text[last:i].strip())
            last = i + 1
    return out


def check_options(files):
    """Checks the rows of options: each has help, a span has its unit in its
    name, and a default that is a measured constant names its source (NULL: a
    choice that was made openly)."""
    bad = []
    for path, text in sorted(files.items()):
        if path.startswith("tests/") or path == "base/option.h":
            continue
        for match in OPTION_ROW.finditer(text):
            args = [a for a in arguments(text, match.end() - 1)
                    if not a.startswith((".", "OPT_WHEN("))]  # further members
            name = args[2].strip('"') if len(args) > 4 else "?"
            if len(args) < 5 or len(args[-2].strip('"')) < 8:
                bad.append("%s: option %s has no help" % (path, name))
            if match.group(1) == "SPAN" and not name.endswith("_s"):
                bad.append("%s: option %s is a time without _s" % (path, name))
    return bad


def blocks(files, size=6):
    """Yields blocks of `size` lines with substance that occur in two files."""
    seen = collections.defaultdict(set)
    for path, text in files.items():
        if path.startswith("tests/"):
            continue
        lines = [(i + 1, l.strip()) for i, l in enumerate(text.split("\n"))]
        lines = [(i, l) for i, l in lines
                 if len(l) > 3 and not l.startswith(("#include", "/*", "* "))]
        for k in range(len(lines) - size + 1):
            key = "\n".join(l for _, l in lines[k:k + size])
            seen[key].add((path, lines[k][0]))
    pairs = collections.Counter()
    for places in seen.values():
        names = sorted({path for path, _ in places})
        for a in range(len(names)):
            for b in range(a + 1, len(names)):
                pairs[names[a], names[b]] += 1
    return pairs


def figures(files):
    own = {p: t for p, t in files.items() if not p.startswith("tests/")}
    table = [(lines, complexity, name, path) for path, text in own.items()
             for name, lines, complexity in source.functions(text)]
    print("# ten largest functions (limit: %d lines)" % limits.FUNCTION_LINES)
    for lines, _, name, path in sorted(table, reverse=True)[:10]:
        print("#   %4d %s (%s)" % (lines, name, path))
    print("# ten most branching functions (limit: %d)" % limits.COMPLEXITY)
    for _, complexity, name, path in sorted(
            table, key=lambda row: -row[1])[:10]:
        print("#   %4d %s (%s)" % (complexity, name, path))
    print("# ten largest files (limit: %d lines)" % limits.FILE_LINES)
    for n, path in sorted(((t.count("\n"), p) for p, t in own.items()),
                          reverse=True)[:10]:
        print("#   %4d %s" % (n, path))
    repeated = blocks(own)
    print("# six-line blocks that stand in two files")
    for (a, b), n in repeated.most_common(10):
        print("#   %4d %s, %s" % (n, a, b))
    over = sum(1 for row in table if row[0] > limits.FUNCTION_LINES)
    print("# figure: %d functions, %d over %d lines; largest file %d lines; "
          "%d pairs of files repeat a block" % (
              len(table), over, limits.FUNCTION_LINES, max(t.count("\n") for t in own.values()),
              len(repeated)))


def sections():
    """Returns section of docs/contributing.md -> the line of its heading."""
    lines = read(os.path.join(ROOT, "docs", "contributing.md")).split("\n")
    return {line.lstrip("# "): i for i, line in enumerate(lines, 1)
            if re.match("##? ", line)}


# (what is checked, the section of docs/contributing.md with the rule, check)
CHECKS = [
    ("includes keep to the layers", "Rooms", check_edges),
    ("each room has a README", "Rooms", check_rooms),
    ("every file names its licence", "Files", check_licence),
    ("every file says what it is for", "Files", check_file_heads),
    ("C files are as clang-format leaves them", "Contributing", check_format),
    ("no two headers define one struct", "Names", check_structs),
    ("rows of tables name their fields", "Names", check_rows),
    ("nothing is written or exported for nobody", "Names", check_unused),
    ("options are documented", "Code", check_options),
    ("comments name what exists, in plain words", "English", check_comments),
    ("no line is wider than 80 columns", "Limits", check_width),
    ("no function or file is above its limit", "Limits", check_limits),
    ("scenarios quoted in comments exist", "Tests", check_quoted_scenarios),
    ("scenarios say what they show", "Tests", check_scenario_heads),
    ("the types of the Python package are right", "Code", check_types),
    ("each guard catches a planted fault", "Tests", check_planted),
    ("the templates of plug-ins compile", "Plug-ins", check_recipes),
]


def main():
    files = sources()
    line_of = sections()
    lost = {section for _, section, _ in CHECKS} - set(line_of)
    if lost:
        sys.exit("docs/contributing.md lacks the sections %s" % sorted(lost))
    figures(files)
    print("1..%d" % len(CHECKS))
    failed = False
    for i, (name, section, check) in enumerate(CHECKS, 1):
        bad = check(files)
        if bad is None:
            print("ok %d - %s # SKIP its program is missing" % (i, name))
            continue
        for line in bad:
            print("# " + line)
        if bad:
            print('# rule: docs/contributing.md:%d, "%s"' % (
                line_of[section], section))
        print("%s %d - %s" % ("not ok" if bad else "ok", i, name))
        failed |= bool(bad)
    sys.exit(failed)


main()
