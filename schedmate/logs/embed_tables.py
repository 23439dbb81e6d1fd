#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the weights and the knowledge about failures into a C source, so that
nothing is parsed when schedsim starts: embed_tables.py OUT.c WEIGHTS.json
KNOWLEDGE.json... The rows are those that log_knowledge.c reads from the same
files; test_log_knowledge compares them."""

import hashlib
import json
import os
import struct
import sys

CLASSES = ("error", "warning", "progress", "other")
KINDS = {"infrastructure": "FAILURE_INFRASTRUCTURE",
         "framework": "FAILURE_FRAMEWORK",
         "user_script": "FAILURE_SCRIPT", "other": "FAILURE_OTHER"}


def literal(text):
    """Returns a C string; other bytes than plain ASCII become octal escapes."""
    return '"%s"' % "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else "\\%03o" % b
        for b in text.encode())


def constant(prefix, name):
    return prefix + name.upper().replace("-", "_")


def fields(pairs):
    return "    {%s},\n" % ", ".join(
        ".%s = %s" % pair for pair in pairs if pair[1] is not None)


def floats(row):
    """Returns the weights of one class, rounded to float as C does it."""
    exact = [struct.unpack("f", struct.pack("f", v * row["scale"]))[0]
             for v in struct.unpack("%db" % (len(row["int8"]) // 2),
                                    bytes.fromhex(row["int8"]))]
    return "    {%s},\n" % ",\n".join(
        ", ".join("%.9ef" % v for v in exact[at:at + 6])
        for at in range(0, len(exact), 6))


class Tables:
    def __init__(self):
        self.files, self.causes, self.rows, self.texts = [], {}, {}, []
        self.reasons, self.signatures, self.actions = [], [], []

    def file(self, name, data):
        self.files.append(name)
        for row in data.get("causes", []):
            self.cause(row)
        for row in data.get("signatures", []):
            self.signature(row)
        for row in data.get("actions", []):
            self.actions.append("        [%s] = {%s, %s},\n" % (
                constant("ACTION_", row["name"]), literal(row["words"]),
                "true" if row.get("disruptive") else "false"))

    def new(self, seen, name):
        if name in seen:
            sys.exit("%s: '%s' is used twice" % (self.files[-1], name))
        seen[name] = len(seen)

    def cause(self, row):
        self.new(self.causes, row["name"])
        self.reasons.append(fields([
            ("name", literal(row["name"])), ("means", literal(row["means"])),
            ("file", "file_%d" % (len(self.files) - 1)),
            ("kind", KINDS[row["kind"]]),
            ("part", constant("PART_", row.get("part", "none"))),
            ("action", constant("ACTION_", row["action"]))]))

    def list(self, texts):
        if texts is None:
            return None
        texts = [texts] if isinstance(texts, str) else texts
        self.texts += ["    {%s, %d},\n" % (literal(t), len(t.encode()))
                       for t in texts]
        return "{texts + %d, %d}" % (len(self.texts) - len(texts), len(texts))

    def signature(self, row):
        self.new(self.rows, row["name"])
        code, host = row.get("code", {}), row.get("host", {})
        low = code.get("from", 0)
        high = code.get("to", low if "from" in code else 0xffffffff)

        def text(at, key):
            return literal(at[key]) if key in at else None

        self.signatures.append(fields([
            ("name", literal(row["name"])),
            ("file", "file_%d" % (len(self.files) - 1)),
            ("reason", "reasons + %d" % self.causes[row["cause"]]
             if "cause" in row else None),
            ("weight", row.get("weight")),
            ("role", constant("LOG_ROLE_", row.get("role", "cause"))),
            ("anchor", constant("LOG_ANCHOR_", row.get("anchor", "any"))),
            ("any_case", "true" if row.get("case") == "ignore" else None),
            ("decides", "true" if row.get("decides") else None),
            ("kernel", "true" if row.get("kernel") else None),
            ("texts", self.list(row["text"])),
            ("also", self.list(row.get("also"))),
            ("none", self.list(row.get("not"))),
            ("code_after", text(code, "after")),
            ("code_from", "%du" % low if code else None),
            ("code_to", "%du" % high if code else None),
            ("host_after", text(host, "after")),
            ("host_before", text(host, "before"))]))


def main(argv):
    out, weights, files = argv[1], argv[2], argv[3:]
    tables, digest = Tables(), hashlib.sha256()
    with open(weights, encoding="utf-8") as source:
        rows = json.load(source)["weights"]
    for path in files:
        with open(path, "rb") as source:
            data = source.read()
        digest.update(data)
        tables.file(os.path.splitext(os.path.basename(path))[0],
                    json.loads(data))
    arrays = (("const struct text", "texts", tables.texts),
              ("const struct log_reason", "reasons", tables.reasons),
              ("const struct log_signature", "signatures", tables.signatures))
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "schedmate/logs/log_classifier.h"\n'
                '#include "schedmate/logs/log_knowledge_internal.h"\n\n'
                "const struct log_weights log_weights_built_in = {{\n%s}};\n\n"
                % "".join(floats(rows[name]) for name in CLASSES))
        for i, name in enumerate(tables.files):
            f.write("static const char file_%d[] = %s;\n" % (i, literal(name)))
        f.write("static const char *const files[] = {%s};\n"
                % ", ".join("file_%d" % i for i in range(len(tables.files))))
        for kind, name, lines in arrays:
            f.write("\nstatic %s %s[] = {\n%s};\n"
                    % (kind, name, "".join(lines)))
        f.write("\nconst struct log_knowledge_tables log_knowledge_built_in = "
                "{\n    files, reasons, signatures, %d, %d, %d,\n"
                "    {\n%s    },\n    \"%s\",\n};\n"
                % (len(tables.files), len(tables.reasons),
                   len(tables.signatures), "".join(tables.actions),
                   digest.hexdigest()))


if __name__ == "__main__":
    main(sys.argv)
