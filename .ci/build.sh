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
