# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks timelines against the rules of the Chrome trace event format,
compares a cropped timeline with the same part of the whole timeline, and
compares the counters with series.csv."""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

COLOURS = {"good", "bad", "terrible", "grey", "yellow", "olive",
           "rail_response", "thread_state_sleeping"}
S = 10 ** 6  # microseconds in a second
# One row: name, options, crop in seconds, virtual clusters of the crop.
RUNS = [
    ("preemption", "traces/samples/venus.csv --policy srtf --jobs 600",
     (86400, 129600), ["vcKeu", "vcEwI"]),
    ("failures", "traces/samples/native.csv --cluster 16x8 --policy srtf "
     "--faults hardware:profile=acme,rate_factor=300 --recovery "
     "isolate:test_s=3600,backoff --engine spares=1 --jobs 500", (50000, 90000), []),
    ("sharing", "traces/samples/native.csv --cluster 16x8 --policy random-pack "
     "--monitor perfect:look_s=60 --jobs 300", (20000, 30000), []),
    ("questions", "traces/samples/evidence.csv --policy lucid+schedmate",
     (3600, 20000), []),
]


def run(options, out, more=()):
    done = subprocess.run(
        [PROGRAM, "run", *options.split(), "--quiet", "--timeline", "--out", out,
         *more], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode not in (0, 4) else ""


def read(path):
    with open(path, "rb") as file:
        text = file.read()
    if path.endswith(".gz"):
        text = gzip.decompress(text)
    return json.loads(text)["traceEvents"]


def complaints(events):
    """Yields the events that break a rule of the format."""
    tracks, open_slices, slices, last = set(), {}, collections.defaultdict(list), {}
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    for e in events:
        place = e["pid"], e.get("tid")
        if e["ph"] == "M":
            if e["name"] == "thread_name":
                yield from ["named twice: %s" % (place,)] * (place in tracks)
                tracks.add(place)
            continue
        if e["pid"] not in processes or min(e["pid"], e.get("tid", 1)) < 1:
            yield "no such process: %s" % e
        if not isinstance(e["ts"], int) or e["ts"] < 0:
            yield "no time: %s" % e
        if e.get("cname", "good") not in COLOURS:
            yield "no colour: %s" % e
        if e["ph"] == "X":
            slices[place].append((e["ts"], e["dur"]))
        elif e["ph"] in "be":
            key = e["pid"], e["cat"], e["id2"]["local"]
            if (e["ph"] == "b") == (key in open_slices):
                yield "not in pairs: %s" % e
            if e["ph"] == "b":
                open_slices[key] = e["ts"]
            elif open_slices.pop(key, e["ts"]) > e["ts"]:
                yield "ends before it begins: %s" % e
        elif e["ph"] == "C":
            key = e["pid"], e["name"]
            (value,) = e["args"].values()
            if e["ts"] <= last.get(key, -1) or value < 0:
                yield "not a counter: %s" % e
            last[key] = e["ts"]
        elif e["ph"] != "i" or e["s"] != "t":
            yield "no such phase: %s" % e
    yield from ["never ends: %s" % (key,) for key in open_slices]
    for e in events:
        if e["ph"] in "Xbi" and (e["pid"], e["tid"]) not in tracks:
            yield "track without a name: %s" % e
    for place, of in slices.items():
        of.sort()
        for (at, length), (then, _) in zip(of, of[1:]):
            if at + length > then:
                yield "slices overlap: %s at %d" % (place, then)


def pairs(events):
    """Returns slices and instants as (start, end, event without times)."""
    begun, found = {}, []
    for e in events:
        rest = {k: v for k, v in e.items() if k not in ("ts", "dur", "ph")}
        if e["ph"] in "Xi":
            found.append((e["ts"], e["ts"] + e.get("dur", 0), rest))
        elif e["ph"] == "b":
            begun[e["pid"], e["id2"]["local"]] = e["ts"], rest
        elif e["ph"] == "e":
            start, rest = begun.pop((e["pid"], e["id2"]["local"]))
            found.append((start, e["ts"], rest))
    return found


def text(start, end, event):
    return "%d %d %s" % (start, end, json.dumps(event, sort_keys=True))


def seconds(at):
    """Converts microseconds to seconds, as a whole number where JSON has one.
    """
    return at / S if at % S else at // S


def cropped(events, begin, end, shown):
    """Yields the events that a crop from `begin` to `end` must have; `shown`
    returns whether an event remains."""
    for start, stop, event in pairs(events):
        at, till = max(start, begin), min(stop, end)
        if not shown(event) or till < at or at >= end or (
                at == till and start < stop):
            continue
        if (at, till) != (start, stop):
            event = dict(event, args=dict(
                event["args"], start_s=seconds(start), end_s=seconds(stop)))
        yield text(at, till, event)


def counters(events):
    of = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "C":
            of[e["pid"], e["name"]].append((e["ts"], *e["args"].values()))
    return of


def at_time(steps, at):
    return max((s for s in steps if s[0] <= at), default=(0, 0))[1]


def names(events):
    return {e["pid"]: e["args"]["name"] for e in events
            if e["name"] == "process_name"}


def by_vc(whole, vcs):
    """Returns a function that says whether a crop to these virtual clusters
    shows an event of the whole timeline."""
    name = names(whole)

    def shown(event):
        words = name[event["pid"]].replace(", for profiling", "").split()
        return not vcs or words[0] == "language" or words[-1] in vcs
    return shown


def compare_crop(tap, name, whole, part, begin, end, vcs):
    shown = by_vc(whole, vcs)
    want = sorted(cropped(whole, begin, end, shown))
    got = sorted(text(*p) for p in pairs(part))
    lost, more = set(want) - set(got), set(got) - set(want)
    tap.result(want == got and want, name + ": a crop is a part of the whole",
               "missing %s\nadded %s" % (sorted(lost)[:3], sorted(more)[:3]))
    steps, of_part = counters(whole), counters(part)
    good = of_part and all(
        at_time(steps[key], t) == value and begin <= t < end
        for key, values in of_part.items() for t, value in values) and all(
            at_time(of_part[key], t) == value
            for key, values in steps.items() if shown({"pid": key[0]})
            for t, value in values if begin <= t < end)
    tap.result(good, name + ": so are its counters")


def compare_series(tap, name, events, out):
    """Checks that the counters of virtual clusters add up to the columns of
    series.csv."""
    steps, bad = counters(events), []
    with open(os.path.join(out, "series.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows[::max(1, len(rows) // 50)]:
        at = round(float(row["time"]) * S)
        for column, counter in (("gpus_busy", "busy GPUs"),
                                ("jobs_pending", "pending jobs")):
            total = sum(at_time(v, at) for (_, n), v in steps.items()
                        if n == counter)
            if total != int(row[column]):
                bad.append((row["time"], column, row[column], total))
    tap.result(rows and not bad, name + ": counters equal series.csv", bad[:5])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        for name, options, (begin, end), vcs in RUNS:
            out, part = (os.path.join(scratch, name + x) for x in ("", "-part"))
            crop = ["--timeline-from", str(begin), "--timeline-to", str(end),
                    "--timeline=gzip"]
            for vc in vcs:
                crop += ["--timeline-vc", vc]
            said = run(options, out) + run(options, part, crop)
            tap.result(not said, name + ": runs", said)
            if said:
                continue
            whole = read(os.path.join(out, "timeline.json"))
            zipped = os.path.join(part, "timeline.json.gz")
            some = read(zipped)
            for label, events in (("whole", whole), ("cropped", some)):
                wrong = list(complaints(events))
                tap.result(not wrong, "%s: the %s file keeps the rules" % (
                    name, label), "\n".join(wrong[:5]))
            compare_crop(tap, name, whole, some, begin * S, end * S, vcs)
            compare_series(tap, name, whole, out)
            with open(zipped, "rb") as file:
                head = file.read(10)
            tap.result(head[3:10] == b"\0\0\0\0\0\0\xff",
                       name + ": no time in the head of the gzip file", head)
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
