#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs many random configurations: policy x placer x estimators x rules x
cluster x faults x recovery x interference x profilers x throughput x engine x
what-ifs x outputs x sources of the trace, past and evidence.

Each configuration is run twice: with a second build if --other names one,
otherwise with another environment and other content of fresh memory. Either it
ends with exit status 0 or 4, `verify` accepts its result, and both runs write
the same bytes; or it is refused with exit status 2 or 3 and one line. No run
may abort, or show no progress for 20 s. A configuration that fails is reduced
and printed as one command.

    python3 tests/random/random.py --count 4000
    python3 tests/random/random.py --seed 1234 --count 1    # repeats one"""
import sys

# the folder of this file would hide the `random` of Python
HERE = sys.path.pop(0)
sys.path.append(HERE)
sys.path.append(HERE + "/../support")

import argparse  # noqa: E402
import collections  # noqa: E402
import concurrent.futures  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import configuration  # noqa: E402
import reducing  # noqa: E402
import running  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

# Least share of accepted configurations; without it, a fault that refuses
# almost all of them would not show.
RAN_LEAST = 0.8


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1,
                        help="of the first; the next has the next")
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--other", help="of another build, as sanitizers'")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--within", type=float, default=0,
                        help="begin no case after this many seconds")
    parser.add_argument("--reduce", type=float, default=60, metavar="SECONDS",
                        help="at most, for each that fails")
    parser.add_argument("--show", action="store_true",
                        help="print the command of each, and run none")
    return parser.parse_args()


def judged(runner, registry, seed):
    """Runs the configuration of a seed. Returns the seed, the verdict or the
    fault, and the policy."""
    case = configuration.draw(registry, seed)
    policy = case["options"][0][1][0][0]
    try:
        return seed, runner.judge(case), policy
    except running.Fault as fault:
        return seed, fault, policy


def explain(runner, registry, seed, fault, seconds):
    """Returns lines that describe a failure; the last line is the command of
    the smallest configuration found."""
    case = configuration.draw(registry, seed)
    small = reducing.reduce(runner, case, fault.kind, seconds)
    try:
        runner.judge(small)
    except running.Fault as again:
        fault = again
    return "%s\n%s\npython3 tests/random/random.py --seed %d --count 1\n%s" % (
        fault.kind, fault.words, seed, reducing.as_command(small))


def run_all(runner, registry, asked):
    ends = time.monotonic() + asked.within if asked.within else None
    with concurrent.futures.ThreadPoolExecutor(asked.workers) as pool:
        waiting = collections.deque()
        for seed in range(asked.seed, asked.seed + asked.count):
            if ends and time.monotonic() > ends:
                break
            waiting.append(pool.submit(judged, runner, registry, seed))
            if len(waiting) > 2 * asked.workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def shared_policy(place):
    """Builds an example of a policy as a shared object in a folder. Returns its
    path; None if there is no compiler."""
    out = os.path.join(place, "fifo.so")
    done = subprocess.run(
        ["cc", "-fPIC", "-shared", "-I", ROOT, "-I",
         os.path.join(ROOT, "policies", "outside"), "-o", out,
         os.path.join(ROOT, "contrib", "policies", "shared", "fifo.c")],
        check=False, capture_output=True)
    return out if done.returncode == 0 else None


def main():
    asked = options()
    runner = running.Runner(os.path.abspath(asked.program), asked.other
                            and os.path.abspath(asked.other))
    listing = subprocess.run([asked.program, "list", "--json"], check=True,
                             capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory(prefix="schedsim-random-so-") as place:
        registry = configuration.Registry(json.loads(listing), ROOT,
                                          shared_policy(place))
        return search(asked, runner, registry)


def search(asked, runner, registry):
    tap = Tap()
    if asked.show:
        for seed in range(asked.seed, asked.seed + asked.count):
            print(reducing.as_command(configuration.draw(registry, seed)))
        return 0
    verdicts = collections.Counter()
    policies = collections.Counter()
    kinds = collections.Counter()
    for seed, verdict, policy in run_all(runner, registry, asked):
        if not isinstance(verdict, running.Fault):
            verdicts[verdict] += 1
            policies[policy] += verdict == running.RAN
            continue
        kinds[verdict.kind] += 1
        words = verdict.kind + "\n" + verdict.words
        # reduce two cases of each kind, because reducing takes time
        if kinds[verdict.kind] <= 2:
            words = explain(runner, registry, seed, verdict, asked.reduce)
        tap.result(False, "configuration %d" % seed, words)
    n = sum(verdicts.values()) + sum(kinds.values())
    said = ", ".join("%d %s" % (k, v) for v, k in sorted(verdicts.items()))
    tap.result(not kinds, "%d random configurations: %s" % (n, said or "none"),
               "\n".join("%d times: %s" % (k, v) for v, k in kinds.items()))
    if n >= 40:
        tap.result(verdicts[running.RAN] >= RAN_LEAST * n,
                   "most of them ran to an end", said)
    if n >= 300:
        missing = [p["name"] for p in registry.listing["policies"]
                   if not policies[p["name"]]]
        tap.result(not missing, "every policy ran", " ".join(missing))
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
