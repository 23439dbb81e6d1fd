# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command on one processor. The counters of a coverage build are not
atomic: threads on two processors would lose counts."""
import os
import sys

here = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {here[os.getpid() % len(here)]})
os.execvp(sys.argv[1], sys.argv[1:])
