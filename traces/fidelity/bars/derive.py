#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derives the real values beside which `schedsim trace fidelity` puts generated
traces: measured by that command on rows where there are rows, else published.

usage: derive.py PROGRAM NAME     prints NAME.json
       derive.py PROGRAM --write  rewrites the files of all clusters

Reads the directory named by SCHEDSIM_SHARED, or shared/ beside the repository.
rules.json, the bars, is written by hand.
"""

import bisect
import csv
import datetime
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.path.join(
    os.environ.get("SCHEDSIM_SHARED") or
    os.path.join(HERE, "..", "..", "..", "shared"), "traces")
GROUPS = ["margins", "arrivals", "order", "people", "users", "chains", "demand",
          "vcs", "learning", "waits"]
CLUSTERS = ["philly", "venus", "saturn", "seren", "kalos"]

PHILLY_ROWS = ("measured on the rows since 1 October 2017 UTC of "
               "TuftsNATLab/PCS and petuum/adaptdl, eight virtual clusters")
PHILLY_KNOWN = ("measured on the 8,225 rows whose user and state are known "
                "(DIR-LAB/Gen-Parallel-Workloads)")
VENUS_ROWS = ("measured on the GPU jobs of mystous/gpu_scheduler from 1 April "
              "to 11 June and from 20 July 2020, geometric mean of both")
VENUS_SLICE = ("measured on the 8,405 GPU jobs of 27 May to 11 June 2020 "
               "(DIR-LAB/Gen-Parallel-Workloads)")
HELIOS = "Hu et al., SC 2021; "
ACME = ("aggregates of the released logs of Acme (Hu et al., NSDI 2024) in a "
        "fork of msr-fiddle/blox")
AUDIT = "xabarov/most-queue, works/modern_gpu_trace/manifest.json"
ACME_SUMMARY = ("Hu et al., NSDI 2024; InternLM/AcmeTrace, "
                "data/cluster_summary.csv, GPU jobs")
# the rows of Venus cut longer run times to this value, s
CUT = 172800


def read(name):
    path = os.path.join(TRACES, name)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "rt") as file:
        return list(csv.DictReader(file))


def measure(program, rows, *options):
    """Returns the measures that `schedsim trace fidelity` prints for these
    rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        out = subprocess.run(
            [program, "trace", "fidelity", path, "--json", *options],
            check=True, capture_output=True, text=True).stdout
    return {m["measure"]: m["median"] for m in json.loads(out)["measures"]}


def only(*groups):
    return [word for group in groups for word in ("--only", group)]


def rows_of(measured, source, status, leave=()):
    """Returns entries of a bars file for measured values, without leaks
    (..._leak, ..._all): a leak needs the names of jobs, which these rows lack.
    """
    return [{"name": name, "real": round(value, 6), "source": source,
             "status": status}
            for name, value in measured.items()
            if value is not None and not name.endswith(("_leak", "_all"))
            and not name.startswith(tuple(leave) or "-")]


def own_bar(rows, name, **bar):
    for row in rows:
        if row["name"] == name:
            row.update(bar)


def leaks():
    return [{"name": "learning.%s_leak" % estimator, "status": ""}
            for estimator in ("history", "gbdt", "ga2m")]


def published(name, value, source, **bar):
    return {"name": name, "real": value, "source": source,
            "status": "published", **bar}


def bracket(wait, source):
    """Returns bars for waits from a published mean wait. A production
    scheduler lets some jobs overtake jobs that wait, so its mean wait lies
    between the waits of fjf and fifo."""
    return [published("waits.fjf_mean", wait, source, factor=[0, 1.43]),
            published("waits.fifo_mean", wait, source, factor=[0.71, 5]),
            *spread()]


def spread():
    return [{"name": "waits.fifo_mean", "over": "spread", "status": ""}]


