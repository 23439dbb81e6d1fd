#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derives the calibration of the trace generator from published statistics.

usage: derive.py [--from DIR] NAME       prints NAME.json
       derive.py [--from DIR] --write    rewrites all of them beside this script
       derive.py [--from DIR] --check    fails if one of them would change

DIR holds the published figures and the rows (default: the directory named by
SCHEDSIM_SHARED, or shared/ beside the repository). The output depends on nothing
else, and is committed.
"""

import bisect
import csv
import gzip
import json
import math
import os
import sys
from collections import Counter, defaultdict
from datetime import datetime

import behaviour
import gaps
import measure
from behaviour import entry
from joint import AXES, Table, bin_means

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(
    HERE, "..", "..", "..", "shared")
if sys.argv[1:2] == ["--from"] and len(sys.argv) > 2:
    SHARED = sys.argv[2]
    del sys.argv[1:3]
TRACES = os.path.join(SHARED, "traces")
STATS = os.path.join(TRACES, "stats")

EDGES = [2 ** k for k in range(22)]
MEANS = bin_means(EDGES)
CLASSES = [1, 2, 4, 8, 16, 32, 64, 1 << 20]  # upper bounds
STATES = ["completed", "failed", "cancelled"]
STATE_OF = {
    "COMPLETED": 0, "Pass": 0, "FAILED": 1, "Failed": 1, "CANCELLED": 2,
    "Killed": 2,
}

HELIOS = ("Hu et al., Characterization and Prediction of Deep Learning "
          "Workloads in Large-Scale GPU Datacenters, SC 2021; ")
ACME = ("Hu et al., Characterization of Large Language Model Development in "
        "the Datacenter, NSDI 2024; ")
PHILLY = ("Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters for "
          "DNN Training Workloads, USENIX ATC 2019; ")
ARTIFACT = HELIOS + "S-Lab-System-Group/HeliosArtifact bdaae109c21f, "
ACMETRACE = ACME + "InternLM/AcmeTrace 6d6ac9cd15f3, "
VENUS_ROWS = (HELIOS + "computed from the GPU-job rows of Venus in "
              "mystous/gpu_scheduler e432905d20fe (six weeks left out)")
VENUS_SLICE = (HELIOS + "computed from 8,405 consecutive GPU jobs of Venus in "
               "DIR-LAB/Gen-Parallel-Workloads c1b61aa993df")
PHILLY_ROWS = (PHILLY + "computed from 82,582 jobs reconstructed from "
               "TuftsNATLab/PCS 4ed6b2e45b31 and petuum/adaptdl c793c7089bd3")
PHILLY_HEAD = (PHILLY + "computed from the 8,225 jobs whose user and state are "
               "known from DIR-LAB/Gen-Parallel-Workloads c1b61aa993df")
FINDINGS = (ACME + "aggregates of the released logs from a public findings "
            "document in a fork of msr-fiddle/blox")
AUDIT = (ACME + "xabarov/most-queue 8bdeca7292ef, "
         "works/modern_gpu_trace/manifest.json")


def table(name):
    with open(os.path.join(STATS, name), newline="") as f:
        return list(csv.DictReader(f))


def rows(name):
    path = os.path.join(TRACES, name)
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as f:
        return list(csv.DictReader(f))


def blob(name):
    with open(os.path.join(STATS, name)) as f:
        return json.load(f)


def seconds(text):
    """A naive date to seconds since 1970, whatever the time zone here."""
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds()


def summary(path, cluster):
    for row in rows(path):
        if row["id"] == cluster:
            return row
    raise KeyError(cluster)


def size_class(gpus):
    return bisect.bisect_left(CLASSES, gpus)


def duration_bin(seconds):
    return min(bisect.bisect_left(EDGES, seconds), len(EDGES) - 1)


def shares(values):
    total = math.fsum(values)
    return [v / total for v in values]


def steps(cdf):
    """A cumulative percentage to shares."""
    return shares([max(b - a, 0.0) for a, b in zip([0.0] + cdf, cdf)])


def sourced(value, source):
    return {"value": value, "source": source}


def digits(x, n=6):
    return float("%.*g" % (n, x))


def gpus_from_histogram(histogram):
    total = sum(histogram.values())
    return [[int(g), n / total] for g, n in
            sorted(histogram.items(), key=lambda item: int(item[0]))]


def gpus_raked(cdf, histogram):
    """The published steps, split within a step as the histogram is."""
    out, below, done = [], 0, 0.0
    for upper, percent in cdf:
        inside = {int(g): n for g, n in histogram.items()
                  if below < int(g) <= upper}
        total = sum(inside.values())
        for g in sorted(inside):
            if percent > done:
                out.append([g, (percent - done) / 100 * inside[g] / total])
        below, done = upper, percent
    return out


def gpus_from_vertices(vertices):
    """Vertices of a drawn step function: a step lies at its right end; a vertex
    just beside a multiple of 8 is that multiple, and the little weight at the
    end of a tread (31, 63, ...) lies in its middle."""
    out, last, done = {}, 0, 0.0
    for gpus, percent in vertices:
        near = 8 * round(gpus / 8)
        if gpus <= 8 or gpus % 8 == 0:
            at = gpus
        elif gpus - last <= 4 and last < near:
            at = near
        else:
            at = max(8, 8 * round((last + gpus) / 16))
        if percent > done:
            out[at] = out.get(at, 0.0) + percent - done
        last, done = gpus, percent
    total = sum(out.values())
    return [[g, out[g] / total] for g in sorted(out)]


def class_shares(gpus):
    out = [0.0] * len(CLASSES)
    for g, share in gpus:
        out[size_class(g)] += share
    return out


def gpu_time_by_class(cdf):
    """Cumulative percent of GPU time by GPUs -> share of each class."""
    out, done = [0.0] * len(CLASSES), 0.0
    for gpus, percent in cdf:
        out[size_class(gpus)] += percent - done
        done = percent
    return shares(out)


def class_means(gpus):
    """Mean number of GPUs within each class."""
    total, weight = [0.0] * len(CLASSES), [0.0] * len(CLASSES)
    for g, share in gpus:
        total[size_class(g)] += g * share
        weight[size_class(g)] += share
    return [t / w if w else 0.0 for t, w in zip(total, weight)]


def users_from_top(top, count):
    """Job shares of users by rank from the shares of the top k: the cumulated
    share is interpolated over the logarithm of the rank."""
    known = sorted((int(k), s) for k, s in top.items())
    if known[-1][0] < count:
        known.append((count, 1.0))
    cumulated = []
    for rank in range(1, count + 1):
        for (k0, s0), (k1, s1) in zip(known, known[1:]):
            if k0 <= rank <= k1:
                f = math.log(rank / k0) / math.log(k1 / k0)
                cumulated.append(s0 + f * (s1 - s0))
                break
        else:
            cumulated.append(known[0][1])
    return sorted((b - a for a, b in zip([0.0] + cumulated, cumulated)),
                  reverse=True)


def users_zipf(count, top, share):
    """Zipf's law with the exponent for which the first `top` hold `share`."""
    lo, hi = 0.0, 8.0
    for _ in range(60):
        mid = (lo + hi) / 2
        w = shares([k ** -mid for k in range(1, count + 1)])
        lo, hi = (mid, hi) if sum(w[:top]) < share else (lo, mid)
    return w


