# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of a calibration that say how jobs depend on each other: on
the last gap and the last day, on their user, on the end of the job before and
on what already runs. Each number has its source and a status:

measured   computed here from rows of the log
published  stands in a paper, its artifact or its figures
fitted     chosen so that a published or measured figure comes out
assumed    nothing is known of this cluster; the source says what was taken
unknown    there is no number
"""

from collections import defaultdict

import measure
from common import (ACMETRACE, ARTIFACT, AUDIT, PHILLY, PHILLY_HEAD,
                    PHILLY_ROWS, STATE_OF, STATES, VENUS_ROWS, VENUS_SLICE,
                    VENUS_T0, cached, digits, philly_jobs, rows, seconds,
                    shares, table, venus_jobs)

ITP = ("Gu et al., ElasticFlow, ASPLOS 2023 (MIT): computed from the rows of "
       "eight clusters of Microsoft ITP, taken as one stream")
OWN = {"philly": "philly", "philly-2017-all": "philly", "venus": "venus"}


def entry(value, source, status):
    return {"value": value, "source": source, "status": status}


def three(x):
    return float("%.3g" % x)


def section(source, status, **values):
    return {name: entry(value, source, status)
            for name, value in values.items()}


@cached
def venus_times():
    """Returns the times of submission on the whole days on both sides of the
    six weeks that are left out."""
    times = [seconds(r["submit_time"])
             for r in rows("helios/venus_gpu_jobs.csv.gz")]
    return [[t for t in times if VENUS_T0 <= t < seconds("2020-06-11")],
            [t for t in times if t >= seconds("2020-07-21")]]


@cached
def philly_times():
    return [sorted(seconds(r["submit_time"])
                   for r in rows("philly/philly_jobs.csv.gz")
                   if r["submit_time"] >= "2017-10-01")]


@cached
def itp_times():
    names = ["cluster%02d.csv" % n for n in (1, 3, 5, 10)]
    names += ["cluster%02d.csv.gz" % n for n in (2, 4, 7, 8)]
    return [sorted(float(r["submission_time"]) for name in names
                   for r in rows("itp/" + name))]


@cached
def measured_dependence(of):
    """Returns means over the stretches of the log, weighted by their jobs."""
    stretches = {"venus": venus_times, "philly": philly_times,
                 "itp": itp_times}[of]()
    out = defaultdict(float)
    total = sum(len(times) for times in stretches)
    for times in stretches:
        for key, value in measure.dependence(times).items():
            out[key] += value * len(times) / total
    return {key: three(value) for key, value in out.items()}


def dependence(name):
    of = OWN.get(name, "itp")
    source = {"venus": VENUS_ROWS + ", two stretches of whole days",
              "philly": PHILLY_ROWS + ", from 2017-10-01",
              "itp": "borrowed, nothing is known of this cluster: " + ITP}[of]
    return section(source, "assumed" if of == "itp" else "measured",
                   **measured_dependence(of))


@cached
def known_jobs(of):
    """Returns consecutive jobs of the log, with user and state."""
    if of == "venus":
        return venus_jobs()
    jobs = [(u, g, d, t, STATE_OF[s]) for u, g, d, t, s in philly_jobs() if u]
    return sorted(jobs, key=lambda job: job[3])


@cached
def measured_people(of):
    jobs = known_jobs(of)
    a_day, active = measure.activity(jobs)
    size = measure.between_users(jobs, measure.log_gpus)
    duration = measure.between_users(jobs, measure.log_duration)
    return {"users_a_day": three(a_day), "active_days": three(active),
            "busiest_durations": [
                three(z) for z in measure.busiest_durations(jobs)],
            "between_r2_gpus": three(size),
            "between_r2_duration": three(duration)}


@cached
def completion_rates():
    rates = table("helios_user_completion_rate_hist.csv")
    beta = measure.beta_fit(
        [float(r["completion_rate_from_percent"]) / 100 for r in rates] + [1],
        shares([float(r["share_of_users_percent"]) for r in rates]))
    return [three(v) for v in beta]


def n_users(name, weights):
    steps = (ARTIFACT + "user_cdf_time.pdf: the least number for which the "
             "percentages of its three curves are k / (n - 1); users of CPU "
             "jobs count")
    none = "the number of users is not published"
    later = "; the number of later ones is not known"
    attempts = (PHILLY + "users in the first 11,250 attempts of the log, all "
                "virtual clusters" + later)
    rate = (PHILLY_HEAD + ": 83 users" + later + "; more of them, because users "
            "are assumed to submit as many jobs a day as there")
    return {"philly": entry(weights, rate, "assumed"),
            "philly-2017-all": entry(125, attempts, "assumed"),
            "venus": entry(weights, steps, "published"),
            "saturn": entry(weights, steps, "published"),
            "seren": entry(150, none, "assumed"),
            "kalos": entry(20, none, "assumed")}[name]


def people(name, users, top, top_source):
    """`top`: (percent of users, percent of GPU time)."""
    of = OWN.get(name, "venus")
    rows_of = PHILLY_HEAD if of == "philly" else VENUS_SLICE
    numbers = dict(measured_people(of))
    status = "measured"
    if name not in OWN:
        numbers["users_a_day"] = three(
            numbers["users_a_day"] * users["value"] / 311)
        rows_of = ("borrowed, nothing is known of this cluster; users a day in "
                   "proportion to the users: " + rows_of)
        status = "assumed"
    helios = name in ("venus", "saturn")
    return {
        "n_users": users,
        "completion_beta": entry(
            completion_rates(), ("" if helios else "borrowed from Helios: ") +
            ARTIFACT + "histogram of the users' completion rates, four "
            "clusters; the likeliest Beta distribution",
            "fitted" if helios else "assumed"),
        "top_gpu_time": entry(
            [[digits(p / 100, 4), digits(g / 100, 4)]
             for p, g in top if p > 0], top_source,
            "published" if top else "unknown"),
        **section(rows_of, status, **numbers)}


@cached
def measured_sessions(of):
    jobs = known_jobs(of)
    mean, p99 = measure.sessions(jobs)
    return ({"mean": three(mean), "p99": p99,
             "burst_share": three(measure.burst_share(jobs))},
            {name: [three(v) for v in row] for name, row in
             zip(STATES, measure.chains(jobs, len(STATES)))})


def sessions(name):
    of = OWN.get(name, "venus")
    source = PHILLY_HEAD if of == "philly" else VENUS_SLICE
    status = "measured" if name in OWN else "assumed"
    if name not in OWN:
        source = "borrowed, nothing is known of this cluster: " + source
    numbers, chains = measured_sessions(of)
    return dict(section(source, status, **numbers), next={
        "columns": ["p_hour", "p_5min", "gap_q25", "gap_q50", "gap_q75"],
        "value": chains, "source": source, "status": status})


def at_once(name, kinds):
    """Returns the GPUs that the jobs of a kind hold at once; 0: any number."""
    limit = [1024 if name == "kalos" and kind == "Pretrain" else 0
             for kind, _ in kinds]
    return entry(limit, "one pre-training of the largest size at a time; the "
                 "peak of simultaneous requests is 1,536 GPUs (" + AUDIT + ")"
                 if any(limit) else "no limit by kind is known", "assumed")


def start_delay(name):
    if name != "kalos":
        return entry([], "jobs start as soon as there are GPUs", "assumed")
    share = {r["type"]: float(r["share_percent"])
             for r in table("acme_type_share.csv")
             if r["cluster"] == "Kalos" and r["weight"] == "jobs"}
    by = defaultdict(float)
    for r in table("acme_queue_cdf_by_type.csv"):
        if r["cluster"] == "Kalos":
            by[int(r["queue_s"])] += share[r["type"]] * float(r["cdf_percent"])
    last = max(by.values())
    return entry([[t, digits(v / last, 4)] for t, v in sorted(by.items())],
                 ACMETRACE + "cdf_job_duration_queue.pdf, weighted by "
                 "treemap_job_dist.pdf; that no job waited for GPUs is an "
                 "assumption: at most 1,536 of 2,416 were asked for at once",
                 "assumed")


def add(out):
    """Adds the sections to a calibration."""
    name = out["name"]
    users = n_users(name, len(out["users"]["weights"]))
    top = out["users"].pop("gpu_time_top_percent", [])
    top_source = out["users"].pop("gpu_time_source",
                                  "not published for this cluster")
    out["arrivals"]["dependence"] = dependence(name)
    out["people"] = people(name, users, top, top_source)
    out["sessions"] = sessions(name)
    out["kinds"]["at_once"] = at_once(name, out["kinds"]["value"])
    out["start_delay"] = start_delay(name)
    return out
