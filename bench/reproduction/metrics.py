# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the results that are kept of a run: a flat object of numbers, the run
times of the jobs where a percentile over several runs needs them, and the
published figures from which the settings were calibrated."""
import csv
import json
import os
import re
import subprocess
import sys

import measure

# Part of the name of each kept result. Change it when this file keeps other
# numbers, or old results pass for new ones.
VERSION = "1"
HOUR = 3600.0
# The layers of SchedMate that use a value that was calibrated from a figure.
USES = {"figure 14": ("advisor", "schedmate"), "figure 15": ("tracker", "schedmate"),
        "table 4": ("handler", "schedmate")}
FACTS = (("completed", "completed"), ("failed", "failed"),
         ("cancelled", "cancelled"), ("rejected", "rejected"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of_times(metrics):
    found = {"jct_h": metrics["jct_s"]["mean"] / HOUR,
             "jct_p99_h": metrics["jct_s"]["p99"] / HOUR,
             "queue_h": metrics["queue_delay_s"]["mean"] / HOUR,
             "queue_p99_h": metrics["queue_delay_s"]["p99"] / HOUR,
             "jct_s": metrics["jct_s"]["mean"],
             "queue_s": metrics["queue_delay_s"]["mean"]}
    for name in ("makespan_s", "allocation", "utilisation", "preemptions",
                 "held_gpu_hours", "lost_gpu_hours", "profiling_gpu_hours"):
        if metrics.get(name) is not None:
            found[name] = metrics[name]
    found["makespan_h"] = metrics["makespan_s"] / HOUR
    return found


def of_summary(summary):
    found = of_times(summary["metrics"])
    found["jobs"] = summary["metrics"]["jobs"]
    found["unfinished"] = summary["unfinished"]
    for name, key in FACTS:
        found[name] = summary["outcomes"].get(key, 0)
    parts = (("packing", "busy_share", "packed_percent", 100),
             ("packing", "pace_mean", "packed_pace", 1),
             ("evictions", "evictions", "evictions", 1),
             ("profiling", "profiled_jobs", "profiled_jobs", 1),
             ("profiling", "delay_mean_s", "profile_delay_s", 1),
             ("advice", "questions", "questions", 1),
             ("advice", "delay_mean_s", "advice_delay_s", 1),
             ("advice", "per_hour", "advice_per_hour", 1),
             ("advice", "similar_share", "similar_share", 1),
             ("advice", "law_share", "law_share", 1),
             ("failures", "failures", "failures", 1),
             ("gpu_time", "lost_gpu_hours", "lost_gpu_hours", 1))
    for part, key, name, factor in parts:
        value = summary.get(part, {}).get(key)
        if isinstance(value, (int, float)):
            found[name] = value * factor
    elastic = summary.get("elastic")
    if elastic:
        found["jct_p99_floor_h"] = elastic["jct_p99_floor_s"] / HOUR
    return found


def calibrated(manifest, run):
    """Returns the tables and figures from which settings that this run uses
    were calibrated."""
    found = set(run.calibrated())
    configuration = manifest.get("configuration", {})
    policy = manifest["policy"]
    if configuration.get("schedmate", {}).get("fidelity") != "calibrated":
        return sorted(found)
    for note in manifest.get("notes", []):
        if not (note["about"].startswith("schedmate: ") and
                note["source"].startswith("calibrated")):
            continue
        option = "schedmate." + note["about"].split(": ")[1]
        match = re.search(r"(Fig\.|Table) (\d+)", note["source"])
        if not match or option in run.settings:
            continue
        figure = "%s %s" % ("figure" if match.group(1) == "Fig." else "table",
                            match.group(2))
        if any("+" + layer in policy for layer in USES.get(figure, ())):
            found.add(figure)
    return sorted(found)


def simulate(store, run, trace, options, folder):
    out = os.path.join(folder, "out")
    store.schedsim(["run", trace, "--quiet", "--out", out] + options,
                   accepted=(0, 4))
    summary = read(os.path.join(out, "summary.json"))
    manifest = read(os.path.join(out, "manifest.json"))
    result = {"values": of_summary(summary),
              "calibrated": calibrated(manifest, run),
              "remarks": summary.get("remarks", [])}
    if run.experiment.get("keep_jobs"):
        result["jcts"] = sorted(
            float(row["turnaround_time"])
            for row in rows(os.path.join(out, "jobs.csv"))
            if row["turnaround_time"])
    return result


def bursts(store, run, trace, options, folder):
    """Runs questions that all come in one second. Returns their mean delay in
    seconds and the answers per hour."""
    out = os.path.join(folder, "out")
    store.schedsim(["run", trace, "--quiet", "--cluster", "8x8", "--out", out] +
                   options)
    asked = rows(os.path.join(out, "advice.csv"))
    begin = min(float(row["asked_s"]) for row in asked)
    end = max(float(row["answered_s"]) for row in asked)
    delays = [float(row["answered_s"]) - float(row["asked_s"]) for row in asked]
    return {"values": {"delay_s": sum(delays) / len(delays),
                       "per_hour": len(asked) * HOUR / (end - begin)},
            "calibrated": run.calibrated(), "remarks": []}


def estimate(store, run, trace, options, folder):
    """Returns the errors of beliefs about run time and utilisation, without a
    schedule."""
    found = json.loads(store.schedsim(["trace", "estimate", trace, "--json"] + options))
    values = {}
    flatten("", found, values)
    return {"values": values, "calibrated": run.calibrated(), "remarks": []}


def flatten(prefix, value, values):
    if isinstance(value, dict):
        for key, part in value.items():
            flatten(prefix + ("." if prefix else "") + key, part, values)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        values[prefix] = value


def tool(name):
    path = os.path.join(os.path.dirname(measure.SCHEDSIM), "bench", name)
    if not os.path.exists(path):
        raise measure.Failed("%s: not built; build it with 'ninja -C %s "
                             "bench/%s'" % (path, os.path.dirname(
                                 measure.SCHEDSIM), name))
    return path


def logs(store, run, _trace, options, folder):
    """Scores SchedMate's readers of logs on a corpus, which is generated or
    from the shared data."""
    call = run.entry["call"]
    if call[0] == "generate":
        corpus = os.path.join(folder, "logs")
        measure.run([tool("generate_logs"), corpus] +
                    [str(word) for word in call[1:]] +
                    [str(run.place["repeat"])])
    else:
        corpus = measure.shared(call[0])
    words = [sys.executable, os.path.join(measure.ROOT, "bench", "modules.py"),
             corpus, "--json"] + (["--tracker"] if "speed" in call else [])
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          env=dict(os.environ, SCHEDSIM=store.program))
    if done.returncode:
        raise measure.Failed("modules.py: %s" % done.stderr.strip()[-600:])
    found = json.loads(done.stdout)
    found.pop("cases", None)
    values = {}
    flatten("", found, values)
    # Latencies depend on the speed of this machine, so they are no results.
    return {"values": {name: value for name, value in values.items()
                       if not name.endswith("latency_s")},
            "calibrated": run.calibrated(), "remarks": []}


def info(store, run, trace, options, _folder):
    """Returns statistics of the rows of a trace: run times, ends, GPU time by
    end."""
    described = json.loads(store.schedsim(["trace", "info", trace, "--json"] +
                                          options))
    values = {}
    flatten("", described, values)
    ends = described["ends"]
    known = sum(ends[name] for name in ("completed", "failed", "cancelled"))
    if known:
        values["completed_percent"] = 100.0 * ends["completed"] / known
        values["incomplete_percent"] = 100.0 - values["completed_percent"]
    values.update(gpu_time(store, trace, options))
    return {"values": values, "calibrated": run.calibrated(), "remarks": []}


def gpu_time(store, trace, options):
    """Returns the percentage of the GPU time of the rows that completed jobs
    took."""
    text = store.schedsim(["trace", "convert", trace, "-", "--lossy"] + options)
    total = {}
    for row in csv.DictReader(text.splitlines()):
        used = float(row["duration_s"] or 0) * float(row["gpus"] or 0)
        total[row["end"]] = total.get(row["end"], 0) + used
    known = sum(total.get(end, 0) for end in ("completed", "failed", "cancelled"))
    return ({"completed_gpu_time_percent": 100.0 * total.get("completed", 0) /
             known} if known else {})


def faults(_store, run, _trace, _options, _folder):
    """Returns how often hardware fails, by the fault model alone."""
    nodes, gpus, days, model = run.entry["call"]
    _, _, text = measure.run([tool("play_faults"), nodes, gpus, days,
                              str(run.place["repeat"]), model])
    n = sum(row["harmless"] == "0"
            for row in csv.DictReader(text.splitlines()))
    return {"values": {"faults": n, "per_day": n / float(days),
                       "hours_between": 24 * float(days) / max(n, 1)},
            "calibrated": run.calibrated(), "remarks": []}


def catalogue(_store, _run, _trace, _options, _folder):
    """Returns the figures that the program has of the workloads of SchedMate's
    Table 1."""
    usage = read(os.path.join(measure.ROOT, "models", "usage", "usage.json"))
    values = {}
    for row in usage["rows"]:
        if row["family"] != "schedmate":
            continue
        name = row["model"]
        values[name + " parameters_m"] = row["parameters_m"]
        for key, pick in (("least", min), ("most", max)):
            batches = list(row["batch_sizes"])
            known = values.get("%s batch %s" % (name, key))
            values["%s batch %s" % (name, key)] = pick(
                batches + ([known] if known else []))
    values["models"] = sum(name.endswith(" parameters_m") for name in values)
    return {"values": values, "calibrated": [], "remarks": []}


READERS = {"run": simulate, "bursts": bursts, "estimate": estimate,
           "logs": logs, "info": info, "catalogue": catalogue, "faults": faults}
