#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How near generated traces are to their clusters: generates traces of each
cluster with several seeds, measures them with `schedsim trace fidelity`, and
prints the tables of docs/fidelity.md beside the generator before it had users
with habits (fidelity/before.json), with the cause of each missed bar
(fidelity/causes.json).

usage: fidelity.py [--cluster NAME] [--seeds N] [--traces DIR] [--write]
       fidelity.py --record FILE [--generator PROGRAM] ...

--traces DIR: keep the generated traces and what was measured there, and use what
is there.
--write: put the tables into docs/fidelity.md and docs/fidelity/CLUSTER.csv. --record: write what was measured
instead; with another PROGRAM as generator this made before.json. Exit status 6
if a bar fails that has no cause."""

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
        measure.run([args.generator, "trace", "generate", "--like", cluster,
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


def table(cluster, now, before):
    """Returns all bars of a cluster as CSV."""
    rows = [["measure", "real", "bar", "before", "verdict_before", "now",
             "least", "most", "verdict", "real_from"]]
    for name, row in now.items():
        if row["verdict"] == "none":
            continue
        old = before.get(name, {})
        spread = "spread" not in name and row["least"] is not None
        rows.append([name, figure(row["real"]), row["bar"],
                     figure(old.get("median")),
                     VERDICTS[old.get("verdict", "none")],
                     figure(row["median"]), spread and figure(row["least"]) or "",
                     spread and figure(row["most"]) or "",
                     VERDICTS[row["verdict"]], row["status"]])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def counts(rows):
    verdicts = [row["verdict"] for row in rows.values()]
    return verdicts.count("pass"), verdicts.count("fail")


def summary(all_now, before):
    lines = ["| cluster | bars | passed before | pass now | FAIL now |",
             "|---|---:|---:|---:|---:|"]
    for cluster, now in all_now.items():
        passed, failed = counts(now)
        lines.append("| %s | %d | %d | %d | %d |" % (
            cluster, passed + failed, counts(before.get(cluster, {}))[0],
            passed, failed))
    return "\n".join(lines) + "\n"


def missed(all_now, causes):
    """Returns the table of missed bars, and the number of those without a
    cause."""
    lines = ["| cluster | measure | bar | now | cause |", "|---|---|---|---:|---|"]
    without = 0
    for cluster, now in all_now.items():
        for name, row in now.items():
            if row["verdict"] != "fail":
                continue
            why = cause(causes, cluster, name)
            without += why is None
            lines.append("| %s | %s | %s | %s | %s |" % (
                cluster, name, row["bar"], figure(row["median"]),
                why or "not known"))
    return "\n".join(lines) + "\n", without


def write(sections):
    """Replaces the text between the marks of each section."""
    with open(DOC, encoding="utf-8") as file:
        text = file.read()
    for name, body in sections.items():
        text = re.sub(r"(<!-- %s -->\n).*?(<!-- end -->)" % name,
                      lambda match: match.group(1) + body + match.group(2),
                      text, flags=re.S)
    with open(DOC, "w", encoding="utf-8") as file:
        file.write(text)


def read(name):
    path = os.path.join(HERE, "fidelity", name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def record(path, all_now):
    """Writes one line for each figure, with those of its values that the
    tables need."""
    lines = []
    for cluster, rows in all_now.items():
        inner = ",\n".join("  %s: %s" % (json.dumps(name), json.dumps({
            "median": row["median"] and float("%.5g" % row["median"]),
            "verdict": row["verdict"]})) for name, row in rows.items()
                           if row["verdict"] != "none")
        lines.append(' %s: {\n%s\n }' % (json.dumps(cluster), inner))
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n%s\n}\n" % ",\n".join(lines))


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cluster", action="append", choices=list(CLUSTERS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--traces")
    parser.add_argument("--generator", default=measure.SCHEDSIM)
    parser.add_argument("--cold", action="store_true",
                        help="the traces begin with an empty cluster")
    parser.add_argument("--record")
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
    if args.record:
        record(args.record, all_now)
        return 0
    before = read("before.json")
    lost, without = missed(all_now, read("causes.json"))
    sections = {"summary": summary(all_now, before), "missed": lost}
    tables = {cluster: table(cluster, now, before.get(cluster, {}))
              for cluster, now in all_now.items()}
    print("\n".join([*sections.values(), *tables.values()]))
    if args.write:
        write(sections)
        for cluster, text in tables.items():
            with open(os.path.join(measure.ROOT, "docs", "fidelity",
                                   cluster + ".csv"), "w",
                      encoding="utf-8") as file:
                file.write(text)
    return 6 if without else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
