#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derives the real values beside which `schedsim trace fidelity` puts generated
traces: measured by that command on rows where there are rows, else published.

usage: derive.py PROGRAM NAME     prints NAME.json
       derive.py PROGRAM --write  rewrites the files of all clusters

Reads the directory named by SCHEDSIM_SHARED, or shared/ beside the repository.
rules.json, the bars, is written by hand.
"""

import csv
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
OWN = "users.", "chains.", "learning."


def read(name):
    path = os.path.join(TRACES, name)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "rt") as file:
        return list(csv.DictReader(file))


def measure(program, rows, *options):
    """The measures of rows, as the command prints them."""
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
    """Rows of a bars file. Leaks are no property of a log without names."""
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


def bracket(seconds, source):
    """A production scheduler passes jobs that wait, but not all: its mean wait
    lies between those of fjf and fifo."""
    return [published("waits.fjf_mean", seconds, source, factor=[0, 1.43]),
            published("waits.fifo_mean", seconds, source, factor=[0.71, 5]),
            {"name": "waits.fifo_mean", "over": "spread", "status": ""}]


def top_users(cluster):
    """GPU time of the top 5 and 10 % of users, interpolated."""
    curve = [(float(r["top_users_percent"]), float(r["share_percent"]) / 100)
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
    return out


def completion():
    return [published("people.completion_tenth_%d" % i,
                      round(float(row["share_of_users_percent"]) / 100, 4),
                      HELIOS + "users of all Helios clusters by completion rate")
            for i, row in enumerate(
                read("stats/helios_user_completion_rate_hist.csv"))]


def philly(program):
    rows = read("philly/philly_jobs.csv.gz")
    late = [r for r in rows if int(r["submit_unix"]) >= 1506816000]
    known = [r for r in rows if r["user"]]
    measures = rows_of(measure(program, late, "--cluster", "philly",
                               *only("arrivals", "order", "demand", "vcs",
                                     "waits")),
                       PHILLY_ROWS, "rows")
    measures += rows_of(measure(program, known,
                                *only("users", "chains", "learning")),
                        PHILLY_KNOWN, "rows")
    own_bar(measures, "users.r2_log_run", within=[-0.1, 0.1])
    own_bar(measures, "users.jobs_in_bursts", within=[-0.15, 0.15])
    own_bar(measures, "chains.failed_minus_completed", range=[-1, 0])
    measures.append({"name": "waits.fifo_mean", "over": "spread", "status": ""})
    return {"cluster": "philly", "zone_h": 0, "window": len(known),
            "measures": measures + leaks()}


def venus(program):
    rows = read("helios/venus_gpu_jobs.csv.gz")
    parts = [measure(program, part, *only("arrivals", "order"))
             for part in ([r for r in rows
                           if "2020-04-01" <= r["submit_time"] < "2020-06-11"],
                          [r for r in rows if r["submit_time"] > "2020-07-20"])]
    both = {name: math.copysign(math.sqrt(abs(value * parts[1][name])), value)
            for name, value in parts[0].items()}
    measures = rows_of(both, VENUS_ROWS, "rows")
    cut = [r for r in read("helios/venus_log_slice.csv")
           if int(r["gpu_num"]) > 0]
    measures += rows_of(measure(program, cut, *only("users", "chains"),
                                *only("learning"), "--cluster", "venus"),
                        VENUS_SLICE, "rows")
    own_bar(measures, "chains.failed_minus_completed", range=[0, 1])
    return {"cluster": "venus", "zone_h": 8, "window": len(cut),
            "measures": measures + top_users("Venus") + completion() + leaks()
            + bracket(1253, HELIOS + "mean queueing delay of GPU jobs")}


def saturn(_):
    return {"cluster": "saturn", "zone_h": 8,
            "measures": top_users("Saturn") + completion() + leaks()
            + bracket(612, HELIOS + "mean queueing delay of GPU jobs")}


def seren(_):
    return {"cluster": "seren", "zone_h": 8,
            "measures": [published("arrivals.gap_cv", 14.7, ACME),
                         published("arrivals.busiest_hour_by_median", 272,
                                   ACME)]
            + leaks() + bracket(446, "Hu et al., NSDI 2024; mean queueing "
                                "delay of GPU jobs, cluster_summary.csv")}


def kalos(_):
    wait = "Hu et al., NSDI 2024; mean queueing delay of GPU jobs"
    return {"cluster": "kalos", "zone_h": 0,
            "measures": [published("arrivals.gap_cv", 11.3, ACME),
                         published("arrivals.busiest_hour_by_median", 171,
                                   ACME)]
            + leaks() + [published("waits.fifo_mean", 214, wait,
                                   range=[0, 214])]}


def text_of(program, name):
    made = globals()[name](program)
    return json.dumps({"about": "Made by derive.py; the bars are in rules.json "
                       "unless a row has its own.", **made}, indent=1) + "\n"


def main(argv):
    if len(argv) != 3 or argv[2] not in CLUSTERS + ["--write"]:
        sys.exit(__doc__)
    if argv[2] != "--write":
        print(text_of(argv[1], argv[2]), end="")
        return
    for name in CLUSTERS:
        with open(os.path.join(HERE, name + ".json"), "w") as file:
            file.write(text_of(argv[1], name))


if __name__ == "__main__":
    main(sys.argv)
