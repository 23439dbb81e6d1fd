# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an experiment, says where it departs from its sources, and lists its runs.

An experiment is a JSON object. `settings` of the experiment, of an input, of a value
of a factor and of a system are joined in this order; a later one replaces an earlier
one. Each setting is an object:

    "policy.profile_s": {"value": 100, "source": "schedmate/5.2.profile_s"}

Its name is that of a long option (`cluster`), of a setting of that option
(`policy.profile_s`, `schedmate.match`) or of an option of `trace generate`
(`generate.load`). `source` is a fact of sources.json. A setting whose value differs
from its source, or that has none, needs a `comment`. `status` is one of STATUSES."""
import copy
import itertools
import json
import os
import re

STATUSES = ("published", "measured", "fitted", "assumed", "calibrated", "swept")
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.path.dirname(HERE), "experiments")
REQUIRED = ("id", "title", "answers", "paper", "note", "inputs", "rows")
KINDS = ("run", "bursts", "estimate", "logs", "info", "catalogue", "faults", "none")


class Wrong(Exception):
    pass


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except ValueError as error:
        raise Wrong("%s: %s" % (path, error))


def sources(path=os.path.join(HERE, "sources.json")):
    """Maps "paper/fact" to the fact: an object with `value` and `where`."""
    facts = {}
    for paper, entry in read_json(path).items():
        for name, fact in entry["facts"].items():
            facts["%s/%s" % (paper, name)] = fact
    return facts


def load(path):
    experiment = read_json(path)
    missing = [key for key in REQUIRED if key not in experiment]
    if missing:
        raise Wrong("%s: has no '%s'" % (path, missing[0]))
    experiment.setdefault("kind", "run")
    if experiment["kind"] not in KINDS:
        raise Wrong("%s: kind '%s', expected one of %s" % (
            path, experiment["kind"], ", ".join(KINDS)))
    for key in ("settings", "factors", "systems"):
        experiment.setdefault(key, {})
    return experiment


def load_all(folder=FOLDER):
    return [load(os.path.join(folder, name)) for name in
            sorted(os.listdir(folder)) if name.endswith(".json")]


def shared_names(words):
    """Returns the files and folders that words name as $SHARED/NAME."""
    return [name for word in words
            for name in re.findall(r"\$SHARED/([^\",\]' ]+)", word)]


# Departures.

def settings_of(experiment):
    """Yields (place, name, setting) of each setting of the experiment."""
    def walk(where, settings):
        for name, setting in settings.items():
            yield where, name, setting
    yield from walk("settings", experiment["settings"])
    for name, entry in experiment["inputs"].items():
        yield from walk("input " + name, entry.get("settings", {}))
        yield from walk("input " + name, entry.get("generate", {}))
        yield from walk("input " + name, entry.get("resample", {}))
    for name, entry in experiment["systems"].items():
        yield from walk("system " + name, entry)
    for name, factor in experiment["factors"].items():
        yield "factors", name, dict(factor, value=factor.get("values"))
        for label, entry in factor.get("named", {}).items():
            yield from walk("factor %s %s" % (name, label), entry)


def wrong_setting(where, name, setting, facts):
    if not isinstance(setting, dict) or "value" not in setting:
        return "%s: %s has no value" % (where, name)
    status = setting.get("status")
    if status not in STATUSES:
        return "%s: %s has status '%s', expected one of %s" % (
            where, name, status, ", ".join(STATUSES))
    if status == "calibrated" and not setting.get("from"):
        return ("%s: %s is calibrated, but 'from' does not say from which "
                "table or figure" % (where, name))
    source, comment = setting.get("source"), setting.get("comment")
    if source is not None and source not in facts:
        return "%s: %s has source '%s', which sources.json lacks" % (
            where, name, source)
    if not comment and source is None:
        return "%s: %s has neither source nor comment" % (where, name)
    if not comment and facts[source]["value"] != setting["value"]:
        return ("%s: %s is %s, its source %s says %s, and no comment tells why" %
                (where, name, setting["value"], source, facts[source]["value"]))
    return None


def departures(experiment, facts):
    """Returns one line for each setting that departs from its source without a
    comment, or that has no source at all."""
    found = [wrong_setting(*place, facts) for place in settings_of(experiment)]
    for row in experiment["rows"]:
        keys = row.get("published", {})
        for key in (keys.values() if isinstance(keys, dict) else [keys]):
            if key not in facts:
                found.append("row %s: published '%s' is not in sources.json" % (
                    row["name"], key))
        if "tolerance" not in row and keys:
            found.append("row %s: no tolerance" % row["name"])
    for name, entry in experiment["inputs"].items():
        if "generate" in entry and "fidelity" not in entry:
            found.append("input %s: generated, and 'fidelity' does not say which "
                         "bars its trace misses" % name)
    return ["%s: %s" % (experiment["id"], words) for words in found if words]


# Runs.

def at_quick(experiment):
    """Returns a copy of the experiment with the changes of its `quick`: fewer
    seeds, jobs or values of a factor."""
    changed = copy.deepcopy(experiment)
    changed["is_quick"] = True
    quick = experiment.get("quick", {})
    for name, entry in changed["inputs"].items():
        entry.update(quick.get("inputs", {}).get(name, {}))
        for key, setting in quick.get("settings", {}).items():
            entry.setdefault("settings", {})[key] = setting
        for key, setting in quick.get("generate", {}).items():
            if "generate" in entry:
                entry["generate"][key] = setting
        if "seeds" in quick and "seeds" in entry:
            entry["seeds"] = quick["seeds"]
    for name in quick.get("without_inputs", []):
        changed["inputs"].pop(name)
    for name, values in quick.get("factors", {}).items():
        changed["factors"][name]["values"] = values
    return changed


def factor_settings(experiment, values):
    joined = {}
    for (name, factor), value in zip(experiment["factors"].items(), values):
        if "named" in factor:
            joined.update(factor["named"][str(value)])
        else:
            joined[factor["setting"]] = dict(factor, value=value)
    return joined


class Run:
    """One command of an experiment before it is run. `place` identifies it
    within the experiment: input, repeat, factors and system."""

    def __init__(self, experiment, place, entry, settings):
        self.experiment, self.place, self.entry = experiment, place, entry
        self.settings = settings
        self.kind = entry.get("kind", experiment["kind"])

    def options(self):
        """Returns the options of the simulator, without options that make its
        input, and without options of SchedMate if the policy has no layer of
        SchedMate."""
        bare = "+" not in str(self.settings.get("policy", {}).get("value", "+"))
        return arguments({
            name: setting["value"] for name, setting in self.settings.items()
            if not name.startswith("generate.") and name != "submissions"
            and not (bare and name.startswith("schedmate."))})

    def generated(self):
        """Returns the options of `trace generate`; None if the input is not
        generated."""
        if "generate" not in self.entry:
            return None
        values = {name: setting["value"] for name, setting in
                  self.entry["generate"].items()}
        values.update({name[len("generate."):]: setting["value"]
                       for name, setting in self.settings.items()
                       if name.startswith("generate.")})
        values["seed"] = self.place["repeat"]
        return values

    def calibrated(self):
        """Returns the tables and figures from which the input or a setting was
        calibrated."""
        return sorted({setting["from"] for setting in self.settings.values()
                       if setting["status"] == "calibrated"} |
                      set(self.entry.get("calibrated", [])))


def arguments(values):
    """Turns values into arguments: {"policy": "lucid", "policy.profile_s":
    100} becomes --policy lucid:profile_s=100."""
    heads, parts = {}, {}
    for name, value in values.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        head, _, part = name.partition(".")
        heads.setdefault(head, None)
        if part:
            parts.setdefault(head, {})[part] = text
        else:
            heads[head] = text
    words = []
    for head, value in heads.items():
        tail = ",".join("%s=%s" % item for item in parts.get(head, {}).items())
        if value is None:
            words += ["--" + head, tail]
        else:
            words += ["--" + head, value + (":" + tail if tail else "")]
    return words


def repeats(entry):
    """Returns the repeats of an input: its seeds, its files, or one repeat."""
    return entry.get("seeds") or entry.get("files") or [0]


def runs(experiment):
    """Returns the runs of an experiment, always in one order."""
    if experiment["kind"] == "none":
        return []
    found = []
    names = list(experiment["factors"])
    grids = [factor["values"] for factor in experiment["factors"].values()]
    for (name, entry), values in itertools.product(
            experiment["inputs"].items(), itertools.product(*grids)):
        for repeat, (system, own) in itertools.product(
                repeats(entry), (experiment["systems"] or {"-": {}}).items()):
            if system in entry.get("without", []):
                continue
            settings = dict(experiment["settings"])
            for more in (entry.get("settings", {}),
                         factor_settings(experiment, values), own):
                settings.update(more)
            if entry.get("seeds") and "generate" not in entry:
                settings["seed"] = {"value": repeat, "status": "swept"}
            place = {"input": name, "repeat": repeat, "system": system,
                     **dict(zip(names, values))}
            found.append(Run(experiment, place, entry, settings))
    return found
