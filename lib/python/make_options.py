#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_options.py PROGRAM: prints schedsim/options.py, the options of `run` and the
columns of results, from the tables of the program."""
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "packaging"))
import tables  # noqa: E402

# Options of the library that the command line does not have (lib/schedsim.h).
FURTHER = [
    ("decisions", "bool", "keep every plan of the policy for decisions.log"),
    ("resample", "int", "a seed: the run is of another trace, with the days of "
     "this one drawn with replacement"),
    ("series_interval", "float", "time between rows of series, s; default 600"),
]
HEAD = '''# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of runs and the columns of results. This file is printed by
make_options.py from the tables of the program; a test compares."""
from collections.abc import Sequence
from typing import TypedDict, Union

'''


def kind_of(option):
    """Returns the Python type of the values of an option."""
    if option["value"] is None:
        return "bool"
    if option["value"] == "N":
        return "int"
    many = option["value"] == "SPECS" or "more than once" in option["help"]
    return "Union[str, Sequence[str]]" if many else "str"


def options_of(program):
    """Yields (name, type, help) of each option of a run, but those that name
    the policy and the cluster, which have arguments of their own."""
    run = next(c for c in program.commands if c["name"] == "run")
    for option in run["options"]:
        if option["group"] in (None, "This command:") or option["name"] in (
                "policy", "cluster"):
            continue
        text = option["help"]
        if option["choices"]:
            text += "; one of " + ", ".join(option["choices"])
        name = option["name"].replace("-", "_")
        yield name + "_" * (name == "from"), kind_of(option), text
    yield from FURTHER


def columns_of(program):
    """Yields (table, [(column, unit, meaning)]) of each file with a table."""
    for part in re.split(r"\n## ", program.text("columns"))[1:]:
        table = re.match(r"(\w+)\.csv\n", part)
        if table:
            yield table[1], re.findall(r"^\| `(\w+)` \| *(.*?) *\| (.*) \| .*? \|$",
                                       part, re.M)


def words_of():
    """Returns the columns that the library gives as texts."""
    with open(os.path.join(ROOT, "lib", "tables.c"), encoding="utf-8") as file:
        block = re.search(r"words\[\] = \{(.*?)\}", file.read(), re.S)[1]
    return sorted(re.findall(r'"(\w+)"', block))


def literal(text):
    """Returns a text as a literal in lines of at most 79 characters."""
    parts = textwrap.wrap(text, 64, drop_whitespace=False)
    return "\n            ".join('"%s"' % part.replace("\\", "\\\\").replace(
        '"', '\\"') for part in parts)


def main():
    program = tables.Program(sys.argv[1])
    options = list(options_of(program))
    print(HEAD)
    print("class Options(TypedDict, total=False):\n"
          '    """The types of the options."""')
    for name, kind, _ in options:
        print("    %s: %s" % (name, kind))
    print('\n\nHELP = """')
    for name, _, text in options:
        print(textwrap.fill(
            "%-18s %s" % (name, text.replace("\\", "\\\\")), 79,
            initial_indent="    ", subsequent_indent=" " * 23,
            break_on_hyphens=False))
    print('"""\n\nCOLUMNS = {')
    for table, columns in columns_of(program):
        print('    "%s": {' % table)
        for name, unit, text in columns:
            print('        "%s": ("%s",\n            %s),' % (
                name, unit, literal(text)))
        print("    },")
    print("}\n\nWORDS = {\n%s\n}" % textwrap.fill(
        ", ".join('"%s"' % word for word in words_of()) + ",", 79,
        initial_indent="    ", subsequent_indent="    ",
        break_on_hyphens=False))


if __name__ == "__main__":
    main()
