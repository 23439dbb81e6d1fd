# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that breaks the rules of a policy: liar.py KIND [ARGUMENT [AT]].
It decides as fifo does, but answers question number AT (by default 3) with the
fault KIND."""
import json
import os
import signal
import sys
import time

KIND = sys.argv[1]
ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""
AT = int(sys.argv[3]) if len(sys.argv) > 3 else 3


def say(value):
    text = value if isinstance(value, str) else json.dumps(value)
    os.write(1, text.encode() + b"\n")


def found(path, read):
    """Returns a list with the path and the beginning of what `read` returns;
    an empty list if the system refuses access."""
    try:
        return ["%s: %s" % (path, str(read(path))[:40])]
    except OSError:
        return []


def content(path):
    with open(path, "rb") as file:
        return file.read(40)


def spy():
    """Returns what this program can learn about the run other than through the
    protocol. An empty list is the right result."""
    parent, seen = os.getppid(), []
    for name in os.environ:
        if name not in ("PYTHONHASHSEED", "LC_CTYPE"):
            seen.append("environment: " + name)
    for fd in range(3, 256):
        try:
            os.fstat(fd)
            seen.append("descriptor %d" % fd)
        except OSError:
            pass
    try:
        if os.listdir("."):
            seen.append("files in its directory")
    except OSError:
        pass
    for name in ("cmdline", "environ", "maps", "mem"):
        seen += found("/proc/%d/%s" % (parent, name), content)
    for name in ("cwd", "exe", "fd"):
        seen += found("/proc/%d/%s" % (parent, name), os.listdir)
    # the path starts with "@", because a plain path in the command line would
    # be readable
    trace = ARGUMENT[1:]
    for path in (trace, os.path.expanduser("~/.bash_history")):
        seen += found(path, content)
    seen += found(os.path.dirname(trace), os.listdir)
    for path in ("here", "/tmp/schedsim-liar"):
        try:
            with open(path, "w", encoding="utf-8"):
                seen.append("wrote " + path)
        except OSError:
            pass
    try:
        os.kill(parent, 0)
        seen.append("may signal its parent")
    except OSError:
        pass
    return seen


def lie(number, waiting):
    if KIND == "plan":
        say('{"plan":[%s]}' % ARGUMENT.replace("FIRST", str(waiting[0]["id"])))
    elif KIND == "raw":
        say(ARGUMENT)
    elif KIND == "silent":
        time.sleep(60)
    elif KIND == "exit":
        print("the last words", file=sys.stderr, flush=True)
        os._exit(int(ARGUMENT))
    elif KIND == "raise":
        # in pieces, as Python writes a traceback
        for piece in ("Traceback (most recent call last):\n", "  File x",
                      "\n    ^^^^\n", "TypeError: the ", "cause\n", "\n \n"):
            os.write(2, piece.encode())
            time.sleep(0.02)
        os._exit(1)
    elif KIND == "signal":
        os.kill(os.getpid(), int(ARGUMENT))
    elif KIND == "close":
        os.close(1)
        time.sleep(60)
    elif KIND == "orphan":
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    elif KIND == "flood":
        for _ in range(65):
            os.write(1, (1 << 20) * b"x")
    elif KIND == "shout":
        os.write(2, 3000 * b"x")
        os._exit(1)
    elif KIND == "linger":
        if os.fork() == 0:
            for leave in os.setsid, os.setpgrp:
                try:
                    leave()
                except OSError:
                    pass
            for fd in range(3):
                os.close(fd)
            time.sleep(60)
        return False
    elif KIND == "hog":
        bytearray(1 << 30)
    elif KIND == "parting":
        # the simulator sleeps until this program has ended after its answer
        simulator, liar = os.getppid(), os.getpid()
        if os.fork() == 0:
            while os.getppid() == liar:
                time.sleep(0.01)
            time.sleep(0.05)
            os.kill(simulator, signal.SIGCONT)
            os._exit(0)
        os.kill(simulator, signal.SIGSTOP)
        say('{"plan":[]}')
        os._exit(0)
    elif KIND == "mutter":
        say({"plan": [{"queue": [job["id"] for job in waiting]}]})
        for _ in range(3):  # while the next question waits to be read
            time.sleep(0.1)
            os.write(2, b"wait\n")
    elif KIND == "litter":
        os.chmod(".", 0o700)
        with open("left", "w", encoding="utf-8"):
            return False
    elif KIND == "vanish":
        os.rmdir(os.getcwd())
        return False
    elif KIND == "noise":
        print("a message", file=sys.stderr, flush=True)
        return False
    elif KIND == "spy":
        seen = spy()
        if seen:
            print("saw " + "; ".join(seen), file=sys.stderr, flush=True)
            os._exit(9)
        return False
    return True


def main():
    needs = ["preempt", "share"] if KIND == "plan" else []
    waiting = []
    for line in sys.stdin:
        message = json.loads(line)
        if message["say"] == "hello":
            if KIND == "hello":
                say(ARGUMENT)
            else:
                say({"protocol": 1, "name": "liar", "needs": needs})
        elif message["say"] == "begin":
            say({"ready": KIND != "begin"})
        else:
            gone = {move.get("started") for move in message["moves"]}
            waiting = [job for job in waiting if job["id"] not in gone]
            waiting += [e["job"] for e in message["events"]
                        if e["event"] == "submitted"]
            number = message["number"]
            if number != AT or not lie(number, waiting):
                say({"number": number,
                     "plan": [{"queue": [j["id"] for j in waiting]}]})
    if KIND == "late":
        os._exit(int(ARGUMENT))
    if KIND == "stay":
        time.sleep(60)


main()
