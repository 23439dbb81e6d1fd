#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the table of traces/formats/sia_run_times.h: seconds that an application of
the Sia artifact needs, by total batch size and GPUs, on nodes of four T4
("aws") in the fewest nodes.

usage: sia_run_times.py PROFILES > sia_run_times.h

PROFILES is a directory with one folder per application, as published with Sia
(SOSP 2023). The rules are those of its simulator: an epoch e needs
P(e) - P(e-1) of progress, P(e) being the least `progress` of row e over all
validation files; progress per second is gain / (step + compute x accumulations)
/ slowdown, with gain from the gradient statistics of the file of that batch
size and step times interpolated along local_bsz.
"""
import csv
import glob
import math
import os
import sys

# application: its initial batch size, epochs and slowdown
APPLICATIONS = {
    "bert": (12, 2, 1.2),
    "cifar10": (128, 100, 1.8),
    "deepspeech2": (20, 80, 1.2),
    "imagenet": (200, 90, 1.2),
    "ncf": (256, 10, 1.5),
    "yolov3": (8, 50, 1.2),
}
GPUS = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32, 48, 64]


def read(path):
    with open(path, newline="") as file:
        return [{k: float(v) for k, v in row.items()} for row in
                csv.DictReader(file)]


def rows_of(tables, gpus):
    """Returns the rows of the placement on the fewest nodes. Beyond 16 GPUs no
    placements were measured, so these are rows of `scalability`, for whole
    nodes."""
    placement = ("" if gpus % 4 == 0 else str(gpus % 4)) + "4" * (gpus // 4)
    placements, scalability = tables
    return ([r for r in placements if int(r["placement"]) == int(placement)]
            or [r for r in scalability if r["num_replicas"] == gpus
                and r["num_nodes"] == gpus / 4])


def step_time(tables, gpus, local):
    """Returns step time and synchronisation time in seconds, linear between
    rows; None if `local` lies outside of the rows."""
    rows = sorted((r["local_bsz"], r["step_time"], r["sync_time"])
                  for r in rows_of(tables, gpus))
    for low, high in zip(rows, rows[1:] + rows[-1:]):
        if low[0] <= local <= high[0]:
            part = (local - low[0]) / ((high[0] - low[0]) or 1)
            return tuple(a + (b - a) * part for a, b in zip(low[1:], high[1:]))
    return None


def run_time(tables, validation, batch, gpus, first, epochs, slowdown):
    rows = rows_of(tables, gpus)
    if not rows:
        return 0
    most = max(r["local_bsz"] for r in rows)
    local = math.ceil(batch / gpus - 1e-8)
    accumulate = max(0, math.ceil(local / most - 1e-8) - 1)
    if gpus == 1 and batch > first:
        accumulate = max(accumulate, 1)
    local = min(math.ceil(local / (accumulate + 1) - 1e-8), most)
    times = step_time(tables, gpus, local)
    if not times:
        return 0
    step, sync = times
    scale = gpus * local * (accumulate + 1) / first
    total = last = 0.0
    for e in range(epochs):
        row = validation[batch][e]
        goal = min(rows[e]["progress"] for rows in validation.values())
        gain = ((row["grad_var"] + row["grad_sqr"]) /
                (row["grad_var"] / scale + row["grad_sqr"]))
        total += ((goal - last) * slowdown *
                  (step + (step - sync) * accumulate) / gain)
        last = goal
    return round(total)


def main():
    print("""/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run times in seconds of the applications of the Sia artifact (SOSP 2023), by
 * total batch size and GPUs, on as few nodes of four T4 as possible, without
 * restarts. sia_run_times.py computes them from the published profiles. 0: the
 * profiles do not tell. */
#ifndef TRACES_SIA_RUN_TIMES_H
#define TRACES_SIA_RUN_TIMES_H

#include <stdint.h>
""")
    print(f"#define SIA_N_SIZES {len(GPUS)}")
    print("static const uint32_t sia_gpus[SIA_N_SIZES] = "
          f"{{{', '.join(map(str, GPUS))}}};\n")
    print("static const struct {\n    const char *application;\n"
          "    uint32_t batch_size;\n    uint32_t seconds[SIA_N_SIZES];\n"
          "} sia_run_times[] = {")
    for name, (first, epochs, slowdown) in APPLICATIONS.items():
        folder = os.path.join(sys.argv[1], name)
        tables = [read(os.path.join(folder, f"{kind}-aws.csv"))
                  for kind in ("placements", "scalability")]
        validation = {}
        for path in glob.glob(os.path.join(folder, "validation-*.csv")):
            size = int(os.path.basename(path)[len("validation-"):-len(".csv")])
            validation[size] = read(path)
        for batch in sorted(validation):
            seconds = [run_time(tables, validation, batch, gpus, first, epochs,
                                slowdown) for gpus in GPUS]
            print(f'    {{.application = "{name}", .batch_size = {batch},'
                  f" .seconds = {{{', '.join(map(str, seconds))}}}}},")
    print("};\n\n#endif")


main()
