# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a configuration that fails smaller, as long as it fails in the same
way."""
import copy
import json
import shlex
import time

import configuration
import running

SIMPLER = {"duration_s": "10", "submitted_unix_s": "0", "gpus": "1"}


def fails_so(runner, case, kind):
    try:
        runner.judge(case)
    except running.Fault as fault:
        return fault.kind == kind
    return False


def without_some(items, size):
    """Yields copies of the list, each without another stretch of `size` items.
    """
    for at in range(0, len(items), size):
        yield items[:at] + items[at + size:]


def fewer_jobs(case):
    size = len(case["jobs"]) // 2
    while size >= 1:
        for jobs in without_some(case["jobs"], size):
            if jobs:
                yield dict(case, jobs=jobs)
        size //= 2


def fewer_options(case):
    for options in without_some(case["options"], 1):
        yield dict(case, options=options)
    for i, (option, value) in enumerate(case["options"]):
        if not isinstance(value, list):
            continue
        for layers in without_some(value, 1):
            if layers:
                yield with_option(case, i, (option, layers))
        for k, (name, values) in enumerate(value):
            for key in values:
                less = {a: b for a, b in values.items() if a != key}
                layers = value[:k] + [(name, less)] + value[k + 1:]
                yield with_option(case, i, (option, layers))


def with_option(case, i, option):
    return dict(case, options=case["options"][:i] + [option]
                + case["options"][i + 1:])


def simpler_cluster(case):
    cluster = case["cluster"]
    if isinstance(cluster, str):
        return
    for key in ("changes", "types", "nodes"):
        for items in without_some(cluster.get(key, []), 1):
            if items or key != "nodes":
                less = dict(cluster, **{key: items})
                yield dict(case, cluster={k: v for k, v in less.items() if v})
    for i, node in enumerate(cluster["nodes"]):
        for key in ("count", "vc", "rack", "profiler", "type"):
            if key in node:
                nodes = copy.deepcopy(cluster["nodes"])
                del nodes[i][key]
                yield dict(case, cluster=dict(cluster, nodes=nodes))


def simpler_jobs(case):
    for i, job in enumerate(case["jobs"]):
        for key in list(job):
            less = dict(job)
            if key in SIMPLER and job[key] != SIMPLER[key]:
                less[key] = SIMPLER[key]
            elif key not in SIMPLER and key != "job_id":
                del less[key]
            if less != job:
                yield dict(case, jobs=case["jobs"][:i] + [less]
                           + case["jobs"][i + 1:])


def reduce(runner, case, kind, seconds):
    """Returns the smallest configuration found within `seconds` that fails
    with the fault `kind`."""
    ends = time.monotonic() + seconds
    steps = (fewer_jobs, fewer_options, simpler_cluster, simpler_jobs,
             shorter_files)
    smaller = True
    while smaller:
        smaller = False
        for step in steps:
            while time.monotonic() < ends:
                found = next((less for less in step(case)
                              if time.monotonic() < ends
                              and fails_so(runner, less, kind)), None)
                if found is None:
                    break
                case, smaller = found, True
    return case


def shorter_files(case):
    for name in configuration.used_files(case):
        head, *rows = case["files"][name].splitlines(True)
        size = max(len(rows) // 2, 1)
        while size >= 1 and rows:
            for less in without_some(rows, size):
                yield dict(case, files=dict(case["files"],
                                            **{name: head + "".join(less)}))
            size //= 2
    for part in ("resample", "state"):
        if part in case:
            yield {k: v for k, v in case.items() if k != part}


def as_command(case):
    """Returns at most three shell lines: they write the files of a
    configuration, run it, and verify the result."""
    parts = []
    for name, text in sorted(configuration.texts(case).items()):
        if name == "cluster.json":
            text = json.dumps(json.loads(text), separators=(",", ":"))
        quoted = text.replace("\\", "\\\\").replace("%", "%%")
        parts.append("printf %s >%s" % (
            shlex.quote(quoted.replace("\n", "\\n")), name))
        if "/" in name:
            parts.insert(-1, "mkdir -p " + name.rsplit("/", 1)[0])
    runs = []
    if "resample" in case:
        runs.append(["trace", "resample", "trace.csv", "-o", "resampled.csv",
                     "-q"] + case["resample"])
    if "state" in case:
        runs.append(running.before_words(case))
    runs.append(running.run_words(case) + ["-q", "--out", "out"])
    return "\n".join(["; ".join(parts), "; ".join(
        shlex.join(["schedsim"] + words) for words in runs),
                      "schedsim verify out"])
