# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the events of a timeline.json other than attempts, one event a line
in the order of time: start and length in seconds, process, track, name,
arguments. Ends with an error if the file is not valid, or if slices of a track
overlap."""
import json
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    processes, tracks, busy, lines = {}, {}, {}, []
    for e in events:
        if e["name"] == "process_name":
            processes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            tracks[e["pid"], e["tid"]] = e["args"]["name"]
    for e in events:
        if "cat" not in e or e["cat"].startswith("attempt,"):
            continue
        process, track = processes[e["pid"]], tracks[e["pid"], e["tid"]]
        if e["ph"] == "X":
            busy.setdefault((process, track), []).append((e["ts"], e["dur"]))
        lines.append((e["ts"], len(lines), "%g%s %s, %s: %s: %s %s" % (
            e["ts"] / 1e6, "+%g" % (e["dur"] / 1e6) if e["ph"] == "X" else "",
            process, track, e["cat"], e["name"],
            " ".join("%s=%s" % a for a in e["args"].items()))))
    for where, slices in busy.items():
        slices.sort()
        for (at, length), (then, _) in zip(slices, slices[1:]):
            assert at + length <= then, "slices overlap: %s" % (where,)
    for _, _, line in sorted(lines):
        print(line.rstrip())


main(sys.argv[1])
