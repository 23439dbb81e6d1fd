# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws random configurations: a small trace, a cluster, and options.

A configuration is {"jobs": [row], "cluster": spec, "files": {name: text},
"options": [(option, value)]}. A value is a text, None for a switch, or a list
of layers [(name, {setting: value})]. The plug-ins and their settings are read
from `schedsim list --json`, so a new plug-in is drawn without a change of this
file."""
import json
import math
import os
import random
import time

COLUMNS = ["submitted_unix_s", "duration_s", "gpus", "job_id", "user", "vc",
           "name", "model", "gpu_type", "kind", "declared_s", "batch_size",
           "end", "elasticity", "gpu_util_percent", "gpu_mem_mib", "amp"]
TYPES = ["T4", "A100", "V100", "RTX2080Ti", "RTX6000", "P100", "GPU"]
# Upper bounds for settings that cost time. The traces are small, so larger
# values would test nothing more.
MOST = {"population": 12, "generations": 12, "rounds": 12, "depth": 6,
        "pairs": 4, "labels": 200000, "attempts": 60000}
# Lower bounds: a run with rounds of a second and jobs of weeks would have a
# million rounds.
LEAST = {"round_s": 5.0, "tune_s": 5.0, "switch_s": 1.0}


def seconds(rng):
    """Draws a time in seconds. Some draws coincide, most do not."""
    kind = rng.randrange(8)
    if kind < 3:
        return str(rng.randrange(0, 40) * 10)
    if kind == 3:
        return "0"
    if kind == 4:
        return "%.6f" % (rng.random() * 500)
    if kind == 5:
        return "0.%06d" % rng.randrange(1, 10)
    if kind == 6:
        return "%.1f" % (rng.random() * 3000)
    return str(int(math.exp(rng.random() * 12)))


def number(setting, rng):
    """Draws a value from the range of a number: one of its ends, a value near
    the default, or any value."""
    low, high = [float(x) for x in setting["range"].split("..")]
    whole = setting["kind"] == "whole number"
    name = setting["name"]
    high = min(high, MOST.get(name, high))
    low = max(low, LEAST.get(name, low))
    default = float(setting["default"])
    kind = rng.randrange(6)
    if kind == 0 and high <= 1e5:
        value = rng.choice([low, high])
    elif kind == 1 and high <= 1e5:
        value = low + rng.random() * (high - low)
    elif kind == 2:
        value = rng.choice([0, 1, 2, 10, 60])
    else:
        value = (default or 1) * math.exp(rng.gauss(0, 1.5))
    value = min(max(value, low), high)
    if whole:
        return str(int(value))
    if setting["kind"] == "time in seconds":
        value = max(round(value, rng.choice([0, 0, 3, 6])), low)
        return ("%.6f" % value).rstrip("0").rstrip(".")
    return "%.4g" % value if low <= float("%.4g" % value) <= high else (
        repr(value))


def text(plugin, setting, rng, files):
    """Draws a setting that is a text if this function has a valid value for
    the setting; otherwise returns None."""
    name = setting["name"]
    if plugin == "tiresias" and name == "queues":
        limits = sorted(rng.randrange(1, 9000) for _ in range(rng.randrange(
            1, 4)))
        return "/".join(str(x) for x in sorted(set(limits)))
    if plugin == "table" and name == "gpu":
        return "v100"
    if plugin in files and name in ("path", "file"):
        # names a file of the configuration; `arguments` inserts its path
        return "@" + files[plugin]
    return None


def settings(plugin, rng, share, files):
    """Draws some settings of a plug-in, each with probability `share`. A
    setting that names a file is always drawn if `files` has a file for the
    plug-in."""
    out = {}
    for s in plugin.get("settings", []):
        value = None
        must = s["name"] in ("path", "file") and plugin["name"] in files
        if not must and rng.random() >= share:
            continue
        if s["kind"].startswith("switch"):
            value = rng.choice(["true", "false"])
        elif s["kind"] == "choice":
            value = rng.choice(s["range"].split("|"))
        elif s["kind"] == "text":
            value = text(plugin["name"], s, rng, files)
        elif ".." in s["range"]:
            value = number(s, rng)
        if value is not None:
            out[s["name"]] = value
    return out


def draw_cluster(rng):
    if rng.random() < 0.1:
        return rng.choice(["sia-homo", "a800-64", "sia-hetero", "1x1", "2x4"])
    types = rng.sample(TYPES, rng.choice([1, 1, 2, 3]))
    vcs = ["v%d" % i for i in range(rng.choice([1, 1, 2, 3]))]
    nodes = []
    for vc in vcs:
        for _ in range(rng.choice([1, 1, 2, 3])):
            node = {"count": rng.choice([1, 1, 2, 3]),
                    "gpus": rng.choice([1, 2, 4, 4, 8]),
                    "type": rng.choice(types)}
            if len(vcs) > 1:
                node["vc"] = vc
            if rng.random() < 0.2:
                node["rack"] = rng.randrange(3)
            if rng.random() < 0.1:
                node["profiler"] = True
            nodes.append(node)
    spec = {"nodes": nodes}
    # a cluster with one type needs no speed
    if len(types) > 1 or rng.random() < 0.7:
        spec["types"] = [{"name": t, "speed": rng.choice([1, 1, 1.5, 0.37]),
                          "mem_mib": rng.choice([8192, 16384, 40960])}
                         for t in types]
    n_nodes = sum(node["count"] for node in nodes)
    changes = []
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        node, at = rng.randrange(n_nodes), float(seconds(rng))
        changes.append({"at_s": at, "node": node, "up": False})
        changes.append({"at_s": round(at + 1 + float(seconds(rng)), 6),
                        "node": node, "up": True})
    if changes:
        spec["changes"] = sorted(changes, key=lambda c: c["at_s"])
    return spec


def part_of(cluster, key, fallback):
    if isinstance(cluster, str):
        return [fallback]
    return sorted({n.get(key, fallback) for n in cluster["nodes"]})


def draw_job(rng, at, number_, cluster, models, elastic):
    job = {"submitted_unix_s": at, "duration_s": seconds(rng),
           "gpus": str(rng.choice([1, 1, 1, 2, 2, 3, 4, 4, 8, 8, 16])),
           "job_id": "j%d" % number_}
    optional = {
        "user": lambda: rng.choice("abc"),
        "name": lambda: rng.choice(["train", "eval", "x"]),
        "model": lambda: rng.choice(models),
        "gpu_type": lambda: rng.choice(part_of(cluster, "type", "T4")),
        "declared_s": lambda: seconds(rng),
        "end": lambda: rng.choice(["completed", "failed", "cancelled"]),
        "gpu_util_percent": lambda: rng.choice(["0", "15", "60", "99.5"]),
        "gpu_mem_mib": lambda: rng.choice(["500", "7000", "15000"]),
        "amp": lambda: rng.choice(["true", "false"]),
        "batch_size": lambda: str(rng.choice([1, 8, 32, 128, 512])),
    }
    often = {"gpu_type": 0.1, "model": 0.9 if elastic else 0.5}
    for column, value in optional.items():
        if rng.random() < often.get(column, 0.4):
            job[column] = str(value())
    vcs = part_of(cluster, "vc", "all")
    if vcs != ["all"]:
        job["vc"] = rng.choice(vcs)
    if elastic and job.get("model") in elastic and rng.random() < 0.8:
        job["elasticity"] = rng.choice(["rigid", "scales", "adaptive"])
    return job


def draw_jobs(rng, cluster, models, elastic):
    start = rng.choice([0, 0, 0, 1500000000, 1509930000])
    times = [seconds(rng) for _ in range(rng.choice([1, 2, 5, 12, 25]))]
    jobs = []
    for i in range(rng.choice([1, 2, 4, 8, 16, 30])):
        at = float(rng.choice(times)) if rng.random() < 0.6 else float(
            seconds(rng))
        jobs.append(draw_job(rng, ("%.6f" % (start + at)).rstrip("0")
                             .rstrip("."), i, cluster, models, elastic))
    return jobs


def predictions(rng, jobs):
    return "job_id,prediction\n" + "".join(
        "%s,%s\n" % (j["job_id"], seconds(rng)) for j in jobs
        if rng.random() < 0.8)


def forecast(rng, jobs):
    """Writes a forecast: rows every 10 minutes from the first submission on."""
    first = int(min(float(j["submitted_unix_s"]) for j in jobs))
    rows = ["time,pred_gpu_job,pred_gpu_num\n"]
    for i in range(rng.choice([1, 6, 40])):
        at = time.gmtime(first - first % 600 + 600 * i)
        rows.append("%s,%.2f,%.2f\n" % (
            time.strftime("%Y-%m-%d %H:%M:%S", at), rng.random() * 6,
            rng.random() * 60))
    return "".join(rows)


def pairs(rng, models):
    rows = ["model1,dataset1,batchsize1,amp1,speed1,"
            "model2,dataset2,batchsize2,amp2,speed2\n"]
    for one in models:
        for two in models:
            if one <= two and rng.random() < 0.6:
                rows.append("%s,,32,0,%.2f,%s,,32,0,%.2f\n" % (
                    one, 0.2 + 0.8 * rng.random(), two,
                    0.2 + 0.8 * rng.random()))
    return "".join(rows)


class Registry:
    """Draws from the plug-ins and settings of `schedsim list --json`."""

    def __init__(self, listing, root):
        self.listing = listing
        with open(os.path.join(root, "models", "elastic",
                               "applications.json"),
                  encoding="utf-8") as file:
            self.models = sorted(json.load(file)["applications"])
        self.others = ["ResNet50", "unheard-of"]

    def layer(self, kind, rng, files=(), share=0.3):
        plugin = rng.choice(self.listing[kind])
        return (plugin["name"], settings(plugin, rng, share, files))

    def chain(self, kind, rng, files):
        out = [self.layer(kind, rng, files)
               for _ in range(rng.choice([1, 1, 2, 3]))]
        # often, the chain ends with estimators that know every job
        if kind == "estimators" and rng.random() < 0.7:
            out += [("oracle", {}), ("workload", {})]
        return out


def draw(registry, seed):
    """Draws the configuration of a seed, which is the same on every machine."""
    rng = random.Random("schedsim %d" % seed)
    policy = registry.layer("policies", rng)
    elastic = rng.random() < 0.3 or (
        policy[0] in ("sia", "pollux") and rng.random() < 0.8)
    cluster = draw_cluster(rng)
    models = registry.models + registry.others * (not elastic)
    jobs = draw_jobs(rng, cluster, models, registry.models * elastic)
    files = {"predictions.csv": predictions(rng, jobs),
             "forecast.csv": forecast(rng, jobs),
             "pairs.csv": pairs(rng, models)}
    layers = rng.choice(["", "", "+schedmate", "+advisor", "+tracker+handler"])
    options = [("--policy", [(policy[0] + layers, policy[1])])]

    def maybe(chance, option, value):
        if rng.random() < chance:
            options.append((option, value()))

    def one(kind, given=()):
        return lambda: [registry.layer(kind, rng, given)]

    reads = {"file": "predictions.csv"}
    maybe(0.25, "--conventions", lambda: rng.choice(registry.listing["conventions"])[
        "name"])
    maybe(0.5, "--placer", one("placers"))
    maybe(0.5, "--estimators", lambda: registry.chain("estimators", rng,
                                                      reads))
    maybe(0.8 if elastic else 0.1, "--throughput", one("throughputs"))
    maybe(0.4, "--overhead", one("overheads"))
    table = {"table": "pairs.csv"}
    maybe(0.4, "--interference", one("interferences", table))
    maybe(0.1, "--belief", one("interferences", table))
    maybe(0.4, "--monitor", one("monitors"))
    maybe(0.4, "--faults", one("faults"))
    maybe(0.5, "--recovery", lambda: registry.chain("recoveries", rng, ()))
    maybe(0.3, "--forecast", one("forecasts", {"file": "forecast.csv"}))
    maybe(0.3, "--chains", lambda: rng.choice(["linked", "linked:link_s=1e6"]))
    maybe(0.15, "--workloads", one("workloads"))
    if "profiler" not in json.dumps(cluster):
        maybe(0.25, "--profilers", lambda: str(rng.choice([0, 1, 1, 2])))
    maybe(0.3, "--time-law", one("time-laws"))
    maybe(0.5, "--engine", lambda: [
        ("", settings(registry.listing["engine"][0], rng, 0.25, ()))])
    if layers:
        maybe(0.8, "--schedmate", lambda: [
            ("", settings(registry.listing["schedmate"][0], rng, 0.25, ()))])
    maybe(0.3, "--seed", lambda: str(rng.randrange(1000)))
    maybe(0.3, "--series-interval", lambda: str(rng.choice([1, 60, 7.5])))
    maybe(0.1, "--decisions", lambda: None)
    maybe(0.1, "--timeline", lambda: None)
    maybe(0.1, "--from", lambda: "10")
    maybe(0.1, "--jobs", lambda: str(rng.randrange(1, 20)))
    return {"jobs": jobs, "cluster": cluster, "files": files,
            "options": options}


def spec_text(layers, where):
    """Writes name:key=value,... for each layer, with commas between the
    layers. `where` returns the path of a file."""
    parts = []
    for name, values in layers:
        words = ",".join("%s=%s" % (k, where(v[1:]) if v.startswith("@")
                                    else v) for k, v in values.items())
        parts.append(name + (":" if name and words else "") + words)
    return ",".join(parts)


def used_files(case):
    """Returns the names of the files that the options name."""
    return {v[1:] for _, value in case["options"] if isinstance(value, list)
            for _, values in value for v in values.values()
            if v.startswith("@")}


def arguments(case, where):
    """Returns the options of a run; `where` returns the path of a file."""
    cluster = case["cluster"]
    out = ["--cluster", cluster if isinstance(cluster, str)
           else where("cluster.json")]
    for option, value in case["options"]:
        if value is None:
            out.append(option)
        elif isinstance(value, str):
            out += [option, value]
        elif spec_text(value, where):
            out += [option, spec_text(value, where)]
    return out


def trace_text(jobs):
    """Writes a native CSV with the required columns and the columns that at
    least one job has."""
    columns = [c for c in COLUMNS
               if c in COLUMNS[:4] or any(c in j for j in jobs)]
    rows = [",".join(columns)]
    rows += [",".join(j.get(c, "") for c in columns) for j in jobs]
    return "\n".join(rows) + "\n"


def texts(case):
    """Returns the files that a run of the case reads, as name -> text."""
    out = {"trace.csv": trace_text(case["jobs"])}
    if not isinstance(case["cluster"], str):
        out["cluster.json"] = json.dumps(case["cluster"])
    for name in used_files(case):
        out[name] = case["files"][name]
    return out
