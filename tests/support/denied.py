# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the kernel deny a call of the system to a program that a test starts, by
a seccomp filter. The numbers of the calls are those of x86-64."""
import ctypes
import errno
import os

CALLS = {"read": 0, "mmap": 9, "dup2": 33, "socketpair": 53, "clone": 56,
         "fcntl": 72, "getcwd": 79, "chdir": 80, "rename": 82, "mkdir": 83,
         "chmod": 90, "setpgid": 109, "getppid": 110, "prctl": 157,
         "waitid": 247, "openat": 257, "dup3": 292, "pipe2": 293,
         "prlimit64": 302, "close_range": 436, "landlock_create_ruleset": 444,
         "landlock_restrict_self": 446}
LOAD, IS, RETURN = 0x20, 0x15, 0x06
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38


class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte),
                ("no", ctypes.c_ubyte), ("value", ctypes.c_uint32)]


class Filter(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("steps", ctypes.POINTER(Step))]


def can_deny():
    return os.uname().machine == "x86_64"


def deny(call, why, *arguments):
    """Returns a function for `preexec_fn`. From then on the call fails with the
    error `why`, such as "EPERM"; with "" it does nothing and returns 0.
    `arguments`: pairs (I, VALUE); only calls whose argument number I, from 0,
    has this value fail."""
    fields = [(0, CALLS[call])] + [(16 + 8 * i, value) for i, value in arguments]
    steps = []
    for n, (at, value) in enumerate(fields):
        steps += [Step(LOAD, 0, 0, at),
                  Step(IS, 0, 2 * (len(fields) - n) - 1, value)]
    steps += [Step(RETURN, 0, 0, 0x50000 | getattr(errno, why, 0)),
              Step(RETURN, 0, 0, 0x7fff0000)]
    steps = (Step * len(steps))(*steps)
    whole = Filter(len(steps), steps)
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def begin():
        if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
                prctl(PR_SET_SECCOMP, 2, ctypes.byref(whole), 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")
    return begin
