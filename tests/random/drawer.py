# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the options of a run. What there is to draw, `schedsim list` says: its
options, their ranges and choices, the plug-ins and their settings. So a new
option or plug-in is drawn from the day on which it exists; one that cannot be
drawn so needs a function `one_NAME` here, or a line of NOT_DRAWN."""
import json
import os
import random
import subprocess

import configuration as c
import formats

# Options that are not drawn, and why.
NOT_DRAWN = {
    "out": "each run has it", "quiet": "each run has it",
    "state": "each run that goes on from a state has it",
    "save": "goes with state-at",
    "color": "concerns terminals; the runs have none",
    "config": "`verify --again` reads the options from the manifest",
    "dump-config": "runs nothing", "trust": "only for files of options",
    "columns": "`verify` needs all columns",
    "llm-recording": "needs the answers of a model",
    "llm-recording-mode": "needs the answers of a model",
    "evidence-root": "names folders outside those of the configuration",
}
# Settings that are texts and are not drawn, by kind, or by kind and plug-in.
NOT_DRAWN_TEXTS = {
    "llms": "need a server", "sampling": "need a server",
    "advisor": "settings of other commands",
    "logs": "settings of other commands",
    "policies-outside": "name files that the program writes or may read",
    "throughputs application": "a folder of measured tables",
}
# Kinds that no option of a run names.
NOT_OF_A_RUN = {"advisor", "logs", "files", "clusters", "conventions", "layers",
                "fault-profiles"}
# How often an option is given, where it is not the default.
CHANCES = {
    "placer": 0.5, "estimators": 0.5, "overhead": 0.4, "interference": 0.4,
    "belief": 0.1, "monitor": 0.4, "faults": 0.5, "recovery": 0.5,
    "forecast": 0.3, "time-law": 0.3, "engine": 0.5, "chains": 0.3,
    "conventions": 0.25, "workloads": 0.15, "train": 0.15, "format": 0.06,
    "seed": 0.3, "series": 0.4, "timeline": 0.15, "profilers": 0.25,
}
CHANCE = 0.12
# Options that a run with --state refuses, or that its first run has.
NOT_WITH_STATE = ("--faults", "--profilers", "--state-at", "--save", "--from",
                  "--to")
# Policies that refuse the layer quota, because they plan all nodes at once.
PLANS_ALL = ("elasticflow", "gavel", "pollux", "sia", "themis")
ELASTIC = ("sia", "pollux")


class Registry:
    """What `schedsim list` says. `shared`: path of a policy as a shared object;
    None: there is none."""

    def __init__(self, program, root, shared=None):
        self.root = root
        self.listing = listed(program, "--json")
        run = next(x for x in listed(program, "commands")["commands"]
                   if x["name"] == "run")
        self.options = run["options"]
        with open(os.path.join(root, "models", "elastic",
                               "applications.json"),
                  encoding="utf-8") as file:
            self.models = sorted(json.load(file)["applications"])
        self.others = ["ResNet50", "unheard-of"]
        folder = os.path.join(root, "contrib", "policies")
        self.outside = ["exec:python3 " + os.path.join(folder, name)
                        for name in ("fifo.py", "srtf.py", "backfill.py")]
        self.outside += [shared] * 3 * (shared is not None)

    def undrawn(self):
        """Returns a line for each option, setting and format that no draw
        reaches, and for each reason that concerns none."""
        out, names = [], [row["name"] for row in self.options]
        for row in self.options:
            if row["name"] not in NOT_DRAWN and not can_draw(row):
                out.append("option --%s: not in drawer.py" % row["name"])
        out += ["NOT_DRAWN names --%s" % x for x in NOT_DRAWN if x not in names]
        reached = {kind for row in self.options
                   for kind in row.get("settings_of", "").split()}
        for kind, plugins in self.listing.items():
            if kind not in reached | NOT_OF_A_RUN:
                out.append("kind %s: no option of a run names it" % kind)
            for plugin in plugins:
                out += self.undrawn_texts(kind, plugin)
        have = [row["name"] for row in self.listing["formats"]]
        out += ["column %s of native traces: not in configuration.COLUMNS" %
                row["name"] for row in self.listing["formats"][0]["columns"]
                if row["name"] not in c.COLUMNS + c.NOT_DRAWN_COLUMNS]
        out += ["format %s: not in formats.py" % name for name in have
                if name not in formats.known()]
        return out

    def undrawn_texts(self, kind, plugin):
        if kind in NOT_DRAWN_TEXTS or kind == "formats" or (
                kind + " " + plugin["name"] in NOT_DRAWN_TEXTS):
            return []
        return ["%s %s: text %s: not in configuration.TEXTS" %
                (kind, plugin["name"], s["name"])
                for s in plugin["settings"] if s["kind"] == "text" and
                (plugin["name"], s["name"]) not in c.TEXTS]


def listed(program, *words):
    return json.loads(subprocess.run(
        [program, "list", *words], check=True, capture_output=True,
        text=True).stdout)


def can_draw(row):
    return (hasattr(Drawer, hand_of(row["name"])) or row["choices"] or
            row["value"] is None or ".." in row.get("range", "") or
            " " not in row.get("settings_of", " "))


def hand_of(name):
    return "one_" + name.replace("-", "_")


class Drawer:
    """The options that were drawn so far. A function `one_NAME` returns the
    value of an option, a list of values, or NONE."""

    NONE = object()

    def __init__(self, registry, seed, jobs, cluster, elastic):
        self.registry, self.seed = registry, seed
        self.jobs, self.cluster, self.elastic = jobs, cluster, elastic
        self.rng = None
        self.layers = []
        self.options = []

    def draw(self):
        """Draws the policy first, because others depend on it. Each option has
        its own draws, so those of a seed stay as they are when an option is
        new."""
        rows = sorted(self.registry.options,
                      key=lambda row: row["name"] != "policy")
        for row in rows:
            name = row["name"]
            self.rng = random.Random("schedsim %d %s" % (self.seed, name))
            if name in NOT_DRAWN or (name != "policy" and self.rng.random() >=
                                     self.chance(name)):
                continue
            hand = getattr(self, hand_of(name), None)
            value = hand() if hand else self.from_table(row)
            for one in value if isinstance(value, Several) else [value]:
                if one is not self.NONE:
                    self.options.append(one if isinstance(one, tuple)
                                        else ("--" + name, one))

    def chance(self, name):
        layered = any(x != "quota" for x in self.layers)
        special = {"schedmate": 0.8 * layered, "throughput":
                   0.8 if self.elastic else 0.1,
                   "evidence": 0.5 if layered else 0.1, "quota":
                   0.7 * ("quota" in self.layers), "vc": 0.1, "to": 0.05}
        return special.get(name, CHANCES.get(name, CHANCE))

    def from_table(self, row):
        """Draws a value from what the table of options says of it."""
        if row.get("settings_of"):
            return self.layer(row["settings_of"])
        if row["choices"]:
            return self.rng.choice(row["choices"])
        if row["value"] is None:
            return None
        low, high = [float(x) for x in row["range"].split("..")]
        return str(int(min(max(self.rng.choice([low, high, 1, 5, 20]), low),
                           high)))

    def layer(self, kind, given=(), without=()):
        plugin = self.rng.choice([p for p in self.registry.listing[kind]
                                  if p["name"] not in without])
        return [self.with_settings(kind, plugin, given)]

    def with_settings(self, kind, plugin, given=(), share=0.3):
        values = c.settings(plugin, self.rng, share, given, self.cluster)
        # kinds with one plug-in are settings only: --engine K=V
        alone = kind == plugin["name"]
        return ("" if alone else plugin["name"], values)

    def chain(self, kind, given, without, last):
        """Draws a chain of different layers, none of which is in `without`."""
        out = []
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            [one] = self.layer(kind, given, without)
            if one[0] not in [o[0] for o in out]:
                out.append(one)
        return out + [(n, {}) for n in last if n not in [o[0] for o in out]]

    def one_policy(self):
        rng, listing = self.rng, self.registry.listing
        if rng.random() < 0.06:
            self.options.append(("--policy", [(rng.choice(
                self.registry.outside), {})]))
            return self.NONE
        [(name, values)] = self.layer("policies")
        if self.elastic and rng.random() < 0.3:
            name, values = rng.choice(ELASTIC), {}
        words = [row["name"] for row in listing["layers"]]
        if rng.random() < 0.6:
            self.layers = rng.sample([w for w in words if w != "quota"],
                                     rng.choice([1, 1, 2]))
        if "schedmate" in self.layers: # the others are its parts
            self.layers = ["schedmate"]
        lends = (c.part_of(self.cluster, "vc", "all") != ["all"] and
                 name.split("-")[0] not in PLANS_ALL)
        if "quota" in words and lends and rng.random() < 0.5:
            c.draw_quotas(rng, self.cluster, self.jobs)
            self.layers.append("quota")
        return [("+".join([name] + self.layers), values)]

    def has(self, part):
        return bool({part, "schedmate"} & set(self.layers))

    def one_estimators(self):
        return self.chain("estimators", {"file": "predictions.csv"},
                          ["advisor"] * self.has("advisor"),
                          # often, some know every job
                          ["oracle", "workload"] if self.rng.random() < 0.9
                          else [])

    def one_recovery(self):
        return self.chain("recoveries", (), ["handler"] * self.has("handler"),
                          [])

    def one_monitor(self): # a run has one monitor, and the tracker is one
        return self.NONE if self.has("tracker") else self.layer("monitors")

    def one_interference(self):
        return self.layer("interferences", {"table": "pairs.csv"})

    one_belief = one_interference

    def one_throughput(self):
        return self.layer("throughputs", {"table": "speeds.csv"})

    def one_forecast(self):
        return self.layer("forecasts", {"file": "forecast.csv"})

    def one_conventions(self):
        return self.rng.choice(self.registry.listing["conventions"])["name"]

    def one_engine(self):
        [(_, values)] = self.layer("engine")
        if "spares" in values: # each pool must keep a node
            least = min([len(g) for g in c.pools_of(self.cluster).values()]
                        or [1])
            values["spares"] = str(self.rng.randrange(max(least, 1)))
        return [("", values)]

    def one_faults(self):
        [(name, values)] = self.layer("faults", {"trace": "faults.csv"})
        if name == "trace":
            for key in ("length_s", "nodes"): # depend on the file
                values.pop(key, None)
            if "from_s" in values:
                values["from_s"] = "1"
        nodes = sum(len(g) for g in c.pools_of(self.cluster).values()) or 1
        if name == "once" and "node" in values:
            values["node"] = str(self.rng.randrange(nodes))
        return [(name, values)]

    def one_schedmate(self):
        [(_, values)] = self.layer("schedmate")
        if "llm_gpus" in values: # each virtual cluster must keep a node
            vcs = {}
            for (vc, _), gpus in c.pools_of(self.cluster).items():
                vcs.setdefault(vc, []).extend(gpus)
            most = max([sum(g[1:]) for g in vcs.values() if g] or [0])
            values["llm_gpus"] = str(self.rng.randint(0, min(most, 4)))
            if values["llm_gpus"] == "0":
                values.pop("llm_pool", None)
        if values.get("fidelity") == "replay" and self.rng.random() < 0.6:
            self.options.append(("--llm", "rules"))
        return [("", values)]

    def one_llm(self):
        return self.NONE # one_schedmate gives it

    def one_chains(self):
        return self.rng.choice(["linked", "linked:link_s=1e6", "off"])

    def one_train(self):
        return "@train.csv"

    def one_evidence(self):
        return self.rng.choice(["generated", "@evidence.csv"])

    def one_what_if(self):
        return c.what_if(self.rng, self.cluster)

    def one_profilers(self):
        if "profiler" in json.dumps(self.cluster):
            return self.NONE
        least = min([len(g) for g in c.pools_of(self.cluster).values()] or [1])
        return str(min(self.rng.choice([0, 1, 1, 2]), max(least - 1, 0)))

    def one_cluster(self):
        return self.NONE # `arguments` gives it

    def one_format(self):
        return self.NONE # `draw` gives it

    def one_vc(self):
        named = sorted({job["vc"] for job in self.jobs if "vc" in job})
        return self.rng.choice(named) if named else self.NONE

    def one_from(self):
        return self.rng.choice(["10", "0s", "5min"])

    def one_to(self):
        return self.rng.choice(["1h", "2d", "3000s"])

    def one_by(self):
        return self.rng.choice(["user", "type"])

    def one_wait_over(self):
        return self.rng.choice(["0s", "10min", "3.5s"])

    def one_warmup(self):
        return self.rng.choice(["10%", "5s", "0s"])

    def one_cooldown(self):
        return self.rng.choice(["10%", "0s"])

    def one_seed(self):
        return str(self.rng.randrange(1000))

    def one_series(self):
        out = Several()
        if self.rng.random() < 0.7:
            out.append("interval=" + self.rng.choice(["1", "60", "7.5"]))
        out += ["by=" + k for k in ("type", "vc") if self.rng.random() < 0.5]
        return out

    def one_timeline(self):
        rng, keys = self.rng, []
        if rng.random() < 0.3:
            keys.append("from=" + rng.choice(["90min", "20"]))
        if rng.random() < 0.3:
            keys.append("to=" + rng.choice(["36h", "200"]))
        if rng.random() < 0.2:
            keys.append("gzip")
        if rng.random() < 0.2:
            keys.append("vc=" + rng.choice(c.part_of(self.cluster, "vc",
                                                     "all")))
        return ("--timeline=", ",".join(keys)) if keys else None

    def one_state_at(self):
        return Several([("--state-at", self.rng.choice(["0s", "100s", "2h"])),
                        ("--save", "out-state.json")])


class Several(list):
    """Values of an option that is given several times."""


def resampling(rng):
    out = ["--seed", str(rng.randrange(1, 99)),
           "--block-days", rng.choice(["0.01", "0.02", "0.1"])]
    if rng.random() < 0.5:
        out += ["--set", "order=draw"]
    if rng.random() < 0.3:
        out += ["--set", "joint"]
    if rng.random() < 0.3:
        out += ["--set", "jitter=" + rng.choice(["0", "500"])]
    if rng.random() < 0.3:
        out += ["--set", "duration-noise=" + rng.choice(["0", "1"])]
    return out


def draw(registry, seed):
    """Draws the configuration of a seed, which is the same on every machine."""
    rng = random.Random("schedsim %d" % seed)
    elastic = rng.random() < 0.3
    cluster = c.draw_cluster(rng)
    models = registry.models + registry.others * (not elastic)
    jobs = c.draw_jobs(rng, cluster, models, registry.models * elastic)
    drawer = Drawer(registry, seed, jobs, cluster, elastic)
    drawer.draw()
    rng = random.Random("schedsim %d files" % seed)
    case = {"jobs": jobs, "cluster": cluster, "options": drawer.options,
            "files": c.draw_files(rng, cluster, models,
                                  registry.models * elastic, jobs)}
    kind = rng.random()
    if kind < 0.08:
        case["resample"] = resampling(rng)
    elif kind < 0.14:
        as_other_format(case, registry, rng)
    elif kind < 0.2:
        case["options"] = [o for o in case["options"]
                           if o[0] not in NOT_WITH_STATE]
        case["state"] = {"at": rng.choice(["10s", "100s", "1000s", "1h"]),
                         "trace": rng.random() < 0.7}
    return case


def as_other_format(case, registry, rng):
    """Replaces the trace of a case by one in another format. Its jobs name
    other virtual clusters and types, so those of the cluster lose their
    names."""
    names = [row["name"] for row in registry.listing["formats"]
             if row["name"] in formats.known()]
    if any(option == "--vc" for option, _ in case["options"]):
        names = formats.WITH_VC
    name = rng.choice(names)
    if name == "native":
        return
    plugin = next(row for row in registry.listing["formats"]
                  if row["name"] == name)
    values = c.settings(plugin, rng, 0.2, (), case["cluster"])
    values.update(formats.SETTINGS.get(name, {}))
    if not isinstance(case["cluster"], str):
        for node in case["cluster"]["nodes"]:
            node.pop("vc", None)
    case["other"] = formats.draw(rng, registry.root, name, case["jobs"])
    case["options"].append(("--format", [(name, values)]))