def recurrence(jobs, gpus):
    """What a user's next job has in common with the previous one. `jobs`:
    (user, gpus, duration, submit, state) in order of submission."""
    last, before = {}, None
    same_gpus = repeats = same_state = 0
    near, jumps, states = [], 0, Counter()
    stay = defaultdict(lambda: [0, 0])
    for user, g, duration, at, state in jobs:
        if before:
            gap = at - before[1]
            band = 0 if gap <= 0 else 10 if gap <= 10 else 60 if gap <= 60 else -1
            stay[band][0] += before[0] == user
            stay[band][1] += 1
        before = (user, at)
        states[state] += 1
        if user in last and last[user][0] == g:
            same_gpus += 1
            if last[user][2] == state:
                same_state += 1
                d = abs(math.log(max(duration, 1) / max(last[user][1], 1)))
                if d > math.log(1.5):
                    jumps += 1
                else:
                    near.append(d)
        repeats += user in last
        last[user] = (g, duration, state)
    chance = sum(s * s for _, s in gpus)
    mixed = sum((n / len(jobs)) ** 2 for n in states.values())
    near.sort()
    return {
        "keep": digits((same_gpus / repeats - chance) / (1 - chance), 3),
        "persist": digits((same_state / same_gpus - mixed) / (1 - mixed), 3),
        "jump": digits(jumps / same_state, 3),
        # the median of |difference of two normals| is 0.9539 sigma
        "spread": digits(near[len(near) // 2] / 0.9539, 3),
        "stay": [[g, digits(stay[g][0] / stay[g][1], 3)]
                 for g in (0, 10, 60, -1)],
    }


RECURRENCE_NOTE = (
    "keep: the next job of a user is a run of the same template (from equal "
    "GPU counts, less chance); persist: a run ends as the one before it, else "
    "the end is drawn anew; jump: the template's duration is drawn anew; "
    "spread: sigma of the log of repeated durations; stay: the next job is of "
    "the same user, by inter-arrival time up to that many seconds (-1: longer);"
    " return: a user that leaves a template goes back to an older one "
    "(an assumption: no source has job names)")


def venus_jobs():
    return [(r["user"], int(r["gpu_num"]), float(r["duration_s"]),
             seconds(r["submit_time"]),
             STATE_OF[r["state"]])
            for r in rows("helios/venus_log_slice.csv")
            if int(r["gpu_num"]) > 0]


def philly_jobs():
    return [(r["user"], int(r["gpu_num"]), float(r["duration_s"]),
             int(r["submit_unix"]), r["state"])
            for r in rows("philly/philly_jobs.csv.gz")]


# Priors are P(size, state, bin) up to the margins, from rows.
def smooth(counts, weight=2.0):
    """Adds `weight` jobs spread over the bins, half of them next to others."""
    n = len(counts)
    out = []
    for i in range(n):
        near = counts[max(0, i - 1):i + 2]
        out.append(counts[i] + 0.02 * sum(near) + weight / n)
    return shares(out)


def helios_prior():
    by_class = [[0.0] * len(EDGES) for _ in CLASSES]
    for r in rows("helios/venus_gpu_jobs.csv.gz"):
        b = duration_bin(float(r["duration_s"]))
        by_class[size_class(int(r["gpu_num"]))][b] += 1
    by_state = [[0.0] * len(EDGES) for _ in STATES]
    for _, _, duration, _, state in venus_jobs():
        by_state[state][duration_bin(duration)] += 1
    by_class = [smooth(c) for c in by_class]
    whole = smooth([sum(s[b] for s in by_state) for b in range(len(EDGES))])
    by_state = [smooth(s) for s in by_state]
    given = {}
    for row in table("helios_state_by_gpu_num.csv"):
        low = int(row["gpus"].lstrip(">="))
        given[size_class(low), STATE_OF[row["state"]]] = float(
            row["percent_of_jobs"])
    for s in range(len(STATES)):
        given[len(CLASSES) - 1, s] = given[size_class(64), s]

    def prior(i, _k, s, b):
        return by_class[i][b] * by_state[s][b] / whole[b] * given[i, s]

    return prior


def philly_prior(jobs):
    by_class = [[0.0] * len(EDGES) for _ in CLASSES]
    passed = [[0.0] * len(EDGES) for _ in range(2)]
    known = [[0.0] * len(EDGES) for _ in STATES]
    mix = [[1.0, 1.0] for _ in CLASSES]
    for user, g, duration, _, state in jobs:
        i, b, p = size_class(g), duration_bin(duration), state == "Pass"
        by_class[i][b] += 1
        passed[p][b] += 1
        mix[i][p] += 1
        if user and state in STATE_OF:
            known[STATE_OF[state]][b] += 1
    by_class = [smooth(c) for c in by_class]
    whole = smooth([a + b for a, b in zip(*passed)])
    failed, killed = smooth(known[1]), smooth(known[2])
    rest = smooth(passed[0])
    by_state = [smooth(passed[1]),
                shares([r * math.sqrt(f / k)
                        for r, f, k in zip(rest, failed, killed)]),
                shares([r * math.sqrt(k / f)
                        for r, f, k in zip(rest, failed, killed)])]

    def prior(i, _k, s, b):
        share = mix[i][1] if s == 0 else mix[i][0]
        return by_class[i][b] * by_state[s][b] / whole[b] * share / sum(mix[i])

    return prior


def acme_prior(cluster, kinds, helios):
    """P(kind | size) from the quartiles of each kind's GPUs, P(bin | kind) from
    the duration CDF of each kind. The latter is no margin: the CDFs of the
    kinds, weighted by the shares of the kinds, are not the CDF of the whole."""
    box = {r["type"]: [float(r[c]) for c in
                       ("whisker_low", "q1", "median", "q3", "whisker_high")]
           for r in table("acme_gpu_num_box_by_type.csv")
           if r["cluster"] == cluster}
    given, bins = {}, []
    for k, kind in enumerate(kinds):
        bins.append(smooth([1000 * p for p in steps([
            float(r["cdf_percent"])
            for r in table("acme_duration_cdf_by_type.csv")
            if r["cluster"] == cluster and r["type"] == kind])]))
        counts = [0.01] * len(CLASSES)
        low, q1, q2, q3, high = box[kind]
        for a, b in ((low, q1), (q1, q2), (q2, q3), (q3, high)):
            for part in range(16):
                f = (part + 0.5) / 16
                counts[size_class(a * (b / a) ** f)] += 1
        for i, share in enumerate(shares(counts)):
            given[i, k] = share

    def prior(i, k, s, b):
        return helios(i, 0, s, b) * given[i, k] * bins[k][b]

    return prior


def fit_joint(prior, gpus, cdf, state_share, gpu_time, kinds=None):
    """`gpu_time`: {axis: shares}, "mean": GPU seconds of a job. Kinds are
    (name, share of jobs)."""
    kinds = kinds or [("", 1.0)]
    by_class = class_shares(gpus)
    mean_gpus = class_means(gpus)
    cells = Table((len(CLASSES), len(kinds), len(STATES), len(EDGES)),
                  lambda i, k, s, b: prior(i, k, s, b) if by_class[i] else 0.0)
    margins = [(("state",), {(s,): p for s, p in enumerate(state_share)}),
               (("kind",), {(k,): e[1] for k, e in enumerate(kinds)})]
    margins.append((("size",), {(i,): p for i, p in enumerate(by_class)}))
    margins.append((("bin",), {(b,): p for b, p in enumerate(steps(cdf))}))

    def weight(cell):
        return mean_gpus[cell[0]] * MEANS[cell[3]]

    mean = gpu_time["mean"]
    moments = [(axis, {i: mean * share
                       for i, share in enumerate(gpu_time[axis])})
               for axis in ("size", "kind", "state") if axis in gpu_time]
    cells.fit(margins, moments, weight)
    return cells, weight


def joint_json(cells, weight, kinds):
    names = [k[0] for k in kinds] if kinds else [""]
    out = []
    for i in range(len(CLASSES)):
        for k, kind in enumerate(names):
            for s, state in enumerate(STATES):
                bins = [cells.cells.get((i, k, s, b), 0.0)
                        for b in range(len(EDGES))]
                total = math.fsum(bins)
                if total < 1e-7:
                    continue
                out.append({
                    "class": i, "kind": kind, "state": state,
                    "share": digits(total),
                    "bins": [digits(b / total, 4) if b / total > 1e-7 else 0
                             for b in bins]})
    return out


def fitted(cells, weight, axis):
    total = math.fsum(p * weight(c) for c, p in cells.cells.items())
    got = cells.moments(axis, weight)
    size = cells.shape[AXES.index(axis)]
    return digits(total, 5), [digits(got.get(i, 0.0) / total, 4)
                              for i in range(size)]


def causes(which):
    """Reasons with a weight and a lognormal run time to failure in seconds."""
    with open(os.path.join(SHARED, "stats", "failures.json")) as f:
        data = json.load(f)
    out = []
    if which == "philly":
        for r in data["philly_2017"]["reasons"]:
            fit = r.get("lognormal_minutes") or {"mu": 2.25, "sigma": 2.65}
            out.append([r["reason"], r["trials"],
                        digits(fit["mu"] + math.log(60), 4), fit["sigma"]])
        source = (PHILLY + "Table 7 (trials second hand, percentiles of the run "
                  "time to failure recalled, lognormals fitted to them)")
    else:
        for r in data["acme_2023"]["reasons"]:
            mean = r.get("avg_time_to_failure_min") or 4.0
            # a mean only: an exponential's spread, sigma 1.28 in the log
            out.append([r["reason"], r["count"],
                        digits(math.log(mean * 60) - 0.5772, 4), 1.28])
        source = (ACME + "Table 3 (counts second hand, mean times to failure "
                  "partly recalled; 4 minutes where none is known)")
    out.sort(key=lambda r: (-r[1], r[0]))
    return {"columns": ["reason", "weight", "log_seconds_mu",
                        "log_seconds_sigma"],
            "rows": out, "source": source}


GAP_SHARE = [0.1, 0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999,
             0.9999]


def gaps_of(times, longest):
    """Quantiles, share of zeros and mean, without outages over `longest`."""
    out = sorted(b - a for a, b in zip(times, times[1:]) if b - a <= longest)
    q = {p: gaps.quantile(out, p) for p in GAP_SHARE}
    return q, sum(1 for g in out if g <= 0) / len(out), sum(out) / len(out)


def gaps_lognormal(mean, zero, cv):
    """Zeros, and beside them a lognormal with this mean and variation, in
    whole seconds from one."""
    sigma = math.sqrt(math.log((cv * cv + 1) * (1 - zero)))
    mu = math.log(mean / (1 - zero)) - sigma * sigma / 2
    out = {}
    for p in GAP_SHARE:
        if p <= zero:
            out[p] = 0.0
            continue
        lo, hi, level = -8.0, 8.0, (p - zero) / (1 - zero)
        for _ in range(60):
            mid = (lo + hi) / 2
            below = 0.5 * math.erfc(-mid / math.sqrt(2))
            lo, hi = (mid, hi) if below < level else (lo, mid)
        out[p] = float(math.ceil(math.exp(mu + sigma * lo)))
    return out


def arrivals(per_day, target, zero, hours, weekdays, sources):
    mean = 86400 / per_day
    hours = shares(hours)
    weekdays = [7 * w for w in shares(weekdays)]
    op_zero, points = gaps.calibrate(target, zero, mean, hours, weekdays)
    return {
        "jobs_per_day": sourced(digits(per_day), sources["rate"]),
        "hours": sourced([digits(h, 5) for h in hours], sources["hours"]),
        "weekdays_mon_to_sun": sourced([digits(w, 5) for w in weekdays],
                                       sources["weekdays"]),
        "gap_published": sourced(
            [[0, digits(zero, 4)]] + [[digits(target[p]), p]
                                      for p in sorted(target) if p > zero],
            sources["gaps"]),
        "gap_operational": sourced(
            [[digits(p, 6), digits(s, 5)] for p, s in points],
            "fixed-point iteration: gaps.py; below the first share the gap "
            "is zero"),
    }


VENUS_T0 = seconds("2020-04-01")


def venus_gaps():
    times = [seconds(r["submit_time"])
             for r in rows("helios/venus_gpu_jobs.csv.gz")]
    return gaps_of([t for t in times if t >= VENUS_T0], 86400)


def diurnal(cluster):
    return [float(r["value"]) for r in table("helios_diurnal.csv")
            if r["cluster"] == cluster
            and r["quantity"] == "gpu_jobs_submitted_per_hour"]


def cluster_json(title, gpus, zone, start, cpus, source):
    return {"title": title, "gpus": gpus, "gpus_per_node": 8,
            "cpus_per_gpu": cpus, "zone_s": zone, "start": start,
            "source": source}


def helios(name):
    low = name.lower()
    info = summary("helios/cluster_summary.csv", name)
    cdf = [float(r["cdf_percent"]) for r in table("helios_duration_cdf.csv")
           if r["cluster"] == name and r["job_kind"] == "GPU"]
    vertices = {w: [(1 << 20 if r["gpus_at_most"] == ">64"
                     else int(r["gpus_at_most"]), float(r["cdf_percent"]))
                    for r in table("helios_gpu_num_cdf.csv")
                    if r["cluster"] == name and r["weight"] == w]
                for w in ("jobs", "gpu_time")}
    shared = blob("venus_shared_part.json")
    gpus = gpus_raked(vertices["jobs"], shared["gpu_num_histogram"])
    count = float(info["gpu_job_num"])
    time = [float(info[k]) for k in
            ("complete_gpu_time", "fail_gpu_time", "cancel_gpu_time")]
    states = shares([float(info[k]) for k in (
        "complete_rate_gpu", "fail_rate_gpu", "cancel_rate_gpu")])
    cells, weight = fit_joint(
        helios_prior(), gpus, cdf, states,
        {"mean": sum(time) / count, "state": shares(time),
         "size": gpu_time_by_class(vertices["gpu_time"])})
    target, zero, mean = venus_gaps()
    per_day = math.fsum(diurnal(name))
    note = ""
    if name != "Venus":
        factor = 86400 / per_day / mean
        target = {p: float(int(g * factor)) for p, g in target.items()}
        zero = min(p for p in GAP_SHARE if target[p] > 0) - 0.05
        note = "; borrowed from Venus, scaled to the mean of " + name
    slice_stats = blob("venus_slice_shared_part.json")
    user_time = [[float(r["top_users_percent"]), float(r["share_percent"])]
                 for r in table("helios_user_share.csv")
                 if r["cluster"] == name and r["quantity"] == "gpu_time"]
    count_users = round(100 / min(p for p, _ in user_time if p > 0))
    stretch = count_users / slice_stats["users"]
    top = {max(1, round(int(k) * (stretch if name != "Venus" else 1))): s
           for k, s in slice_stats["job_share_of_top_users"].items()}
    if name != "Venus":
        top[1] = slice_stats["job_share_of_top_users"]["1"] / stretch
    # the weights are of the slice's users; people.n_users counts them all
    users = slice_stats["users"] if name == "Venus" else count_users
    vcs = {"vcs": [], "source": "no size of a virtual cluster of %s is "
           "published" % name}
    if name == "Venus":
        nodes = {r["vc"] if "vc" in r else r[""]: int(r["num"])
                 for r in rows("lucid/venus_vc_config.csv")}
        jobs = blob("helios_published.json")["venus_september_lucid"]
        left = jobs["jobs"] - sum(jobs["jobs_by_vc"].values())
        free = sum(n for v, n in nodes.items() if v not in jobs["jobs_by_vc"])
        vcs = {"vcs": [[v, n, digits(jobs["jobs_by_vc"].get(
            v, left * n / free) / jobs["jobs"], 4)] for v, n in nodes.items()],
            "source": "Hu et al., Lucid, ASPLOS 2023; S-Lab-System-Group/Lucid "
            "63685a3ab7d1: nodes, and September jobs of five virtual clusters; "
            "the others share the rest by their nodes"}
    return {
        "name": low,
        "cluster": cluster_json(
            "SenseTime Helios, %s, 2020" % name,
            sum(n * 8 for _, n, _ in vcs["vcs"]) or int(info["gpu_num"]),
            28800, "2020-04-01", 6,
            ARTIFACT + "helios_cluster_summary.csv; Venus: the nodes of its "
            "virtual clusters in S-Lab-System-Group/Lucid 63685a3ab7d1"),
        "arrivals": arrivals(per_day, target, zero, diurnal(name),
                             shared["submissions_by_weekday_mon_to_sun"], {
            "rate": ARTIFACT + "cluster_diurnal.pdf, sum over the hours",
            "hours": ARTIFACT + "cluster_diurnal.pdf",
            "weekdays": VENUS_ROWS + (note and "; borrowed from Venus"),
            "gaps": VENUS_ROWS + ", from 2020-04-01, gaps up to a day" + note}),
        "gpu_count": sourced(
            [[g, digits(s)] for g, s in gpus],
            ARTIFACT + "job_cdf_gpunum.pdf; within a step and above 64 GPUs "
            "split as in the rows of Venus"),
        "duration_cdf": sourced([digits(c / 100) for c in cdf],
                                ARTIFACT + "job_cdf_jobtime.pdf"),
        "states": sourced([digits(s) for s in states],
                          ARTIFACT + "helios_cluster_summary.csv"),
        "kinds": sourced([["", 1.0]], "the log has no job types"),
        "gpu_time": gpu_time_json(
            cells, weight, sum(time) / count, shares(time),
            gpu_time_by_class(vertices["gpu_time"]),
            ARTIFACT + "helios_cluster_summary.csv, job_cdf_gpunum.pdf"),
        "joint": {"rows": joint_json(cells, weight, None),
                  "source": "joint.py: the margins above; prior from the rows "
                  "of Venus (size, duration), from its slice (state, duration) "
                  "and " + ARTIFACT + "job_bar_gpu_num_complete_rate.pdf"},
        "users": user_json(users_from_top(top, users), sorted(
            [k, s] for k, s in top.items()) if name == "Venus" else [],
            VENUS_SLICE + ("" if name == "Venus" else "; borrowed, stretched "
                           "to the number of users of %s" % name),
            user_time, ARTIFACT + "user_cdf_time.pdf"),
        "vcs": vcs,
        "recurrence": dict(recurrence(venus_jobs(), gpus),
                           **{"return": 0.5}, source=VENUS_SLICE + note.replace(
                               ", scaled to the mean of " + name, "") + ". " +
                           RECURRENCE_NOTE),
        "attempts": sourced([], "the log does not say"),
        "causes": causes("philly"),
        "workloads": "lucid",
    }


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


def user_json(weights, published, source, gpu_time=None, gpu_time_source=""):
    out = {"weights": [digits(w, 4) for w in shares(weights)],
           "published_top_share": published, "source": source}
    if gpu_time:
        out["gpu_time_top_percent"] = gpu_time
        out["gpu_time_source"] = gpu_time_source
    return out


def acme(name):
    released = blob("acme_published.json")["released_log_both_clusters"][
        name.lower()]
    info = summary("acme/cluster_summary.csv", name)
    cdf = [float(r["cdf_percent"])
           for r in table("acme_gpu_job_duration_cdf.csv")
           if r["cluster"] == name]
    vertices = {w: [(int(r["gpus"]), float(r["cdf_percent"]))
                    for r in table("acme_gpu_num_cdf.csv")
                    if r["cluster"] == name and r["weight"] == w]
                for w in ("jobs", "gpu_time")}
    gpus = gpus_from_vertices(vertices["jobs"])
    share = {(r["weight"], r["type"]): float(r["share_percent"])
             for r in table("acme_type_share.csv") if r["cluster"] == name}
    names = [t for w, t in sorted(share) if w == "jobs"]
    job_share = shares([share["jobs", t] for t in names])
    kinds = list(zip(names, job_share))
    states = shares([float(info[k]) for k in (
        "complete_rate_gpu", "fail_rate_gpu", "cancel_rate_gpu")])
    time = [float(info[k]) for k in
            ("complete_gpu_time", "fail_gpu_time", "cancel_gpu_time")]
    # Seren's row there counts more jobs than the log that was released, which
    # the other figures describe
    mean = sum(time) / released["gpu_jobs"]
    by_class = gpu_time_by_class(vertices["gpu_time"])
    by_kind = shares([share["gpu_time", t] for t in names])
    cells, weight = fit_joint(
        acme_prior(name, names, helios_prior()), gpus, cdf, states,
        {"mean": mean, "state": shares(time), "size": by_class,
         "kind": by_kind}, kinds)
    # days between the first and the last submission of the released logs
    days = 184.0 if name == "Seren" else 91.18
    per_day = released["gpu_jobs"] / days
    zero = released["same_second_arrival_share"]
    target = gaps_lognormal(86400 / per_day, zero, released["interarrival_cv"])
    hours = diurnal("Venus")
    zone = 28800
    count = 20 if name == "Kalos" else 150
    return {
        "name": name.lower(),
        "cluster": cluster_json(
            "Shanghai AI Laboratory Acme, %s, 2023" % name,
            2416 if name == "Kalos" else 2288, zone,
            "2023-05-17" if name == "Kalos" else "2023-03-01",
            15 if name == "Kalos" else 16,
            ACME + "302 and 286 nodes of 8 A100; CPUs per GPU from the first "
            "rows of the released logs"),
        "arrivals": arrivals(per_day, target, zero, hours, blob(
            "venus_shared_part.json")["submissions_by_weekday_mon_to_sun"], {
            "rate": FINDINGS + ": GPU jobs over the span of the log",
            "hours": "borrowed from Helios Venus (no daily rhythm of Acme is "
            "published): " + ARTIFACT + "cluster_diurnal.pdf",
            "weekdays": "borrowed from Helios Venus: " + VENUS_ROWS,
            "gaps": FINDINGS + ": mean, coefficient of variation and share of "
            "equal seconds; a lognormal beside the zeros"}),
        "gpu_count": sourced([[g, digits(s)] for g, s in gpus],
                             ACMETRACE + "cdf_job_gpunum.pdf"),
        "duration_cdf": sourced([digits(c / 100) for c in cdf],
                                ACMETRACE + "cdf_job_duration_util.pdf"),
        "states": sourced([digits(s) for s in states],
                          ACMETRACE + "data/cluster_summary.csv"),
        "kinds": sourced([[t, digits(s)] for t, s in zip(names, job_share)],
                         ACMETRACE + "treemap_job_dist.pdf"),
        "gpu_time": gpu_time_json(
            cells, weight, mean, shares(time), by_class, ACMETRACE +
            "data/cluster_summary.csv, cdf_job_gpunum.pdf, "
            "treemap_job_dist.pdf", by_kind),
        "joint": {"rows": joint_json(cells, weight, kinds),
                  "source": "joint.py: the margins above and the duration CDF "
                  "of each type (cdf_job_duration_queue.pdf); prior from the "
                  "quartiles of box_gpu_num.pdf and from Helios"},
        "users": user_json(
            users_zipf(count, 5, released["job_share_of_top_5_users"]),
            [[5, released["job_share_of_top_5_users"]]],
            FINDINGS + "; Zipf's law through the share of the top five; the "
            "number of users is an assumption"),
        "vcs": {"vcs": [], "source": "the log has no virtual clusters"},
        "recurrence": dict(recurrence(venus_jobs(), gpus), **{"return": 0.5},
                           source="borrowed from Helios: " + VENUS_SLICE +
                           ". " + RECURRENCE_NOTE),
        "attempts": sourced([], "the log does not say"),
        "causes": causes("acme"),
        "workloads": "lucid",
    }


def philly():
    jobs = philly_jobs()
    shared = blob("philly_shared_part.json")
    published = blob("philly_published.json")
    info = published["acme_comparison_row"]
    cdf = [float(r["cdf_percent"])
           for r in table("acme_gpu_job_duration_cdf.csv")
           if r["cluster"] == "Philly"]
    gpu_time = [(int(r["gpus"]), float(r["cdf_percent"]))
                for r in table("acme_gpu_num_cdf.csv")
                if r["cluster"] == "Philly" and r["weight"] == "gpu_time"]
    gpus = gpus_from_histogram(published["reconstruction"]
                               ["gpu_num_histogram"])
    states = shares([info["complete_share"], info["fail_share"],
                     info["cancel_share"]])
    time = shares([info["complete_gpu_time_share"],
                   info["fail_gpu_time_share"],
                   info["cancel_gpu_time_share"]])
    row = summary("acme/cluster_summary.csv", "Philly")
    mean = math.fsum(float(row[k]) for k in (
        "complete_gpu_time", "fail_gpu_time", "cancel_gpu_time")) / float(
        row["gpu_job_num"])
    by_class = gpu_time_by_class(gpu_time)
    cells, weight = fit_joint(philly_prior(jobs), gpus, cdf, states, {
        "mean": mean, "state": time, "size": by_class})
    target, zero, gap_mean = gaps_of(
        sorted(j[3] for j in jobs if j[3] >= 1506841200), 86400)
    nodes = {r["vc"]: int(r["node num"])
             for r in rows("philly/philly_vc_nodes.csv")}
    in_vc = {v: n for v, n in shared["jobs_by_vc"].items() if v in nodes}
    known = shared["status_known_subset"]
    attempts = []
    for state in ("Pass", "Failed", "Killed"):
        counts = known["attempts_per_job_by_state"][state]
        attempts.append([digits(s, 4) for s in shares(
            [counts.get(str(n), 0) for n in range(1, 7)])])
    head = [(u, g, d, t, STATE_OF[s]) for u, g, d, t, s in jobs if u]
    return {
        "name": "philly",
        "cluster": cluster_json(
            "Microsoft Philly, 2017", sum(nodes[v] for v in in_vc) * 8,
            -25200, "2017-10-01", 0, "nodes of 8 GPUs of the virtual clusters "
            "used here: " + ARTIFACT + "framework/QSSF Service"),
        "arrivals": arrivals(86400 / gap_mean, target, zero,
                             shared["submissions_by_hour"],
                             shared["submissions_by_weekday_mon_to_sun"], {
            "rate": PHILLY_ROWS + ", from 2017-10-01",
            "hours": PHILLY_ROWS, "weekdays": PHILLY_ROWS,
            "gaps": PHILLY_ROWS + ", from 2017-10-01, gaps up to a day"}),
        "gpu_count": sourced([[g, digits(s)] for g, s in gpus],
                             PHILLY + "109,570 jobs with an attempt, "
                             "reconstructed from TuftsNATLab/PCS 4ed6b2e45b31"),
        "duration_cdf": sourced([digits(c / 100) for c in cdf], ACMETRACE +
                                "cdf_job_duration_util.pdf, curve of Philly"),
        "states": sourced([digits(s) for s in states], ACMETRACE +
                          "data/cluster_summary.csv, row of Philly"),
        "kinds": sourced([["", 1.0]], "the log has no job types"),
        "gpu_time": gpu_time_json(
            cells, weight, mean, time, by_class, ACMETRACE +
            "data/cluster_summary.csv and cdf_job_gpunum.pdf, Philly"),
        "joint": {"rows": joint_json(cells, weight, None),
                  "source": "joint.py: the margins above; prior: " +
                  PHILLY_ROWS},
        "users": user_json(
            users_from_top(known["job_share_of_top_users"], known["users"]),
            sorted([int(k), s] for k, s in
                   known["job_share_of_top_users"].items()), PHILLY_HEAD),
        "vcs": {"vcs": [[v, nodes[v], digits(n / sum(in_vc.values()), 4)]
                        for v, n in in_vc.items()],
                "source": PHILLY_ROWS + "; nodes: " + ARTIFACT +
                "framework/QSSF Service"},
        "recurrence": dict(recurrence(head, gpus), **{"return": 0.5},
                           source=PHILLY_HEAD + ". " + RECURRENCE_NOTE),
        "attempts": sourced(attempts, PHILLY_HEAD +
                            ": shares of 1 to 6 attempts by state"),
        "causes": causes("philly"),
        "workloads": "lucid",
    }


PROTOTYPE = ("chosen so that prototypes of the generator met the rows of Venus "
             "and Philly")
ITP = ("Gu et al., ElasticFlow, ASPLOS 2023 (MIT): computed from the order of "
       "the rows of eight clusters of Microsoft ITP")


def dependence(name):
    """Fitted operational numbers: gaps, hours, days, weeks."""
    value = {"philly": (0.6, 0.4, 0.5, 0.9, 0.5, 0.0),
             "venus": (0.55, 0.4, 0.5, 0.35, 0.4, 0.0),
             "saturn": (0.57, 0.4, 0.5, 0.4, 0.4, 0.2),
             "seren": (0.57, 0.6, 0.5, 0.6, 0.4, 0.5),
             "kalos": (0.57, 0.6, 0.5, 0.6, 0.4, 0.7)}[name]
    keys = ("gap_ac", "hour_cv", "hour_ac", "day_cv", "day_ac", "week_cv")
    return {k: entry(v, PROTOTYPE if name in ("philly", "venus")
                     else ITP + "; " + PROTOTYPE, "fitted")
            for k, v in zip(keys, value)}


def known_jobs(name):
    """Consecutive jobs with user and state: of Philly, else of Venus."""
    if name != "philly":
        return venus_jobs()
    return [(u, g, d, t, STATE_OF[s]) for u, g, d, t, s in philly_jobs() if u]


def add_behaviour(out):
    """The sections of behaviour.py."""
    name = out["name"]
    own = name in ("philly", "venus")
    rows_of = PHILLY_HEAD if name == "philly" else VENUS_SLICE
    if not own:
        rows_of = "borrowed from Venus: " + rows_of
    status = "measured" if own else "assumed"
    jobs = sorted(known_jobs(name), key=lambda job: job[3])
    helios = name in ("venus", "saturn")
    users = {
        "philly": entry(125, PHILLY + "users in the first 11,250 attempts, all "
                        "virtual clusters, taken for the eight", "assumed"),
        "venus": entry(155, ARTIFACT + "user_cdf_time.pdf: its steps are "
                       "1/155 wide", "published"),
        "saturn": entry(182, ARTIFACT + "user_cdf_time.pdf: its steps are "
                        "1/182 wide", "published"),
        "seren": entry(150, "the number of users is not published",
                       "assumed"),
        "kalos": entry(20, "the number of users is not published",
                       "assumed")}[name]
    rates = table("helios_user_completion_rate_hist.csv")
    beta = measure.beta_fit(
        [float(r["completion_rate_from_percent"]) / 100 for r in rates] + [1],
        shares([float(r["share_of_users_percent"]) for r in rates]))
    completion = entry([behaviour.three(v) for v in beta],
                       ("" if helios else "borrowed from Helios: ") +
                       ARTIFACT + "histogram of the users' completion rates, "
                       "four clusters; a Beta distribution through it",
                       "fitted" if helios else "assumed")
    top = out["users"].get("gpu_time_top_percent") or []
    gpu_time = entry([[digits(p / 100, 4), digits(g / 100, 4)]
                      for p, g in top if p > 0],
                     out["users"].get("gpu_time_source",
                                      "not published for this cluster"),
                     "published" if top else "unknown")
    out["arrivals"]["dependence"] = dependence(name)
    out["people"] = behaviour.people(measure, jobs, users, completion,
                                     gpu_time, rows_of, status)
    if not own:
        a_day = out["people"]["users_a_day"]
        a_day["value"] = behaviour.three(
            a_day["value"] * users["value"] / 155)
        a_day["source"] += ", scaled to the number of users"
    out["sessions"] = behaviour.sessions(measure, jobs, rows_of, status)
    out["taste"] = {"tau": entry(
        0.7, "prototypes of the generator: with 0.6 to 0.8 estimators from "
        "history rank run times of generated jobs as well as of real ones",
        "fitted")}
    rho = {"philly": 1.0, "venus": 0.9, "saturn": 0.98, "seren": 0.97,
           "kalos": 0.64}[name]
    out["room"] = {
        "rho": entry(rho, "the published mean wait lies between the mean waits "
                     "of generated traces under fjf and fifo", "fitted"),
        "largest_share": entry(0.5, "no job has more than half of its virtual "
                               "cluster, except in the largest ones",
                               "assumed")}
    limit = [1024 if name == "kalos" and kind == "Pretrain" else 0
             for kind, _ in out["kinds"]["value"]]
    out["kinds"]["at_once"] = entry(
        limit, "one pre-training of the largest size at a time; the published "
        "peak of simultaneous requests is 1,536 GPUs (" + AUDIT + ")"
        if name == "kalos" else "no limit by kind is known", "assumed")
    delay = []
    if name == "kalos":
        share = {r["type"]: float(r["share_percent"])
                 for r in table("acme_type_share.csv")
                 if r["cluster"] == "Kalos" and r["weight"] == "jobs"}
        by = defaultdict(float)
        for r in table("acme_queue_cdf_by_type.csv"):
            if r["cluster"] == "Kalos":
                by[int(r["queue_s"])] += (share[r["type"]] *
                                          float(r["cdf_percent"]))
        last = max(by.values())
        delay = [[t, digits(v / last, 4)] for t, v in sorted(by.items())]
    out["start_delay"] = entry(
        delay, ACMETRACE + "cdf_job_duration_queue.pdf, weighted by "
        "treemap_job_dist.pdf; that jobs did not wait for GPUs is an "
        "assumption: at most 1,536 of 2,416 were asked for at once" if delay
        else "jobs start as soon as there are GPUs", "assumed")
    vcs = out["vcs"]
    most = {v: 8 * n for v, n, *_ in vcs["vcs"]}
    nodes = sum(n for _, n, *_ in vcs["vcs"])
    rows_vc = defaultdict(list)
    if name == "philly":
        for r in rows("philly/philly_jobs.csv.gz"):
            if int(r["submit_unix"]) >= 1506841200:
                rows_vc[r["vc"]].append((int(r["gpu_num"]),
                                         float(r["duration_s"])))
    total = math.fsum(g * d for v in most for g, d in rows_vc[v])
    count = sum(len(rows_vc[v]) for v in most)
    vcs["columns"] = ["name", "nodes", "job_share", "gpu_time_share",
                      "mean_gpus", "max_gpus"]
    for i, (v, n, share, *_) in enumerate(vcs["vcs"]):
        if rows_vc[v]:
            got = rows_vc[v]
            vcs["vcs"][i] = [
                v, n, digits(len(got) / count, 4),
                digits(math.fsum(g * d for g, d in got) / total, 4),
                digits(sum(g for g, _ in got) / len(got), 4),
                max(g for g, _ in got)]
        else:
            vcs["vcs"][i] = [v, n, share, digits(n / nodes, 4), 0, 8 * n]
    vcs["status"] = "measured" if name == "philly" else "published"
    return out


CLUSTERS = {
    "philly": lambda: add_behaviour(philly()),
    "venus": lambda: add_behaviour(helios("Venus")),
    "saturn": lambda: add_behaviour(helios("Saturn")),
    "seren": lambda: add_behaviour(acme("Seren")),
    "kalos": lambda: add_behaviour(acme("Kalos")),
}


def dump(value, indent=0):
    """One line for each leaf list, so that a change shows as a line."""
    pad = " " * indent
    if isinstance(value, dict):
        if not any(isinstance(v, dict) for v in value.values()) and indent > 1:
            lines = [json.dumps(k) + ": " + json.dumps(v)
                     for k, v in value.items()]
            if "bins" in value:
                return "{" + ", ".join(lines) + "}"
        lines = [pad + " " + json.dumps(k) + ": " + dump(v, indent + 1)
                 for k, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + pad + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + " " + dump(v, indent + 1)
                                  for v in value) + "\n" + pad + "]"
    return json.dumps(value)


def write(check):
    stale = []
    for name, make in CLUSTERS.items():
        text = dump(make()) + "\n"
        path = os.path.join(HERE, name + ".json")
        if check:
            with open(path) as f:
                if f.read() != text:
                    stale.append(name + ".json")
            continue
        with open(path, "w") as f:
            f.write(text)
    if stale:
        sys.exit("derive.py: not as derived: " + " ".join(stale) +
                 "; run derive.py --write")


def main(argv):
    if len(argv) == 2 and argv[1] in CLUSTERS:
        print(dump(CLUSTERS[argv[1]]()))
    elif argv[1:] in (["--write"], ["--check"]):
        write(argv[1] == "--check")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv)
