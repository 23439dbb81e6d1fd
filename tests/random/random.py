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
import os  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import drawer  # noqa: E402
import reducing  # noqa: E402
import running  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

# Least share of accepted configurations; without it, a fault that refuses
# almost all of them would not show.
RAN_LEAST = 0.8
# Number of configurations in which each option and plug-in has run.
SOON = 3000


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1,
                        help="of the first; the next has the next; 0: a new "
                        "one, which is printed")
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--other", help="of another build, as sanitizers'")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--within", type=float, default=0,
                        help="begin no case after this many seconds")
    parser.add_argument("--reduce", type=float, default=60, metavar="SECONDS",
                        help="at most, for each that fails; five times as "
                        "long for all together")
    parser.add_argument("--show", action="store_true",
                        help="print the command of each, and run none")
    asked = parser.parse_args()
    if not asked.seed:
        asked.seed = 1 + int.from_bytes(os.urandom(4), "big")
    return asked


def drawn(case):
    """Returns the options of a case and the plug-ins that they name, as
    "--option" and "kind name"."""
    out = {part for part in ("resample", "state", "other") if part in case}
    for option, value in case["options"]:
        out.add(option.rstrip("="))
        for name, _ in value if isinstance(value, list) else []:
            base, *layers = name.split("+")
            out.update([option + " " + base] +
                       [option + " +" + layer for layer in layers])
    return out


def expected(registry):
    """Returns what `drawn` should have said after many cases."""
    out = {"resample", "state", "other"}
    for row in registry.options:
        option = "--" + row["name"]
        if row["name"] in drawer.NOT_DRAWN or row["name"] == "cluster":
            continue
        out.add(option)
        kind = row.get("settings_of", "").split(" ")[0]
        names = [one["name"] for one in registry.listing.get(kind, [])]
        if names and names != [kind] and row["name"] not in ("llm", "format"):
            out.update(option + " " + name for name in names)
    return out | {"--policy +" + row["name"]
                  for row in registry.listing["layers"]}


def judged(runner, registry, seed):
    """Runs the configuration of a seed. Returns the seed, the verdict or the
    fault, and what was drawn."""
    case = drawer.draw(registry, seed)
    try:
        return seed, runner.judge(case), drawn(case)
    except running.Fault as fault:
        return seed, fault, drawn(case)


def explain(runner, registry, seed, fault, seconds):
    """Returns lines that describe a failure; the last line is the command of
    the smallest configuration found."""
    case = drawer.draw(registry, seed)
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
    with tempfile.TemporaryDirectory(prefix="schedsim-random-so-") as place:
        registry = drawer.Registry(runner.program, ROOT,
                                   shared_policy(place))
        return search(asked, runner, registry)


def search(asked, runner, registry):
    tap = Tap()
    undrawn = registry.undrawn()
    tap.result(not undrawn, "all that `list` names is drawn",
               "\n".join(undrawn))
    if asked.show:
        for seed in range(asked.seed, asked.seed + asked.count):
            print(reducing.as_command(drawer.draw(registry, seed)))
        return 0
    verdicts = collections.Counter()
    ran = collections.Counter()
    kinds = collections.Counter()
    print("# seeds from %d" % asked.seed, flush=True)
    begun, reduced = time.monotonic(), 0.0
    for seed, verdict, parts in run_all(runner, registry, asked):
        if not isinstance(verdict, running.Fault):
            verdicts[verdict] += 1
            ran.update(parts if verdict == running.RAN else ())
            continue
        kinds[verdict.kind] += 1
        words = verdict.kind + "\n" + verdict.words
        # reduce two cases of each kind, because reducing takes time
        if kinds[verdict.kind] <= 2 and reduced < 5 * asked.reduce:
            since = time.monotonic()
            words = explain(runner, registry, seed, verdict, asked.reduce)
            reduced += time.monotonic() - since
        tap.result(False, "configuration %d" % seed, words)
    n = sum(verdicts.values()) + sum(kinds.values())
    said = ", ".join("%d %s" % (k, v) for v, k in sorted(verdicts.items()))
    tap.result(not kinds, "%d random configurations: %s" % (n, said or "none"),
               "\n".join("%d times: %s" % (k, v) for v, k in kinds.items()))
    if n >= 40:
        tap.result(verdicts[running.RAN] >= RAN_LEAST * n,
                   "most of them ran to an end", said)
    if n >= SOON:
        missing = sorted(expected(registry) - set(ran))
        tap.result(not missing, "every option and plug-in ran",
                   ", ".join(missing))
    print("# %.0f configurations a minute" % (
        60 * n / (time.monotonic() - begun - reduced)))
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
