# SPDX-License-Identifier: GPL-3.0-or-later
# Shell functions of ./schedsim and tests/run that install packages and build.
# This file is sourced and needs $root. The functions print nothing unless they
# must do something or $announce (first, again) is set.

# packages_missing KIND: prints the packages of a kind (build or test) that are
# not installed. A line of .ci/packages may end with a command: a package whose
# command is there is not needed, whatever package the command is from.
packages_missing() {
    command -v dpkg-query >/dev/null || return 0
    sed -n "s/^$1 //p" "$root/.ci/packages" | while read -r name command; do
        [ -z "$command" ] || ! command -v "$command" >/dev/null || continue
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null |
            grep -q 'ok installed$' || printf '%s ' "$name"
    done
}

# packages_need KIND...: installs the missing packages of these kinds. Without
# root, prints the command that installs them and returns 1.
packages_need() {
    names=
    for kind in "$@"; do
        names="$names$(packages_missing "$kind")"
    done
    [ -n "$names" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        printf 'schedsim: needs packages that are not installed:\n' >&2
        printf '    sudo apt-get install -y %s\n' "$names" >&2
        return 1
    fi
    # A person at a terminal is asked; a script that runs as root is not.
    if [ -t 0 ] && [ -t 2 ]; then
        printf 'schedsim: install these packages? %s[Y/n] ' "$names" >&2
        read -r answer
        case $answer in '' | [Yy]*) ;; *) return 1 ;; esac
    else
        printf 'schedsim: installing %s\n' "$names" >&2
    fi
    log=$(mktemp)
    # The package lists may be old or absent. Fetch them only when an
    # installation fails, because that takes long.
    # shellcheck disable=SC2086
    if ! { packages_get $names || { apt-get update -q && packages_get $names; }
        } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

packages_get() {
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
        --no-install-recommends "$@"
}

# These functions print the progress of a build if $announce is set, as
# ./schedsim does: on a terminal one line that is overwritten, elsewhere a few
# lines.
is_terminal() {
    [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]
}

tell() {
    [ -n "${announce-}" ] || return 0
    if is_terminal; then
        printf '\r\033[Kschedsim: %s' "$*" >&2
    else
        printf 'schedsim: %s\n' "$*" >&2
    fi
}

tell_no_more() {
    [ -z "${announce-}" ] || ! is_terminal || printf '\r\033[K' >&2
}

# steps WHAT LOG: copies the output of ninja to LOG and prints its progress:
# always on a terminal; elsewhere only in a first build, at each quarter.
steps() {
    told=0
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$2"
        case $line in @[0-9]*/[0-9]*' '*) ;; *) continue ;; esac
        counts=${line#@} counts=${counts%% *}
        percent=$((100 * ${counts%/*} / ${counts#*/}))
        if is_terminal; then
            tell "$1: $percent % ($counts)"
        elif [ "${announce-}" = first ] && [ $((percent / 25)) -gt $told ]; then
            told=$((percent / 25))
            tell "$1: $percent %"
        fi
    done
}

# why_failed LOG: prints the part of a log that says why a build failed: the
# error of meson, or the compiler's messages without its command line, or the
# end of the log.
why_failed() {
    if grep -q '^[^ ]*meson.*: ERROR: ' "$1"; then
        grep '^[^ ]*meson.*: ERROR: ' "$1" >&2
    elif grep -q '^FAILED: ' "$1"; then
        awk '/^FAILED: / { on = 2; next }
            /^@[0-9]+\/[0-9]+ / || /^ninja: / { on = 0 }
            on == 2 { on = 1; next }
            on' "$1" | head -n 60 >&2
    else
        tail -n 20 "$1" >&2
    fi
}

# is_source_error LOG: true if a build failed because of an error in a source
# file, so that another way of building would fail too.
is_source_error() {
    grep -Eq '^[^ ]+:[0-9]+:([0-9]+:)? (fatal )?error: ' "$1"
}

# build_dir DIR TARGET [meson options]: configures DIR if that was not done,
# then builds TARGET ("all" for everything). Prints only when announced or when
# the build fails. Returns 3 if a source file has an error.
build_dir() {
    dir=$1 target=$2
    shift 2
    log=$(mktemp)
    st=0
    if [ ! -f "$dir/build.ninja" ]; then
        rm -rf "$dir"
        meson setup "$dir" "$root" "$@" >"$log" 2>&1 || st=$?
    fi
    if [ $st -eq 0 ]; then
        : >"$log"
        { NINJA_STATUS='@%f/%t ' ninja -C "$dir" "$target" 2>&1 ||
            echo $? >"$log.st"; } | steps "${doing:-building}" "$log"
        [ ! -f "$log.st" ] || st=1
    fi
    tell_no_more
    if [ $st -ne 0 ]; then
        why_failed "$log"
        ! is_source_error "$log" || st=3
    fi
    rm -f "$log" "$log.st"
    return $st
}

# build_release DIR: builds the program as users run it, one plain hardened
# release. A directory that is configured already keeps its configuration:
# bench/build-fast configures the same directory for speed.
build_release() {
    doing='building again what has changed'
    [ -f "$1/build.ninja" ] || doing='building, once'
    build_dir "$1" schedsim --buildtype=release -Dtests=disabled
}