def top_users(cluster):
    """Returns the shares of GPU time of the top 5 and 10 % of users,
    interpolated between points of a published curve, which has the first user
    at 0 and the last at 100 %."""
    n = {"Venus": 311, "Saturn": 364}[cluster]
    curve = [((float(r["top_users_percent"]) * (n - 1) + 100) / n,
              float(r["share_percent"]) / 100)
             for r in read("stats/helios_user_share.csv")
             if r["cluster"] == cluster and r["quantity"] == "gpu_time"]
    out = []
    for percent in (5, 10):
        (x0, y0), (x1, y1) = [
            pair for pair in zip(curve, curve[1:])
            if pair[0][0] <= percent <= pair[1][0]][0]
        share = y0 + (y1 - y0) * (percent - x0) / (x1 - x0)
        out.append(published("people.gpu_time_top_%d" % percent,
                             round(share, 4), HELIOS + "GPU time by users"))
    return out + [published("people.number", n, HELIOS + "steps of the curves "
                            "of users; users of CPU jobs count too")]


def completion():
    """Returns the users of all Helios clusters by tenths of their completion
    rate."""
    return distribution("completion", [], [
        float(row["share_of_users_percent"]) / 100
        for row in read("stats/helios_user_completion_rate_hist.csv")],
        HELIOS + "users of all Helios clusters by completion rate",
        "published")


def distribution(name, at, share, source, status):
    out = {"name": name, "share": [round(s, 5) for s in share],
           "source": source, "status": status}
    return {**out, "at": at} if at else out


def run_times(name, path, cluster, source, **where):
    """Returns a published distribution of run times, at powers of two of
    seconds."""
    rows = [r for r in read(path) if r["cluster"] == cluster
            and all(r[key] == value for key, value in where.items())]
    return distribution(name, [float(r["duration_s"]) for r in rows],
                        [float(r["cdf_percent"]) / 100 for r in rows],
                        source, "published")


