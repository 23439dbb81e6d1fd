# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws random configurations: a small trace, a cluster, and options.

A configuration is {"jobs": [row], "cluster": spec, "files": {name: text},
"options": [(option, value)]}. A value is a text, None for a switch, or a list of
layers [(name, {setting: value})]; a text "@NAME" is the path of a file of the
configuration. It may have one of these too: "resample": [word], options of
`trace resample`, whose output is then the trace; "other", a trace in another
format, which stands in place of the jobs; "state": {"at", "trace"}: the run goes
on from the state that a run before it wrote at a time, with the trace or without
it. drawer.py draws the options."""
import json
import math
import os
import random
import time

COLUMNS = ["submitted_unix_s", "duration_s", "gpus", "job_id", "user", "vc",
           "name", "model", "gpu_type", "kind", "declared_s", "batch_size",
           "end", "elasticity", "gpu_util_percent", "gpu_mem_mib", "amp",
           "priority", "dataset", "queue_s", "cpus", "nodes", "attempts",
           "deadline_s", "mem_mib"]
# Columns of native traces that are not drawn.
NOT_DRAWN_COLUMNS = ["cluster"] # names a preset, and a configuration has one
TYPES = ["T4", "A100", "V100", "RTX2080Ti", "RTX6000", "P100", "GPU"]
# Upper bounds for settings that cost time. The traces are small, so larger
# values would test nothing more.
MOST = {"population": 12, "generations": 12, "rounds": 12, "depth": 6,
        "pairs": 4, "labels": 200000, "attempts": 60000}
# Lower bounds: a run with rounds of a second and jobs of weeks would have a
# million rounds, and one with a fault each millisecond as many faults.
LEAST = {"round_s": 5.0, "tune_s": 5.0, "switch_s": 1.0, "stretch": 0.01}


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


def service_limits(rng, _):
    found = sorted({rng.randrange(1, 9000) for _ in range(rng.randrange(1, 4))})
    return "/".join(str(x) for x in found)


def quantiles(rng, _):
    return rng.choice(["0.5", "0.333/0.667", "0.1/0.9"])


def a_type(rng, cluster):
    return rng.choice(part_of(cluster, "type", "T4"))


def a_vc(rng, cluster):
    return rng.choice(part_of(cluster, "vc", "all"))


def columns_to_skip(rng, _):
    return rng.choice(["*", "odd"])


def nothing(_, __):
    return None # its default is drawn alone


# Values of settings that are texts, by plug-in and setting: a function of the
# random numbers and the cluster. None: the setting is not given. A setting that
# names a file of the configuration is in no need of one.
TEXTS = {
    ("tiresias", "queues"): lambda rng, c: rng.choice(["auto", service_limits(rng, c)]),
    ("tiresias", "auto_quantiles"): quantiles,
    ("tiresias", "auto_start"): service_limits,
    ("tiresias", "samples"): nothing,
    ("lucid", "echo_vc"): a_vc,
    ("file", "path"): nothing, ("file", "id"): lambda rng, c: "job_id",
    ("file", "column"): lambda rng, c: "prediction",
    ("file", "skip"): columns_to_skip,
    ("table", "file"): nothing, ("table", "gpu"): lambda rng, c: "v100",
    ("trace", "file"): nothing, ("trace", "skip"): columns_to_skip,
    ("trace", "family"): lambda rng, c: rng.choice(["schedmate", "lucid"]),
    ("schedmate", "file"): nothing,
    ("schedmate", "family"): lambda rng, c: rng.choice(["schedmate", "lucid"]),
    ("lucid", "file"): nothing,
    ("lucid", "family"): lambda rng, c: rng.choice(["schedmate", "lucid"]),
    ("schedmate", "measured"): nothing,
    ("schedmate", "llm_pool"): lambda rng, c: rng.choice(
        [a_vc(rng, c), a_type(rng, c)]),
    ("job-classes", "spot"): lambda rng, c: rng.choice(["low", "odd|low|7"]),
    ("quota", "priorities"): lambda rng, c: rng.choice(
        ["low+high", "odd+low+normal+high"]),
}


def text(plugin, setting, rng, files, cluster):
    """Draws a setting that is a text; None if it is not given."""
    name = setting["name"]
    if plugin in files and name in ("path", "file"):
        # names a file of the configuration; `arguments` inserts its path
        return "@" + files[plugin]
    hand = TEXTS.get((plugin, name))
    return hand(rng, cluster) if hand else None


def mend(plugin, values, rng):
    """Changes drawn settings that exclude each other, because a configuration
    that is refused tests little."""
    if plugin == "person":
        hours = sorted(float(values.get(k, d)) for k, d in (
            ("day_begins_h", 8), ("day_ends_h", 23)))
        if hours[0] == hours[1]:
            hours = [0, hours[1] or 24]
        values.update(day_begins_h="%.4g" % hours[0],
                      day_ends_h="%.4g" % hours[1])
    if values.get("interval") in ("daly", "young"):
        values["write_s"] = rng.choice(["1", "30", "0.5"])
        values["node_mtbf_days"] = rng.choice(["0.01", "1", "100"])
    if plugin == "schedmate" and values.get("embed") == "llm":
        del values["embed"] # needs a language model


def has_effect(plugin, name, given):
    """Returns true if the setting has an effect beside the others; the program
    refuses those that have none."""
    rows = {s["name"]: s for s in plugin["settings"]}
    condition = rows[name].get("only_with")
    if not condition:
        return True
    key, _, values = condition.partition("=")
    other = key.rstrip("!")
    value = given.get(other, rows[other]["default"])
    return (value in values.split("/")) != key.endswith("!")


def settings(plugin, rng, share, files, cluster):
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
            value = text(plugin["name"], s, rng, files, cluster)
        elif ".." in s["range"]:
            value = number(s, rng)
        if value is not None:
            out[s["name"]] = value
    mend(plugin["name"], out, rng)
    return {name: value for name, value in out.items()
            if has_effect(plugin, name, out)}


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
    if rng.random() < 0.1: # a virtual cluster or a type without nodes
        nodes.append({"count": 0, "gpus": 4, "type": rng.choice(types),
                      "vc": "empty" if len(vcs) > 1 else "all"})
    spec = {"nodes": nodes}
    # a cluster with one type needs no speed
    if len(types) > 1 or rng.random() < 0.7:
        listed = types + [t for t in TYPES if t not in types][
            :rng.choice([0, 0, 0, 1])]
        spec["types"] = [{"name": t,
                          "speed": rng.choice([1, 1, 1.5, 0.37, 0.1]),
                          "mem_mib": rng.choice([8192, 16384, 40960])}
                         for t in listed]
    changes = draw_changes(rng, sum(node["count"] for node in nodes))
    if changes:
        spec["changes"] = changes
    return spec


def draw_changes(rng, n_nodes):
    """Draws planned changes of nodes: outages, and changes in any order, which
    may repeat the state of a node."""
    changes = []
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        node, at = rng.randrange(n_nodes), float(seconds(rng))
        changes.append({"at_s": at, "node": node, "up": False})
        changes.append({"at_s": round(at + 1 + float(seconds(rng)), 6),
                        "node": node, "up": True})
    for _ in range(rng.choice([0, 0, 0, 0, 2, 5])):
        changes.append({"at_s": float(seconds(rng)),
                        "node": rng.randrange(min(n_nodes, 2)),
                        "up": rng.random() < 0.5})
    return sorted(changes, key=lambda c: c["at_s"])


def pools_of(cluster):
    """Returns by virtual cluster and type the numbers of GPUs of the nodes that
    run jobs; nothing for a preset."""
    pools = {}
    for node in [] if isinstance(cluster, str) else cluster["nodes"]:
        if not node.get("profiler"):
            key = (node.get("vc", "all"), node["type"])
            pools.setdefault(key, []).extend([node["gpus"]] * node["count"])
    return pools


def what_if(rng, cluster):
    """Draws clauses that change nodes of the cluster, and the load."""
    clauses = []
    pools = [(k, g) for k, g in sorted(pools_of(cluster).items()) if g]
    for _ in range(rng.choice([1, 1, 2, 3])):
        when = ""
        if rng.random() < 0.5:
            when += " from hour %.3g" % rng.choice([0, 0.01, 0.1, 1])
        if rng.random() < 0.4:
            when += " until hour %.3g" % rng.choice([1.5, 2, 30])
        if not pools or rng.random() < 0.3:
            clauses.append("x%s load%s" % (
                rng.choice(["0.5", "1.5", "3"]), when))
            continue
        (vc, gpu), nodes = rng.choice(pools)
        gpus = rng.choice(nodes)
        sign = rng.choice("+-")
        most = nodes.count(gpus)
        clauses.append("%s%d nodes of %dx%s in %s%s" % (
            sign, rng.randint(1, most), gpus, gpu, vc, when))
        if sign == "-": # a second clause could want the same nodes
            pools.remove(((vc, gpu), nodes))
    return "; ".join(clauses)


def draw_quotas(rng, cluster, jobs):
    """Adds to a cluster with several virtual clusters, most of the times,
    quotas that lend: queues below cohorts of one or two levels. Some jobs get a
    priority."""
    vcs = sorted({n["vc"] for n in cluster["nodes"] if n["count"]})
    names = ["site"] + ["c%d" % i for i in range(rng.choice([0, 1, 1, 2]))]
    most = sum(n["count"] * n["gpus"] for n in cluster["nodes"])
    words = ["never", "lower", "lower-or-newer", "any", "any", "any"]

    def limits(nominal):
        out = {"nominal": nominal}
        if rng.random() < 0.3:
            out["borrowing_limit"] = rng.randint(0, most)
        if rng.random() < 0.3:
            out["lending_limit"] = rng.randint(0, nominal)
        if rng.random() < 0.3:
            out["weight"] = rng.choice([0, 0.5, 1, 3])
        return out

    for job in jobs:
        if rng.random() < 0.5:
            job["priority"] = rng.choice(["low", "high", "normal", "7", "odd"])
    if rng.random() < 0.2:
        return # the quotas are then those of the nodes
    if rng.random() < 0.3: # nodes without names, as most cluster files have
        for node in cluster["nodes"]:
            node.pop("vc", None)
    queues = []
    for vc in vcs:
        queue = dict(limits(rng.randint(0, most)), vc=vc)
        if rng.random() < 0.9:
            queue["cohort"] = rng.choice(names)
        for key in ("reclaim", "within"):
            if rng.random() < 0.6:
                queue[key] = rng.choice(words)
        if rng.random() < 0.2:
            queue["borrow_within"] = rng.choice([-1, 0, 1])
        queues.append(queue)
    if len(queues) > 1 and rng.random() < 0.2 and "vc" in cluster["nodes"][0]:
        queues.pop() # a virtual cluster without a queue
    cluster["queues"] = queues
    cluster["cohorts"] = [
        dict(limits(rng.choice([0, 0, rng.randint(0, most)])), name=name,
             **({} if name == "site" else {"parent": "site"}))
        for name in names]


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
        "dataset": lambda: rng.choice(["imagenet", "x"]),
        "queue_s": lambda: seconds(rng),
        "cpus": lambda: rng.choice([0, 4, 96]),
        "nodes": lambda: rng.choice([1, 2]),
        "attempts": lambda: rng.choice([1, 3]),
        "deadline_s": lambda: seconds(rng),
        "mem_mib": lambda: rng.choice([100, 64000]),
    }
    often = {"gpu_type": 0.1, "model": 0.9 if elastic else 0.5,
             **dict.fromkeys(("dataset", "cpus", "nodes", "attempts",
                              "mem_mib"), 0.1)}
    for column, value in optional.items():
        if rng.random() < often.get(column, 0.4):
            job[column] = str(value())
    vcs = part_of(cluster, "vc", "all")
    if vcs != ["all"]:
        job["vc"] = rng.choice(vcs)
    if elastic and job.get("model") in elastic and rng.random() < 0.8:
        job["elasticity"] = rng.choice(["rigid", "scales", "adaptive"])
    return job


def draw_jobs(rng, cluster, models, elastic, start=None):
    if start is None:
        start = rng.choice([0, 0, 0, 1500000000, 1509930000])
    times = [seconds(rng) for _ in range(rng.choice([1, 2, 5, 12, 25]))]
    jobs = []
    for i in range(rng.choice([1, 2, 4, 8, 16, 30])):
        at = float(rng.choice(times)) if rng.random() < 0.6 else float(
            seconds(rng))
        jobs.append(draw_job(rng, ("%.6f" % (start + at)).rstrip("0")
                             .rstrip("."), i, cluster, models, elastic))
    return jobs


def fault_trace(rng, cluster):
    """Writes a fault trace. Some repairs have no length, and some faults begin
    when another one ends."""
    nodes = sum(len(g) for g in pools_of(cluster).values()) or 2
    rows = ["start_s,end_s,node,class,scope,gpu\n"]
    at = 0.0
    for _ in range(rng.choice([1, 3, 10, 40])):
        if rng.random() < 0.7:
            at = float(seconds(rng))
        end = at + (0 if rng.random() < 0.3 else float(seconds(rng)))
        rows.append("%.6f,%.6f,%d,%s,%s,%s\n" % (
            at, end, rng.randrange(nodes), rng.choice(["x", "GPU", "NIC"]),
            rng.choice(["", "", "node", "gpu"]), rng.choice(["", "0"])))
        at = end
    return "".join(rows)


def evidence(rng, jobs):
    """Writes a side-car: most jobs have logs, some have sources."""
    rows = ["job_id,directory,command,log_style,step_s,steps,log_every\n"]
    for j in jobs:
        if rng.random() < 0.8:
            rows.append("%s,%s,%s,%s,%s,%d,%d\n" % (
                j["job_id"], rng.choice(["", "src"]),
                rng.choice(["", "python train.py --batch-size 32"]),
                rng.choice(["", "torch-imagenet", "hf-trainer", "megatron"]),
                rng.choice(["1", "0.25", "20"]), rng.randrange(1, 5000),
                rng.choice([1, 10, 100])))
    return "".join(rows)


SOURCES = """import torch, torchvision
model = torchvision.models.resnet50()
for epoch in range(90):
    pass
