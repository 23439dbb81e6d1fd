# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint distributions from published margins.

A published log gives margins (durations, GPU counts, states) and a few cross
tables, never the joint table. The one used here is the table nearest to a
prior, in the sense of relative entropy, that has the published margins:
iterative proportional fitting (Deming and Stephan 1940). Published shares of
GPU time are moments of the table; each is met by exponential tilting.
"""

import itertools
import math

AXES = ("vc", "size", "kind", "state", "bin")


def bin_means(edges):
    """Returns the mean duration in each bin (edges[i-1], edges[i]],
    log-uniform."""
    means = [1.0]
    for lo, hi in zip(edges, edges[1:]):
        means.append((hi - lo) / math.log(hi / lo))
    return means


class Table:
    """Returns the probabilities of the cells of all axes for which the prior
    is above zero; the others stay zero."""

    def __init__(self, shape, prior):
        self.shape = shape
        self.cells = {}
        for cell in itertools.product(*(range(n) for n in shape)):
            p = prior(*cell)
            if p > 0:
                self.cells[cell] = p
        self.groups = {}
        self._normalise()

    def _normalise(self):
        total = math.fsum(self.cells.values())
        for c in self.cells:
            self.cells[c] /= total

    def _group(self, axes):
        if axes not in self.groups:
            at = [AXES.index(a) for a in axes]
            group = {}
            for c in self.cells:
                group.setdefault(tuple(c[i] for i in at), []).append(c)
            self.groups[axes] = group
        return self.groups[axes]

    def rake(self, axes, target):
        """Scales the cells so that their sum over `axes` is `target`."""
        for key, cells in self._group(axes).items():
            have = math.fsum(self.cells[c] for c in cells)
            if have > 0:
                factor = target[key] / have
                for c in cells:
                    self.cells[c] *= factor

    def moments(self, axis, weight):
        return {
            key[0]: math.fsum(self.cells[c] * weight(c) for c in cells)
            for key, cells in self._group((axis,)).items()
        }

    def tilt(self, axis, index, weight, target):
        """Shifts probability between the cells of one slice until the sum of
        probability x weight is `target`; its total stays."""
        cells = self._group((axis,)).get((index,), [])
        p = [self.cells[c] for c in cells]
        w = [weight(c) for c in cells]
        if not cells or sum(p) <= 0:
            return
        top, total = max(w), math.fsum(p)
        w = [b / top for b in w]
        target /= top
        x, lo, hi = 0.0, -60.0, 60.0
        for _ in range(40):
            q = [a * math.exp(x * b) for a, b in zip(p, w)]
            whole = math.fsum(q)
            first = math.fsum(a * b for a, b in zip(q, w)) / whole
            miss = first * total - target
            if abs(miss) <= 1e-6 * target:
                break
            lo, hi = (x, hi) if miss < 0 else (lo, x)
            second = math.fsum(a * b * b for a, b in zip(q, w)) / whole
            slope = (second - first * first) * total
            x = x - miss / slope if slope > 0 else hi
            if not lo < x < hi:
                x = (lo + hi) / 2
        for c, a in zip(cells, q):
            self.cells[c] = a * total / whole

    def fit(self, margins, moments, weight, sweeps=40):
        """`margins`: [(axes, target)]; `moments`: [(axis, {index: target})].
        The margins come last and alone, so that they hold exactly."""
        for _ in range(sweeps):
            for axis, targets in moments:
                for index, target in targets.items():
                    self.tilt(axis, index, weight, target)
            for axes, target in margins:
                self.rake(axes, target)
        for _ in range(sweeps):
            for axes, target in margins:
                self.rake(axes, target)
        self._normalise()
