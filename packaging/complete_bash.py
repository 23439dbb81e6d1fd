# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the completion script of bash."""

# The parts that do not depend on the tables. bash splits words at = and :, so
# the functions read the words from the line, and cut from the answers the part
# of the current word up to its last separator.
BODY = r"""
_schedsim_reply() { # prefix, words: answers with prefix and each word
    local word
    for word in $2; do
        case $1$word in "$current"*) COMPREPLY+=("$1$word") ;; esac
    done
}

_schedsim_paths() { # file or folder, prefix, part of a path
    local path flag=-f
    [ "$1" = folder ] && flag=-d
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
        COMPREPLY+=("$2$path")
    done < <(compgen "$flag" -- "$3")
}

# A value such as name:key=value,key=value or name,name.
_schedsim_spec() { # kind, prefix, value
    local name head=${3%%:*}
    if [[ $3 == *:* ]]; then
        name=${head##*,}
        _schedsim_settings "$1" "$name"
        head=${3%"${3##*[:,]}"}
        _schedsim_reply "$2$head" "$REPLY"
    else
        _schedsim_names "$1"
        head=${3%"${3##*,}"}
        _schedsim_reply "$2$head" "$REPLY"
    fi
}

_schedsim_value() { # command, option or number of a word, prefix, value
    local kind words paths
    _schedsim_what "$1 $2"
    [ -z "$kind" ] || _schedsim_spec "$kind" "$3" "$4"
    [ -z "$words" ] || _schedsim_reply "$3" "$words"
    if [ -n "$paths" ]; then
        _schedsim_paths "$paths" "$3" "$4"
    fi
}

_schedsim_takes_value() { # command, option
    local kind words paths
    _schedsim_what "$1 $2"
    [ -n "$known" ]
}

# Cuts what bash takes for words before the current one.
_schedsim_cut() {
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    local i cut=${current%"${current##*[=:]}"}
    [ -n "$cut" ] || return 0
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
    done
}

_schedsim() {
    local line=${COMP_LINE:0:COMP_POINT} current before='' command REPLY known
    local -a all
    local i n=0 first=1
    COMPREPLY=()
    read -ra all <<<"$line"
    case $line in *[[:space:]]) all+=('') ;; esac
    current=${all[${#all[@]} - 1]}
    [ ${#all[@]} -gt 2 ] && before=${all[${#all[@]} - 2]}
    if [ ${#all[@]} -eq 2 ]; then
        case $current in
        -*) _schedsim_reply '' --version ;;
        *)
            _schedsim_reply '' "$_schedsim_commands"
            _schedsim_paths file '' "$current"
            return
            ;;
        esac
    fi
    case " $_schedsim_commands " in
    *" ${all[1]} "*) command=${all[1]} first=2 ;;
    *) command=run ;;
    esac
    while _schedsim_members "$command" && [ -n "$REPLY" ]; do
        if [ ${#all[@]} -eq $((first + 1)) ]; then
            _schedsim_reply '' "$REPLY"
            return
        fi
        command="$command ${all[first]}" first=$((first + 1))
    done
    if [[ $before == -* && $before != *=* ]] &&
        _schedsim_takes_value "$command" "$before"; then
        _schedsim_value "$command" "$before" '' "$current"
        _schedsim_cut
        return
    fi
    case $current in
    --*=*)
        _schedsim_value "$command" "${current%%=*}" "${current%%=*}=" \
            "${current#*=}"
        _schedsim_cut
        return
        ;;
    -*)
        _schedsim_options "$command"
        _schedsim_reply '' "$REPLY"
        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] &&
            compopt -o nospace 2>/dev/null
        return
        ;;
    esac
    for ((i = first; i < ${#all[@]} - 1; i++)); do
        case ${all[i]} in
        --*=*) ;;
        -*) _schedsim_takes_value "$command" "${all[i]}" && i=$((i + 1)) ;;
        *) n=$((n + 1)) ;;
        esac
    done
    _schedsim_value "$command" "$n" '' "$current"
    _schedsim_cut
}

complete -o nosort -F _schedsim schedsim
"""


def quoted(words):
    return "'" + " ".join(words) + "'"


def case(name, rows, otherwise):
    """Yields a function of the shell with a case for each row (pattern,
    commands)."""
    yield "%s() {" % name
    yield "    case $1 in"
    for pattern, action in rows:
        yield "    %s) %s ;;" % (pattern, action)
    yield "    *) %s ;;" % otherwise
    yield "    esac"
    yield "}"


def assignments(kind, values, paths):
    return "known=yes kind=%s words=%s paths=%s" % (
        quoted([kind] if kind else []), quoted([] if kind else values),
        quoted([paths] if paths else []))


def what(program):
    """Maps each command and option to the assignments of kind, words and
    paths."""
    rows = {}
    for words, command in program.leaves():
        path = " ".join(words)
        for option in command["options"]:
            if not option["value"]:
                continue
            kind = program.kind_of(option)
            values, paths = program.values(option)
            text = assignments(kind, values, paths)
            names = ["--" + option["name"]]
            if option["letter"]:
                names.append("-" + option["letter"])
            for name in names:
                rows.setdefault(text, []).append("%s %s" % (path, name))
        for i, word in enumerate(command["words"]):
            values, paths = program.word_values(word)
            kind = "policies" if word["name"] == "SPEC" else None
            number = "*" if word["repeats"] else str(i)
            rows.setdefault(assignments(kind, values, paths), []).append(
                "%s %s" % (path, number))
    for text, keys in sorted(rows.items(), key=lambda row: any(
            key.endswith("*") for key in row[1])):
        patterns = ["'%s'*" % key[:-1] if key.endswith("*") else "'%s'" % key
                    for key in sorted(keys, key=lambda key: key[-1] == "*")]
        yield " | \\\n        ".join(patterns), text


def script(program):
    yield "# bash completion for schedsim %s" % program.version
    yield "# SPDX-License-Identifier: GPL-3.0-or-later"
    yield "# shellcheck shell=bash"
    yield "_schedsim_commands=" + quoted(c["name"] for c in program.commands)
    yield from case("_schedsim_members", [
        ("'%s'" % " ".join(words), "REPLY=" + quoted(
            m["name"] for m in c["commands"]))
        for words, c in program.groups()], "REPLY=''")
    yield from case("_schedsim_options", [
        ("'%s'" % " ".join(words), "REPLY=" + quoted(
            ["--" + o["name"] + ("=" if o["value"] else "")
             for o in command["options"]] + ["--help", "--help-all", "--usage"]))
        for words, command in program.leaves()], "REPLY='--help'")
    yield from case("_schedsim_names", [
        (kind, "REPLY=" + quoted(program.names(kind)))
        for kind in program.kinds], "REPLY=''")
    yield from (line.replace("case $1 in", "case $1/$2 in") for line in case(
        "_schedsim_settings", [
            ("%s/%s" % (kind, item["name"]), "REPLY=" + quoted(
                s["name"] + "=" for s in item["settings"]))
            for kind, items in program.kinds.items() for item in items
            if item["settings"]], "REPLY=''"))
    yield from case("_schedsim_what", what(program),
                    "known='' kind='' words='' paths=''")
    yield BODY.rstrip("\n")
