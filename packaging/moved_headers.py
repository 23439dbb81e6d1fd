# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a header of one line under each name that a header had before 0.3.0;
called by `meson install`. To be removed with 0.4.0.

    moved_headers.py INCLUDEDIR"""
import os
import sys

MOVED = {
    "sim/base": ("base", "arena check error option remarks text units"),
    "sim/state": ("base/state", "board cluster cluster_spec event gpu_set job plugin"),
    "sim/decide": ("policies/decide", "placer plan view"),
}


def main():
    if os.environ.get("MESON_INSTALL_DRY_RUN"):
        return
    top = os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[1])
    for old, (new, names) in MOVED.items():
        os.makedirs(os.path.join(top, old), exist_ok=True)
        for name in names.split():
            with open(os.path.join(top, old, name + ".h"), "w",
                      encoding="utf-8") as file:
                file.write('#include "%s/%s.h"\n' % (new, name))


main()
