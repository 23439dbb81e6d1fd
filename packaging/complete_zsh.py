# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the completion script of zsh."""

BODY = r"""
# A value such as name:key=value,key=value or name,name.
_schedsim_spec() { # kind, file or no
  local -a answers
  if [[ $PREFIX == *:* ]]; then
    local name=${${PREFIX%%:*}##*,}
    compset -P '*[:,]'
    answers=(${=_schedsim_settings[$1/$name]})
    compadd -S '' -a answers
  else
    compset -P '*,'
    answers=(${=_schedsim_names[$1]})
    compadd -a answers
    [[ $2 == no ]] || _files
  fi
}

_schedsim_commands() {
  _describe -t commands 'command' _schedsim_all
  _files
}

_schedsim() {
  local context state line curcontext=$curcontext
  typeset -A opt_args
  if (( CURRENT == 2 )); then
    _schedsim_commands
    return
  fi
  local command=$words[2]
  if (( ! ${+_schedsim_summary[$command]} )); then
    command=run
    words=($words[1] run $words[2,-1])
    (( CURRENT++ ))
  fi
  while (( ${+_schedsim_members[$command]} )); do
    if (( CURRENT == 3 )); then
      local -a members
      members=(${=_schedsim_members[$command]})
      compadd -a members
      return
    fi
    command="$command $words[3]"
    shift words
    (( CURRENT-- ))
  done
  shift words
  (( CURRENT-- ))
  _schedsim_arguments $command
}

_schedsim "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def described(text):
    """Returns a text that can stand within the brackets of _arguments."""
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")


def action(kind, values, paths):
    if kind:
        return " _schedsim_spec %s %s" % (kind, paths or "no")
    parts = []
    if values:
        parts.append("(%s)" % " ".join(values))
    if paths:
        parts.append("_files -/" if paths == "folder" else "_files")
    if len(parts) == 2:
        return "{ compadd %s; _files }" % " ".join(values)
    return parts[0] if parts else "( )"


def option_row(program, option):
    repeat = "*" if option["repeats"] else ""
    help_ = "[%s]" % described(option["help"])
    value = ""
    if option["value"]:
        kind = program.kind_of(option)
        words, paths = program.values(option)
        value = ":%s:%s" % (described(option["value"]),
                            action(kind, words, paths))
    names = ["--" + option["name"] + ("=" if option["value"] else "")]
    if option["letter"]:
        names.append("-" + option["letter"])
    group = " ".join("-%s" % n.strip("-=") if len(n) == 2 else
                     "--" + n.strip("-=") for n in names)
    for name in names:
        others = repeat if repeat else "(%s)" % group
        yield "    " + quoted(others + name + help_ + value)


def word_row(program, i, word):
    values, paths = program.word_values(word)
    kind = "policies" if word["name"] == "SPEC" else None
    place = "*" if word["repeats"] else str(i + 1)
    optional = "" if word["required"] or word["repeats"] else ":"
    return "    " + quoted("%s:%s%s:%s" % (
        place, optional, described(word["help"]),
        action(kind, values, paths)))


def script(program):
    yield "#compdef schedsim"
    yield "# zsh completion for schedsim %s" % program.version
    yield "# SPDX-License-Identifier: GPL-3.0-or-later"
    yield "typeset -gA _schedsim_names=("
    for kind in program.kinds:
        yield "  %s %s" % (kind, quoted(" ".join(program.names(kind))))
    yield ")"
    yield "typeset -gA _schedsim_settings=("
    for kind, items in program.kinds.items():
        for item in items:
            if item["settings"]:
                yield "  %s/%s %s" % (kind, item["name"], quoted(
                    " ".join(s["name"] + "=" for s in item["settings"])))
    yield ")"
    yield "typeset -ga _schedsim_all=("
    for command in program.commands:
        yield "  " + quoted("%s:%s" % (command["name"],
                                       command["summary"].replace(":", "\\:")))
    yield ")"
    yield "typeset -gA _schedsim_summary=("
    for command in program.commands:
        yield "  %s %s" % (command["name"], quoted(command["summary"]))
    yield ")"
    yield "typeset -gA _schedsim_members=("
    for words, command in program.groups():
        yield "  %s %s" % (quoted(" ".join(words)), quoted(
            " ".join(m["name"] for m in command["commands"])))
    yield ")"
    yield "_schedsim_arguments() {"
    yield "  case $1 in"
    for words, command in program.leaves():
        yield "  %s)" % quoted(" ".join(words))
        yield "    _arguments -s -S \\"
        for option in command["options"]:
            for row in option_row(program, option):
                yield row + " \\"
        for i, word in enumerate(command["words"]):
            yield word_row(program, i, word) + " \\"
        yield "    '(-h --help)'{-h,--help}'[describe the command]' --help-all ;;"
    yield "  esac"
    yield "}"
    yield BODY.rstrip("\n")
