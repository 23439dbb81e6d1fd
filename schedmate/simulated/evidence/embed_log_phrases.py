#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the log_*.txt files into the tables of evidence_internal.h:
embed_log_phrases.py OUT.c IN.txt... The head of log_styles.txt describes the
format. A wrong line in an input stops the build and is named with file and
line."""

import re
import sys

FAULTS = ["gpu", "nvlink", "network", "node", "remote", "storage", "framework",
          "script", "other"]
CHATTERS = ["warn", "decoy", "bulk", "hostile"]
LISTS = ["head", "timed", "plain", "unit", "done"]
REPEATS = {"once": "ONCE", "each rank": "EACH_RANK", "each other": "EACH_OTHER",
           "faulty": "FAULTY", "each node": "EACH_NODE"}
VALUE = re.compile(r"\{([a-z]+)(?::([^{}]*))?\}")


def literal(text):
    """Returns the text as a string literal of C. Bytes outside ASCII are
    written in octal, so that the literal does not depend on the locale of the
    compiler."""
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '"%s"' % "".join(out).replace("??", '?""?')


class Phrases:
    def __init__(self):
        self.styles, self.families, self.cascades = [], [], []
        self.lists = {"teardown": [], "stop": [], "hostile_end": []}
        self.list = self.lines = None
        self.where = ""

    def fail(self, why):
        raise SystemExit("%s: %s" % (self.where, why))

    def new_list(self, lists):
        self.list = []
        self.lines = None
        lists.append(self.list)

    def new_part(self, words):
        launcher = words[-1] == "launcher"
        who = " ".join(words[:-1] if launcher else words) or "once"
        times = re.fullmatch(r"times (\d+)", who)
        if self.list is None or not (times or who in REPEATS):
            self.fail("who prints '%s'?" % " ".join(words))
        self.lines = []
        self.list.append({"repeat": "TIMES" if times else REPEATS[who],
                          "times": int(times.group(1)) if times else 0,
                          "launcher": launcher, "lines": self.lines})

    def pieces(self, text):
        at = 0
        for match in VALUE.finditer(text):
            if match.start() > at:
                yield "TEXT", [], text[at:match.start()]
            name, rest = match.group(1), match.group(2)
            if name in ("pick", "pickjob"):
                yield name.upper(), [], rest
            else:
                numbers = [int(x) for x in rest.split(":")] if rest else []
                yield name.upper(), numbers, None
            at = match.end()
        if at < len(text):
            yield "TEXT", [], text[at:]

    def line(self, text):
        if self.lines is None:
            self.new_part(["once"])
        self.lines.append((text[0] == "&", list(self.pieces(text[1:]))))

    def keyword(self, words):
        word, rest = words[0], words[1:]
        if word == "style":
            self.styles.append({"name": rest[0], "is": rest[1:],
                                **{name: [] for name in LISTS}})
            self.list = None
        elif word in LISTS and self.styles:
            self.new_list(self.styles[-1][word])
        elif word == "family" and rest[0] in CHATTERS:
            self.families.append({"chatter": rest[0], "name": rest[1],
                                  "ordered": "ordered" in rest[2:],
                                  "lines": []})
            self.list, self.lines = None, self.families[-1]["lines"]
        elif word == "cascade" and rest[0] in FAULTS:
            self.cascades.append((rest[0], " ".join(rest[1:]), []))
            self.new_list(self.cascades[-1][2])
            self.cascades[-1] = (rest[0], " ".join(rest[1:]), self.list)
        elif word in self.lists:
            self.new_list(self.lists[word])
        else:
            self.new_part(words)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                self.where = "%s:%d" % (path, number)
                text = text.rstrip("\n").lstrip(" ")
                if text[:1] in ("|", "&"):
                    self.line(text)
                elif text and not text.startswith("#"):
                    self.keyword(text.split())


class Tables:
    """Writes arrays of C. An array comes after the arrays that its rows name,
    because C must know a name before its use."""

    def __init__(self, out):
        self.out, self.n = out, 0

    def array(self, type_, rows):
        self.n += 1
        name = "a%d" % self.n
        self.out.write("static const struct %s %s[] = {\n%s};\n" % (
            type_, name, "".join("    {%s},\n" % row for row in rows)))
        return name

    def template(self, line):
        bar, pieces = line
        rows = []
        for value, numbers, text in pieces:
            row = ".value = LOG_VALUE_%s" % value
            for field, number in zip("ab", numbers):
                row += ", .%s = %d" % (field, number)
            if text is not None:
                row += ", .text = %s" % literal(text)
            rows.append(row)
        head = ".bar = %s" % ("true" if bar else "false")
        if not rows:
            return head
        return "%s, .pieces = %s, .n_pieces = %d" % (
            head, self.array("log_piece", rows), len(rows))

    def templates(self, lines):
        return self.array("log_template", [self.template(x) for x in lines])

    def list(self, parts):
        rows = []
        for part in parts:
            rows.append(".lines = %s, .n_lines = %d, .times = %d, "
                        ".repeat = LOG_%s, .launcher = %s" % (
                            self.templates(part["lines"]), len(part["lines"]),
                            part["times"], part["repeat"],
                            "true" if part["launcher"] else "false"))
        return ".parts = %s, .n_parts = %d" % (
            self.array("log_part", rows), len(rows))

    def choice(self, lists):
        rows = [self.list(parts) for parts in lists]
        if not rows:
            return ".n_lists = 0"
        return ".lists = %s, .n_lists = %d" % (
            self.array("log_list", rows), len(rows))


def write(phrases, out):
    tables = Tables(out)
    out.write('#include "schedmate/simulated/evidence/evidence_internal.h"\n\n')
    styles = []
    for s in phrases.styles:
        row = ".name = %s" % literal(s["name"])
        for word in s["is"]:
            row += ", .%s = true" % word
        for name in LISTS:
            row += ", .%s = {%s}" % (name, tables.choice(s[name]))
        styles.append(row)
    families = [".name = %s, .chatter = LOG_CHATTER_%s, .ordered = %s, "
                ".lines = %s, .n_lines = %d" % (
                    literal(f["name"]), f["chatter"].upper(),
                    "true" if f["ordered"] else "false",
                    tables.templates(f["lines"]), len(f["lines"]))
                for f in phrases.families]
    cascades = [".fault = LOG_FAULT_%s, .cause = %s, .list = {%s}" % (
        fault.upper(), literal(cause), tables.list(parts))
                for fault, cause, parts in phrases.cascades]
    teardowns = tables.choice(phrases.lists["teardown"])
    stops = tables.choice(phrases.lists["stop"])
    last = tables.list(phrases.lists["hostile_end"][0])
    out.write("const struct log_choice log_teardowns = {%s};\n"
              "const struct log_choice log_stops = {%s};\n"
              "const struct log_list log_hostile_end = {%s};\n" % (
                  teardowns, stops, last))
    for type_, name, count, rows in (
            ("log_style", "log_styles", "log_n_styles", styles),
            ("log_family", "log_families", "log_n_families", families),
            ("log_cascade", "log_cascades", "log_n_cascades", cascades)):
        out.write("const struct %s %s[] = {\n%s};\nconst size_t %s = %d;\n" % (
            type_, name, "".join("    {%s},\n" % row for row in rows), count,
            len(rows)))


def main(argv):
    phrases = Phrases()
    for path in argv[2:]:
        phrases.read(path)
    with open(argv[1], "w", encoding="utf-8") as out:
        write(phrases, out)


if __name__ == "__main__":
    main(sys.argv)
