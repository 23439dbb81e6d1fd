#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats Sia's experiments (SOSP 2023) and prints them beside the results of
Sia's own simulator, as Markdown tables (bench/measured).

Numbers are pooled as Sia's scripts pool them: mean and p99 (element floor(0.99
n)) over all jobs of a trace, makespan and the rest averaged over its workloads.
The results of the artifact come from ../shared/golden/sia. Its pooled figures
are over more workloads than are at hand; MEASURED repeats them."""
import argparse
import csv
import glob
import json
import os
import shutil
import tempfile

import measure

TABLES = "application:tables=" + measure.shared("traces", "sia", "profiles")
RULES = ["--conventions", "sia", "--throughput", TABLES]
SIA = ["--policy", "sia"]
# Results of Sia's own simulator: JCT h, p99 h, makespan h, GPU h per job,
# restarts. philly: over eight workloads, saturn: over ten, newtrace: over five.
MEASURED = {
    ("philly", "sia"): (0.667, 9.81, 14.45, 3.8, 4.5),
    ("saturn", "sia"): (0.747, 11.56, 15.01, 4.6, 4.4),
    ("newtrace", "sia"): (0.858, 5.5, 52.3, 3.0, None),
    ("philly", "profiled"): (0.666, 9.78, 14.55, None, 3.4),
    ("saturn", "profiled"): (0.756, 11.60, 15.32, None, 3.4),
    ("philly", "history"): (0.605, 9.55, 14.29, None, 2.2),
    ("saturn", "history"): (0.684, 11.08, 14.59, None, 2.2),
}
VARIANTS = {
    "sia": [],
    "profiled": ["--policy", "sia:first=profiled"],
    "266 s": ["--policy", "sia:first=profiled,profile_s=266"],
    "history": ["--estimators", "oracle,same-application"],
    "266 s, history": ["--policy", "sia:first=profiled,profile_s=266",
                       "--estimators", "oracle,same-application"],
    "266 s, advisor, no latency": [
        "--policy", "sia+advisor:first=profiled,profile_s=266",
        "--estimators", "oracle", "--schedmate",
        "match=1,wrong=0,latency_s=0,beliefs=kinds"],
    "266 s, advisor": [
        "--policy", "sia+advisor:first=profiled,profile_s=266",
        "--estimators", "oracle", "--schedmate",
        "match=1,wrong=0,beliefs=kinds"],
    "266 s, advisor, match 0.8": [
        "--policy", "sia+advisor:first=profiled,profile_s=266",
        "--estimators", "oracle", "--schedmate",
        "match=0.8,wrong=0,beliefs=kinds"],
    "no projection": ["--policy", "sia:project=false"],
    "homogeneous": ["--cluster", "sia-homo"],
}
# Names of our variants in variants.json. Variants that are missing here have no
# entry there.
NAMED = {"profiled": "1-GPU profiles first", "history": "history donor",
         "no projection": "no projection",
         "homogeneous": "homogeneous 16x4 aws"}
# Runs of the artifact that differ only in rounding, solver or fit.
EQUIVALENT = ["fit gradient in last digits", "glpk", "cbc gap 1e-4",
              "tight fit"]


def trace(family, number):
    return measure.shared("traces", "sia", "workloads", family,
                          "workload-%d.csv" % number)


def numbers(family):
    return sorted(int(path.split("-")[-1][:-4])
                  for path in glob.glob(trace(family, 0).replace("-0", "-*")))


def golden(name):
    with open(measure.shared("golden", "sia", name), encoding="utf-8") as file:
        return json.load(file)


class Result:
    """Runs the simulator once and keeps the jobs (rows of jobs.csv), the
    summary and the CPU seconds."""

    def __init__(self, path, options):
        folder = tempfile.mkdtemp()
        out = os.path.join(folder, "out")
        try:
            self.cpu, self.mib, _ = measure.run(
                [measure.SCHEDSIM, "run", path, "--quiet", "--out", out] +
                options)
            with open(os.path.join(out, "summary.json"),
                      encoding="utf-8") as file:
                self.summary = json.load(file)
            with open(os.path.join(out, "jobs.csv"), newline="",
                      encoding="utf-8") as file:
                self.jobs = list(csv.DictReader(file))
        finally:
            shutil.rmtree(folder)
        self.jcts = sorted(float(job["turnaround_time"]) for job in self.jobs)
        elastic = self.summary["elastic"]
        self.figures = {
            "avg_jct_h": sum(self.jcts) / len(self.jcts) / 3600,
            "p99_jct_h": elastic["jct_p99_floor_s"] / 3600,
            "makespan_h": self.summary["metrics"]["makespan_s"] / 3600,
            "gpu_hours_per_job": elastic["gpu_hours_per_job"],
            "avg_restarts": elastic["restarts_per_job"],
        }


FIGURES = ["avg_jct_h", "p99_jct_h", "makespan_h", "gpu_hours_per_job",
           "avg_restarts"]


def simulate(family, number, variant):
    mine = VARIANTS[variant]
    policy = [] if "--policy" in mine else SIA
    return Result(trace(family, number), RULES + policy + mine)


def pooled(results):
    jcts = sorted(x for result in results for x in result.jcts)
    mean = {key: sum(r.figures[key] for r in results) / len(results)
            for key in FIGURES}
    mean["avg_jct_h"] = sum(jcts) / len(jcts) / 3600
    mean["p99_jct_h"] = jcts[len(jcts) * 99 // 100] / 3600
    return mean


def cells(figures):
    return ["-" if value is None else
            ("%.3f" if i == 0 else "%.2f") % value
            for i, value in enumerate(figures)]


HEAD = ["JCT h", "p99 h", "makespan h", "GPU h/job", "restarts"]


def table_pooled(variants, families):
    rows = []
    for variant in variants:
        for family in families:
            results = [simulate(family, n, variant) for n in numbers(family)]
            mine = pooled(results)
            rows.append([family, variant, "1-%d" % len(results)] +
                        cells([mine[key] for key in FIGURES]))
            theirs = MEASURED.get((family, variant))
            if theirs:
                rows.append([family, "artifact", "see text"] + cells(theirs))
    measure.table(["trace", "variant", "workloads"] + HEAD, rows)


def reference(variant):
    """Returns the figures of the artifact by workload."""
    if variant == "sia":
        return golden("summary.json")["sia"]
    return golden("variants.json").get(NAMED.get(variant), {})


def table_single(variants):
    rows, spread = [], golden("variants.json")
    for variant in variants:
        for name, theirs in sorted(reference(variant).items()):
            family, number = name.split("-")
            mine = simulate(family, int(number), variant)
            rows.append([name, variant] +
                        cells([mine.figures[key] for key in FIGURES]) +
                        ["%.2f" % mine.cpu])
            rows.append([name, "artifact"] +
                        cells([theirs[key] for key in FIGURES]) + ["-"])
            if variant != "sia":
                continue
            others = [spread[e][name] for e in EQUIVALENT if name in spread[e]]
            rows.append([name, "artifact, from .. to"] + [
                "%.3g..%.3g" % (min(o[key] for o in others + [theirs]),
                                max(o[key] for o in others + [theirs]))
                for key in FIGURES] + ["-"])
    measure.table(["workload", "variant"] + HEAD + ["CPU s"], rows)


def table_scale():
    rows = []
    for k in (2, 4, 8, 16, 32):
        path = measure.shared("traces", "sia", "workloads", "scale",
                              "scale_%dx" % k, "workload-1.csv")
        run = Result(path, RULES + SIA + ["--cluster", "sia-hetero-%dx" % k])
        counts = run.summary["counts"]
        rows.append([64 * k, len(run.jobs)] +
                    cells([run.figures[key] for key in FIGURES]) +
                    [counts["rounds"],
                     "%.0f" % (counts["labels"] / counts["rounds"]),
                     counts["labels_most"], counts["glpk"],
                     "%.1f" % (counts["jobs"] / counts["rounds"]),
                     "%.2f" % (1000 * run.cpu / counts["rounds"]),
                     "%.2f" % run.cpu, "%.0f" % run.mib])
    measure.table(["GPUs", "jobs"] + HEAD +
                  ["rounds", "nodes a round", "most", "GLPK", "jobs a round",
                   "ms a round", "CPU s", "MiB"], rows)


# Finish-time fairness (Sia, section 5.5): each job runs alone on its fair share
# of the GPUs of a type. TYPES: name, GPUs per node, GPUs.
TYPES = [("T4", 4, 24), ("A100", 8, 16), ("RTX2080Ti", 8, 24)]


class Alone:
    def __init__(self):
        self.known = {}
        self.folder = tempfile.mkdtemp()

    def jct(self, job, row, kind, gpus):
        name, width, _ = kind
        key = (row["application"], row["num_replicas"], row["batch_size"],
               name, gpus)
        if key not in self.known:
            path = os.path.join(self.folder, "one.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("name,time,application,num_replicas,batch_size\n"
                           "%s,0,%s,%s,%s\n" % ((job["job_id"],) + key[:3]))
            parts = ["%dx%d:%s" % (gpus // width, width, name)] * (
                gpus >= width)
            if gpus % width:
                parts.append("1x%d:%s" % (gpus % width, name))
            self.known[key] = Result(
                path, RULES + SIA + ["--cluster", "+".join(parts)]).jcts[0]
        return self.known[key]

    def fair(self, job, row, share):
        total = sum(kind[2] for kind in TYPES)
        time = 0
        for kind in TYPES:
            low = int(share)
            if low < 1:
                jct = self.jct(job, row, kind, 1) / share
            else:
                low = min(low, kind[2])
                jct = self.jct(job, row, kind, low)
                if share > low and low < kind[2]:
                    jct += (share - low) * (
                        self.jct(job, row, kind, low + 1) - jct)
            time += jct * kind[2] / total
        return time


def contention(job, jobs):
    """Returns the mean number of jobs that wait or run during the life of a
    job."""
    begin, end = float(job["submission_time"]), float(job["finish_time"])
    return sum(max(0, min(end, float(other["finish_time"])) -
                   max(begin, float(other["submission_time"])))
               for other in jobs) / (end - begin)


def table_fairness(families):
    rows, alone = [], Alone()
    for family in families:
        ratios = []
        for number in numbers(family):
            with open(trace(family, number), newline="",
                      encoding="utf-8") as file:
                source = {row["name"]: row for row in csv.DictReader(file)}
            run = simulate(family, number, "sia")
            for job in run.jobs:
                share = 64 / contention(job, run.jobs)
                ratios.append(float(job["turnaround_time"]) / alone.fair(
                    job, source[job["job_id"]], share))
        ratios.sort()
        unfair = sum(ratio > 1 for ratio in ratios) / len(ratios)
        rows.append([family, len(ratios), "%.2f" % ratios[len(ratios) // 2],
                     "%.2f" % ratios[len(ratios) * 99 // 100],
                     "%.2f" % ratios[-1], "%.1f %%" % (100 * unfair)])
    shutil.rmtree(alone.folder)
    measure.table(["trace", "jobs", "median rho", "p99", "worst", "rho > 1"],
                  rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["single", "pooled"],
                        help="single, pooled, scale, fairness; default the "
                        "first two")
    parser.add_argument("--variant", action="append", choices=VARIANTS)
    parser.add_argument("--family", action="append",
                        choices=["philly", "saturn", "newtrace"])
    args = parser.parse_args()
    measure.need_shared()
    print("%s, `python3 bench/sia.py`\n" % measure.machine())
    variants = args.variant or ["sia", "profiled", "history"]
    families = args.family or ["philly", "saturn"]
    for what in args.what:
        if what == "single":
            table_single(variants)
        elif what == "pooled":
            table_pooled(variants, families)
        elif what == "scale":
            table_scale()
        elif what == "fairness":
            table_fairness(families)
        else:
            parser.error("nothing is called '%s'" % what)
    return 0


if __name__ == "__main__":
    measure.main(main)
