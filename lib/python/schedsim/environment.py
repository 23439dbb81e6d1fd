# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as an environment for reinforcement learning, with the interface of
gymnasium."""
import ctypes
import math
import random
from concurrent.futures import ThreadPoolExecutor

from . import _library
from .policy import Policy
from .simulation import Simulation

# default beliefs: learned during the run, from jobs that have ended
LEARNED = "ga2m,history"
FEATURES = ("gpus", "waited_s", "remaining_s", "attained_gpu_s", "fits")

try:
    import numpy
except ImportError:
    numpy = None
try:
    import gymnasium
    Base = gymnasium.Env
except ImportError:
    gymnasium = None
    Base = object


class _Asked(Policy):
    """Stands in for a policy: the environment decides between two steps, not
    in a callback."""
    name = "environment"


def mean_waiting(environment, seconds):
    """Returns the default reward: minus the job-hours of waiting since the
    last step. Its sum over an episode is minus the number of jobs times their
    mean queueing delay in hours."""
    del seconds
    return -environment.waited / 3600.0


class _Box:
    """Stands in for gymnasium.spaces.Box if gymnasium is not installed: a
    shape."""

    def __init__(self, shape):
        self.shape = shape


class _Discrete:
    def __init__(self, n):
        self.n = n


class Environment(Base):
    """An episode is one run. An action i < k starts the i-th waiting job; action k
    starts no more jobs until something happens. info["mask"] tells which actions
    are possible; an impossible one is refused with ValueError. The observation has
    a row for each of the first k waiting jobs, with FEATURES as columns, and a last
    row with the time, the free GPUs, the number of waiting jobs, 0 and 0; it is a
    numpy array of float64 if numpy is installed, else a list of lists.

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
    metadata = {"render_modes": []}

    def __init__(self, trace, k=16, reward=mean_waiting, **options):
        self.trace, self.k, self.reward, self.options = trace, k, reward, options
        self.simulation = self.result = self.episode_seed = None
        self._seeds = None  # stream of the seeds of further episodes
        self.n_waiting, self.waited, self._time = 0, 0.0, 0.0
        self._rows = (ctypes.c_double * ((k + 1) * len(FEATURES)))()
        self._fits = (ctypes.c_ubyte * k)()
        self._jobs = (ctypes.c_uint32 * k)()
        self._where = [ctypes.addressof(part)
                       for part in (self._rows, self._fits, self._jobs)]
        self._lib = _library.functions()
        shape = (k + 1, len(FEATURES))
        if gymnasium:
            self.observation_space = gymnasium.spaces.Box(
                -math.inf, math.inf, shape, dtype="float64")
            self.action_space = gymnasium.spaces.Discrete(k + 1)
        else:
            self.observation_space, self.action_space = _Box(shape), _Discrete(
                k + 1)

    def reset(self, *, seed=None, options=None):
        if gymnasium:
            super().reset(seed=seed)
        settings = dict({"estimators": LEARNED}, **self.options)
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
        return self._observe(), self._info()

    def step(self, action):
        if self.simulation is None or self.result is not None:
            raise RuntimeError("the episode has ended: call reset")
        if not 0 <= action <= self.k or (action < self.k and
                                         not self._fits[action]):
            raise ValueError("action %r is not possible now" % (action,))
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
                self._info())

    def _advance(self):
        """Goes on to the next decision at which a visible job fits."""
        handle = self.simulation.handle
        while True:
            before, waiting = self._lib.now(handle), self.n_waiting
            outcome = self.simulation.step()
            self._look()
            self.waited += waiting * (
                self._rows[self.k * len(FEATURES)] - before)
            if outcome != "asked":
                self.result = outcome
                return
            if 1 in bytes(self._fits):
                return

    def _look(self):
        """Reads the waiting jobs that the plan does not start yet."""
        self._shown = self._lib.observe(self.simulation.handle, self.k,
                                        *self._where)
        self.n_waiting = int(self._rows[self.k * len(FEATURES) + 2])

    @property
    def mask(self):
        """Returns a list with True for each action that is possible."""
        return [fits == 1 for fits in self._fits] + [True]

    def _observe(self):
        if numpy:
            return numpy.frombuffer(self._rows).reshape(
                self.k + 1, len(FEATURES)).copy()
        n = len(FEATURES)
        return [list(self._rows[i:i + n]) for i in range(0, len(self._rows), n)]

    def _info(self):
        return {"mask": self.mask, "jobs": self._jobs[:self._shown]}

    def close(self):
        if self.simulation:
            self.simulation.close()
            self.simulation = None


class Vector:
    """Several environments that step in threads: the library runs without
    Python's lock. An environment whose episode has ended begins the next one
    by itself; the last observation of the ended episode stands in
    info["final"], as in gymnasium. reset(seed=s) gives the i-th environment the
    seed s + i."""

    def __init__(self, make, n, threads=None):
        self.environments = [make(i) for i in range(n)]
        self._pool = ThreadPoolExecutor(threads or n)

    def reset(self, *, seed=None):
        return self._gather(lambda pair: pair[1].reset(
            seed=None if seed is None else seed + pair[0]),
            list(enumerate(self.environments)))

    def step(self, actions):
        def one(pair):
            environment, action = pair
            seen, reward, ended, cut, info = environment.step(action)
            if ended:
                last = seen
                seen, info = environment.reset()
                info["final"] = last
            return seen, reward, ended, cut, info
        return self._gather(one, list(zip(self.environments, actions)))

    def _gather(self, call, items):
        return tuple(list(part) for part in zip(*self._pool.map(call, items)))

    def close(self):
        self._pool.shutdown()
        for environment in self.environments:
            environment.close()
