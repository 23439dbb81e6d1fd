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
# further comparisons, those of SchedMate's Fig. 13
MORE = {("queues", "sjf that passes over, advisor"):
        ["qssf", "tiresias", "tiresias, as in Lucid's simulator"],
        ("queues", "sjf that blocks, advisor"): ["qssf"]}
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


def bases_of(part, name, names):
    """Returns the systems with which a system is compared: POLICY for 'POLICY,
    advisor', the same words after 'lucid' for 'schedmate, WORDS', Lucid for
    other readings of SchedMate, else the first of the sweep; and those of
    MORE."""
    if name.endswith(", advisor"):
        found = [name[:-len(", advisor")]]
    elif name.startswith("schedmate, "):
        same = name.replace("schedmate", "lucid", 1)
        found = [same if same in names else "lucid"]
    else:
        found = ["lucid" if part == "careful" else names[0]]
    return found + MORE.get((part, name), [])


def cells(plan, lucid):
    """Yields the cells of one sweep: axes, time of profiling, base, system, and
    the rows of both by seed. `lucid`: keeps the rows of Lucid, by input and
    cell, for parts that have none of their own."""
    part, source, _, folder = plan
    by_cell = {}
    for row in rows_of(folder):
        rows = by_cell.setdefault(cell_of(row)[:-1], {})
        rows.setdefault((row["name"], profile_s(row)), {})[seed_of(row)] = row
    for axes, rows in by_cell.items():
        names = list(dict.fromkeys(name for name, _ in rows))
        for (name, time), mine in rows.items():
            if name == "lucid":
                lucid[(source,) + axes + (time,)] = mine
            for base in bases_of(part, name, names):
                other = rows.get((base, time)) or rows.get((base, "")) or \
                    lucid.get((source,) + axes + (time,), {})
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
            if plan[0] == "failures": # another question: maps_pictures.py
                continue
            for found in cells(plan, bases):
                row = line(plan[0], plan[1], found)
                if row and found[2] != found[3]:
                    rows.writerow(row)
                    n += 1
    print("%d cells in %s" % (n, path))
