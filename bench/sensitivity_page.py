# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/sensitivity.md, the page of sensitivity.py."""
import contextlib
import io
import itertools
import time

import assumptions
import measure

HEAD = """# Sensitivity

What results depend on. `python3 bench/sensitivity.py%(quick)s --write` makes this page
from `bench/sensitivity.json`, %(date)s, %(runs)d runs. It has no times of machines.

**Limits.** The load of generated traces and the clusters of the rows are choices. The
generator misses some bars of `schedsim trace fidelity` ([generated_traces.md](
generated_traces.md)). The rows of Philly and Venus have no models, so their jobs train
models of SchedMate's Table 1 (an assumption that the table moves). A range has a source
only where one is named. Options are moved one at a time, so what two of them do together
is not seen. JCTs are those of finished jobs. A quick run moves each assumption only to the
last of its values. A change of the generator changes the generated inputs, and the page
is then to be made again.%(gone)s

| input | what it is | repeats |
| --- | --- | ---: |
%(inputs)s
"""
STABILITY = """## Assumption stability

An option is *assumed* if its source says so (`schedsim list --explain`). Each of them, or
a group, is moved over its range, and the policies are ranked again on the same jobs.
*Flipped*: of all pairs of policies, in all inputs, repeats and values, those whose order
is the opposite of the order at the default. Two policies within 1 % of each other have no
order. *Best*: rankings in which the best policy at the default is beaten. *Clear*: flips
of a pair in one input where the 95 % intervals over repeats exclude equality both at the
default and at the value. The last rows are for comparison: two repeats of one input, both
at the defaults. An assumption that flips less than another seed or window would is not
what a result hangs on.

%(scenarios)s
"""
CLEAR = """Clear flips, pair by pair:

"""
SWEEPS = """## Sweeps

A figure is the geometric mean over repeats of the mean JCT of the base policy over that
of the policy, on the same jobs (above 1: the policy is better), with the 95 % interval of
the jackknife where there are three repeats or more. A dagger marks values at which the
two do not finish the same jobs. `sweeps.csv` also has the 99th percentile of the JCT.

### Where SchedMate stops paying

Gains within 1 %, and those whose interval includes equality, are no clear difference. With
fewer than three repeats there is no interval, so it is not known where a system pays.

"""


def percent(value):
    return "%.1f" % value


def captured(head, rows):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        measure.table(head, rows)
    return text.getvalue()


def stability_table(found):
    rows = sorted(found, key=lambda item: ("range" not in item[0],
                                           -item[1].share("mean")))
    return captured(
        ["assumption", "default", "range and its source", "rankings",
         "flipped, %: mean JCT", "p99", "best changes, %: mean", "p99", "clear",
         "flips most (of the rankings)"],
        [[tally.name, a.get("default", ""), a.get("range", ""), tally.rankings,
          percent(tally.share("mean")), percent(tally.share("p99")),
          percent(tally.best_share("mean")), percent(tally.best_share("p99")),
          sum(map(len, tally.clear.values())) if "range" in a else "",
          tally.most()] for a, tally in rows])


def clear_list(found):
    lines = ["* %s: %s and %s (%s)" % (tally.name, *pair, "; ".join(places))
             for _, tally in found for pair, places in tally.clear.items()]
    return "\n".join(lines) + "\n\n" if lines else "None.\n\n"


def with_interval(row):
    mark = " †" if row["other_jobs"] else ""
    if row["mean_low"] is None:
        return "%.2f%s" % (row["mean"], mark)
    return "%.2f (%.2f to %.2f)%s" % (row["mean"], row["mean_low"],
                                      row["mean_high"], mark)


def verdict(row):
    """Returns whether a system pays at one value. Gains within 1 %, and gains
    whose interval includes equality, are no clear difference. Without an
    interval the answer is not known."""
    low, high = row["mean_low"], row["mean_high"]
    if low is None:
        return "not known"
    if abs(row["mean"] - 1) < assumptions.NEAR or low <= 1 <= high:
        return "no clear difference"
    return "pays" if low > 1 else "loses"


def in_words(column):
    """Returns text that says over which values a system pays."""
    parts = []
    for words, rows in itertools.groupby(column, verdict):
        rows = list(rows)
        ends = dict.fromkeys("%g" % rows[i]["value"] for i in (0, -1))
        parts.append("%s: %s" % (" to ".join(ends), words))
    if len(parts) == 1:
        return parts[0].partition(": ")[2]
    return "; ".join(parts)


def columns_of(sweep, rows):
    """Returns the rows of a sweep by (system, base, input)."""
    columns = {}
    for row in rows:
        if row["sweep"] == sweep["id"]:
            columns.setdefault((row["system"], row["base"], row["input"]),
                               []).append(row)
    return columns


def where_it_pays(settings, rows):
    """Returns a table with a line for each sweep, pair of systems and input."""
    return captured(["by", "system over base, input", "where it pays"], [
        [sweep["x"], "%s over %s, %s" % place, in_words(column)]
        for sweep in settings["sweeps"]
        for place, column in columns_of(sweep, rows).items()])


def sweep_section(sweep, rows):
    """Returns the section of a sweep: a table with a column for each pair of
    systems and input."""
    columns = columns_of(sweep, rows)
    if not columns:
        return ""
    values = [row["value"] for row in next(iter(columns.values()))]
    head = [sweep["x"]] + ["%s over %s, %s" % key for key in columns]
    body = [["%g" % value] + [with_interval(column[i])
                              for column in columns.values()]
            for i, value in enumerate(values)]
    note = " (%s)" % sweep["note"] if sweep["note"] else ""
    return "### %s\n\n%s%s\n\n" % (
        sweep["title"], "`%s`" % "`, `".join(
            [sweep["option"]] if isinstance(sweep["option"], str)
            else sweep["option"]), note) + captured(
                head, body)


def page(settings, rows, found, gone, n_runs, quick):
    words = ("\n\n*These inputs were not there: %s.*" % ", ".join(gone)
             if gone else "")
    scenarios = "\n".join("* `%s`: %s; %s" % (
        name, scenario["title"], ", ".join(scenario["systems"]))
        for name, scenario in settings["scenarios"].items())
    text = HEAD % {
        "quick": " --quick" if quick else "", "runs": n_runs, "gone": words,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "inputs": "\n".join("| %s | %s | %d |" % (
            name, entry["title"], len(entry["repeats"]))
            for name, entry in settings["inputs"].items())}
    text += "\n" + STABILITY.replace("%(scenarios)s", scenarios) + "\n"
    text += stability_table(found)
    text += "![How often two policies change places](sensitivity.svg)\n\n"
    text += CLEAR + clear_list(found) + SWEEPS + where_it_pays(settings, rows)
    text += "".join(sweep_section(sweep, rows)
                    for sweep in settings["sweeps"])
    return text.rstrip() + "\n"
