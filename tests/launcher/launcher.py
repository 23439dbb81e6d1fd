# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that ./schedsim builds the program that it runs, shows its progress,
and for an error in a source file shows only the message of the compiler. The
test uses a program of three files, because the real one takes a minute to
build."""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import ROOT, Tap  # noqa: E402

MESON = """project('small', 'c', default_options : ['warning_level=2'])
executable('schedsim', 'main.c', 'one.c', 'two.c')
"""
SOURCES = {
    "main.c": "#include <stdio.h>\nint one(void);\nint two(void);\n"
              "int main(int n, char **argv)\n{\n    (void)argv;\n"
              "    if (n == 1)\n"
              "        printf(\"ran %d\\n\", n + one() + two());\n"
              "    return 0;\n}\n",
    "one.c": "int one(void);\nint one(void)\n{\n    return 1;\n}\n",
    "two.c": "int two(void);\nint two(void)\n{\n    return 2;\n}\n",
    "meson.build": MESON,
    "meson_options.txt": "option('tests', type : 'feature', value : 'auto')\n",
    ".ci/packages": "build libc6\n",
}
RAN = "ran 4\n"
LIMIT_S = 100


class Tree:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="schedsim-launcher-")
        os.mkdir(os.path.join(self.folder, ".ci"))
        for name in ("schedsim", ".ci/build.sh"):
            shutil.copy(os.path.join(ROOT, name),
                        os.path.join(self.folder, name))
        for name, text in SOURCES.items():
            self.write(name, text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w",
                  encoding="utf-8") as file:
            file.write(text)

    def start(self, **more):
        # leaves out a compiler cache or a wrapper that the build of the tests
        # uses
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C"}
        environment.pop("CC", None)
        return subprocess.run([os.path.join(self.folder, "schedsim")],
                              env=environment, check=False, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, **more)

    def plain(self):
        return self.start(stderr=subprocess.PIPE)

    def terminal(self):
        """Returns (result of the process, output on the terminal)."""
        screen, line = pty.openpty()
        done = self.start(stderr=line)
        os.close(line)
        shown = b""
        try:
            while True:
                shown += os.read(screen, 65536)
        except OSError:  # all output was read
            pass
        os.close(screen)
        return done, shown.decode()

    def close(self):
        shutil.rmtree(self.folder)


def first_build(tap):
    tree = Tree()
    done = tree.plain()
    lines = done.stderr.splitlines()
    tap.result(done.returncode == 0 and done.stdout == RAN
               and 2 <= len(lines) <= 20
               and all(re.match(r"schedsim: (building, once|built)", line)
                       for line in lines)
               and any("100 %" in line for line in lines),
               "the first build tells how far it is, in a few plain lines",
               done.stderr)
    done = tree.plain()
    tap.result(done.returncode == 0 and done.stdout == RAN
               and done.stderr == "",
               "where nothing is to be built nothing is said", done.stderr)
    tree.write("one.c", SOURCES["one.c"].replace("1", "5"))
    done, shown = tree.terminal()
    tap.result(done.returncode == 0 and done.stdout == "ran 8\n"
               and "building again" in shown and shown.endswith("\r\x1b[K"),
               "on a terminal a rebuild shows one line and takes it away",
               repr(shown))
    tree.close()
    tree = Tree()
    done, shown = tree.terminal()
    tap.result(done.returncode == 0 and done.stdout == RAN
               and "\n" not in shown and "100 %" in shown
               and "building, once" in shown and shown.endswith("\r\x1b[K"),
               "so does the first build", repr(shown))
    tree.close()


def errors(tap):
    tree = Tree()
    tree.write("two.c", SOURCES["two.c"].replace("return 2", "return tow"))
    for what in ("the first build", "a rebuild"):
        done = tree.plain()
        lines = [line for line in done.stderr.splitlines()
                 if not line.startswith("schedsim: building, once")]
        good = (done.returncode == 1 and done.stdout == ""
                and 3 <= len(lines) <= 12
                and sum("two.c:4:" in line and " error: " in line
                        for line in lines) == 1
                and lines[-1] == "schedsim: cannot be built")
        tap.result(good, "an error in a source file: %s shows the compiler's "
                   "lines, once" % what, done.stderr)
        if what == "the first build":
            tree.write("two.c", SOURCES["two.c"])
            tree.plain()
            tree.write("two.c", SOURCES["two.c"].replace("return 2",
                                                         "return tow"))
    tree.write("two.c", SOURCES["two.c"])
    tree.write("meson.build", MESON + "dependency('no-such-library')\n")
    done = tree.plain()
    tap.result(done.returncode == 1 and "no-such-library" in done.stderr
               and len(done.stderr.splitlines()) <= 8,
               "a library that is missing is named", done.stderr)
    tree.close()


def main():
    tap = Tap()
    missing = [name for name in ("meson", "ninja", "cc")
               if not shutil.which(name)]
    if missing:
        tap.skip("the launcher builds", "no " + missing[0])
    else:
        first_build(tap)
        errors(tap)
    sys.exit(tap.exit_status())


main()
