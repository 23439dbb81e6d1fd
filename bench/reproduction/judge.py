# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the rows of a table from the results of runs: published value, our
value with an interval, the difference, and a verdict. Where a value is not
reached, a row also has the effect of each term.

The interval is the 95 % interval of the jackknife over repeats (seeds or
workloads): what the statistic becomes without each repeat in turn, Student's
t. It says how far chance moves our value. It says nothing of what the model
leaves out."""
import itertools
import math

from reproduction import data
from reproduction import experiment as experiments
from reproduction import runner

WITHIN, DIRECTION, UNREACHED = "within tolerance", "direction", "not reached"
BEYOND = "direction, beyond the published value"
PUT_IN, NO_INPUT, NOTHING = "put in, no reproduction", "no input", ""
# 97.5 % quantiles of Student's t by degrees of freedom. Above 30 degrees the
# normal quantile is used.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
     2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
     2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def mean(numbers):
    return sum(numbers) / len(numbers)


def measured(results, metric):
    """Returns the mean of a metric over repeats. `jct_pooled_p99_h` is the
    element floor(0.99 n) of the sorted run times of the jobs of all repeats."""
    if metric == "jct_pooled_p99_h":
        jcts = sorted(x for result in results for x in result["jcts"])
        return jcts[len(jcts) * 99 // 100] / 3600
    return mean([result["values"][metric] for result in results])


STATISTICS = {
    "value": lambda a: a[0],
    "percent": lambda a: 100 * a[0],
    "ratio": lambda a: a[0] / a[1],
    "gain": lambda a: 100 * (1 - a[1] / a[0]),
    "excess": lambda a: 100 * (a[1] / a[0] - 1),
    "part": lambda a: 100 * a[0] / a[1],
}


def interval(columns, statistic):
    """Returns the value of a statistic and its interval; None in place of the
    interval if there is only one repeat. `columns`: a list of results for each
    operand, paired by repeat."""
    value = statistic(columns)
    n = len(columns[0])
    if n < 2:
        return value, None
    without = [statistic([column[:i] + column[i + 1:] for column in columns])
               for i in range(n)]
    centre = mean(without)
    spread = math.sqrt((n - 1) / n * sum((x - centre) ** 2 for x in without))
    wide = (T[n - 2] if n - 2 < len(T) else 1.96) * spread
    return value, (value - wide, value + wide)


class Table:
    """The results of the runs of one experiment, by place."""

    def __init__(self, experiment, runs, results):
        self.experiment = experiment
        self.cells = {}
        for run, result in zip(runs, results):
            self.cells.setdefault(self.key(run.place), []).append(result)

    def key(self, place):
        return tuple(str(place.get(name, "")) for name in self.names())

    def names(self):
        return ["input", "system"] + list(self.experiment["factors"])

    def find(self, place):
        """Returns the results at a place, one for each repeat. The place may
        leave out factors that are at their first value, and the only input."""
        place = dict(place)
        for name, factor in self.experiment["factors"].items():
            if name not in place:
                place[name] = factor["values"][0]
        if "input" not in place and len(self.experiment["inputs"]) == 1:
            place["input"] = next(iter(self.experiment["inputs"]))
        place.setdefault("system", "-")
        found = self.cells.get(self.key(place))
        if found is None:
            raise KeyError("%s: no run at %s" % (self.experiment["id"], place))
        return found


def operands(row, system=None):
    """Returns the places of the runs that a row compares."""
    where = row.get("where", {})
    found = []
    for one in row.get("of", ["-"]):
        place = dict(where)
        if isinstance(one, dict):
            place.update(one)
        else:
            place["system"] = one
        found.append(place)
    if system is not None:
        found = [found[0], dict(found[0], **(
            system if isinstance(system, dict) else {"system": system}))]
    return found


def spread_out(experiment, row):
    """Returns the rows for which a row with `each` stands: one for each
    combination of the values of its names."""
    names = row.get("each", [])
    grids = []
    for name in names:
        if name == "input":
            grids.append([name_ for name_ in experiment["inputs"]
                          if name_ not in row.get("without", [])])
        elif name == "system":
            grids.append(list(experiment["systems"]))
        else:
            grids.append(experiment["factors"][name]["values"])
    for values in itertools.product(*grids):
        one = dict(row, where={**row.get("where", {}), **dict(zip(names, values))})
        one["name"] = ", ".join([row["name"]] + [
            str(value) if name in ("input", "system") else "%s %s" % (name, value)
            for name, value in zip(names, values)])
        if "system" in names:
            one["of"] = [one["where"].pop("system")]
        published = row.get("published")
        if isinstance(published, dict):
            one["published"] = published.get(" ".join(map(str, values)))
        notes = row.get("notes")
        if notes:
            one["note"] = notes.get(" ".join(map(str, values)), row.get("note"))
        yield one


def compute(table, row, places):
    columns = [table.find(place) for place in places]
    for column in columns:
        for result in column:
            if isinstance(result, runner.Missing):
                raise result
    metric = row["metric"]
    chosen = STATISTICS[row.get("statistic", "value")]
    value, bounds = interval(columns, lambda some: chosen(
        [measured(column, metric) for column in some]))
    circular = {item for column in columns for result in column
                for item in result["calibrated"]}
    return value, bounds, circular, len(columns[0])


def is_within(value, published, tolerance):
    if not isinstance(tolerance, dict):
        return False
    if "points" in tolerance:
        return abs(value - published) <= tolerance["points"]
    if abs(value - published) <= tolerance.get("rounding", 0):
        return True
    return (abs(value - published) <= tolerance.get("percent", 0) / 100 *
            abs(published))


def has_direction(value, bounds, direction):
    """Returns whether the value lies on the published side of the bound, and
    whether its whole interval does."""
    low, high = bounds or (value, value)
    for key, bound in direction.items():
        if key == "above":
            return value > bound, low > bound
        if key == "below":
            return value < bound, high < bound
    return False, False


def terms(table, row):
    """Returns (label, value) of each term that the row explains: the same
    statistic with this term alone."""
    found = []
    for label, system in row.get("explain", {}).items():
        try:
            value = compute(table, row, operands(row, system))[0]
        except (KeyError, runner.Missing):
            continue
        found.append((label, value))
    return found


def reason(table, row, published):
    found = terms(table, row)
    if not found:
        return row.get("missing", "")
    unit = " %" if row.get("statistic") in ("gain", "excess", "part", "percent") else ""
    words = ", ".join("%s %s%s" % (label, number(value), unit)
                      for label, value in found)
    best = max(found, key=lambda pair: pair[1])
    reached = best[1] >= published
    verdict = ("%s would reach it" % best[0] if reached
               else "no term reaches %s%s" % (number(published), unit))
    more = row.get("missing", "")
    return "measured terms: %s; %s%s" % (words, verdict,
                                         "; " + more if more else "")


def number(value):
    if value is None:
        return ""
    size = abs(value)
    if size < 0.0005:
        return "0"
    return ("%.0f" if size >= 1000 else "%.1f" if size >= 100 else
            "%.2f" if size >= 1 else "%.3f") % value


def verdict_of(table, row, fact, got):
    value, bounds, circular, _ = got
    published = fact["value"]
    within = is_within(value, published, row["tolerance"])
    if fact.get("item") in circular:
        return PUT_IN, "set from %s itself" % fact["item"]
    sign, sure = has_direction(value, bounds, row.get("direction", {}))
    if within and sign and not sure:
        return DIRECTION, "mean within tolerance; interval includes no effect"
    if within:
        return WITHIN, ""
    words = reason(table, row, published)
    if sign:
        unsure = "" if sure else "interval includes no effect"
        if (value > published) == ("above" in row["direction"]):
            return BEYOND, "; ".join(filter(None, [unsure,
                                                   row.get("missing", "")]))
        return DIRECTION, "; ".join(filter(None, [unsure, words]))
    return UNREACHED, words


def judge(experiment, table, row, facts):
    """Returns a line of the result: a dict of its cells."""
    fact = facts.get(row.get("published"))
    line = {"experiment": experiment["id"], "row": row["name"],
            "metric": row["metric"], "published": fact["value"] if fact else None,
            "where": fact["where"] if fact else "", "ours": None, "low": None,
            "high": None, "repeats": 0, "difference": None, "verdict": NOTHING,
            "reason": "", "note": row.get("note") or experiment["note"],
            "tolerance": words_of(row.get("tolerance")),
            "required": is_required(row)}
    try:
        got = compute(table, row, operands(row))
    except runner.Missing as error:
        line.update(verdict=NO_INPUT, reason="%s is not here; %s" % (
            error, data.hint(str(error))))
        return line
    value, bounds, _, line["repeats"] = got
    line["ours"] = value
    if bounds:
        line["low"], line["high"] = bounds
    if fact:
        line["difference"] = value - fact["value"]
        line["verdict"], line["reason"] = verdict_of(table, row, fact, got)
    elif row.get("missing"):
        line["reason"] = row["missing"]
    return line


def words_of(tolerance):
    if isinstance(tolerance, dict):
        return ", ".join("%s %s" % (value, "points" if key == "points" else
                                    "%" if key == "percent" else key)
                         for key, value in tolerance.items())
    return tolerance or ""


def lines_of(experiment, runs, results, facts):
    table = Table(experiment, runs, results)
    lines = []
    for row in experiment["rows"]:
        if experiment["kind"] == "none":
            lines.append({"experiment": experiment["id"], "row": row["name"],
                          "metric": "", "published": None, "where": "",
                          "ours": None, "low": None, "high": None, "repeats": 0,
                          "difference": None, "verdict": UNREACHED,
                          "reason": row["missing"], "note": experiment["note"],
                          "tolerance": "", "required": False})
            continue
        for one in spread_out(experiment, row):
            try:
                lines.append(judge(experiment, table, one, facts))
            except KeyError:
                if not experiment.get("is_quick"):
                    # only --quick may leave a place out
                    raise
    return lines


def without_run(experiment):
    """Returns one line for each row that compares runs that the experiment
    never makes, so that the error is reported before the first run and not
    after the last."""
    if experiment["kind"] == "none":
        return []
    planned = experiments.runs(experiment)
    table = Table(experiment, planned, planned)
    found = []
    for row in experiment["rows"]:
        for one in spread_out(experiment, row):
            try:
                for place in operands(one):
                    table.find(place)
            except KeyError as error:
                found.append("%s (row %s)" % (error.args[0], one["name"]))
    return found


def is_required(row):
    """Returns whether the value must lie within its tolerance: `required` is
    true, or lists the inputs for which it must."""
    required = row.get("required", False)
    return (row.get("where", {}).get("input") in required
            if isinstance(required, list) else required)


def outside(lines):
    """Returns whether a value that must lie within its tolerance does not."""
    return any(line["required"] and line["verdict"] not in (WITHIN, NO_INPUT)
               for line in lines)
