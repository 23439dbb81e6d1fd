# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as an environment for reinforcement learning, with the interface of
gymnasium."""
from __future__ import annotations

import ctypes
import importlib
import math
import random
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional

from . import _library
from .policy import Policy
from .results import Result
from .simulation import Simulation, Trace


# default beliefs: learned during the run, from jobs that have ended
LEARNED = "ga2m,history"
FEATURES = ("gpus", "waited_s", "remaining_s", "attained_gpu_s", "fits")


def module(name: str) -> Any:
    """Returns a module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy, gymnasium = module("numpy"), module("gymnasium")
Base: Any = gymnasium.Env if gymnasium else object


class _Asked(Policy):
    """Stands in for a policy: the environment decides between two steps, not
    in a callback."""
    name = "environment"


def mean_waiting(environment: Environment, seconds: float) -> float:
    """Returns the default reward: minus the job-hours of waiting since the
    last step. Its sum over an episode is minus the number of jobs times their
    mean queueing delay in hours."""
    del seconds
    return -environment.waited / 3600.0


class _Box:
    """Stands in for gymnasium.spaces.Box if gymnasium is not installed."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape


class _Discrete:
    """Stands in for gymnasium.spaces.Discrete."""

    def __init__(self, n: int) -> None:
        self.n = n

    def sample(self, mask: Optional[Sequence[Any]] = None) -> int:
        """Returns a random action; one with mask[action], if there is a mask."""
        return random.choice([action for action in range(self.n)
                              if mask is None or mask[action]])


class Environment(Base):  # type: ignore[misc]
    """An episode is one run. An action i < k starts the i-th waiting job; action k
    starts no more jobs until something happens. info["mask"] and action_masks()
    tell which actions are possible. A step with an impossible one is a step with
    action k, and info["impossible"] is then True. The observation has a row for
    each of the first k waiting jobs, with FEATURES as columns, and a last row with
    the time, the free GPUs, the number of waiting jobs, 0 and 0; it is a numpy
    array of float64 if numpy is installed, else a list of lists.

    n_waiting is the number of waiting jobs, `waited` the job-seconds that they
    have waited since the last step.

    reset(seed=s) begins an episode of other jobs: the days of the trace drawn with
    replacement, the same for the same s (the options resample and seed of
    schedsim.Simulation are then s). Each later reset() draws the next seed from a
    stream that s begins. If no seed was ever given, an episode is the trace itself;
    reset(options={"resample": None}) is an episode of the trace itself, too.
    `episode_seed` is the seed of the episode, None for the trace itself.

    trace, options  as for schedsim.Simulation; options of reset go before them.
                    estimators says where remaining_s comes from: LEARNED unless it
                    is named, so that no agent sees the future by accident;
                    "oracle" gives the true value
    k               number of jobs that the agent sees
    reward          reward(environment, seconds): seconds since the last step

    Between two steps the environment passes over decisions at which no visible job
    fits. `result` is the Result of an episode that has ended."""
    metadata: dict[str, list[str]] = {"render_modes": []}

    def __init__(self, trace: Trace, k: int = 16,
                 reward: Callable[[Environment, float], float] = mean_waiting,
                 **options: Any) -> None:
        self.trace, self.k, self.reward, self.options = trace, k, reward, options
        self.simulation: Optional[Simulation] = None
        self.result: Optional[Result] = None
        self.episode_seed: Optional[int] = None
        # stream of the seeds of further episodes
        self._seeds: Optional[random.Random] = None
        self.n_waiting, self.waited, self._time = 0, 0.0, 0.0
        self._rows = (ctypes.c_double * ((k + 1) * len(FEATURES)))()
        self._fits = (ctypes.c_ubyte * k)()
        self._jobs = (ctypes.c_uint32 * k)()
        self._where = [ctypes.addressof(self._rows),
                       ctypes.addressof(self._fits),
                       ctypes.addressof(self._jobs)]
        self._lib = _library.functions()
        shape = (k + 1, len(FEATURES))
        if gymnasium:
            self.observation_space = gymnasium.spaces.Box(
                -1.0, math.inf, shape, dtype="float64")
            self.action_space = gymnasium.spaces.Discrete(k + 1)
        else:
            self.observation_space, self.action_space = _Box(shape), _Discrete(
                k + 1)

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[
                  Any, dict[str, Any]]:
        if gymnasium:
            super().reset(seed=seed)
        settings: dict[str, Any] = dict({"estimators": LEARNED},
                                        **self.options)
        if seed is not None:
            self._seeds = random.Random(seed)
        elif self._seeds:
            seed = self._seeds.getrandbits(63)
        if seed is not None:
            settings["seed"] = settings["resample"] = seed
        settings.update(options or {})
        self.episode_seed = settings.get("resample")
        if self.simulation:
            self.simulation.close()
        self.simulation = Simulation(self.trace, _Asked(), **settings)
        self.result, self._time, self.n_waiting = None, 0.0, 0
        self._advance()
        return self._observe(), self._info(False)

    def step(self, action: int) -> tuple[Any, float, bool, bool,
                                         dict[str, Any]]:
        if self.simulation is None or self.result is not None:
            raise RuntimeError("the episode has ended: call reset")
        if not 0 <= action <= self.k:
            raise ValueError("there is no action %r, only 0 to %d" % (
                action, self.k))
        impossible = action < self.k and not self._fits[action]
        if impossible:
            action = self.k
        self.waited = 0.0
        if action < self.k:
            self._lib.start(self.simulation.handle, self._jobs[action])
            self._look()
        if action == self.k or 1 not in bytes(self._fits):
            self._advance()
        now = self._rows[self.k * len(FEATURES)]
        reward = self.reward(self, now - self._time)
        self._time = now
        return (self._observe(), reward, self.result is not None, False,
                self._info(impossible))

    def _advance(self) -> None:
        """Goes on to the next decision at which a visible job fits."""
        assert self.simulation
        handle = self.simulation.handle
        while True:
            before, waiting = self._lib.now(handle), self.n_waiting
            outcome = self.simulation.step()
            self._look()
            self.waited += waiting * (
                self._rows[self.k * len(FEATURES)] - before)
            if isinstance(outcome, Result):
                self.result = outcome
                return
            if 1 in bytes(self._fits):
                return

    def _look(self) -> None:
        """Reads the waiting jobs that the plan does not start yet."""
        assert self.simulation
        self._shown = self._lib.observe(self.simulation.handle, self.k,
                                        *self._where)
        self.n_waiting = int(self._rows[self.k * len(FEATURES) + 2])

    def action_masks(self) -> Any:
        """Returns True for each action that is possible, by the name that
        masking agents expect: a numpy array if numpy is installed, else a
        list."""
        mask = self._mask()
        return numpy.array(mask) if numpy else mask

    def _mask(self) -> list[bool]:
        return [fits == 1 for fits in self._fits] + [True]

    def _observe(self) -> Any:
        if numpy:
            return numpy.frombuffer(self._rows).reshape(
                self.k + 1, len(FEATURES)).copy()
        n = len(FEATURES)
        return [list(self._rows[i:i + n]) for i in range(0, len(self._rows), n)]

    def _info(self, impossible: bool) -> dict[str, Any]:
        return {"mask": self._mask(), "jobs": self._jobs[:self._shown],
                "impossible": impossible}

    def close(self) -> None:
        if self.simulation:
            self.simulation.close()
            self.simulation = None


class Vector:
    """Several environments that step in threads: the library runs without
    Python's lock. An environment whose episode has ended begins the next one
    by itself; the last observation of the ended episode stands in
    info["final"], as in gymnasium. reset(seed=s) gives the i-th environment the
    seed s + i."""

    def __init__(self, make: Callable[[int], Environment], n: int,
                 threads: Optional[int] = None) -> None:
        self.environments = [make(i) for i in range(n)]
        self._pool = ThreadPoolExecutor(threads or n)

    def reset(self, *, seed: Optional[int] = None) -> tuple[list[Any], ...]:
        def one(pair: tuple[int, Environment]) -> tuple[Any, ...]:
            i, environment = pair
            seen, info = environment.reset(
                seed=None if seed is None else seed + i)
            return seen, info
        return self._gather(one, list(enumerate(self.environments)))

    def step(self, actions: Iterable[int]) -> tuple[list[Any], ...]:
        def one(pair: tuple[Environment, int]) -> tuple[Any, ...]:
            environment, action = pair
            seen, reward, ended, cut, info = environment.step(action)
            if ended:
                last = seen
                seen, info = environment.reset()
                info["final"] = last
            return seen, reward, ended, cut, info
        return self._gather(one, list(zip(self.environments, actions)))

    def _gather(self, call: Callable[[Any], tuple[Any, ...]],
                items: list[Any]) -> tuple[list[Any], ...]:
        return tuple(list(part) for part in zip(*self._pool.map(call, items)))

    def close(self) -> None:
        self._pool.shutdown()
        for environment in self.environments:
            environment.close()
