# SPDX-License-Identifier: GPL-3.0-or-later
"""Microsoft Philly. `philly` is the eight virtual clusters whose rows are known,
since 2017-10-01, from those rows alone; `philly-2017-all` is what is published
of the whole log and its eleven virtual clusters with a known size."""

import math
from collections import Counter

from common import (ACMETRACE, ARTIFACT, CLASSES, EDGES, PHILLY, PHILLY_HEAD,
                    PHILLY_ROWS, RECURRENCE_NOTE, SHARED, STATE_OF, STATES,
                    arrivals, blob, causes, cluster_json, digits, duration_bin,
                    gaps_of, gpu_time_by_class, gpus_from_histogram,
                    philly_jobs, read_json, recurrence, rows, shares,
                    size_class, smooth, sourced, summary, table, user_json,
                    users_from_top, vcs_rows, work_shares)
from tables import (fit_joint, fitted, gpu_time_json, joint_json,
                    sizes_by_vc)

OCTOBER = 1506841200  # 2017-10-01 00:00 US Pacific
ZONE = -25200  # US Pacific daylight time, seconds from UTC
SINCE = PHILLY_ROWS + "; 76,383 jobs of eight virtual clusters from 2017-10-01"


def prior_all(jobs):
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

    def prior(_v, i, _k, s, b):
        share = mix[i][1] if s == 0 else mix[i][0]
        return by_class[i][b] * by_state[s][b] / whole[b] * share / sum(mix[i])

    return prior


def split_of_failures(jobs):
    """Returns, by bin, how much likelier a job that did not pass is Failed
    than Killed, from the jobs for which that is known."""
    known = [[0.0] * len(EDGES) for _ in STATES]
    for user, _, duration, _, state in jobs:
        if user and state in STATE_OF:
            known[STATE_OF[state]][duration_bin(duration)] += 1
    failed, killed = smooth(known[1]), smooth(known[2])
    return [f / (f + k) for f, k in zip(failed, killed)]


def prior_eight(jobs, vcs, split):
    """Returns the table of the rows, with two jobs per group spread as in the
    whole log."""
    shape = Counter()
    whole = Counter()
    for vc, g, duration, state in jobs:
        at = (size_class(g), state == "Pass", duration_bin(duration))
        shape[(vcs.index(vc),) + at] += 1
        whole[at] += 1
    by_vc, by_class = Counter(), Counter()
    for (v, i, p, _), n in shape.items():
        by_vc[v, i, p] += n
    for (i, p, _), n in whole.items():
        by_class[i, p] += n

    def prior(v, i, _k, s, b):
        p = s == 0
        if not by_vc[v, i, p]:
            return 0.0
        count = shape[v, i, p, b] + 2 * whole[i, p, b] / by_class[i, p]
        return count * (1 if p else split[b] if s == 1 else 1 - split[b])

    return prior


def state_shares(jobs):
    """Returns (by jobs, by GPU time, sources): Pass from the rows, the rest
    split as published for the whole log."""
    passed = sum(1 for j in jobs if j[3] == "Pass") / len(jobs)
    time = math.fsum(g * d for _, g, d, _ in jobs)
    passed_time = math.fsum(g * d for _, g, d, s in jobs
                            if s == "Pass") / time
    mix = read_json(SHARED, "stats", "failures.json")["philly_2017"][
        "status_mix"]
    f, k = mix["unsuccessful"]["share"], mix["killed"]["share"]
    published = blob("philly_published.json")["helios_comparison"][
        "gpu_time_share_percent"]
    ft, kt = published["Failed"], published["Killed"]
    rest, rest_time = 1 - passed, 1 - passed_time
    return ([passed, rest * f / (f + k), rest * k / (f + k)],
            [passed_time, rest_time * ft / (ft + kt),
             rest_time * kt / (ft + kt)])


def copies_note(copies):
    return "" if copies == 1 else (
        "; %d users for each of these, because users are assumed to submit as "
        "many jobs a day as in the first weeks" % copies)


def users_per_known(jobs, per_day):
    """Returns how many users of the trace stand for each user of the first
    weeks, so that a user submits as many jobs a day as there: the jobs a day
    of the trace over those of the known users."""
    times = [t for u, _, _, t, _ in jobs if u]
    return round(per_day * (max(times) - min(times)) / 86400 / len(times))


