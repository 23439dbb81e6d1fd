#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# commit.sh ROOT HEADER: writes the commit from which the program is built to
# HEADER, with -dirty if files differ from that commit. Writes "unknown" if ROOT
# is not a checkout of its own.
commit=unknown
if [ -e "$1/.git" ]; then
    commit=$(git --git-dir="$1/.git" --work-tree="$1" describe --always \
        --dirty --abbrev=40 --exclude='*' 2>/dev/null) || commit=unknown
fi
printf '#define SCHEDSIM_COMMIT "%s"\n' "$commit" >"$2"
