#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks mean and p99 JCT and the makespan of every policy on the sample traces
against gate.json, by `schedsim gate`. Exit status 6 if a value is outside the
tolerance, is missing or is new. If the change is meant, run --update with a
--reason, which the file keeps; otherwise it is a mistake."""

import argparse
import os
import subprocess
import sys

import measure

GATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gate.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tolerance", type=float, metavar="PERCENT",
                        help="tolerance in place of those of the file, "
                             "which are 1e-7 percent")
    parser.add_argument("--baseline", default=GATE, metavar="FILE",
                        help="gate file; default bench/gate.json")
    parser.add_argument("--update", action="store_true",
                        help="write what is measured into the file; needs "
                             "--reason")
    parser.add_argument("--reason", metavar="WORDS",
                        help="why the values may change")
    args = parser.parse_args()
    command = [measure.SCHEDSIM, "gate", args.baseline, "--quiet"]
    if args.tolerance is not None and not args.update:
        command += ["--tolerance", repr(args.tolerance)]
    if args.update:
        command.append("--update")
    if args.reason is not None:
        command += ["--reason", args.reason]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
