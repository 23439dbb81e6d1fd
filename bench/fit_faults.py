#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits frailty and batches of models/failures/fault_profiles.json to the fault
trace of InfiniteHBD, and compares the trace with what the fault models play:

    fit_faults.py [--seeds N] [--json]

PLAY_FAULTS names the program bench/play_faults; the default is that of build/,
then of build-o/. Prints "skipped: ../shared not present" without the trace.

The table has, for the trace itself, for `trace` (which must be the same), for
`hardware:profile=infinitehbd` and for `exponential`: the mean over the seeds,
and the lowest and highest seed.

How the figures are fitted:
  repairs   lognormal by kind, least squares through median, p75 and p90,
            because a quarter of the repairs last minutes and would stretch the
            moments of the logarithm
  refaults  gaps of at most two days from the end of a repair to the next fault
            of the node; their share among faults with repairs of up to a day
            and longer ones, less what the hazard brings in two days; mean and
            deviation of the logarithm of the gaps
  batches   starts at most an hour after the start before, less those expected
            of independent starts, are the further faults of batches; batches
            are runs of such starts, less the runs expected
  frailty   1 + a k^b, by maximum likelihood (Poisson) over the node-days and
            the other faults after k = 0..5 faults, a uniform rate of batches
            taken off
"""
import csv
import io
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..", "shared")
TRACE = os.path.join(SHARED, "traces", "faults", "infinitehbd_fault_trace.json")
NODES = 400
HOUR, DAY = 3600.0, 86400.0
KINDS = ("gpu", "nic", "node")
GPU, NIC = ("GPU",), ("NIC", "Parameter Plane Cable")


def read_trace():
    """Returns the faults (start, end, node, kind) of the trace in seconds, by
    start."""
    with open(TRACE, encoding="utf-8") as file:
        events = json.load(file)
    faults, names, waiting = [], {}, {}
    for event in events:
        key = event["node_id"], json.dumps(event["fault_type"])
        at = round(event["event_time"] * DAY, 6)
        if event["event_type"] == "fault_start":
            waiting.setdefault(key, []).append(len(faults))
            kind = event["fault_type"]["Class"]
            kind = ("gpu" if kind in GPU else "nic" if kind in NIC else "node")
            faults.append([at, None, event["node_id"], kind])
        else:
            faults[waiting[key].pop(0)][1] = at
    for place, name in enumerate(sorted({fault[2] for fault in faults})):
        names[name] = place
    return [(start, end, names[name], kind)
            for start, end, name, kind in faults]


def program():
    for path in (os.environ.get("PLAY_FAULTS"),
                 os.path.join(ROOT, "build", "bench", "play_faults"),
                 os.path.join(ROOT, "build-o", "bench", "play_faults")):
        if path and os.access(path, os.X_OK):
            return path
    sys.exit("fit_faults.py: no play_faults; say ninja -C build "
             "bench/play_faults")


def played(model, days, seeds=1):
    """Returns the faults that a model plays, one list for each seed."""
    answer = subprocess.run(
        [program(), str(NODES), "8", repr(days), "1", model, str(seeds)],
        check=True, capture_output=True, text=True).stdout
    lists = [[] for _ in range(seeds)]
    for row in csv.DictReader(io.StringIO(answer)):
        start = float(row["at_s"])
        lists[int(row["seed"]) - 1].append(
            (start, round(start + float(row["repair_s"]), 6), int(row["node"]),
             row["scope"]))
    return lists


def by_node(faults):
    nodes = {}
    for fault in sorted(faults):
        nodes.setdefault(fault[2], []).append(fault)
    return nodes


def exposure(faults, length):
    """Returns, by number k of earlier faults of a node, the seconds in service
    after k faults and the number of faults that followed."""
    time, count = {}, {}
    nodes = by_node(faults)
    time[0] = (NODES - len(nodes)) * length
    for own in nodes.values():
        free = 0.0
        for k, (start, end, _, _) in enumerate(own):
            time[k] = time.get(k, 0) + max(0.0, start - free)
            count[k] = count.get(k, 0) + 1
            free = max(free, end)
        time[len(own)] = time.get(len(own), 0) + max(0.0, length - free)
    return time, count


def quantile(values, share):
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)]


def table(faults, length):
    """Returns the figures of a list of faults, in the order of the printed
    table."""
    nodes = by_node(faults)
    starts = sorted(fault[0] for fault in faults)
    repairs = [(end - start) / HOUR for start, end, _, _ in faults]
    time, count = exposure(faults, length)
    counts = sorted((len(own) for own in nodes.values()), reverse=True)
    again = [b[0] - a[0] for own in nodes.values() for a, b in zip(own, own[1:])]
    rows = [("faults", len(faults)),
            ("rate, per 1000 node-days",
             1000 * len(faults) / (NODES * length / DAY)),
            ("repair, median, h", quantile(repairs, 0.5)),
            ("repair, p75, h", quantile(repairs, 0.75)),
            ("repair, p90, h", quantile(repairs, 0.9)),
            ("repair, mean, h", math.fsum(repairs) / len(repairs))]
    rows += [("hazard after %d faults" % k,
              1000 * DAY * count.get(k, 0) / time[k] if time.get(k) else 0.0)
             for k in range(6)]
    return rows + [
        ("share of the top 10 % nodes", sum(counts[:NODES // 10]) / len(faults)),
        ("nodes that never fail", NODES - len(nodes)),
        ("refaults within a day, share",
         sum(gap <= DAY for gap in again) / max(1, len(again))),
        ("starts within an hour of the one before",
         sum(b - a <= HOUR for a, b in zip(starts, starts[1:])))]


def refaults(faults):
    """Fits the chances of an early refault and the time until it comes.
    Returns the fitted figures and the number of early refaults."""
    pairs = [((a[1] - a[0]) / DAY, (b[0] - a[1]) / HOUR)
             for own in by_node(faults).values() for a, b in zip(own, own[1:])]
    total, figures = 0.0, {}
    for name, chosen in (("refault_chance", lambda days: days <= 1),
                         ("refault_long_chance", lambda days: days > 1)):
        n = sum(chosen((end - start) / DAY) for start, end, _, _ in faults)
        early = sum(chosen(days) and 0 < gap <= 48 for days, gap in pairs)
        # Subtract the faults that are not early: as many per hour as in the 18
        # days after.
        later = sum(chosen(days) and 48 < gap <= 480 for days, gap in pairs)
        figures[name] = (early - later * 48 / 432) / n
        total += early - later * 48 / 432
    logs = [math.log(gap) for _, gap in pairs if 0 < gap <= 48]
    mean = sum(logs) / len(logs)
    figures["refault_mu"] = mean
    figures["refault_sigma"] = math.sqrt(sum((x - mean) ** 2 for x in logs)
                                         / len(logs))
    return figures, total


def lognormal(hours):
    """Returns mean and deviation of the logarithm, fitted to median, p75 and
    p90."""
    points = [(z, math.log(quantile(hours, share))) for share, z in
              ((0.5, 0.0), (0.75, 0.67449), (0.9, 1.28155))]
    x = sum(z for z, _ in points) / 3
    y = sum(log for _, log in points) / 3
    sigma = (sum((z - x) * (log - y) for z, log in points)
             / sum((z - x) ** 2 for z, _ in points))
    return y - sigma * x, sigma


def batches(faults, length):
    """Fits the size of batches. Returns the number of further faults in
    batches, the number of batches, and the fitted figure."""
    starts = sorted(fault[0] for fault in faults)
    near = [b - a <= HOUR for a, b in zip(starts, starts[1:])]
    runs = sum(x and not (i and near[i - 1]) for i, x in enumerate(near))
    chance = 1 - math.exp(-len(starts) * HOUR / length)
    expected = len(starts) * chance
    further = sum(near) - expected
    n = runs - expected * (1 - chance)
    return further, n, {"burst_size": further / n}


def frailty(faults, length, per_day):
    """Fits a and b of 1 + a k^b. Returns the hazard of a node without faults,
    a and b."""
    time, count = exposure(faults, length)
    slow = dict.fromkeys(time, 0)
    for own in by_node(faults).values():
        for k, fault in enumerate(own):
            early = k and 0 < fault[0] - own[k - 1][1] <= 48 * HOUR
            slow[k] += not early
    base = slow[0] / time[0] * DAY - per_day
    best = None
    for a in range(1, 400):
        for b in range(0, 41):
            law = [base * (1 + a / 100 * k ** (b / 20)) if k else base
                   for k in range(6)]
            likely = sum(slow[k] * math.log(law[k] + per_day)
                         - (law[k] + per_day) * time[k] / DAY
                         for k in range(6))
            if best is None or likely > best[0]:
                best = likely, a / 100, b / 20
    return base, best[1], best[2]


def fitted(faults, length):
    """Returns the fitted figures of the profile infinitehbd, by name."""
    node_days = NODES * length / DAY
    figures, n_again = refaults(faults)
    further, n_batches, sizes = batches(faults, length)
    figures.update(sizes)
    figures["burst_chance"] = n_batches / (len(faults) - further)
    figures["burst_own"] = (len(faults) - further - n_again) / len(faults)
    base, a, b = frailty(faults, length, further / node_days)
    own = len(faults) / node_days * figures["burst_own"]
    figures.update(frailty_a=a, frailty_b=b, frailty_new=base / own)
    for kind in KINDS:
        of_kind = [fault for fault in faults if fault[3] == kind]
        mu, sigma = lognormal([(f[1] - f[0]) / HOUR for f in of_kind])
        figures[kind + "_rate"] = 1000 * len(of_kind) / node_days
        figures[kind + "_repair_mu"] = mu
        figures[kind + "_repair_sigma"] = sigma
    figures["repair_max_s"] = max(end - start for start, end, _, _ in faults)
    return figures


def compiled():
    """Returns the figures of the profile that are compiled in, by name."""
    with open(os.path.join(ROOT, "models", "failures", "fault_profiles.json"),
              encoding="utf-8") as file:
        data = json.load(file)
    figures = dict(data["all"])
    for profile in data["profiles"]:
        if profile["name"] == "infinitehbd":
            figures.update(profile["figures"])
    return {name: value for name, (value, _) in figures.items()}


def number(value):
    return "%d" % value if isinstance(value, int) else "%.3g" % value


def spread(tables, row):
    values = [table[row][1] for table in tables]
    return "%s (%s to %s)" % (number(sum(values) / len(values)),
                              number(min(values)), number(max(values)))


def main(argv):
    seeds = int(argv[argv.index("--seeds") + 1]) if "--seeds" in argv else 20
    if not os.path.exists(TRACE):
        print("skipped: ../shared not present")
        return 0
    faults = read_trace()
    length = max(fault[1] for fault in faults)
    days = length / DAY
    trace = table(faults, length)
    as_played = table(played("trace:file=%s,nodes=%d" % (TRACE, NODES),
                             days)[0], length)
    models = {"hardware": "hardware:profile=infinitehbd",
              "exponential": "exponential:per_1000_node_days=%r,"
                             "repair_mu=%r,repair_sigma=%r,"
                             "repair_max_s=12000000"
                             % ((trace[1][1],) + lognormal(
                                 [(f[1] - f[0]) / HOUR for f in faults]))}
    tables = {name: [table(one, length) for one in played(model, days, seeds)]
              for name, model in models.items()}
    figures, now = fitted(faults, length), compiled()
    if "--json" in argv:
        json.dump({"exact": trace == as_played, "trace": dict(trace),
                   "fitted": figures, "compiled": now,
                   "models": {name: [dict(one) for one in all_]
                              for name, all_ in tables.items()}}, sys.stdout)
        return 0
    print("| figure | trace | `trace`, played | `hardware:profile=infinitehbd`, "
          "%d seeds | `exponential`, %d seeds |" % (seeds, seeds))
    print("| --- | ---: | ---: | ---: | ---: |")
    for i, (name, value) in enumerate(trace):
        print("| %s | %s | %s | %s | %s |" % (
            name, number(value), number(as_played[i][1]),
            spread(tables["hardware"], i), spread(tables["exponential"], i)))
    print("\n`trace`, played, is %s the table of the trace.\n"
          % ("exactly" if trace == as_played else "NOT"))
    print("| fitted | value | compiled in |\n| --- | ---: | ---: |")
    for name in sorted(figures):
        print("| %s | %.3f | %s |" % (name, figures[name], now.get(name, "-")))
    return 0 if trace == as_played else 6


if __name__ == "__main__":
    sys.exit(main(sys.argv))
