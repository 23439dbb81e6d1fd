# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints TAP for the tests in Python."""
import os

ROOT = os.environ.get("SCHEDSIM_ROOT") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "schedsim")


class Tap:
    """Prints and counts test points. At the end, the test passes `exit_status`
    to sys.exit."""

    def __init__(self):
        self.number = 0
        self.failed = 0

    def result(self, good, name, words=""):
        self.number += 1
        self.failed += not good
        if not good:
            for line in str(words).splitlines():
                print("# " + line)
        print("%s %d - %s" % ("ok" if good else "not ok", self.number, name),
              flush=True)

    def skip(self, name, why):
        self.number += 1
        print("ok %d - %s # SKIP %s" % (self.number, name, why), flush=True)

    def exit_status(self):
        print("1..%d" % self.number)
        return 1 if self.failed else 0
