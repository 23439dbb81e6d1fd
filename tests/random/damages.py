# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages files of a result, one place at a time, as a disk, an editor or a
fault of the program could."""
import csv
import fnmatch
import hashlib
import io
import json
import os
import re

# The kinds of damage of a cell, of rows and of whole files.
CELL = ("last digit", "large", "sign", "empty", "neighbour", "another word")
ROWS = ("row deleted", "row doubled", "rows swapped")
FILE = ("header", "cut", "emptied", "removed")
# Rows of equal times may stand in any order; only the digest tells.
ORDER = ("rows swapped",)
# The kinds of damage of a value of a JSON file.
VALUE = ("last digit", "large", "sign", "empty", "another type", "row deleted",
         "unknown key")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


class Damage:
    """`file`, `key` (a column, or the path of a JSON value as a tuple) and `kind`
    name what was changed; `line` counts from 1, 0: no line. `text`: the new
    content of the file; None: the file is removed. `likely`: the new value is
    as possible as the old one, so that only the digest tells."""

    def __init__(self, file, key, kind, line, text, words="", likely=False):
        self.file, self.key, self.kind = file, key, kind
        self.line, self.text, self.words = line, text, words
        self.likely = likely

    def __str__(self):
        key = self.key if isinstance(self.key, str) else ".".join(
            map(str, self.key))
        return "%s%s %s: %s %s" % (self.file, ":%d" % self.line if self.line
                                   else "", key, self.kind, self.words)


def last_digit(cell):
    """Changes a number by one unit of its last digit."""
    at = len(cell) - 1
    while not cell[at].isdigit():
        at -= 1
    return cell[:at] + ("8" if cell[at] == "9" else
                        str(int(cell[at]) + 1)) + cell[at + 1:]


def changed(cell, kind, other, words):
    """Returns the cell with a damage; None if it cannot have it. `other`: the
    cell in the row above or below. `words`: other cells of the column."""
    number = NUMBER.fullmatch(cell)
    if kind == "last digit":
        return last_digit(cell) if re.search("[0-9]", cell) else None
    if kind == "large":
        return "7" + cell if number and not cell.startswith("-") else None
    if kind == "sign":
        return (cell[1:] if cell.startswith("-") else "-" + cell) if (
            number and float(cell)) else None
    if kind == "empty":
        return "" if cell else None
    if kind == "neighbour":
        return other if other != cell else None
    words = sorted(set(words) - {cell})
    return words[0] if words else None


def is_same(column, old, new):
    """True if a number stays what it was, as far as `verify` can tell: a double
    has 15 digits, and the ends of work may be rounded to a microsecond."""
    if not (NUMBER.fullmatch(old) and NUMBER.fullmatch(new)):
        return False
    off = abs(float(new) - float(old))
    return off <= 1e-15 * abs(float(old)) or (column == "work" and
                                              off < 1.5e-6)


def line_of(cells):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def write(rows):
    return "".join(line_of(row) for row in rows)


def csv_damages(file, text, rng):
    """Yields a function for each place and kind of damage of a CSV file."""
    rows = list(csv.reader(io.StringIO(text)))
    lines = [1]
    for row in rows[:-1]:
        lines.append(lines[-1] + 1 + "".join(row).count("\n"))
    head, places = rows[0], range(1, len(rows))

    def cell(column, kind):
        order = list(places)
        rng.shuffle(order)
        for at in order:
            other = rows[at + 1 if at + 1 < len(rows) else at - 1]
            new = changed(rows[at][column], kind, other[column] if
                          at > 1 or at + 1 < len(rows) else rows[at][column],
                          [r[column] for r in rows[1:]])
            if new is None or is_same(head[column], rows[at][column], new):
                continue
            row = rows[at][:column] + [new] + rows[at][column + 1:]
            return Damage(file, head[column], kind, lines[at],
                          write(rows[:at] + [row] + rows[at + 1:]),
                          "%r -> %r" % (rows[at][column], new))
        return None

    def whole(kind):
        if len(rows) < 2 or kind == "rows swapped" and len(rows) < 3:
            return None
        at = rng.randrange(1, len(rows) - (kind == "rows swapped"))
        if kind == "row deleted":
            new = rows[:at] + rows[at + 1:]
        elif kind == "row doubled":
            new = rows[:at + 1] + rows[at:]
        else:
            new = rows[:at] + [rows[at + 1], rows[at]] + rows[at + 2:]
            if rows[at] == rows[at + 1]:
                return None
        return Damage(file, "", kind, lines[at], write(new))

    def header(column):
        new = [head[:column] + ["x" + head[column]] + head[column + 1:]]
        return Damage(file, head[column], "header", 1, write(new + rows[1:]))

    for column in range(len(head)):
        for kind in CELL:
            yield lambda column=column, kind=kind: cell(column, kind)
        yield lambda column=column: header(column)
    for kind in ROWS:
        yield lambda kind=kind: whole(kind)


class Rules:
    """The rules of columns and keys, from the page of `list columns`."""

    def __init__(self, page):
        self.columns, self.keys = {}, {}
        for part in re.split(r"\n## ", page)[1:]:
            head = part.split("\n")[0]
            rows = re.findall(r"^\| `([^`]+)` \| [^|]*\| .* \| (.*?) \|$", part,
                              re.M)
            for file in re.findall(r"(\w+\.csv)", head):
                self.columns.setdefault(file, {}).update(rows)
            file, _, paths = head.partition(": ")
            if file.endswith(".json"):
                self.keys.setdefault(file, []).extend(
                    (tuple((path + "." + name if path else name).split(".")),
                     rule) for path in paths.split(" ") for name, rule in rows)

    def of_key(self, file, path):
        """Returns the rule of the value at a path of a JSON file, and whether
        the name is one that the run gives."""
        found = "", False
        for pattern, rule in self.keys[file]:
            if len(pattern) != len(path):
                continue
            if all(fnmatch.fnmatchcase(str(a), b)
                   for a, b in zip(path, pattern)):
                found = rule, "*" in pattern[-1]
                if pattern[-1] == path[-1]:
                    break
        return found


def values(value, path=()):
    """Yields the path of each value in a JSON document, and the value."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield path + (key,), value[key]
        if isinstance(value[key], (dict, list)):
            yield from values(value[key], path + (key,))


