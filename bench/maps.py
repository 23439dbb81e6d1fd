#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the maps of docs/reproduction.md: where advice pays, and why.

    maps.py                        the parts of maps.json that the page shows
    maps.py --part core            one part; may be given more than once
    maps.py --part full            the whole product: hours of processor time
    maps.py --seeds 11-15          other seeds, such as for cells kept aside
    maps.py --list                 the parts, their runs, and how many are done
    maps.py --cells FILE           no runs: write a row for each cell to FILE

Each part is a sweep for each input (docs/sweeps.md) in --out; a map that was
stopped goes on where it was. maps.json has all axes, readings, loads and seeds;
they were committed before the first run. Recorded inputs are looked for in
../shared; $SCHEDSIM_SHARED names another folder."""
import argparse
import copy
import csv
import itertools
import json
import os
import random
import subprocess
import sys

import maps_cells
import measure

GRID = os.path.join(os.path.dirname(os.path.abspath(__file__)), "maps.json")
# the settings of every policy of Lucid, unless the grid names them
LUCID = {"idle_first": "false"}


def with_shared(value):
    if isinstance(value, str):
        return value.replace("$SHARED", measure.SHARED)
    if isinstance(value, list):
        return [with_shared(item) for item in value]
    if isinstance(value, dict):
        return {key: with_shared(item) for key, item in value.items()}
    return value


def policy_spec(spec, settings):
    """Adds settings to NAME[:KEY=VALUE,...] that the text does not name."""
    name, _, given = spec.partition(":")
    keys = {word.partition("=")[0] for word in given.split(",") if word}
    words = [given] if given else []
    words += ["%s=%s" % (key, value) for key, value in settings.items()
              if key not in keys]
    return name + (":" + ",".join(words) if words else "")


def handler_settings(quality):
    """A handler of this quality: it is right in this share of its verdicts,
    and tosses a coin in the others; it names one of eight nodes."""
    recall = 0.5 + 0.5 * quality
    alarms = 0.5 - 0.5 * quality
    share = 0.25 # of infrastructure failures where precision is measured
    precision = recall * share / (recall * share + alarms * (1 - share))
    return "recall=%g,precision=%g,node_right=%g" % (
        recall, precision, quality + (1 - quality) / 8)


def schedmate(grid, system, quality=None):
    base = grid["schedmate"]["published" if quality is None else "quality"]
    words = [base]
    if quality is not None:
        words += ["random=%g" % (1 - quality), handler_settings(quality)]
    if "schedmate" in system:
        words.append(system["schedmate"])
    return ",".join(words)


def expanded(grid, part, system, profile_s):
    """Returns the tuples of a system: one, or one for each quality of advice
    or position of the switches."""
    row = {key: system[key] for key in ("name", "policy", "estimators",
                                        "conventions", "recovery")
           if key in system}
    if row["policy"].startswith("lucid"):
        row["policy"] = policy_spec(row["policy"],
                                    dict(LUCID, profile_s=profile_s))
    if "+" not in row["policy"]:
        return [row]
    if system.get("quality"):
        return [dict(row, name="%s, %g" % (row["name"], quality),
                     schedmate=schedmate(grid, system, quality))
                for quality in grid["quality"]]
    if system.get("switch"):
        rows = []
        for on in itertools.product((False, True), repeat=len(part["switches"])):
            words = ["%s=%s" % (key, "true" if is_on else "false")
                     for key, is_on in zip(part["switches"].values(), on)]
            if "tells_demand=false" in words: # then a profile is never saved
                words = [w for w in words if "saves_profiles" not in w]
            named = [name for name, is_on in zip(part["switches"], on) if is_on]
            rows.append(dict(
                row, name="%s: %s" % (row["name"], " + ".join(named) or "none"),
                schedmate=schedmate(grid, {"schedmate": ",".join(words)})))
        return rows
    return [dict(row, schedmate=schedmate(grid, system))]


def equal_jobs(folder, name, about, seed):
    """Writes jobs of one size that come over five days. Each fourth one fails
    once at some point of its work, and a person submits it again."""
    draw = random.Random(seed)
    span = 5 * 86400
    rows = []
    for i in range(about["jobs"]):
        at = int(span * draw.random())
        work = about["hours"] * 3600
        user = "u%d" % i
        if i % 4 == 0:
            first = int(work * (0.05 + 0.9 * draw.random()))
            gap = int(1800 + 3600 * draw.random())
            rows.append((at, first, user, "failed"))
            rows.append((at + first + gap, work - first, user, "completed"))
        else:
            rows.append((at, work, user, "completed"))
    rows.sort()
    path = os.path.join(folder, "%s-%d.csv" % (name, seed))
    text = "submitted_unix_s,duration_s,gpus,job_id,user,name,end\n" + "".join(
        "%d,%d,%d,%d,%s,train,%s\n" % (1700000000 + at, work, about["gpus"],
                                       n + 1, user, end)
        for n, (at, work, user, end) in enumerate(rows))
    if not os.path.exists(path):
        with open(path, "w") as out:
            out.write(text)
    return path


def traces(name, about, seeds, folder):
    """Returns the tuples of an input: a trace and the seed of its draws."""
    if "generate" in about:
        return [{"trace": dict(about["generate"], seeds=[seed]), "seed": seed}
                for seed in seeds]
    if "windows" in about:
        return [{"trace": about["windows"], "seed": seed} for seed in seeds]
    if "files" in about:
        return [{"trace": path, "seed": i + 1}
                for i, path in enumerate(about["files"])]
    return [{"trace": equal_jobs(folder, name, about["equal"], seed),
             "seed": seed} for seed in seeds]


def sweep_of(grid, part, name, seeds, folder):
    """Returns the grid of `schedsim sweep` of a part and an input."""
    about = copy.deepcopy(grid["inputs"][name])
    for key, longer in part.get("longer", {}).items():
        if key == name:
            about.get("generate", about.get("windows")).update(longer)
    axes = [traces(name, about, seeds or about.get("seeds", [1]), folder)]
    systems = [row for system in part["systems"]
               for profile_s in part.get("profile_s", [100])
               for row in expanded(grid, part, system, profile_s)]
    unique = []
    for row in systems: # a policy without profiles is the same at each time
        if row not in unique:
            unique.append(row)
    axes.append(unique)
    if "recipes" in part:
        axes.append([grid["recipes"][recipe] for recipe in part["recipes"]])
        axes.append([grid["interference"][law] for law in part["interference"]])
    made = {"tuples": axes}
    made.update({} if part.get("settings", {}).get("conventions") == "sia"
                else grid["common"])
    made.update(part.get("settings", {}))
    made.update(part.get("axes", {}))
    if "nodes" in about:
        nodes = about["nodes"]
        if "steps" in part:
            nodes = [nodes[i] for i in part["steps"]]
        made["cluster"] = ["%dx%s" % (n, about["gpus"]) for n in nodes]
    if "load" in about:
        made["load"] = about["load"]
    return made


def plans(grid, args):
    """Yields (part, input, path of the sweep's grid, its folder)."""
    parts = dict(grid["parts"], full=grid["full"])
    for name in args.part or grid["parts"]:
        if name not in parts:
            raise measure.Failed("no part '%s'; --list shows all" % name)
        for chosen in parts[name]["inputs"]:
            if args.input and chosen not in args.input:
                continue
            stem = os.path.join(args.out, "%s-%s" % (
                name.replace(" ", "_").replace(",", "").replace("'", ""),
                chosen))
            sweep = sweep_of(grid, parts[name], chosen, args.seeds, args.out)
            with open(stem + ".json", "w") as out:
                json.dump(sweep, out, indent=1)
            yield name, chosen, stem + ".json", stem


def carry_out(args, plan):
    """Makes the runs of one sweep. Returns its exit status; 4: some job of
    some run did not finish."""
    _, _, path, folder = plan
    command = [measure.SCHEDSIM, "sweep", path, "--out", folder]
    if args.threads:
        command += ["--threads", str(args.threads)]
    if args.other_version:
        command += ["--other-version", args.other_version]
    return subprocess.run(command + ["--quiet"], check=False).returncode


def count(plan):
    """Returns the runs of a sweep, and how many rows are there."""
    _, _, path, folder = plan
    with open(path) as lines:
        made = json.load(lines)
    n = 1
    for axis in made.pop("tuples"):
        n *= sum(row.get("trace", {}).get("n", 1)
                 if isinstance(row.get("trace"), dict) else 1 for row in axis)
    for value in made.values():
        n *= len(value) if isinstance(value, list) else 1
    rows = os.path.join(folder, "runs.csv")
    done = 0
    if os.path.exists(rows):
        with open(rows, newline="") as lines:
            done = sum(1 for _ in csv.reader(lines)) - 1
    return n, done


def seeds_of(text):
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", action="append", default=[], metavar="NAME")
    parser.add_argument("--input", action="append", default=[], metavar="NAME")
    parser.add_argument("--seeds", type=seeds_of, metavar="A-B")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(
        os.path.dirname(measure.SCHEDSIM), "maps"))
    parser.add_argument("--threads", type=int, metavar="N",
                        help="runs at a time; default: one per core")
    parser.add_argument("--other-version", choices=("redo", "keep"),
                        help="runs that another version made (docs/sweeps.md)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cells", metavar="FILE")
    args = parser.parse_args()
    measure.need_shared()
    with open(GRID) as lines:
        grid = with_shared(json.load(lines))
    os.makedirs(args.out, exist_ok=True)
    todo = list(plans(grid, args))
    if args.list:
        measure.table(["part", "input", "runs", "done"],
                      [[p[0], p[1], *count(p)] for p in todo])
        return 0
    if args.cells:
        maps_cells.write(args.cells, todo)
        return 0
    worst = 0
    for plan in todo:
        print("%s, %s: %d runs, %d done" % (plan[0], plan[1], *count(plan)),
              flush=True)
        status = carry_out(args, plan)
        if status not in (0, 4):
            print("maps.py: %s, %s: exit status %d" % (plan[0], plan[1],
                                                       status),
                  file=sys.stderr, flush=True)
            worst = 1
    return worst


if __name__ == "__main__":
    measure.main(main)
