#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why jobs waited under a policy that blocks: of the mean wait of a run, the part
that passed while the first job of the queue of its virtual cluster asked for more
GPUs than were free, and the part in which there were enough but not on the nodes
that the job needs.

usage: blocked.py DIR...    results of `schedsim run TRACE -p fifo -o DIR`"""

import collections
import csv
import json
import os
import sys


def capacity(folder):
    """Returns the number of GPUs by virtual cluster."""
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        groups = json.load(file)["cluster"]["groups"]
    out = collections.Counter()
    for group in groups:
        out[group.get("vc") or ""] += group["nodes"] * group["gpus"]
    return out


def events(folder):
    """Returns, by virtual cluster, a list of (time, what, job, GPUs), where
    `what` is 0 for an end, 1 for a submission and 2 for a start."""
    out = collections.defaultdict(list)
    with open(os.path.join(folder, "jobs.csv"), encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            at = float(row["submission_time"])
            gpus = int(row["requested_number_of_resources"])
            out[row["vc"]] += [
                (at, 1, number, gpus),
                (at + float(row["queue_delay"]), 2, number, gpus),
                (float(row["finish_time"]), 0, number, gpus)]
    return out


def blocked(folder):
    """Returns the seconds of waiting, summed over jobs, by (GPUs of the first
    job of the queue, whether enough were free); and the number of jobs."""
    waits, jobs, gpus_of = collections.Counter(), 0, capacity(folder)
    for vc, each in events(folder).items():
        jobs += len(each) // 3
        used, queue, last = 0, {}, 0
        for at, what, job, gpus in sorted(each):
            if queue and at > last:
                first = next(iter(queue.values()))
                enough = first <= gpus_of[vc] - used
                waits[first, enough] += (at - last) * len(queue)
            last = at
            if what == 1:
                queue[job] = gpus
            elif what == 2:
                del queue[job]
            used += gpus if what == 2 else -gpus if what == 0 else 0
    return waits, jobs


def main(argv):
    if not argv:
        print(__doc__)
        return 2
    for folder in argv:
        waits, jobs = blocked(folder)
        parts = [sum(s for (_, enough), s in waits.items() if enough == kind)
                 for kind in (False, True)]
        by_gpus = collections.Counter()
        for (gpus, _), seconds in waits.items():
            by_gpus[gpus] += seconds / jobs
        most = ", ".join("%d GPUs %.0f s" % pair
                         for pair in by_gpus.most_common(3))
        print("%s: mean wait %.0f s; too few GPUs free %.0f s, enough but on "
              "other nodes %.0f s; first in the queue: %s" % (
                  folder, sum(parts) / jobs, parts[0] / jobs, parts[1] / jobs,
                  most))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