def known_parts(jobs, gpus, n_users, copies=1):
    """Returns what is known from the first weeks only: users, attempts.
    `copies`: users of the trace for each of these users, who share its
    jobs."""
    known = blob("philly_shared_part.json")["status_known_subset"]
    top = known["job_share_of_top_users"]
    weights = users_from_top(top, n_users)
    attempts = []
    for state in ("Pass", "Failed", "Killed"):
        counts = known["attempts_per_job_by_state"][state]
        attempts.append([digits(s, 4) for s in shares(
            [counts.get(str(n), 0) for n in range(1, 7)])])
    head = [(u, g, d, t, STATE_OF[s]) for u, g, d, t, s in jobs if u]
    return {
        "users": user_json(
            [w / copies for w in weights for _ in range(copies)],
            sorted([copies * int(k), s] for k, s in top.items()),
            PHILLY_HEAD + copies_note(copies)),
        "recurrence": dict(recurrence(head, gpus), **{"return": 0.5},
                           source=PHILLY_HEAD + ". " + RECURRENCE_NOTE),
        "attempts": sourced(attempts, PHILLY_HEAD +
                            ": shares of 1 to 6 attempts by state"),
        "causes": causes("philly"),
        "workloads": "lucid",
    }


def nodes_by_vc():
    return {r["vc"]: int(r["node num"])
            for r in rows("philly/philly_vc_nodes.csv")}


NODES = "nodes of 8 GPUs: " + ARTIFACT + "framework/QSSF Service"