def of_rows(runs, submitted, source):
    """Returns the distributions of rows: run times of all jobs and of each
    size class with 500 jobs or more, hours and weekdays. `runs`: pairs of GPUs
    and seconds. Run times of CUT seconds may really be longer, so that they
    only lie above all points."""
    out = []
    for name, low, high in [("run", 0, 1 << 30)] + [
            ("run.%s" % (size if size <= 64 else "more"), size // 2,
             size if size <= 64 else 1 << 30)
            for size in (1, 2, 4, 8, 16, 32, 64, 128)]:
        own = sorted(s for gpus, s in runs if low < gpus <= high)
        if len(own) < 500:
            continue
        at = sorted({own[(i + 1) * len(own) // 200 - 1] for i in range(200)})
        at = [s for s in at if s < CUT]
        out.append(distribution(name, at, [bisect.bisect_right(own, s) /
                                           len(own) for s in at],
                                source, "rows"))
    for name, unit, n, offset in (("hour", 3600, 24, 0),
                                  ("weekday", 86400, 7, 3)):
        counts = [0] * n
        for second in submitted:
            counts[(second // unit + offset) % n] += 1
        out.append(distribution(name, [], [c / len(submitted) for c in counts],
                                source, "rows"))
    return out


def distances(distributions):
    """Returns the entries for the distances to these distributions."""
    names = {"hour": "margins.hour_distance",
             "weekday": "margins.weekday_distance",
             "completion": "people.completion_distance"}
    return [{"name": names.get(d["name"], "margins.%s_distance" % d["name"]),
             "source": d["source"], "status": d["status"]}
            for d in distributions]


def gpu_time(path, cluster, key, source):
    """Returns published shares of GPU time by size class, from a cumulative
    curve."""
    curve = sorted((float(r[key].replace(">64", "inf")),
                    float(r["cdf_percent"]) / 100) for r in read(path)
                   if r["cluster"] == cluster and r["weight"] == "gpu_time")
    below, out = 0, []
    for size in ("1", "2", "4", "8", "16", "32", "64", "more"):
        up_to = max([share for gpus, share in curve
                     if size == "more" or gpus <= float(size)], default=0)
        out.append(published("margins.size_%s.gpu_time" % size,
                             round(up_to - below, 4), source))
        below = up_to
    return out


def by_state(path, cluster, source):
    row, = [r for r in read(path) if r["id"] == cluster]
    times = {state: float(row[column]) for state, column in
             (("completed", "complete_gpu_time"), ("failed", "fail_gpu_time"),
              ("cancelled", "cancel_gpu_time"))}
    return [published("margins.%s.gpu_time" % state,
                      round(time / sum(times.values()), 4), source)
            for state, time in times.items()]


def helios(cluster):
    """Returns the figures that are published for each Helios cluster."""
    row, = [r for r in read("helios/cluster_summary.csv")
            if r["id"] == cluster]
    source = HELIOS + "HeliosArtifact, cluster_summary.csv"
    time = sum(float(row[c]) for c in ("complete_gpu_time", "cancel_gpu_time",
                                       "fail_gpu_time"))
    made = [completion()]
    measures = [published("margins.gpu_s_a_job",
                          round(time / float(row["gpu_job_num"])), source)]
    measures += by_state("helios/cluster_summary.csv", cluster, source)
    measures += gpu_time("stats/helios_gpu_num_cdf.csv", cluster,
                         "gpus_at_most", HELIOS + "GPU time by GPUs")
    return made, measures + top_users(cluster)


def acme(cluster, jobs_and_time):
    """Returns the figures that are published for each cluster of Acme."""
    source = ACME_SUMMARY
    made = [run_times("run", "stats/acme_gpu_job_duration_cdf.csv", cluster,
                      "Hu et al., NSDI 2024; durations of GPU jobs")]
    measures = [published("margins.gpu_s_a_job", jobs_and_time, source)]
    measures += by_state("acme/cluster_summary.csv", cluster, source)
    measures += gpu_time("stats/acme_gpu_num_cdf.csv", cluster, "gpus",
                         "Hu et al., NSDI 2024; GPU time by GPUs")
    return made, measures


def lucid_jobs():
    """Returns the shares of jobs of five virtual clusters of Venus in
    September 2020."""
    return [published("vcs.%s.job_share" % name, share, "Hu et al., Lucid, "
                      "ASPLOS 2023; S-Lab-System-Group/Lucid, jobs of "
                      "September 2020", within=[-0.02, 0.02])
            for name, share in (("vcEwI", 0.3187), ("vcWoR", 0.1184),
                                ("vcHvQ", 0.1112), ("vcvGl", 0.0609),
                                ("vc8Gr", 0.0298))]


def judged(*names):
    """Returns entries for measures whose bars need no real value."""
    return [{"name": name, "status": ""} for name in names]


def seconds(text):
    """Returns a local date and time as seconds since 1970, as if it were UTC.
    """
    at = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    return int(at.replace(tzinfo=datetime.timezone.utc).timestamp())


def philly(program):
    rows = read("philly/philly_jobs.csv.gz")
    late = [r for r in rows if int(r["submit_unix"]) >= 1506816000]
    known = [r for r in rows if r["user"]]
    made = of_rows([(int(r["gpu_num"]), float(r["duration_s"])) for r in late],
                   [int(r["submit_unix"]) for r in late], PHILLY_ROWS)
    measures = distances(made)
    measures += rows_of(measure(program, late, "--cluster", "philly",
                                *only("margins", "arrivals", "order", "demand",
                                      "vcs", "waits")),
                        PHILLY_ROWS, "rows",
                        leave=("margins.failed", "margins.cancelled",
                               "vcs.11cb48", "vcs.ee9e8c", "vcs.0e4a51"))
    measures += rows_of(measure(program, known,
                                *only("users", "chains", "learning")),
                        PHILLY_KNOWN, "rows")
    own_bar(measures, "users.r2_log_run", within=[-0.1, 0.1])
    own_bar(measures, "users.jobs_in_bursts", within=[-0.15, 0.15])
    own_bar(measures, "chains.failed_minus_completed", range=[-1, 0])
    return {"cluster": "philly", "zone_h": 0, "window": len(known),
            "distributions": made, "measures": measures + leaks() + spread()}


def venus(program):
    rows = read("helios/venus_gpu_jobs.csv.gz")
    parts = [[r for r in rows
              if "2020-04-01" <= r["submit_time"] < "2020-06-11"],
             [r for r in rows if r["submit_time"] > "2020-07-20"]]
    first, second = (measure(program, part, *only("arrivals", "order"))
                     for part in parts)
    both = {name: math.copysign(math.sqrt(abs(value * second[name])), value)
            for name, value in first.items()
            if value is not None and second.get(name) is not None}
    cut = [r for r in read("helios/venus_log_slice.csv")
           if int(r["gpu_num"]) > 0]
    own = measure(program, cut, "--cluster", "venus",
                  *only("users", "chains", "learning"))
    made, measures = helios("Venus")
    made += of_rows([(int(r["gpu_num"]), float(r["duration_s"])) for r in rows],
                    [seconds(r["submit_time"]) for r in rows], VENUS_ROWS)
    measures = distances(made) + measures
    measures += rows_of(both, VENUS_ROWS, "rows",
                        leave=("order.completed",))
    measures += rows_of(own, VENUS_SLICE, "rows")
    own_bar(measures, "chains.failed_minus_completed", range=[0, 1])
    measures += lucid_jobs() + leaks()
    measures += judged("vcs.most_time_above_capacity", "vcs.worst_week",
                       "waits.pending_median")
    measures += [{"name": "demand.cv", "real": 0.09, "source": VENUS_SLICE,
                  "status": "rows", "range": [0, 0.2]}]
    return {"cluster": "venus", "zone_h": 8, "window": len(cut),
            "distributions": made, "measures": measures
            + bracket(1253, HELIOS + "mean queueing delay of GPU jobs")}


def saturn(_):
    made, measures = helios("Saturn")
    made.append(run_times("run", "stats/helios_duration_cdf.csv", "Saturn",
                          HELIOS + "durations of GPU jobs", job_kind="GPU"))
    return {"cluster": "saturn", "zone_h": 8, "window": 10000,
            "distributions": made,
            "measures": distances(made) + measures + leaks()
            + bracket(612, HELIOS + "mean queueing delay of GPU jobs")}


def seren(_):
    made, measures = acme("Seren", 47739)
    return {"cluster": "seren", "zone_h": 8, "window": 10000,
            "distributions": made,
            "measures": distances(made) + measures
            + [published("arrivals.gap_cv", 14.7, ACME),
               published("arrivals.busiest_hour_by_median", 272, ACME)]
            + leaks() + bracket(446, ACME_SUMMARY)}


def kalos(_):
    made, measures = acme("Kalos", 267900)
    return {"cluster": "kalos", "zone_h": 0, "window": 10000,
            "distributions": made,
            "measures": distances(made) + measures
            + [published("arrivals.gap_cv", 11.3, ACME),
               published("arrivals.busiest_hour_by_median", 171, ACME),
               published("order.completed_log_run_autocorrelation_1", 0.6855,
                         AUDIT, within=[-0.1, 0.1]),
               published("order.completed_log_run_autocorrelation_20", 0.4236,
                         AUDIT, within=[-0.1, 0.1]),
               published("demand.peak_gpus", 1536, AUDIT, range=[0, 1700])]
            + leaks() + [published("waits.fifo_mean", 214.2, ACME_SUMMARY,
                                   range=[0, 214.2])] + spread()}


def text_of(program, name):
    """Returns the bars file as JSON with one line for each row, so that a diff
    shows which row has changed."""
    made = globals()[name](program)
    made["measures"].sort(key=lambda row: GROUPS.index(
        row["name"].split(".")[0]))
    lines = []
    for key, value in {"about": "Made by derive.py; the bars are in rules.json "
                       "unless a row has its own.", **made}.items():
        text = json.dumps(value)
        if isinstance(value, list):
            text = "[\n%s\n ]" % ",\n".join("  " + json.dumps(row)
                                            for row in value)
        lines.append(" %s: %s" % (json.dumps(key), text))
    return "{\n%s\n}\n" % ",\n".join(lines)


def main(argv):
    if len(argv) != 3 or argv[2] not in CLUSTERS + ["--write"]:
        sys.exit(__doc__)
    if argv[2] != "--write":
        print(text_of(argv[1], argv[2]), end="")
        return
    for name in CLUSTERS:
        text = text_of(argv[1], name)
        with open(os.path.join(HERE, name + ".json"), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv)
