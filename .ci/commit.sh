#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# commit.sh ROOT HEADER: writes the commit from which the program is built, with
# -dirty if files differ from it, or "unknown" outside a checkout of its own.
commit=unknown
if [ -e "$1/.git" ]; then
    commit=$(git --git-dir="$1/.git" --work-tree="$1" describe --always \
        --dirty --abbrev=40 --exclude='*' 2>/dev/null) || commit=unknown
fi
printf '#define SCHEDSIM_COMMIT "%s"\n' "$commit" >"$2"
