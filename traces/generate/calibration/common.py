# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the published figures and the rows lie, their sources by name, and how
they are read and summed up."""

import bisect
import csv
import functools
import gzip
import json
import math
import os
import sys
from collections import Counter, defaultdict
from datetime import datetime

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(
    HERE, "..", "..", "..", "shared")
if sys.argv[1:2] == ["--from"] and len(sys.argv) > 2:
    SHARED = sys.argv[2]
    del sys.argv[1:3]
TRACES = os.path.join(SHARED, "traces")
STATS = os.path.join(TRACES, "stats")

EDGES = [2 ** k for k in range(22)]
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


def cached(function):
    """Computes the value for each list of arguments once."""
    return functools.lru_cache(maxsize=None)(function)


@cached
def table(name):
    with open(os.path.join(STATS, name), newline="") as f:
        return list(csv.DictReader(f))


@cached
def rows(name):
    path = os.path.join(TRACES, name)
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as f:
        return list(csv.DictReader(f))


def blob(name):
    with open(os.path.join(STATS, name)) as f:
        return json.load(f)


def read_json(*path):
    with open(os.path.join(*path)) as f:
        return json.load(f)


def seconds(text):
    """Returns the seconds since 1970 of a date without a zone, taken as
    UTC."""
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
    """Returns the shares behind cumulative percentages."""
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
    """Returns the published steps, split within a step as the histogram is."""
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
    """Returns the vertices of a drawn step function: a step lies at its right
    end; a vertex just beside a multiple of 8 is that multiple, and the little
    weight at the end of a tread (31, 63, ...) lies in its middle."""
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


def gpu_time_by_class(cdf):
    """Returns the share of each size class, from the cumulative percentages of
    GPU time by number of GPUs."""
    out, done = [0.0] * len(CLASSES), 0.0
    for gpus, percent in cdf:
        out[size_class(gpus)] += percent - done
        done = percent
    return shares(out)


def users_from_top(top, count):
    """Returns the job shares of users by rank, from the shares of the top k:
    the cumulated share is interpolated over the logarithm of the rank."""
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
    """Returns shares by Zipf's law, with the exponent for which the first
    `top` hold `share`."""
    lo, hi = 0.0, 8.0
    for _ in range(60):
        mid = (lo + hi) / 2
        w = shares([k ** -mid for k in range(1, count + 1)])
        lo, hi = (mid, hi) if sum(w[:top]) < share else (lo, mid)
    return w


def recurrence(jobs, gpus):
    """Returns what a user's next job has in common with the previous one.
    `jobs`: (user, gpus, duration, submit, state) in order of submission."""
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


@cached
def venus_jobs():
    return [(r["user"], int(r["gpu_num"]), float(r["duration_s"]),
             seconds(r["submit_time"]),
             STATE_OF[r["state"]])
            for r in rows("helios/venus_log_slice.csv")
            if int(r["gpu_num"]) > 0]


@cached
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


def causes(which):
    """Returns reasons with a weight and a lognormal run time to failure in
    seconds."""
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
    """Returns quantiles, share of zeros and mean, without outages over
    `longest`."""
    out = sorted(b - a for a, b in zip(times, times[1:]) if b - a <= longest)
    q = {p: out[min(len(out) - 1, int(p * len(out)))] for p in GAP_SHARE}
    return q, sum(1 for g in out if g <= 0) / len(out), sum(out) / len(out)


def gaps_lognormal(mean, zero, cv):
    """Returns zeros, and beside them a lognormal with this mean and variation,
    in whole seconds from one."""
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
    hours = shares(hours)
    weekdays = [7 * w for w in shares(weekdays)]
    return {
        "jobs_per_day": sourced(digits(per_day), sources["rate"]),
        "hours": sourced([digits(h, 5) for h in hours], sources["hours"]),
        "weekdays_mon_to_sun": sourced([digits(w, 5) for w in weekdays],
                                       sources["weekdays"]),
        "gap_published": sourced(
            [[0, digits(zero, 4)]] + [[digits(target[p]), p]
                                      for p in sorted(target) if p > zero],
            sources["gaps"]),
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


def work_shares(nodes):
    """Returns assumed shares of the GPU time: in proportion to the nodes, but
    a small virtual cluster cannot be filled as well as a large one."""
    return shares([n * (1 - 0.25 / math.sqrt(n)) for n in nodes])


def vcs_rows(vcs):
    return {"columns": ["name", "nodes", "job_share", "gpu_time_share",
                        "mean_gpus", "max_gpus"],
            "vcs": vcs}


def cluster_json(title, gpus, zone, start, cpus, source):
    return {"title": title, "gpus": gpus, "gpus_per_node": 8,
            "cpus_per_gpu": cpus, "zone_s": zone, "start": start,
            "source": source}


def user_json(weights, published, source, gpu_time=None, gpu_time_source=""):
    out = {"weights": [digits(w, 4) for w in shares(weights)],
           "published_top_share": published, "source": source}
    if gpu_time:
        out["gpu_time_top_percent"] = gpu_time
        out["gpu_time_source"] = gpu_time_source
    return out
