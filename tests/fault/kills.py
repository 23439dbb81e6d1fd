# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills the commands of calls.py that write files at random calls to the
system, a write in its middle; and lets the disk be full from each write on, for
three writes or to the end. Each file is then the old or the new one, whole, and
the same command does its work when it is given again."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import calls  # noqa: E402
from calls import PROGRAM, call, copied, files  # noqa: E402
from tap import Tap  # noqa: E402

WRITERS = ("run, a new result", "run, a result again", "report", "sweep",
           "history", "watch", "when", "drive, on paper")
# Of a file that a killed program was writing; another program may still do so.
LEFT = ".partial"
# A log, of which a kill may leave half a line, which the next call cuts off.
LOG = "d.jsonl"


def drawn(seed):
    """Random numbers of calls, each higher than the one before."""
    rng, at = random.Random(seed), 0
    while True:
        at += rng.randint(1, 6 + at // 5)
        yield at


def settled(found, command):
    return {path: data for path, data in found.items()
            if LEFT not in path and path != LOG
            and path.split("/")[0] not in command.keeps}


def wrong_again(folder, command, after, want):
    again = call(folder, [PROGRAM, *command.words])
    if again.returncode:
        return "again: " + again.stderr
    now, then = settled(files(folder), command), settled(after, command)
    if now != then:
        return "again: other files: %s" % [
            name for name in sorted(set(now) | set(then))
            if now.get(name) != then.get(name)]
    return "again: other output" if calls.shown(folder, command) != want \
        else None


def each(command, template, work, kind, numbers, **env):
    """Returns at how many calls it happened, and what went wrong."""
    folder, mark = os.path.join(work, "now"), os.path.join(work, "told")
    copied(template, folder)
    good = call(folder, [PROGRAM, *command.words])
    before, after = files(template), files(folder)
    want, bad, n = calls.shown(folder, command), [], 0
    for at in numbers:
        copied(template, folder)
        done = call(folder, [PROGRAM, *command.words],
                    LD_PRELOAD=calls.LIBRARY, FAILING_AT=str(at),
                    FAILING_KIND=kind, FAILING_TOLD=mark, **env)
        if not os.path.exists(mark) or len(bad) > 4:
            break
        os.unlink(mark)
        n += 1
        wrong = None if done.returncode == -9 else calls.told(done, good)
        broken = [name for name in
                  calls.is_whole(folder, command, before, after)
                  if done.returncode != -9 or (LEFT not in name
                                               and name != LOG)]
        wrong = wrong or (broken and "neither old nor new: %s" % broken)
        wrong = wrong or wrong_again(folder, command, after, want)
        if wrong:
            bad.append("call %d: %s (%d %s)" % (at, wrong, done.returncode,
                                                done.stderr.strip()[:300]))
    return n, "\n".join(bad)


def main():
    tap = Tap()
    if calls.why_not():
        tap.skip("kills", calls.why_not())
        sys.exit(tap.exit_status())
    seed = int(sys.argv[1]) if sys.argv[1:] else random.randrange(10**6)
    print("# seed %d" % seed)
    with tempfile.TemporaryDirectory() as work:
        template = os.path.join(work, "template")
        calls.prepare(template, os.path.join(work, "now"))
        for command in calls.COMMANDS:
            if command.name not in WRITERS:
                continue
            n, bad = each(command, template, work, "any", drawn(seed),
                          FAILING_KILLS="1")
            tap.result(n and not bad, "%s: killed at %d calls" % (
                command.name, n), bad)
            for calls_, what in (("3", "for 3 writes"), ("99999", "for good")):
                n, bad = each(command, template, work, "disk",
                              range(1, 30, 1 + (len(command.keeps) > 1)),
                              FAILING_CALLS=calls_)
                tap.result(not bad, "%s: the disk is full %s, from each of %d "
                           "writes on" % (command.name, what, n), bad)
    sys.exit(tap.exit_status())


main()
