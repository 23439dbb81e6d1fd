#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the table of traces/formats/gavel_speeds.h: steps per second of each job
type of Gavel (OSDI 2020), by GPU type and number of GPUs.

usage: gavel_speeds.py simulation_throughputs.json > gavel_speeds.h

The file is the one that Gavel's artifact simulates with. Only the speeds of a job
that is alone on GPUs of one node or of as few nodes as possible are taken.
"""
import ast
import json
import sys

TYPES = ["k80", "p100", "v100"]
GPUS = [1, 2, 4, 8]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        whole = json.load(file)
    tables = {kind: {ast.literal_eval(key): value["null"]
                     for key, value in whole[kind].items()} for kind in TYPES}
    names = sorted({name for name, _ in tables["v100"]})
    print("""/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps per second that the artifact of Gavel (OSDI 2020) measured for its job
 * types, by GPU type and number of GPUs, for jobs that share no GPU and use as
 * few nodes as possible. gavel_speeds.py prints this file from the artifact's
 * table. 0: not measured. */
#ifndef TRACES_GAVEL_SPEEDS_H
#define TRACES_GAVEL_SPEEDS_H

#include <stdint.h>
""")
    print(f"#define GAVEL_N_TYPES {len(TYPES)}")
    print(f"#define GAVEL_N_SIZES {len(GPUS)}")
    print("static const uint32_t gavel_gpus[GAVEL_N_SIZES] = "
          f"{{{', '.join(map(str, GPUS))}}};\n")
    print("static const struct {\n    const char *job_type;\n    /* by GPU type "
          f"({', '.join(TYPES)}), then by gavel_gpus */\n"
          "    double steps[GAVEL_N_TYPES][GAVEL_N_SIZES];\n} gavel_speeds[] = {")
    for name in names:
        rows = []
        for kind in TYPES:
            speeds = [tables[kind].get((name, n), 0) for n in GPUS]
            rows.append("{" + ", ".join(f"{s:.6g}" for s in speeds) + "}")
        print(f'    {{.job_type = "{name}", .steps = {{{", ".join(rows)}}}}},')
    print("};\n\n#endif")


main()
