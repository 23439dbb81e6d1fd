# SPDX-License-Identifier: GPL-3.0-or-later
"""Inter-arrival times before the daily rhythm stretches them.

Published inter-arrival times contain the rhythm of day and week. The generator
draws gaps in operational time and then stretches time by that rhythm, so the
quantiles it draws from must be those that come out as the published ones:
found by a fixed-point iteration over a simulation of the generator's own rule.
"""

import math
import random

BLOCK = 256  # the generator scales each block of gaps to its mean
GRID = (0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)


def quantile(ordered, p):
    return ordered[min(len(ordered) - 1, int(p * len(ordered)))]


def interpolate(points, p):
    for (p0, q0), (p1, q1) in zip(points, points[1:]):
        if p <= p1:
            f = (p - p0) / (p1 - p0) if p1 > p0 else 1.0
            return math.exp(math.log(q0) + f * (math.log(q1) - math.log(q0)))
    return points[-1][1]


def simulate(zero, points, mean, hours, weekdays, n, seed):
    """Whole-second gaps as the generator makes them."""
    rng = random.Random(seed)
    profile = [h * d for d in weekdays for h in hours]
    scale = len(profile) / sum(profile)
    profile = [p * scale for p in profile]
    now, cell, left, out, last = 0.0, 0, 3600.0, [], 0
    while len(out) < n:
        block = []
        for _ in range(BLOCK):
            u = rng.random()
            block.append(0.0 if u < zero else interpolate(points, u))
        factor = mean * BLOCK / (sum(block) or 1.0)
        for gap in block:
            gap *= factor
            while gap > left * profile[cell]:
                gap -= left * profile[cell]
                now += left
                left, cell = 3600.0, (cell + 1) % len(profile)
            now += gap / profile[cell]
            left -= gap / profile[cell]
            out.append(int(now) - last)
            last = int(now)
    return out


def calibrate(target, zero_share, mean, hours, weekdays):
    """`target`: {p: seconds}. Returns (zero, points)."""
    zero = zero_share
    q = {p: max(target[p], 0.6) for p in GRID if p > zero_share + 0.02}
    for step in range(12):
        points = [(zero, 0.5)] + sorted(q.items()) + [(1.0, 2 * max(q.values()))]
        out = sorted(simulate(zero, points, mean, hours, weekdays, 40000, step))
        zeros = sum(1 for g in out if g == 0) / len(out)
        zero = max(0.0, zero - 0.7 * (zeros - zero_share))
        floor = 0.6
        for p in sorted(q):
            ratio = (target[p] + 0.5) / (quantile(out, p) + 0.5)
            # a quantile that 40,000 gaps hardly reach must not run away
            floor = q[p] = min(max(floor, q[p] * ratio ** 0.6),
                               max(3 * target[p], 0.6))
    return zero, points
