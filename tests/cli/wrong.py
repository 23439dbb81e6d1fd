# SPDX-License-Identifier: GPL-3.0-or-later
"""wrong.py FILE COMMAND CHANGE...: what a user is told of a wrong JSON file. For
each CHANGE, changes the document of FILE, writes it to wrong.json beside FILE
and runs COMMAND there, a shell command. Prints the change and what the command
prints to stderr, and its exit status if it is not 3. A change is KEY=VALUE, in
JSON; KEY=@N sets N copies of the value in a list; KEY alone takes the member
away. KEY has a dot between levels, and a number stands for a row of a list; an
empty KEY is the whole document."""
import copy
import json
import os
import subprocess
import sys


def changed(document, key, value):
    box = {"": copy.deepcopy(document)}
    at, steps = box, ["", *(key.split(".") if key else [])]
    steps = [int(step) if step.isdigit() else step for step in steps]
    for step in steps[:-1]:
        at = at[step]
    if value is None:
        del at[steps[-1]]
    elif value.startswith("@"):
        at[steps[-1]] = at[steps[-1]][:1] * int(value[1:])
    else:
        value = json.loads(value)
        if isinstance(at, list) and steps[-1] == len(at):
            at.append(value)
        else:
            at[steps[-1]] = value
    return box[""]


def main(path, command, changes):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    folder = os.path.dirname(path) or "."
    for change in changes:
        key, _, value = change.partition("=")
        with open(os.path.join(folder, "wrong.json"), "w",
                  encoding="utf-8") as file:
            json.dump(changed(document, key, value or None), file)
        done = subprocess.run(command, shell=True, cwd=folder, check=False,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        print("%s\n  %s%s" % (
            change if len(change) < 100 else change[:97] + "...",
            done.stderr.replace("schedsim: ", "", 1).strip()
            .replace("\n", "\n  "),
            " [exit %d]" % done.returncode if done.returncode != 3 else ""))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