def rhythm(times):
    """Returns the submissions by hour and weekday, of local times. Philly's
    are taken in daylight time throughout, as the generator has one zone for a
    trace."""
    hours, days = [0] * 24, [0] * 7
    for t in times:
        hours[int(t % 86400 // 3600)] += 1
        days[int(t // 86400 + 3) % 7] += 1
    return hours, days


def philly():
    nodes = nodes_by_vc()
    log = [r for r in rows("philly/philly_jobs.csv.gz")
           if r["vc"] in nodes and int(r["submit_unix"]) >= OCTOBER]
    jobs = [(r["vc"], int(r["gpu_num"]), float(r["duration_s"]), r["state"])
            for r in log]
    names = [v for v, _ in Counter(j[0] for j in jobs).most_common()]
    gpus = gpus_from_histogram(Counter(j[1] for j in jobs))
    edges = Counter(duration_bin(j[2]) for j in jobs if j[2] <= EDGES[-1])
    cdf, below = [], 0
    for b in range(len(EDGES)):
        below += edges[b]
        cdf.append(100 * below / len(jobs))
    states, time = state_shares(jobs)
    mean = math.fsum(g * d for _, g, d, _ in jobs) / len(jobs)
    by_class, by_pair, vcs = [0.0] * len(CLASSES), Counter(), []
    for vc in names:
        own = [(g, d) for v, g, d, _ in jobs if v == vc]
        gpu_s = math.fsum(g * d for g, d in own)
        vcs.append([vc, nodes[vc], digits(len(own) / len(jobs)),
                    digits(gpu_s / (mean * len(jobs)), 4),
                    digits(sum(g for g, _ in own) / len(own), 4),
                    max(g for g, _ in own)])
    for vc, g, d, _ in jobs:
        by_class[size_class(g)] += g * d
        by_pair[names.index(vc), size_class(g)] += 1 / len(jobs)
    by_class = shares(by_class)
    everyone = philly_jobs()
    cells, weight = fit_joint(
        prior_eight(jobs, names, split_of_failures(everyone)), gpus, cdf,
        states, {"mean": mean, "state": time, "size": by_class,
                 "vc": [row[3] for row in vcs]}, vcs=vcs,
        margins=[(("vc", "size"), by_pair)])
    target, zero, gap_mean = gaps_of(
        sorted(int(r["submit_unix"]) for r in log), 86400)
    hours, days = rhythm([int(r["submit_unix"]) + ZONE for r in log])
    sizes = {v: gpus_from_histogram(Counter(j[1] for j in jobs if j[0] == v))
             for v in names}
    return {
        "name": "philly",
        "cluster": cluster_json(
            "Microsoft Philly, eight virtual clusters, 2017",
            sum(row[1] for row in vcs) * 8, ZONE, "2017-10-01", 0, NODES),
        "arrivals": arrivals(86400 / gap_mean, target, zero, hours, days, {
            "rate": SINCE, "hours": SINCE, "weekdays": SINCE,
            "gaps": SINCE + ", gaps up to a day"}),
        "gpu_count": sourced([[g, digits(s)] for g, s in gpus], SINCE),
        "duration_cdf": sourced([digits(c / 100) for c in cdf], SINCE),
        "states": sourced([digits(s) for s in states], SINCE + ": Pass; the "
                          "rest is split into failed and cancelled as in "
                          "Table 6 of the paper (whole log, second hand)"),
        "kinds": sourced([["", 1.0]], "the log has no job types"),
        "gpu_time": gpu_time_json(
            cells, weight, mean, time, by_class, SINCE + "; what did not pass "
            "is split as in " + ARTIFACT + "compare_philly.pdf (whole log)"),
        "joint": {"rows": joint_json(cells, weight, None, vcs),
                  "source": "joint.py: the table of the rows (" + SINCE +
                  "), slightly smoothed; failed and cancelled by duration: " +
                  PHILLY_HEAD},
        "vcs": dict(vcs_rows(vcs), sizes={
            v: [[g, digits(s, 4)] for g, s in own]
            for v, own in sizes.items()},
            source=SINCE + "; " + NODES),
        **known_parts(everyone, gpus, 83,
                      users_per_known(everyone, 86400 / gap_mean)),
    }


def vcs_all(gpus):
    """Returns eleven virtual clusters: job shares of eight from the rows, the
    other three share the rest by their nodes, GPU time follows the nodes."""
    nodes = nodes_by_vc()
    total = blob("philly_published.json")["reconstruction"][
        "jobs_with_an_attempt"]
    known = {v: n for v, n in
             blob("philly_shared_part.json")["jobs_by_vc"].items()
             if v in nodes}
    left = total - sum(known.values())
    free = sum(n for v, n in nodes.items() if v not in known)
    jobs = {v: known.get(v, left * n / free) for v, n in nodes.items()}
    return [[v, n, digits(jobs[v] / sum(jobs.values()), 4),
             digits(work, 4), 0, max(g for g, _ in gpus if g <= 4 * n)]
            for (v, n), work in zip(nodes.items(),
                                    work_shares(nodes.values()))]


def philly_all():
    jobs = philly_jobs()
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
    vcs = vcs_all(gpus)
    cells, weight = fit_joint(prior_all(jobs), gpus, cdf, states, {
        "mean": mean, "state": time, "size": by_class,
        "vc": [row[3] for row in vcs]}, vcs=vcs)
    factor = published["reconstruction"]["jobs_with_an_attempt"] / len(jobs)
    log = rows("philly/philly_jobs.csv.gz")
    target, zero, gap_mean = gaps_of(
        sorted(int(r["submit_unix"]) for r in log
               if int(r["submit_unix"]) >= OCTOBER), 86400)
    hours, days = rhythm([int(r["submit_unix"]) + ZONE for r in log])
    sizes = sizes_by_vc(cells, gpus, vcs)
    for r, share in zip(vcs, fitted(cells, weight, "vc")[1]):
        r[3] = share
        r[4] = digits(math.fsum(g * p for g, p in sizes[r[0]]), 4)
    return {
        "name": "philly-2017-all",
        "cluster": cluster_json(
            "Microsoft Philly, the whole log, 2017",
            sum(r[1] for r in vcs) * 8, ZONE, "2017-10-01", 0, NODES),
        "arrivals": arrivals(86400 / gap_mean * factor, {
            p: float(int(g / factor)) for p, g in target.items()}, zero,
            hours, days, {
            "rate": PHILLY_ROWS + ", from 2017-10-01, scaled to the 109,570 jobs "
            "of the whole log with an attempt",
            "hours": PHILLY_ROWS, "weekdays": PHILLY_ROWS,
            "gaps": PHILLY_ROWS + ", from 2017-10-01, gaps up to a day, scaled "
            "to the rate"}),
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
        "joint": {"rows": joint_json(cells, weight, None, vcs),
                  "source": "joint.py: the margins above; prior: " +
                  PHILLY_ROWS},
        "vcs": dict(vcs_rows(vcs), sizes=sizes,
                    source="job shares: " + PHILLY_ROWS + " for eight, the "
                    "other three share the rest by their nodes; GPU time "
                    "follows the nodes, less for small ones (assumed); sizes and mean GPUs from the "
                    "joint table; " + NODES),
        **known_parts(jobs, gpus, 125),
    }
