# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that an option means the same thing in all commands: prints each
option whose argument or letter differs between two commands, and each letter
that stands for two options."""
import collections
import re
import subprocess

GROUPS = ("trace", "mate", "history", "cases", "policy")
# Options whose argument has two names but one meaning.
SAME = {
    ("out", "DIR", "FILE"),     # where results go
    ("format", "NAME", "SPEC"), # a trace to write has no keys
    ("only", "GROUP", "PATTERN"), # a part of what is checked
    ("baseline", "DIR", "FILE", "NAME"), # a result, or the policy of it
    ("state", "FILE", "STATE"), # a cluster's, in a file; a job's, a word
    ("columns", "N", "short|NAME"), # of panels: how many; of cells: which
}


def run_help(*words):
    return subprocess.run(["schedsim", *words], check=True, capture_output=True,
                          text=True).stdout


def commands(*above):
    text = run_help("help", *above)
    if above:
        text = text.split("commands:\n")[1].split("\n\n")[0]
    for name in re.findall(r"^  (\w+)  ", text, re.M):
        if name in GROUPS:
            yield from commands(*above, name)
        else:
            yield (*above, name)


def main():
    arguments = collections.defaultdict(set)
    letters = collections.defaultdict(set)
    spelt = collections.defaultdict(set)
    for command in commands():
        for letter, name, argument in re.findall(
                r"^ {2}(?:(-\w), |    )--([\w-]+)(?:=(\S+))?", run_help(
                    *command, "--help-all"), re.M):
            arguments[name].add(argument)
            spelt[name].add(letter)
            if letter:
                letters[letter].add(name)
    for name, kinds in sorted(arguments.items()):
        if len(kinds) > 1 and (name, *sorted(kinds)) not in SAME:
            print("--%s: %s" % (name, ", ".join(sorted(kinds))))
    for letter, names in sorted(letters.items()):
        if len(names) > 1:
            print("%s: %s" % (letter, ", ".join(sorted(names))))
    for name, both in sorted(spelt.items()):
        if len(both) > 1 and name != "all":
            print("--%s: %s" % (name, " or ".join(sorted(both))))
    print("%d options" % len(arguments))


main()
