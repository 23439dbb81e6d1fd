#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the man pages: schedsim.1 and one page for each command, from the tables
of the program.

    packaging/manual.py PROGRAM FOLDER"""
import os
import re
import sys
import textwrap

import tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRONMENT = [
    ("NO_COLOR", "if set and not empty, nothing is coloured; --color takes "
     "precedence"),
    ("SCHEDSIM_HISTORY", "default of --history"),
    ("SCHEDSIM_LLM_RECORDING, SCHEDSIM_LLM_RECORDING_MODE",
     "defaults of --llm-recording and --llm-recording-mode"),
    ("TMPDIR", "folder of temporary files; default /tmp"),
    ("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME",
     "folders in which schedsim/ holds signatures, clues, kept cases and the state of "
     "watch"),
]


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return text.replace("~", "\\(ti").replace("^", "\\(ha").replace(
        "`", "\\(ga")


def plain(text):
    """Returns text for a man page in lines of at most 78 bytes; each sentence
    begins a line. No line can be taken for a request of troff."""
    text = re.sub(r"(?<=[a-z)'][.]) (?=[A-Z'-])", "\n", text)
    lines = [line for part in escaped(text).split("\n") for line in
             textwrap.wrap(part, 76, break_on_hyphens=False,
                           break_long_words=False)]
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line
                     for line in lines)


def sentence(text):
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", ")")) else text + "."


def bold(text):
    return "\\fB" + escaped(text) + "\\fR"


def italic(text):
    return "\\fI" + escaped(text) + "\\fR"


def option_head(option):
    names = []
    if option.get("letter"):
        names.append(bold("-" + option["letter"]))
    names.append(bold("--" + option["name"]))
    head = ", ".join(names)
    return head + ("=" + italic(option["value"]) if option["value"] else "")


def option_text(option):
    text = option["help"]
    if option["default"]:
        text += "; default " + option["default"]
    if option["choices"]:
        text += "; one of " + ", ".join(option["choices"])
    if option["required"]:
        text += " (required)"
    if option["repeats"]:
        text += " (may be given more than once)"
    return text


HELP = [{"letter": "h", "name": "help", "value": None, "default": None,
         "choices": [], "required": False, "repeats": False, "group": None,
         "help": "describe the command"},
        {"letter": None, "name": "help-all", "value": None, "default": None,
         "choices": [], "required": False, "repeats": False, "group": None,
         "help": "describe all options of the command"},
        {"letter": None, "name": "usage", "value": None, "default": None,
         "choices": [], "required": False, "repeats": False, "group": None,
         "help": "print only the usage line"}]


def options(command):
    """Yields the options under their headings, in the order of the tables."""
    groups = {}
    for option in command["options"] + HELP:
        groups.setdefault(option["group"], []).append(option)
    for heading, rows in sorted(groups.items(), key=lambda row: not row[0]):
        if heading or len(groups) > 1:
            yield ".SS " + plain((heading or "Help:").rstrip(":"))
        for option in rows:
            yield ".TP"
            yield option_head(option)
            yield plain(option_text(option))
            for key in option.get("keys", ()):
                yield ".RS"
                yield ".TP"
                yield bold(key["name"]) + (
                    "=" + italic(key["value"]) if key["value"] else "")
                yield plain(option_text(key))
                yield ".RE"


def usage(words, command):
    yield ".SY " + bold("schedsim " + " ".join(words)).replace(" ", "\\ ")
    yield "[" + italic("OPTION") + "...]"
    for word in command["words"]:
        text = italic(word["name"]) + ("..." if word["repeats"] else "")
        yield text if word["required"] else "[" + text + "]"
    yield ".YS"


def head(name, summary, program, date):
    title = name.upper()
    yield ".\\\" SPDX-License-Identifier: GPL-3.0-or-later"
    yield '.TH %s 1 %s "schedsim %s" "User Commands"' % (
        plain(title), date, program.version)
    yield ".SH NAME"
    yield plain(name) + " \\-"
    yield plain(summary)


def exits(command):
    yield ".SH EXIT STATUS"
    for end in command["exit_status"]:
        yield ".TP"
        yield ".B %d" % end["status"]
        yield plain(sentence(end["meaning"]))


def examples(command):
    if not command["examples"]:
        return
    yield ".SH EXAMPLES"
    yield ".EX"
    for line in command["examples"].split("\n"):
        yield escaped("schedsim " + line)
    yield ".EE"


def references(names):
    yield ".SH SEE ALSO"
    for i, name in enumerate(names):
        yield ".BR %s (1)%s" % (plain(name), "," if i + 1 < len(names) else "")


def page(words, command, program, date):
    name = "-".join(("schedsim",) + words)
    yield from head(name, command["summary"], program, date)
    yield ".SH SYNOPSIS"
    yield from usage(words, command)
    yield ".SH DESCRIPTION"
    yield plain(command["about"] or sentence(command["summary"]))
    if command["notes"]:
        yield ".PP"
        yield plain(command["notes"])
    yield ".SH OPTIONS"
    yield from options(command)
    yield from exits(command)
    yield from examples(command)
    parent = "-".join(("schedsim",) + words[:-1])
    yield from references([parent] if parent == "schedsim"
                          else ["schedsim", parent])


def members(names_and_summaries):
    for name, summary in names_and_summaries:
        yield ".TP"
        yield ".BR %s (1)" % plain(name)
        yield plain(sentence(summary))


def group_page(words, command, program, date):
    name = "-".join(("schedsim",) + words)
    yield from head(name, command["summary"], program, date)
    yield ".SH SYNOPSIS"
    yield ".SY " + bold("schedsim " + " ".join(words)).replace(" ", "\\ ")
    yield italic("COMMAND")
    yield "[" + italic("ARGUMENT") + "...]"
    yield ".YS"
    yield ".SH DESCRIPTION"
    yield plain(sentence(command["summary"]))
    yield ".SH COMMANDS"
    yield from members((name + "-" + member["name"], member["summary"])
                       for member in command["commands"])
    yield from references(["schedsim"])


def main_page(program, date):
    yield from head("schedsim", "simulator of GPU-cluster schedulers", program,
                    date)
    yield ".SH SYNOPSIS"
    for words in ("[" + bold("run") + "] " + italic("TRACE"), italic("COMMAND")):
        yield ".SY " + bold("schedsim")
        yield words
        yield "[" + italic("OPTION") + "...]"
        yield ".YS"
    yield ".SH DESCRIPTION"
    yield plain("schedsim replays traces of GPU-cluster jobs through scheduling "
                "policies and reports what each would have done to waiting "
                "time, completion time and utilisation. Two runs of one "
                "configuration write the same bytes.")
    yield ".SH COMMANDS"
    yield from members(("schedsim-" + command["name"], command["summary"])
                       for command in program.commands)
    yield ".SH ENVIRONMENT"
    for names, meaning in ENVIRONMENT:
        yield ".TP"
        yield ", ".join(bold(name) for name in names.split(", "))
        yield plain(sentence(meaning))
    yield ".SH EXIT STATUS"
    seen = {end["status"]: end for _, command in program.leaves()
            for end in command["exit_status"]}
    for _, end in sorted(seen.items()):
        yield ".TP"
        yield ".B %d" % end["status"]
        yield plain(sentence(end["meaning"]))
    yield from references(["schedsim-" + command["name"]
                           for command in program.commands])


def pages(program, date):
    """Yields (name of the file, text) of each page."""
    yield "schedsim.1", main_page(program, date)
    for words, command in program.groups():
        yield ("-".join(("schedsim",) + words) + ".1",
               group_page(words, command, program, date))
    for words, command in program.leaves():
        yield ("-".join(("schedsim",) + words) + ".1",
               page(words, command, program, date))


def write(program, folder, date):
    os.makedirs(folder, exist_ok=True)
    for name, lines in pages(program, date):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: packaging/manual.py PROGRAM FOLDER")
    write(tables.Program(sys.argv[1]), sys.argv[2], tables.released(ROOT))
