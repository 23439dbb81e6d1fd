# SPDX-License-Identifier: GPL-3.0-or-later
"""The cells of the maps: for each setting of the axes, the ratio of a base
policy's mean JCT to that of the same policy with SchedMate, over seeds."""
import csv
import math
import os
import statistics

# columns of a sweep that make a cell, if it has them
AXES = ["cluster", "load", "workloads", "interference", "faults", "overhead"]
# two-sided 95 % quantiles of Student's t by degrees of freedom
STUDENT = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447,
           7: 2.365, 8: 2.306, 9: 2.262}
COLUMNS = ["part", "input"] + AXES + [
    "profile_s", "base", "system", "seeds", "median", "low", "high", "least",
    "worst_seed", "most", "base_jct_s", "jct_s", "base_wait_s"]


def rows_of(folder):
    path = os.path.join(folder, "runs.csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["jct_s_mean"]]


def profile_s(row):
    for word in row["policy"].partition(":")[2].split(","):
        key, _, value = word.partition("=")
        if key == "profile_s":
            return value
    return ""


def seed_of(row):
    return (row.get("trace", ""), row.get("seed", ""),
            row.get("replication", ""))


def cell_of(row):
    return tuple(row.get(axis, "") for axis in AXES) + (profile_s(row),)


def interval(ratios):
    """Returns the 95 % interval of the geometric mean of ratios over seeds."""
    logs = [math.log(r) for r in ratios]
    if len(logs) < 2:
        return "", ""
    half = (STUDENT.get(len(logs) - 1, 1.96) * statistics.stdev(logs) /
            math.sqrt(len(logs)))
    mean = statistics.mean(logs)
    return math.exp(mean - half), math.exp(mean + half)


def base_of(name, names):
    """Returns the row of a cell with which a system is compared: the row
    'POLICY' of 'POLICY, advisor', the row with the same words after 'lucid' of
    'schedmate, WORDS', else the first."""
    if name.endswith(", advisor"):
        return name[:-len(", advisor")]
    if name.startswith("schedmate, ") and name.replace(
            "schedmate", "lucid", 1) in names:
        return name.replace("schedmate", "lucid", 1)
    return names[0]


def cells(plan, shared_bases):
    """Yields the cells of one sweep. `shared_bases`: the base rows of other
    parts, by input and cell, for a part that has none of its own."""
    part, source, _, folder = plan
    by_cell = {}
    for row in rows_of(folder):
        by_cell.setdefault(cell_of(row)[:-1], []).append(row)
    for axes, rows in by_cell.items():
        names = list(dict.fromkeys(row["name"] for row in rows))
        for name in names:
            for time in dict.fromkeys(profile_s(row) for row in rows
                                      if row["name"] == name):
                mine = {seed_of(row): row for row in rows
                        if row["name"] == name and profile_s(row) == time}
                base = base_of(name, names)
                other = {seed_of(row): row for row in rows
                         if row["name"] == base and
                         profile_s(row) in (time, "")}
                if part in ("careful", "readings") and base == names[0] and \
                        not base.startswith("lucid, "):
                    base = "lucid"
                    other = shared_bases.get((source,) + axes + (time,), {})
                elif base == "lucid" and name == "lucid":
                    shared_bases[(source,) + axes + (time,)] = mine
                yield axes, time, base, name, mine, other


def line(part, source, found):
    axes, time, base, name, mine, other = found
    pairs = [(float(other[seed]["jct_s_mean"]) / float(row["jct_s_mean"]),
              row.get("replication") or row.get("seed"))
             for seed, row in mine.items() if seed in other]
    if not pairs:
        return None
    ratios = [r for r, _ in pairs]
    low, high = interval(ratios)
    least, seed = min(pairs)
    numbers = [statistics.median(ratios), low, high, least]
    means = [statistics.median(float(row[key]) for row in rows.values())
             for rows, key in ((other, "jct_s_mean"), (mine, "jct_s_mean"),
                               (other, "wait_s_mean"))]
    return ([part, source] + list(axes) + [time, base, name, len(pairs)] +
            ["%.4g" % n if n != "" else "" for n in numbers] +
            [seed, "%.4g" % max(ratios)] + ["%.5g" % m for m in means])


def write(path, plans):
    bases, n = {}, 0
    with open(path, "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for plan in plans:
            for found in cells(plan, bases):
                row = line(plan[0], plan[1], found)
                if row and found[2] != found[3]:
                    rows.writerow(row)
                    n += 1
    print("%d cells in %s" % (n, path))
