# SPDX-License-Identifier: GPL-3.0-or-later
"""libschedsim through ctypes: lib/schedsim.h, function by function."""
from __future__ import annotations

import ctypes
import os
import shutil
from typing import Any

ABI = 1
DONE, USAGE, BAD_INPUT, INCOMPLETE, ASKED, MORE = 0, 2, 3, 4, 100, 101
PREEMPTS, SHARES = 4, 8


class Job(ctypes.Structure):
    """The facts of a job that a policy may know; see struct schedsim_job."""
    job: int
    gpus: int
    vc: int
    user: int
    name: int
    attempts: int
    submitted: float
    started: float
    attained: float
    remaining: float
    _fields_ = [(name, ctypes.c_uint32) for name in
                ("job", "gpus", "vc", "user", "name", "attempts")] + [
                    (name, ctypes.c_double) for name in
                    ("submitted", "started", "attained", "remaining")]

    def __repr__(self) -> str:
        return "Job(%s)" % ", ".join(
            "%s=%r" % (name, getattr(self, name)) for name, *_ in self._fields_)


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("help", ctypes.c_char_p), ("length", ctypes.c_size_t),
                ("numbers", ctypes.c_void_p), ("texts", ctypes.c_void_p)]


WATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double,
                         ctypes.c_size_t, ctypes.c_size_t)

HANDLE, TEXT, NUMBER = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "abi": (ctypes.c_int, []),
    "version": (TEXT, []),
    "open": (HANDLE, []),
    "close": (None, [HANDLE]),
    "error": (TEXT, [HANDLE]),
    "set": (ctypes.c_int, [HANDLE, TEXT, TEXT]),
    "run": (ctypes.c_int, [HANDLE]),
    "step": (ctypes.c_int, [HANDLE, ctypes.c_double]),
    "now": (ctypes.c_double, [HANDLE]),
    "jobs": (ctypes.c_size_t, [HANDLE]),
    "watch_by": (ctypes.c_int, [HANDLE, WATCH, ctypes.c_void_p]),
    "decide_by": (ctypes.c_int, [HANDLE, TEXT, ctypes.c_uint]),
    "waiting": (ctypes.c_size_t, [HANDLE, ctypes.POINTER(Job),
                                  ctypes.c_size_t]),
    "running": (ctypes.c_size_t, [HANDLE, ctypes.POINTER(Job),
                                  ctypes.c_size_t]),
    "vcs": (ctypes.c_size_t, [HANDLE]),
    "vc_name": (TEXT, [HANDLE, NUMBER]),
    "gpus": (NUMBER, [HANDLE, NUMBER]),
    "free_gpus": (NUMBER, [HANDLE, NUMBER]),
    "start": (ctypes.c_int, [HANDLE, NUMBER]),
    "fits": (ctypes.c_int, [HANDLE, NUMBER]),
    "observe": (ctypes.c_size_t, [HANDLE, ctypes.c_size_t, ctypes.c_void_p,
                                  ctypes.c_void_p, ctypes.c_void_p]),
    "share": (ctypes.c_int, [HANDLE, NUMBER, NUMBER]),
    "stop": (ctypes.c_int, [HANDLE, NUMBER]),
    "wake": (ctypes.c_int, [HANDLE, ctypes.c_double]),
    "column": (ctypes.c_int, [HANDLE, TEXT, TEXT, ctypes.POINTER(Column)]),
    "column_at": (ctypes.c_int, [HANDLE, TEXT, ctypes.c_size_t,
                                 ctypes.POINTER(Column)]),
    "columns": (ctypes.c_size_t, [HANDLE, TEXT]),
    "summary": (TEXT, [HANDLE]),
    "remark": (TEXT, [HANDLE, ctypes.c_size_t]),
    "write": (ctypes.c_int, [HANDLE, TEXT]),
}


def find() -> str:
    """Returns the path of the library: $SCHEDSIM_LIBRARY, the library in the
    wheel, or the installed one."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib",
                          "libschedsim.so.1")
    named = os.environ.get("SCHEDSIM_LIBRARY")
    if named:
        return named
    return beside if os.path.exists(beside) else "libschedsim.so.1"


def program() -> str:
    """Returns the path of the program: that in the wheel, $SCHEDSIM, or the
    installed one."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib",
                          "schedsim")
    found: str | None = beside
    if not os.path.exists(beside):
        # not by PATH: a script of the wheel would only call this again
        found = os.environ.get("SCHEDSIM") or shutil.which(
            "schedsim", path="/usr/local/bin:/usr/bin")
    if not found:
        raise FileNotFoundError("this copy of the package carries no program, "
                                "and none is installed; install the wheel")
    return found


class Library:
    """The functions of the library, without the prefix schedsim_."""

    def __init__(self, path: str) -> None:
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(
                "the library of schedsim cannot be loaded (%s): install the "
                "wheel, or name libschedsim.so.1 in SCHEDSIM_LIBRARY"
                % error) from None
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "schedsim_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        if self.abi() != ABI:
            raise ImportError(
                "%s has version %d of the interface, this package needs %d"
                % (path, self.abi(), ABI))


    def __getattr__(self, name: str) -> Any:
        raise AttributeError("the library has no function schedsim_" + name)


_loaded: list[Library] = []


def functions() -> Library:
    """Returns the library, which is loaded at the first call."""
    if not _loaded:
        _loaded.append(Library(find()))
    return _loaded[0]


class Handle:
    """A simulation of the library. It is closed when nothing refers to it any
    more: a column or a view that outlives its Simulation keeps it open."""

    def __init__(self) -> None:
        self._close = functions().close
        self._as_parameter_ = functions().open()

    def __del__(self) -> None:
        if hasattr(self, "_as_parameter_"):
            self._close(self._as_parameter_)
