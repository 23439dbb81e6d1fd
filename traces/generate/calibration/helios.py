# SPDX-License-Identifier: GPL-3.0-or-later
"""Venus and Saturn of SenseTime Helios: published figures; dependences and the
prior of the joint table from rows of Venus."""

import math

from common import (ARTIFACT, CLASSES, EDGES, GAP_SHARE, RECURRENCE_NOTE,
                    STATE_OF, STATES, VENUS_ROWS, VENUS_SLICE, arrivals, blob,
                    causes, cluster_json, digits, diurnal, duration_bin,
                    gpu_time_by_class, gpus_raked, recurrence, rows, shares,
                    size_class, smooth, sourced, summary, table, user_json,
                    users_from_top, vcs_rows, venus_gaps, venus_jobs,
                    work_shares)
from tables import (fit_joint, fitted, gpu_time_json, joint_json,
                    sizes_by_vc)


# Assumed: by how much fewer jobs of a size a virtual cluster has that would fill
# it; exp(-SHYNESS x the job's share of the virtual cluster).
SHYNESS = 4.0


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

    def prior(_v, i, _k, s, b):
        return by_class[i][b] * by_state[s][b] / whole[b] * given[i, s]

    return prior


def venus_vcs(gpus):
    """Returns rows of vcs.vcs: job shares as far as published, GPU time in
    proportion to the nodes, and no job above half of its virtual cluster,
    except in the largest one."""
    nodes = {r["vc"] if "vc" in r else r[""]: int(r["num"])
             for r in rows("lucid/venus_vc_config.csv")}
    known = blob("helios_published.json")["venus_september_lucid"]
    jobs = known["jobs_by_vc"]
    left = known["jobs"] - sum(jobs.values())
    free = sum(n for v, n in nodes.items() if v not in jobs)
    half = 4 * max(nodes.values())
    out = []
    for (v, n), work in zip(nodes.items(), work_shares(nodes.values())):
        most = 8 * n if 4 * n == half else 4 * n
        most = max([g for g, _ in gpus if g <= most])
        out.append([v, n, digits(jobs.get(v, left * n / free) / known["jobs"],
                                 4),
                    digits(work, 4), 0, most])
    return out


def vcs_json(name, cells, weight, gpus, vcs):
    if not vcs:
        return dict(vcs_rows([]), source="no size of a virtual cluster of %s "
                    "is published" % name)
    sizes = sizes_by_vc(cells, gpus, vcs)
    got = fitted(cells, weight, "vc")[1]
    for row, share in zip(vcs, got):
        row[3] = share
        row[4] = digits(math.fsum(g * p for g, p in sizes[row[0]]), 4)
    return dict(
        vcs_rows(vcs), sizes=sizes,
        source="Hu et al., Lucid, ASPLOS 2023; S-Lab-System-Group/Lucid "
        "63685a3ab7d1: nodes, and September jobs of five virtual clusters "
        "(published); the others share the rest by their nodes, GPU time "
        "follows the nodes, less for small ones, no job has more than half of "
        "its virtual cluster except in the largest one, and large jobs are "
        "rarer where they fill it (assumed); sizes and mean GPUs come "
        "from the joint table (fitted)")


def user_curve(name):
    """Returns ([percent of users, percent of GPU time], number of users). The
    curves are drawn at k / (n - 1): n is the least number for which that gives
    all percentages of the three curves of the cluster."""
    drawn = [r for r in table("helios_user_share.csv") if r["cluster"] == name]
    percents = {float(r["top_users_percent"]) for r in drawn}

    def fits(n):
        return all(abs(round(p * (n - 1) / 100) * 100 / (n - 1) - p) < 0.0051
                   for p in percents)

    n = next(n for n in range(20, 5000) if fits(n))
    curve = {}
    for r in drawn:
        if r["quantity"] == "gpu_time":
            rank = float(r["top_users_percent"]) / 100 * (n - 1) + 1
            curve[round(rank) / n * 100] = float(r["share_percent"])
    return sorted(map(list, curve.items())), n


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
    vcs = venus_vcs(gpus) if name == "Venus" else []
    gpu_time = {"mean": sum(time) / count, "state": shares(time),
                "size": gpu_time_by_class(vertices["gpu_time"])}
    if vcs:
        gpu_time["vc"] = [row[3] for row in vcs]
    by_rows = helios_prior()

    def prior(v, i, k, s, b):
        # jobs that take a large part of their virtual cluster are rarer there
        room = 8 * vcs[v][1] if vcs else math.inf
        return by_rows(v, i, k, s, b) * math.exp(
            -SHYNESS * min(CLASSES[i], 128) / room)

    cells, weight = fit_joint(prior, gpus, cdf, states, gpu_time, vcs=vcs)
    target, zero, mean = venus_gaps()
    per_day = math.fsum(diurnal(name))
    note = ""
    if name != "Venus":
        factor = 86400 / per_day / mean
        target = {p: float(int(g * factor)) for p, g in target.items()}
        zero = min(p for p in GAP_SHARE if target[p] > 0) - 0.05
        note = "; borrowed from Venus, scaled to the mean of " + name
    slice_stats = blob("venus_slice_shared_part.json")
    user_time, count_users = user_curve(name)
    stretch = count_users / user_curve("Venus")[1]
    top = {max(1, round(int(k) * (stretch if name != "Venus" else 1))): s
           for k, s in slice_stats["job_share_of_top_users"].items()}
    if name != "Venus":
        top[1] = slice_stats["job_share_of_top_users"]["1"] / stretch
    return {
        "name": low,
        "cluster": cluster_json(
            "SenseTime Helios, %s, 2020" % name,
            sum(row[1] * 8 for row in vcs) or int(info["gpu_num"]),
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
        "joint": {"rows": joint_json(cells, weight, None, vcs),
                  "source": "joint.py: the margins above; prior from the rows "
                  "of Venus (size, duration), from its slice (state, duration) "
                  "and " + ARTIFACT + "job_bar_gpu_num_complete_rate.pdf"},
        "users": user_json(users_from_top(top, count_users), sorted(
            [k, s] for k, s in top.items()) if name == "Venus" else [],
            VENUS_SLICE + ("; the users of six months share the rest" if name == "Venus" else "; borrowed, stretched "
                           "to the number of users of %s" % name),
            user_time, ARTIFACT + "user_cdf_time.pdf"),
        "vcs": vcs_json(name, cells, weight, gpus, vcs),
        "recurrence": dict(recurrence(venus_jobs(), gpus),
                           **{"return": 0.5}, source=VENUS_SLICE + note.replace(
                               ", scaled to the mean of " + name, "") + ". " +
                           RECURRENCE_NOTE),
        "attempts": sourced([], "the log does not say"),
        "causes": causes("philly"),
        "workloads": "lucid",
    }