def with_value(document, path, make):
    """Returns a copy in which `make(holder, key)` has changed the value."""
    document = json.loads(json.dumps(document))
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    make(holder, path[-1])
    return document


def json_value(value, kind):
    """Returns a changed value; None if it cannot be changed so. Numbers are
    compared within 1e-9, rho within 1e-6, so the last digit of a long one tells
    nothing."""
    if kind == "another type":
        return [value] if value is None or isinstance(value, str) else "x"
    if isinstance(value, (dict, list)):
        return None
    if isinstance(value, bool):
        return not value if kind == "last digit" else None
    if kind == "last digit" and isinstance(value, (int, float)) and (
            isinstance(value, float) or value >= 1e8):
        return value * (1 + 1e-6) + 2e-6
    if isinstance(value, (int, float)):
        new = changed(repr(value), kind, "", [])
        return None if new in (None, "") else json.loads(new)
    if isinstance(value, str):
        new = changed(value, kind, "", [])
        return "x" + value if new is None and kind == "last digit" else new
    return 1 if kind == "last digit" else None


def breaks_form(rule, named, kind, value):
    """True if a damage makes a value impossible whatever the files give.
    `named`: the run gives the name of the key."""
    form = rule.split(",")[0].rstrip("?").replace(" or null", "")
    return (kind in ("another type", "unknown key") or
            kind == "row deleted" and not named and
            "?" not in rule.split(",")[0] or
            kind == "sign" and form in ("count", "number", "time", "share") or
            kind == "last digit" and value is None or
            kind == "empty" and form in ("digest", "date") or
            kind == "large" and form == "share")


def json_damages(file, text, rules):
    """Yields a function for each place and kind of damage of a JSON file. Of a
    manifest, which no digest protects, only those that a rule can tell."""
    document = json.loads(text)

    def change(path, value, kind):
        rule, named = rules.of_key(file, path)
        likely = re.search(r", (given|bounds|rises)", rule) or (
            kind == "row deleted" and re.search(r"\?, one of", rule))
        broken = breaks_form(rule, named, kind, value)
        if not broken and likely and file == "manifest.json":
            return None
        if kind == "row deleted" and isinstance(path[-1], int):
            return None
        if kind == "row deleted":
            def make(holder, key):
                del holder[key]
        elif kind == "unknown key":
            if not isinstance(value, dict) or rules.of_key(
                    file, path + ("xkey",))[0]:
                return None

            def make(holder, key):
                holder[key]["xkey"] = 1
        else:
            new = json_value(value, kind)
            if new is None or new == value and not isinstance(new, str):
                return None

            def make(holder, key):
                holder[key] = new
        made = json.dumps(with_value(document, path, make), indent=1)
        return Damage(file, path + ("xkey",) * (kind == "unknown key"), kind, 0,
                      made, "%r" % (value,) if not isinstance(
                          value, (dict, list)) else "", likely and not broken)

    for path, value in values(document):
        for kind in VALUE:
            yield lambda path=path, value=value, kind=kind: change(
                path, value, kind)


def file_damages(file, text, rng):
    """Yields the damages of a whole file."""
    yield lambda: Damage(file, "", "cut", 0,
                         text[:rng.randrange(1, max(2, len(text) - 1))])
    yield lambda: Damage(file, "", "emptied", 0, "")
    yield lambda: Damage(file, "", "removed", 0, None)


def all_damages(out, rng, rules):
    """Returns the damages of the files of a result, as functions that return a
    Damage, or None if the result has no place for it or no rule tells it."""
    found = []
    for name in sorted(os.listdir(out)):
        if name.endswith(".gz"):
            continue
        with open(os.path.join(out, name), encoding="utf-8", newline="") as f:
            text = f.read()
        if name.endswith(".csv"):
            found += csv_damages(name, text, rng)
        if name in rules.keys:
            made = list(json_damages(name, text, rules))
            found += rng.sample(made, min(len(made), 300))
        found += file_damages(name, text, rng)
    return found


class Damaged:
    """Puts damages into a result and takes them out again. With `fit` the
    manifest has the new digest, so that only the content tells."""

    def __init__(self, out):
        self.out = out
        self.kept = {}

    def path(self, name):
        return os.path.join(self.out, name)

    def keep(self, name):
        if name not in self.kept:
            with open(self.path(name), "rb") as file:
                self.kept[name] = file.read()

    def put(self, damage, fit):
        self.keep(damage.file)
        if damage.text is None:
            os.remove(self.path(damage.file))
            return
        data = damage.text.encode()
        with open(self.path(damage.file), "wb") as file:
            file.write(data)
        if fit and damage.file != "manifest.json":
            self.keep("manifest.json")
            manifest = re.sub(
                rb'("%s": ")[0-9a-f]{64}' % re.escape(damage.file).encode(),
                lambda m: m[1] + hashlib.sha256(data).hexdigest().encode(),
                self.kept["manifest.json"])
            with open(self.path("manifest.json"), "wb") as file:
                file.write(manifest)

    def mend(self):
        for name, data in self.kept.items():
            with open(self.path(name), "wb") as file:
                file.write(data)
        self.kept = {}