"""


def past(rng, cluster, models, elastic, jobs):
    """Writes a trace that ended before the first of `jobs` was submitted."""
    first = int(min(float(j["submitted_unix_s"]) for j in jobs))
    rows = draw_jobs(rng, cluster, models, elastic, first - 400000)
    for number, row in enumerate(rows):
        row["job_id"] = "p%d" % number
    return trace_text(rows)


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


def speeds(rng, models):
    """Writes throughputs on some numbers of GPUs."""
    rows = ["model,gpus,throughput\n"]
    for model in models:
        rows += ["%s,%d,%.1f\n" % (model, gpus, 100 * gpus ** rng.random())
                 for gpus in (1, 2, 4, 8) if gpus == 1 or rng.random() < 0.7]
    return "".join(rows)


def draw_files(rng, cluster, models, elastic, jobs):
    """Returns the files that options may name, as name -> text."""
    return {"predictions.csv": predictions(rng, jobs),
            "forecast.csv": forecast(rng, jobs),
            "pairs.csv": pairs(rng, models),
            "speeds.csv": speeds(rng, models),
            "faults.csv": fault_trace(rng, cluster),
            "evidence.csv": evidence(rng, jobs),
            "train.csv": past(rng, cluster, models, elastic, jobs)}


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
    texts_of = [v for _, value in case["options"] if isinstance(value, list)
                for _, values in value for v in values.values()]
    texts_of += [v for _, v in case["options"] if isinstance(v, str)]
    return {v[1:] for v in texts_of if v.startswith("@")}


def arguments(case, where):
    """Returns the options of a run; `where` returns the path of a file."""
    cluster = case["cluster"]
    out = ["--cluster", cluster if isinstance(cluster, str)
           else where("cluster.json")]
    for option, value in case["options"]:
        if value is None:
            out.append(option)
        elif option.endswith("="):
            out.append(option + value)
        elif isinstance(value, str):
            out += [option, where(value[1:]) if value.startswith("@")
                    else value]
        elif spec_text(value, where):
            out += [option, spec_text(value, where)]
    return out


def trace_text(jobs, order=None):
    """Writes a native CSV with the required columns and the columns that at
    least one job has. `order`: a seed by which they are permuted."""
    columns = [c for c in COLUMNS
               if c in COLUMNS[:4] or any(c in j for j in jobs)]
    if order is not None:
        random.Random(order).shuffle(columns)
    rows = [",".join(columns)]
    rows += [",".join(j.get(c, "") for c in columns) for j in jobs]
    return "\n".join(rows) + "\n"


def texts(case):
    """Returns the files that a run of the case reads, as name -> text."""
    out = {"trace.csv": case.get("other") or trace_text(
        case["jobs"], case.get("columns"))}
    if not isinstance(case["cluster"], str):
        out["cluster.json"] = json.dumps(case["cluster"])
    for name in used_files(case):
        out[name] = case["files"][name]
    if "evidence.csv" in out:
        out["src/train.py"] = SOURCES
    return out
