# SPDX-License-Identifier: GPL-3.0-or-later
"""Seren and Kalos of Acme: published figures; the prior of the joint table and
what depends on users are borrowed from Helios."""

import math

from common import (ACME, ACMETRACE, ARTIFACT, CLASSES, FINDINGS,
                    RECURRENCE_NOTE, VENUS_ROWS, VENUS_SLICE, arrivals, blob,
                    causes, cluster_json, digits, diurnal, gaps_lognormal,
                    gpu_time_by_class, gpus_from_vertices, recurrence, shares,
                    size_class, smooth, sourced, steps, summary, table,
                    user_json, users_zipf, vcs_rows, venus_jobs)
from helios import helios_prior
from tables import fit_joint, gpu_time_json, joint_json


def acme_prior(cluster, kinds, helios):
    """Returns P(kind | size) from the quartiles of each kind's GPUs, P(bin |
    kind) from the duration CDF of each kind. The latter is no margin: the CDFs
    of the kinds, weighted by the shares of the kinds, are not the CDF of the
    whole."""
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

    def prior(v, i, k, s, b):
        return helios(v, i, 0, s, b) * given[i, k] * bins[k][b]

    return prior


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
        "vcs": dict(vcs_rows([]), source="the log has no virtual clusters"),
        "recurrence": dict(recurrence(venus_jobs(), gpus), **{"return": 0.5},
                           source="borrowed from Helios: " + VENUS_SLICE +
                           ". " + RECURRENCE_NOTE),
        "attempts": sourced([], "the log does not say"),
        "causes": causes("acme"),
        "workloads": "lucid",
    }


