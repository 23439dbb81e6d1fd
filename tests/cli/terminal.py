# SPDX-License-Identifier: GPL-3.0-or-later
"""terminal.py COMMAND: runs a shell command on a terminal and prints what the
terminal gets. A line that is drawn over is printed once, and with T for the
times, N for other numbers and no codes of the terminal, because what is drawn,
and how often, depends on the speed of the machine."""
import os
import re
import select
import subprocess
import sys


def main(command):
    master, slave = os.openpty()
    run = subprocess.Popen(["sh", "-c", command], start_new_session=True,
                           stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    got = []
    while select.select([master], [], [], 60)[0]:
        try:
            got.append(os.read(master, 4096))
        except OSError:  # no program has the terminal open any more
            break
    status = run.wait(60)
    text = b"".join(got).decode().replace("\r\n", "\n")
    told = []
    for line in text.split("\n"):
        drawn = line.split("\r")
        for i, part in enumerate(drawn):
            part = re.sub(r"\033\[[0-9;]*[A-Za-z]", "", part)
            stays = i + 1 == len(drawn)
            if not stays:
                part = re.sub(r"([\d.]+ (ms|s|min|h|d)\b|\?) left", "T left", part)
                part = re.sub(r"\d[\d.]*", "N", part)
            if part and (stays or part not in told):
                told.append(part)
    print("\n".join(told))
    sys.exit(status)


main(sys.argv[1])
