# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the program (`schedsim list commands`, `schedsim list --json`)
as Python objects. Man pages and shell completions are made from these tables
alone."""
import json
import os
import re
import subprocess

# Words for the value of an option or for a positional argument that mean a file
# or a directory.
FILES = {"FILE", "TRACE", "GENERATED", "LOG", "PATH", "BASELINE", "GRID"}
FOLDERS = {"DIR"}
# Options whose values are names of a kind that is not the plural of the
# option's name: the kind, by the name of the option.
KINDS = {"belief": "interferences", "as": "formats", "rows-format": "formats"}
# Further arguments of `list`, which are pages or groups and no kinds.
MORE_KINDS = ["columns", "commands", "input", "models"]


def plurals(name):
    yield name
    yield name + "s"
    if name.endswith("y"):
        yield name[:-1] + "ies"


class Program:
    """The tables that the program prints about itself."""

    def __init__(self, program):
        self.program = program
        self.version = self.ask("commands")["schedsim"]
        self.commands = self.ask("commands")["commands"]
        self.kinds = self.ask("--json")

    def text(self, *words):
        done = subprocess.run([self.program, "list", *words], check=True,
                              capture_output=True, text=True)
        return done.stdout

    def ask(self, *words):
        return json.loads(self.text(*words))

    def names(self, kind):
        """Returns the names of a kind that a value may contain."""
        return [item["name"] for item in self.kinds[kind]]

    def leaves(self):
        """Yields (words, command) of each command that has no commands of its
        own."""
        return (row for row in self.tree() if not row[1]["commands"])

    def groups(self):
        """Yields (words, command) of each command that has commands of its own."""
        return (row for row in self.tree() if row[1]["commands"])

    def tree(self, words=(), commands=None):
        """Yields (words, command) of each command at any depth."""
        for command in self.commands if commands is None else commands:
            path = words + (command["name"],)
            yield path, command
            yield from self.tree(path, command["commands"])

    def kind_of(self, option):
        """Returns the kind of `list` whose names are values of this option, or
        None."""
        if not re.match(r"(SPECS?|NAME|FORMAT|CLUSTER)\b", option["value"] or ""):
            return None
        if option["name"] in KINDS:
            return KINDS[option["name"]]
        for plural in plurals(option["name"]):
            if plural in self.kinds:
                return plural
        return None

    def values(self, option):
        """Returns (words, files): the words that the value of an option may be
        or begin with, and "file", "folder" or None."""
        value = option["value"]
        if option["choices"]:
            return option["choices"], None
        if "settings" in option:
            return [name + "=" for name in option["settings"]], None
        if option["name"] in self.kinds and value.startswith("K=V"):
            return [setting["name"] + "=" for item in self.kinds[option["name"]]
                    for setting in item["settings"]], None
        parts = set(re.split(r"[|\[:,.]+", value))
        files = ("file" if parts & FILES else
                 "folder" if parts & FOLDERS else None)
        kind = self.kind_of(option)
        if kind:
            # A cluster, a format or a policy may also be a file.
            return self.names(kind), "file" if kind in ("clusters",) else files
        words = [word for word in value.split("|") if word.islower()]
        listed = re.match(r"((?:[a-z]+, )+[a-z]+ or [a-z]+)(?:;|$)",
                          option["help"])
        if listed and not files:
            words = re.split(r", | or ", listed.group(1))
        if option["name"] == "explain":
            words = sorted({item["name"] for items in self.kinds.values()
                            for item in items})
        return words, files

    def word_values(self, word):
        """Returns (words, files) of a positional argument, as `values` does of
        an option."""
        if word["name"] == "KIND":
            return sorted(list(self.kinds) + MORE_KINDS), None
        if word["name"] == "COMMAND":
            return sorted({words[-1] for words, _ in self.tree()}), None
        if word["name"] == "SPEC":
            return self.names("policies"), "file"
        return [], ("folder" if word["name"].rstrip(".") in FOLDERS else "file")


def released(root):
    """Returns the date of the newest release in CHANGELOG.md, as YYYY-MM-DD."""
    with open(os.path.join(root, "CHANGELOG.md"), encoding="utf-8") as file:
        return re.search(r"^## [0-9.]+ \((\d{4}-\d\d-\d\d)\)", file.read(),
                         re.M).group(1)
