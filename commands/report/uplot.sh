#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# uplot.sh SOURCE OUT on|off: puts uPlot, which draws the lines of the page, into
# OUT/uplot_code.js, OUT/uplot_style.css and OUT/uplot_licence.txt. It is taken from
# SOURCE/node_modules if somebody has put it there, or else from the npm registry, in
# the version and with the digest of SOURCE/package-lock.json. If neither is
# possible, the three files are empty, the exit status is 1, and stderr says why.
set -u
source=$1 out=$2
mkdir -p "$out"

put() { # package
    cp "$1/dist/uPlot.iife.min.js" "$out/uplot_code.js" &&
        cp "$1/dist/uPlot.min.css" "$out/uplot_style.css" &&
        cp "$1/LICENSE" "$out/uplot_licence.txt" &&
        cp "$source/package-lock.json" "$out/uplot_of.json"
}

fail() {
    for name in uplot_code.js uplot_style.css uplot_licence.txt; do
        : >"$out/$name"
    done
    rm -f "$out/uplot_of.json"
    echo "$*" >&2
    exit 1
}

if [ -f "$source/node_modules/uplot/dist/uPlot.iife.min.js" ]; then
    put "$source/node_modules/uplot" || fail 'commands/report/node_modules is incomplete'
    exit 0
fi
[ "$3" = on ] || fail '-Dreport=disabled fetches nothing'
# It is there already, by this lock file.
if [ -s "$out/uplot_code.js" ] &&
    cmp -s "$source/package-lock.json" "$out/uplot_of.json"; then
    exit 0
fi
command -v npm >/dev/null || fail 'npm is not installed'
npm=$out/npm
rm -rf "$npm"
mkdir -p "$npm"
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$npm"
cd "$npm" || fail 'the build directory cannot be used'
timeout 60 npm ci --no-progress --fetch-retries=1 \
    --fetch-retry-mintimeout=1000 --fetch-timeout=15000 \
    >npm.log 2>&1 </dev/null ||
    fail "npm ci failed: $(grep -m 1 'error' npm.log | cut -c 1-200)"
put "$npm/node_modules/uplot" || fail 'the package is not as expected'
rm -rf "$npm"
