# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for all code: complexity and length of functions, length of files
(which only catch accidents), rows of tables without field names."""
import re

import source

COMPLEXITY, FUNCTION_LINES, FILE_LINES = 15, 80, 1200
# A row of a table of structs must name its fields if it has this many values.
NAMED_FROM = 3

TABLE = re.compile(
    r"^(?:static )?const (?:struct \w+|struct (?:\w+ )?\{(?:(?!^\}).)*?^\}|"
    r"[a-z]\w+) \**(?:const )?(\w+)((?:\[[^\]]*\])*) = \{", re.M | re.S)


def positional_rows(code):
    """Yields (table, number of rows) for each constant table of the bare code
    with rows of NAMED_FROM values or more without field names. Rows that begin
    with a macro do not count: the macro names the fields."""
    for match in TABLE.finditer(code):
        rows = source.elements(code, match.end() - 1)
        if not match.group(2):
            rows = ["{%s}" % ", ".join(rows)]
        count = 0
        for row in rows:
            row = re.sub(r"^\[[^\]]*\] = ", "", row)
            values = source.elements(row, 0) if row.startswith("{") else []
            count += len(values) >= NAMED_FROM and not re.match(
                r"\.|[A-Z][A-Z0-9_]*\b", values[0])
        if count:
            yield match.group(1), count


def measure(files):
    """Returns kind of limit -> {place: value above the limit}."""
    over = {"complexity": {}, "function_lines": {}, "file_lines": {},
            "positional": {}}
    for path, text in files.items():
        if text.count("\n") > FILE_LINES:
            over["file_lines"][path] = text.count("\n")
        for name, lines, complexity in source.functions(text):
            if complexity > COMPLEXITY:
                over["complexity"]["%s:%s" % (path, name)] = complexity
            if lines > FUNCTION_LINES:
                over["function_lines"]["%s:%s" % (path, name)] = lines
        for table, count in positional_rows(source.bare(text)):
            over["positional"]["%s:%s" % (path, table)] = count
    return over


SAYS = {
    "complexity": "has complexity %%d, %d at most" % COMPLEXITY,
    "function_lines": "has %%d lines, %d at most" % FUNCTION_LINES,
    "file_lines": "has %%d lines, %d at most" % FILE_LINES,
    "positional": "has %d rows that do not name their fields",
}


def complaints(over):
    """Yields a complaint for each place that `measure` has found."""
    for kind, places in over.items():
        for place, value in sorted(places.items()):
            yield "%s %s" % (place, SAYS[kind] % value)
