# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the completion script of fish."""

BODY = r"""
# True if the command line has reached exactly this command.
function __schedsim_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command $words[1]
    if not contains -- "$command" $__schedsim_commands
        set command run
    end
    set -l next 2
    while contains -- "$command" $__schedsim_groups
        set command "$command $words[$next]"
        set next (math $next + 1)
    end
    test "$command" = "$argv"
end

function __schedsim_first
    test (count (commandline -opc)) -eq 1
end

function __schedsim_in
    set -l words (commandline -opc)
    test "$words[2..-1]" = "$argv"
end
"""


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def rows(program, path, command):
    where = "-n " + quoted("__schedsim_at " + " ".join(path))
    for option in command["options"]:
        parts = ["complete -c schedsim", where, "-l", option["name"]]
        if option["letter"]:
            parts += ["-s", option["letter"]]
        if option["value"]:
            values, paths = program.values(option)
            parts.append("-r" if paths else "-x")
            if paths:
                parts.append("-F")
            if values:
                parts += ["-a", quoted(" ".join(values))]
        parts += ["-d", quoted(option["help"])]
        yield " ".join(parts)
    for word in command["words"]:
        values, paths = program.word_values(word)
        if values:
            yield " ".join(["complete -c schedsim", where, "" if paths else "-f",
                            "-a", quoted(" ".join(values))])


def script(program):
    yield "# fish completion for schedsim %s" % program.version
    yield "# SPDX-License-Identifier: GPL-3.0-or-later"
    yield "set -g __schedsim_commands " + " ".join(
        c["name"] for c in program.commands)
    yield "set -g __schedsim_groups " + " ".join(
        quoted(" ".join(words)) for words, _ in program.groups())
    yield BODY.strip("\n")
    yield "complete -c schedsim -e"
    for command in program.commands:
        yield "complete -c schedsim -n __schedsim_first -a %s -d %s" % (
            command["name"], quoted(command["summary"]))
    for words, command in program.groups():
        for member in command["commands"]:
            yield "complete -c schedsim -f -n %s -a %s -d %s" % (
                quoted("__schedsim_in " + " ".join(words)), member["name"],
                quoted(member["summary"]))
    for path, command in program.leaves():
        yield from rows(program, path, command)
