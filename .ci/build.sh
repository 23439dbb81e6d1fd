# SPDX-License-Identifier: GPL-3.0-or-later
# Shell functions of ./schedsim and tests/run: packages and builds. Sourced;
# expects $root, prints nothing unless something has to be done.

# Names of the packages of a kind (build or test) that are not installed.
packages_missing() {
    command -v dpkg-query >/dev/null || return 0
    sed -n "s/^$1 //p" "$root/.ci/packages" | while read -r name; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null |
            grep -q 'ok installed$' || printf '%s ' "$name"
    done
}

# Installs the packages of the kinds given, or says how to.
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
    printf 'schedsim: installing %s\n' "$names" >&2
    log=$(mktemp)
    # The package lists may be old or absent: fetch them only when needed.
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

# build_dir DIR TARGET [meson options]: configures once, then builds TARGET
# ("all" for everything). Words only when it takes long or fails.
build_dir() {
    dir=$1 target=$2
    shift 2
    log=$(mktemp)
    st=0
    if [ ! -f "$dir/build.ninja" ]; then
        rm -rf "$dir"
        meson setup "$dir" "$root" "$@" >"$log" 2>&1 || st=$?
    fi
    [ $st -ne 0 ] || ninja -C "$dir" "$target" >"$log" 2>&1 || st=$?
    [ $st -eq 0 ] || tail -n 40 "$log" >&2
    rm -f "$log"
    return $st
}

# Whether the compiler keeps its profiles as gcc does.
is_gcc() {
    printf __clang__ | ${CC:-cc} -E -P -x c - 2>/dev/null |
        grep -qx __clang__
}

# The runs after which the compiler knows where the program spends its time.
# Short ones: what takes long would make all else look unimportant.
rehearse() {
    out=$(mktemp -d)
    st=0
    for case in lucid:24x8 venus:32x8 philly:6x8; do
        for policy in fifo srtf tiresias; do
            for rules in sound lucid; do
                "$1" run "$root/traces/samples/${case%:*}.csv" --quiet \
                    --cluster "${case#*:}" --policy "$policy" \
                    --rules "$rules" --out "$out/result" || st=1
            done
        done
    done
    rm -rf "$out"
    return $st
}

# build_fast DIR: the program as it is used. With gcc it is built twice, the
# second time for what the first did in a rehearsal: that makes a run a
# twentieth to a tenth faster. DIR/built says that neither was interrupted.
build_fast() {
    [ -f "$1/built" ] || rm -rf "$1"
    if [ ! -d "$1" ] && is_gcc; then
        { build_dir "$1" schedsim --buildtype=release -Dtests=disabled \
            -Db_pgo=generate && rehearse "$1/schedsim" &&
            meson configure "$1" -Db_pgo=use -Db_lto=true >/dev/null
        } || rm -rf "$1"
    fi
    build_dir "$1" schedsim --buildtype=release -Dtests=disabled \
        -Db_lto=true || return 1
    : >"$1/built"
}
