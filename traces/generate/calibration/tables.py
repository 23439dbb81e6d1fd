# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint table of a cluster: virtual cluster, size class, kind, final state
and bin of the duration."""

import math

from common import CLASSES, EDGES, STATES, digits, size_class, steps
from joint import AXES, Table, bin_means

MEANS = bin_means(EDGES)


def class_shares(gpus):
    out = [0.0] * len(CLASSES)
    for g, share in gpus:
        out[size_class(g)] += share
    return out


def class_means(gpus, most):
    """Returns the mean number of GPUs within each class, of the jobs of at
    most `most` GPUs; 0 where there is none."""
    total, weight = [0.0] * len(CLASSES), [0.0] * len(CLASSES)
    for g, share in gpus:
        if g <= most:
            total[size_class(g)] += g * share
            weight[size_class(g)] += share
    return [t / w if w else 0.0 for t, w in zip(total, weight)]


WHOLE = ("", 0, 1.0, 0, 0, math.inf)  # a cluster without virtual clusters


def fit_joint(prior, gpus, cdf, state_share, gpu_time, kinds=None, vcs=None,
              margins=()):
    """`gpu_time`: {axis: shares}, "mean": GPU seconds of a job. Kinds are
    (name, share of jobs), virtual clusters rows of vcs.vcs."""
    kinds, vcs = kinds or [("", 1.0)], vcs or [WHOLE]
    by_class = class_shares(gpus)
    means = [class_means(gpus, row[5]) for row in vcs]
    cells = Table(
        (len(vcs), len(CLASSES), len(kinds), len(STATES), len(EDGES)),
        lambda v, i, k, s, b: prior(v, i, k, s, b)
        if by_class[i] and means[v][i] else 0.0)
    margins = list(margins) + [
        (("state",), {(s,): p for s, p in enumerate(state_share)}),
        (("kind",), {(k,): e[1] for k, e in enumerate(kinds)}),
        (("vc",), {(v,): row[2] for v, row in enumerate(vcs)}),
        (("size",), {(i,): p for i, p in enumerate(by_class)}),
        (("bin",), {(b,): p for b, p in enumerate(steps(cdf))})]

    def weight(cell):
        return means[cell[0]][cell[1]] * MEANS[cell[4]]

    mean = gpu_time["mean"]
    # a share that is drawn as zero is only too small to see
    moments = [(axis, {i: mean * share
                       for i, share in enumerate(gpu_time[axis]) if share})
               for axis in ("size", "kind", "state", "vc") if axis in gpu_time]
    cells.fit(margins, moments, weight)
    return cells, weight


def joint_json(cells, weight, kinds, vcs=None):
    names = [k[0] for k in kinds] if kinds else [""]
    out = []
    groups = {}
    for cell, p in cells.cells.items():
        groups.setdefault(cell[:4], [0.0] * len(EDGES))[cell[4]] = p
    for (v, i, k, s), bins in sorted(groups.items()):
        total = math.fsum(bins)
        if total < 1e-7:
            continue
        row = {"vc": vcs[v][0]} if vcs else {}
        row.update({
            "class": i, "kind": names[k], "state": STATES[s],
            "share": digits(total),
            "bins": [digits(b / total, 4) if b / total > 1e-7 else 0
                     for b in bins]})
        out.append(row)
    return out


def fitted(cells, weight, axis):
    total = math.fsum(p * weight(c) for c, p in cells.cells.items())
    got = cells.moments(axis, weight)
    size = cells.shape[AXES.index(axis)]
    return digits(total, 5), [digits(got.get(i, 0.0) / total, 4)
                              for i in range(size)]


def gpu_time_json(cells, weight, mean, state, size, source, kind=None):
    got_mean, got_state = fitted(cells, weight, "state")
    got_size = fitted(cells, weight, "size")[1]
    out = {"mean_gpu_s": digits(mean, 5), "mean_gpu_s_fitted": got_mean,
           "by_state": [digits(s, 4) for s in state],
           "by_state_fitted": got_state,
           "by_class": [digits(s, 4) for s in size],
           "by_class_fitted": got_size, "source": source}
    if kind:
        out["by_kind"] = [digits(s, 4) for s in kind]
        out["by_kind_fitted"] = fitted(cells, weight, "kind")[1]
    return out


def sizes_by_vc(cells, gpus, vcs):
    """Returns the shares of the numbers of GPUs within each virtual cluster,
    from the fitted classes; within a class as in the whole cluster."""
    out = {}
    for v, row in enumerate(vcs):
        inside = [[g, p] for g, p in gpus if g <= row[5]]
        given = class_shares(inside)
        have = [0.0] * len(CLASSES)
        for cell, p in cells.cells.items():
            if cell[0] == v:
                have[cell[1]] += p
        out[row[0]] = [
            [g, digits(p / given[size_class(g)] * have[size_class(g)] /
                       math.fsum(have), 4)]
            for g, p in inside if have[size_class(g)] > 1e-9]
    return out
