#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_wheel.py [--build DIR] [--out DIR]: makes the wheel of schedsim, which
carries the library, the program and the shared libraries that both need, so that
it runs where none of them is installed. Needs patchelf and the package wheel."""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Libraries that each Linux with this C library has, so that the wheel need not
# contain them.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|dl|pthread|rt|resolv|"
                    r"gcc_s))\.so")
METADATA = """Metadata-Version: 2.1
Name: schedsim
Version: {version}
Summary: A simulator of GPU-cluster schedulers that replays real job traces
License: GPL-3.0-or-later
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{readme}"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("make_wheel.py: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def build(out):
    run("meson", "setup", "--buildtype=release", "-Dtests=disabled", out, ROOT)
    run("ninja", "-C", out, "schedsim", "lib/libschedsim.so.1.0.0")


def needed(path):
    """Yields name and path of each shared library that a file needs, without
    those of the system."""
    for line in run("ldd", path).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and not SYSTEM.match(match[1]):
            yield match[1], match[2]


def licence_of(path):
    """Returns the Debian package of a library and the file with its licence;
    None if no package has the library."""
    for name in (path, os.path.realpath(path)):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True,
                               text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            return package, "/usr/share/doc/%s/copyright" % package
    return None


def carry(source, lib, licences):
    """Copies the library, the program, and the shared libraries that both need
    into `lib`, and their licences into `licences`."""
    for name, target in (("lib/libschedsim.so.1.0.0", "libschedsim.so.1"),
                         ("schedsim", "schedsim")):
        path = os.path.join(source, name)
        shutil.copy(path, os.path.join(lib, target))
        for other, where in needed(path):
            if os.path.exists(os.path.join(lib, other)):
                continue
            shutil.copy(where, os.path.join(lib, other))
            licence = licence_of(where)
            if licence and os.path.exists(licence[1]):
                shutil.copy(licence[1], os.path.join(licences, licence[0]))
    for name in os.listdir(lib):
        run("patchelf", "--set-rpath", "$ORIGIN", os.path.join(lib, name))
        run("strip", "--strip-unneeded", os.path.join(lib, name))


def tag():
    """Returns the tag of the wheel. It names this machine's glibc: the files
    may need symbols of this version, and no newer ones."""
    major, minor = platform.libc_ver()[1].split(".")[:2]
    return "py3-none-manylinux_%s_%s_%s" % (major, minor, platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", help="a build directory of meson; default: a "
                        "new release build")
    parser.add_argument("--out", default=".", help="where the wheel goes")
    args = parser.parse_args()
    if not shutil.which("patchelf"):
        sys.exit("make_wheel.py: patchelf is missing (package patchelf)")
    with tempfile.TemporaryDirectory() as work:
        source = args.build or os.path.join(work, "build")
        if not args.build:
            build(source)
        version = re.search(r"version : '([^']+)'",
                            open(os.path.join(ROOT, "meson.build")).read())[1]
        tree = os.path.join(work, "wheel")
        info = os.path.join(tree, "schedsim-%s.dist-info" % version)
        shutil.copytree(os.path.join(HERE, "schedsim"),
                        os.path.join(tree, "schedsim"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        lib = os.path.join(tree, "schedsim", "lib")
        os.makedirs(lib)
        os.makedirs(os.path.join(info, "licenses"))
        carry(source, lib, os.path.join(info, "licenses"))
        shutil.copy(os.path.join(ROOT, "LICENSE"),
                    os.path.join(info, "licenses", "schedsim"))
        readme = open(os.path.join(HERE, "README.md")).read()
        write(os.path.join(info, "METADATA"),
              METADATA.format(version=version, readme=readme))
        write(os.path.join(info, "WHEEL"), "Wheel-Version: 1.0\nGenerator: "
              "make_wheel.py\nRoot-Is-Purelib: false\nTag: %s\n" % tag())
        write(os.path.join(info, "entry_points.txt"),
              "[console_scripts]\nschedsim = schedsim.__main__:main\n")
        os.makedirs(args.out, exist_ok=True)
        print(run(sys.executable, "-m", "wheel", "pack", tree, "--dest-dir",
                  args.out).splitlines()[-1])


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
