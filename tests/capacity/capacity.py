# SPDX-License-Identifier: GPL-3.0-or-later
"""--what-if beside the same cluster or trace written by hand: equal bytes."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

VENUS = os.path.join(ROOT, "traces", "samples", "venus.csv")
NATIVE = os.path.join(ROOT, "traces", "samples", "native.csv")
DAY = 86400


def schedsim(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True,
                          check=False)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def jobs(folder, name, trace, *options):
    """Runs a trace; returns jobs.csv, and the result directory."""
    out = os.path.join(folder, name)
    done = schedsim("run", trace, *options, "--out", out, "--quiet")
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)
    return read(out, "jobs.csv"), out


def nodes_for_good(tap, folder):
    """Nodes that are there from the beginning are those of another shorthand."""
    base = "a=4x8:V100,b=2x8:V100+2x4:T4@0.5"
    cases = [
        ("more", ["+2 nodes in a"], "a=6x8:V100,b=2x8:V100+2x4:T4@0.5"),
        ("fewer", ["-1 node in b of T4", "-1 node in a"],
         "a=3x8:V100,b=2x8:V100+1x4:T4@0.5"),
        ("a type that the cluster lacks", ["+1 node of 4xA100@2 in b"],
         "a=4x8:V100,b=2x8:V100+2x4:T4@0.5+1x4:A100@2"),
    ]
    trace = os.path.join(folder, "two.csv")
    with open(NATIVE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:400]
    for i, row in enumerate(rows):
        row["vc"] = "ab"[i % 2]
    write_rows(trace, rows)
    for name, clauses, other in cases:
        asked = [word for clause in clauses for word in ("--what-if", clause)]
        got, out = jobs(folder, name + " got", trace, "--cluster", base, *asked)
        want, _ = jobs(folder, name + " want", trace, "--cluster", other)
        tap.result(got == want, "what-if: %s: as the other shorthand" % name)
        done = schedsim("verify", out)
        tap.result(done.returncode == 0, "what-if: %s: verify" % name,
                   done.stdout + done.stderr)
        done = schedsim("rerun", out)
        tap.result(done.returncode == 0, "what-if: %s: rerun" % name,
                   done.stdout + done.stderr)


def nodes_for_a_time(tap, folder):
    """Nodes that come or go, beside a cluster file with these changes. The file
    that the clauses change has changes of its own, whose nodes are renumbered."""
    def cluster(name, nodes, changes):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"nodes": [{"count": n, "gpus": 8, "type": "V100",
                                  "vc": vc} for vc, n in nodes],
                       "changes": [{"at_s": at, "node": node, "up": up}
                                   for at, node, up in changes]}, file)
        return path
    trace = os.path.join(folder, "two.csv")
    own = [(3600, 5, False), (7200, 5, True)]  # the second node of b
    base = cluster("base.json", [("a", 4), ("b", 3)], own)
    got, out = jobs(folder, "time got", trace, "--cluster", base, "--what-if",
                    "+2 nodes in a from day 0.25; -1 node in b from hour 3 "
                    "until 2020-03-31T22:00:41")
    at = 22 * 3600 - 16 * 3600  # the first submission: 16:00:41
    other = cluster("other.json", [("a", 6), ("b", 3)], [
        (0, 4, False), (0, 5, False), (3600, 7, False), (7200, 7, True),
        (3 * 3600, 8, False), (DAY // 4, 4, True), (DAY // 4, 5, True),
        (at, 8, True)])
    want, _ = jobs(folder, "time want", trace, "--cluster", other)
    tap.result(got == want, "what-if: nodes for a time: as the cluster file")
    done = schedsim("verify", out)
    tap.result(done.returncode == 0, "what-if: nodes for a time: verify",
               done.stdout + done.stderr)


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def load(tap, folder):
    """Submissions that come faster are those of a trace with other dates."""
    with open(NATIVE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:300]
    first = int(rows[0]["submitted_unix_s"])
    plain, other = (os.path.join(folder, name) for name in ("p.csv", "o.csv"))
    write_rows(plain, rows)
    begin, end = 1000, 5000  # twice as fast in between
    for row in rows:
        at = int(row["submitted_unix_s"]) - first
        saved = (min(max(at, begin), end) - begin) / 2
        row["submitted_unix_s"] = "%.1f" % (first + at - saved)
    write_rows(other, rows)
    options = ["--cluster", "4x8"]
    got, out = jobs(folder, "load got", plain, *options, "--what-if",
                    "x4 load from 1000s until 5000s; x0.5 load from 1000s "
                    "until 5000s")
    want, _ = jobs(folder, "load want", other, *options)
    tap.result(got == want, "what-if: load: as other dates")
    manifest = json.loads(read(out, "manifest.json"))
    tap.result(len([r for r in manifest["remarks"] if "what if" in r]) == 2,
               "what-if: remarks in the manifest", manifest["remarks"])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        nodes_for_good(tap, folder)
        nodes_for_a_time(tap, folder)
        load(tap, folder)
    sys.exit(tap.exit_status())


main()
