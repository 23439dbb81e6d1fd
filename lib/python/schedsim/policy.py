# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies as classes, and what a policy may know."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, Union

from . import _library

JobLike = Union[_library.Job, int]


class Policy:
    """The base class of policies. Override `decide`. `name` is the name of the
    policy in results. A policy that stops running jobs sets `preempts`; one
    that lets jobs share GPUs sets `shares`."""
    name: Optional[str] = None
    preempts = False
    shares = False

    def begin(self, view: View) -> None:
        """Called once, before the first decision."""

    def decide(self, view: View) -> None:
        raise NotImplementedError("a policy needs a method decide(view)")

    def needs(self) -> int:
        return (_library.PREEMPTS * bool(self.preempts)
                | _library.SHARES * bool(self.shares))


class View:
    """What a policy may know at a decision, and its plan, which is carried out
    when `decide` returns. Times are seconds since the first submission of the
    trace."""

    def __init__(self, handle: _library.Handle) -> None:
        self._lib = _library.functions()
        self._handle = handle
        self._rows = (_library.Job * 256)()

    @property
    def now(self) -> float:
        return float(self._lib.now(self._handle))

    def vcs(self) -> list[str]:
        """Returns the names of the virtual clusters; job.vc is an index of
        this list."""
        return [self._lib.vc_name(self._handle, i).decode()
                for i in range(self._lib.vcs(self._handle))]

    def gpus(self, vc: int = 0) -> int:
        return int(self._lib.gpus(self._handle, vc))

    def free_gpus(self, vc: int = 0) -> int:
        """Returns the number of GPUs that are free after the plan so far."""
        return int(self._lib.free_gpus(self._handle, vc))

    def _list(self, ask: Callable[..., int],
              most: Optional[int]) -> ctypes.Array[_library.Job]:
        room = len(self._rows) if most is None else min(most, len(self._rows))
        count = ask(self._handle, self._rows, room)
        want = count if most is None else min(count, most)
        if want > len(self._rows):
            self._rows = (_library.Job * (2 * want))()
            ask(self._handle, self._rows, want)
        rows = (_library.Job * want)()
        ctypes.memmove(rows, self._rows, want * ctypes.sizeof(_library.Job))
        return rows

    def waiting(self, most: Optional[int] = None) -> ctypes.Array[_library.Job]:
        """Returns the waiting jobs by virtual cluster, in each in the order in
        which they began to wait: rows with job, gpus, vc, user, name,
        attempts, submitted, started, attained (GPU s), remaining (s). numpy
        takes the rows without a copy. `most`: returns only the first `most`
        jobs."""
        return self._list(self._lib.waiting, most)

    def running(self, most: Optional[int] = None) -> ctypes.Array[_library.Job]:
        """Returns the running jobs, by start."""
        return self._list(self._lib.running, most)

    def start(self, job: JobLike) -> bool:
        """Plans to start the job. Returns False if the job does not fit."""
        return bool(self._lib.start(self._handle, number(job)))

    def fits(self, job: JobLike) -> bool:
        """Returns whether `start` would succeed; plans nothing."""
        return bool(self._lib.fits(self._handle, number(job)))

    def share(self, job: JobLike, resident: JobLike) -> bool:
        """Plans to start the job on the GPUs of the running job `resident`.
        Returns False if the job does not fit there."""
        return bool(self._lib.share(self._handle, number(job),
                                    number(resident)))

    def stop(self, job: JobLike) -> bool:
        """Plans to stop a running job. The job keeps its work; the option
        `overhead` says what the stop costs. Returns False if the job cannot be
        stopped."""
        return bool(self._lib.stop(self._handle, number(job)))

    def wake(self, at: float) -> bool:
        """Requests a decision at a time after now, in seconds. Returns False
        if the time is not after now."""
        return bool(self._lib.wake(self._handle, at))


def number(job: JobLike) -> int:
    return job.job if isinstance(job, _library.Job) else int(job)
