# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the simulator for sensitivity.py. A run is a set of options and a
trace. Its result is a file whose name is the digest of options, trace and
program, so that a command that was stopped goes on where it was."""
import concurrent.futures
import json
import os

import measure
from reproduction import experiment, runner


def merged(*parts):
    """Merges sets of options. A name that begins with '-' removes the option
    after it. A new value of a part, such as `faults`, keeps the settings of
    the part."""
    values = {}
    for part in parts:
        for name, value in part.items():
            if name.startswith("-"):
                values.pop(name[1:], None)
            else:
                values[name] = value
    return values


class Runs:
    """Collects the runs that are wanted, carries them out, and finds their
    results."""

    def __init__(self, folder, settings):
        self.store = runner.Store(folder)
        self.settings = settings
        self.wanted, self.results = {}, {}

    def options(self, source, repeat, *parts):
        """Returns the options of a run. `repeat`: a seed, or options that
        choose rows."""
        entry = self.settings["inputs"][source]
        own = {"seed": repeat} if isinstance(repeat, int) else repeat
        cluster = {"cluster": entry["cluster"]} if "cluster" in entry else {}
        values = merged(self.settings["base"], cluster, entry.get("set", {}), own,
                        *parts)
        if "+" not in values["policy"]:
            values = {name: value for name, value in values.items()
                      if not name.startswith("schedmate.")}
        return values

    def generated(self, source, values):
        """Removes the options of `trace generate` from `values` and returns
        the command that makes the trace, as a list."""
        asked = dict(self.settings["inputs"][source]["generate"])
        names = [name for name in values if name.startswith("generate.")]
        for name in names:
            asked[name[len("generate."):]] = values.pop(name)
        if "generate.gpus" in names: # the cluster grows with the trace
            values["cluster"] = "%dx8:%s" % (
                asked["gpus"] // 8, values["cluster"].partition(":")[2])
        words = ["trace", "generate", "--format", "native", "--seed",
                 str(values["seed"])]
        for name, value in asked.items():
            words += ["--" + name, str(value)]
        return words

    def trace(self, source, words):
        if words is None:
            path = measure.shared(self.settings["inputs"][source]["file"])
            return path, self.store.digest_of(path)
        key = runner.digest(self.store.identity, *words)
        return os.path.join(self.store.made(key, lambda folder: self.store.schedsim(
            words + ["--out", os.path.join(folder, "trace.csv")])),
                            "trace.csv"), key

    def want(self, source, repeat, *parts):
        """Adds a run to those that are wanted. Returns its key; equal runs
        have one key."""
        values = self.options(source, repeat, *parts)
        words = (self.generated(source, values)
                 if "generate" in self.settings["inputs"][source] else None)
        options = experiment.arguments(values)
        key = json.dumps([source, words, options])
        self.wanted[key] = (source, words, options)
        return key

    def carry_out(self, key):
        source, words, options = self.wanted[key]
        path, digest = self.trace(source, words)
        file = self.store.path("runs", runner.digest(
            self.store.identity, digest, *options) + ".json")
        if not os.path.exists(file):
            text = self.store.schedsim(
                ["run", path, "--quiet", "--json"] + options, accepted=(0, 4))
            metrics = json.loads(text)["metrics"]
            runner.write(file, json.dumps({
                "mean": metrics["jct_s"]["mean"], "p99": metrics["jct_s"]["p99"],
                "jobs": metrics["jct_s"]["count"]}))
        with open(file, encoding="utf-8") as text:
            self.results[key] = json.load(text)

    def run_all(self, workers):
        keys = [key for key in self.wanted if key not in self.results]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for n, _ in enumerate(pool.map(self.carry_out, keys), 1):
                runner.tell(n, len(keys))
        return len(keys)
