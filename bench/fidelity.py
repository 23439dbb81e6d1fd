#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How near generated traces are to their clusters: generates traces of each
cluster with several seeds, measures them with `schedsim trace fidelity`, and
prints the tables of docs/fidelity.md and of docs/fidelity, with the cause of
each missed bar (fidelity/causes.json).

usage: fidelity.py [--cluster NAME] [--seeds N] [--traces DIR] [--write]

--traces DIR: keep the generated traces and what was measured there, and use what
is there. --write: put the tables into docs/fidelity.md and docs/fidelity. Exit
status 6 if a bar fails that has no cause."""

import argparse
import csv
import io
import json
import math
import os
import re
import sys
import tempfile
from fnmatch import fnmatch

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
DOC = os.path.join(measure.ROOT, "docs", "fidelity.md")
# Number of jobs by cluster: those of the real span, or enough to show the
# cluster. WARM: the generator's options.
CLUSTERS = {"philly": 76447, "venus": 124484, "saturn": 100000,
            "seren": 100000, "kalos": 19907}
WARM = ["--warm"]


def generate(args, cluster, seed, folder):
    path = os.path.join(folder, "%s%d.csv" % (cluster, seed))
    if not os.path.exists(path):
        measure.run([measure.SCHEDSIM, "trace", "generate", "--like", cluster,
                     "--jobs", str(CLUSTERS[cluster]), "--seed", str(seed),
                     "--out", path] + args.warm)
    return path


def measured(args, cluster, folder):
    """Returns the report of the command on all seeds of a cluster, by measure.
    The spread over the seeds has a name of its own."""
    paths = [generate(args, cluster, seed + 1, folder)
             for seed in range(args.seeds)]
    kept = os.path.join(folder, cluster + ".json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            text = file.read()
    else:
        _, _, text = measure.run([measure.SCHEDSIM, "trace", "fidelity", *paths,
                                  "--like", cluster, "--json"] + args.warm)
        with open(kept, "w", encoding="utf-8") as file:
            file.write(text)
    out = {}
    for row in json.loads(text)["measures"]:
        name = row["measure"]
        if row["bar"].startswith("max/min"):
            name += " (spread)"
            row["median"] = (row["most"] / row["least"] if row["least"]
                             else math.inf if row["most"] else 1)
            row["median"] = min(row["median"], 1e9)
        out[name] = row
    return out


def figure(value):
    if value is None:
        return ""
    if abs(value) >= 1e6:
        return "%.2g" % value
    return "%.0f" % value if abs(value) >= 100 else "%.3g" % value


VERDICTS = {"pass": "pass", "fail": "FAIL", "not known": "?", "none": ""}


def cause(causes, cluster, name):
    for pattern, text in causes.get(cluster, {}).items():
        if fnmatch(name, pattern):
            return text
    return None


def table_of(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def all_bars(now):
    """Returns all bars of a cluster as CSV."""
    rows = [["measure", "real", "bar", "now", "least", "most", "verdict",
             "real_from"]]
    for name, row in now.items():
        if row["verdict"] == "none":
            continue
        spread = "spread" not in name and row["least"] is not None
        rows.append([name, figure(row["real"]), row["bar"],
                     figure(row["median"]), spread and figure(row["least"]) or "",
                     spread and figure(row["most"]) or "",
                     VERDICTS[row["verdict"]], row["status"]])
    return table_of(rows)


def names_of(rows, verdict):
    return [name for name, row in rows.items() if row["verdict"] == verdict]


def summary(all_now):
    lines = ["| cluster | bars | pass | FAIL | missed |", "|---|---:|---:|---:|---|"]
    for cluster, now in all_now.items():
        passed, failed = names_of(now, "pass"), names_of(now, "fail")
        lines.append("| %s | %d | %d | %d | %s |" % (
            cluster, len(passed) + len(failed), len(passed), len(failed),
            ", ".join("`%s`" % name for name in failed)))
    return "\n".join(lines) + "\n"


def missed(all_now, causes):
    """Returns the missed bars as CSV, and the number of those without a cause.
    """
    rows = [["cluster", "measure", "bar", "now", "cause"]]
    for cluster, now in all_now.items():
        for name in names_of(now, "fail"):
            rows.append([cluster, name, now[name]["bar"],
                         figure(now[name]["median"]),
                         cause(causes, cluster, name) or "not known"])
    return table_of(rows), sum(row[4] == "not known" for row in rows)


def write(text, tables):
    """Puts the summary between its marks on the page, and the tables into their
    files."""
    with open(DOC, encoding="utf-8") as file:
        page = file.read()
    with open(DOC, "w", encoding="utf-8") as file:
        file.write(re.sub(r"(<!-- summary -->\n).*?(<!-- end -->)",
                          lambda match: match.group(1) + text + match.group(2),
                          page, flags=re.S))
    for name, body in tables.items():
        with open(os.path.join(measure.ROOT, "docs", "fidelity", name + ".csv"),
                  "w", encoding="utf-8") as file:
            file.write(body)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cluster", action="append", choices=list(CLUSTERS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--traces")
    parser.add_argument("--cold", action="store_true",
                        help="the traces begin with an empty cluster")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(argv)
    args.warm = [] if args.cold else WARM
    return args


def main(argv):
    args = parse(argv)
    with tempfile.TemporaryDirectory() as folder:
        folder = args.traces or folder
        os.makedirs(folder, exist_ok=True)
        all_now = {cluster: measured(args, cluster, folder)
                   for cluster in args.cluster or CLUSTERS}
    with open(os.path.join(HERE, "fidelity", "causes.json"),
              encoding="utf-8") as file:
        lost, without = missed(all_now, json.load(file))
    text = summary(all_now)
    tables = {cluster: all_bars(now) for cluster, now in all_now.items()}
    tables["missed"] = lost
    print("\n".join([text, *tables.values()]))
    if args.write:
        write(text, tables)
    return 6 if without else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
