# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of the warm start: a run that begins from a state that another run
wrote half-way goes on as that run did. Three forms, on random states:

* with the past, and the configurations of tests/random (policy x layers x
  estimators x placer x failures x recovery x quotas x profilers x ...): every
  file of the results has the same bytes;
* with the past, and another policy: every attempt that ended before has the
  same start, end, GPUs and cause, every attempt that ran then the same start
  and GPUs, and `verify` agrees;
* without the past, for policies that decide from the present alone: each job
  that had not ended starts and ends at the same microsecond on the same GPUs,
  if none had been stopped before.

`law.py N SEED` tests N states of each, the first of the first two forms with
this seed; by default 40, of the first form with a new seed each time. `law.py
table N` prints a table of policies and layers, with N states each."""
import collections
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support")]
sys.path.append(os.path.join(HERE, "..", "random"))
import configuration  # noqa: E402
import drawer  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

POLICIES = ["fifo", "fjf", "sjf", "edf", "qssf", "smallest", "srtf", "srsf",
            "backfill", "backfill:plan=conservative"]
PLACERS = ["consolidate", "first-fit", "spread"]
ESTIMATORS = ["oracle", "declared"]
LAYERS = ["", "+advisor", "+tracker", "+handler", "+schedmate", "+quota",
          "+schedmate+quota"]
START = 1767600000
# Columns that count from the first submission of the run, or name its jobs.
TIMES = ("submission_time", "starting_time", "finish_time")
# Counts the jobs that had ended too, which are not in the state; the name of
# the format of the trace.
OTHER = ("slowdown_by_load", "rho", "workload_name")
ENDED_BEFORE = ("starting_time", "finish_time", "allocated_resources", "how")
DONE = (0, 4)


def run(*words, where=None):
    return subprocess.run([PROGRAM] + list(words), capture_output=True,
                          text=True, check=False, cwd=where)


def rows(path):
    with open(path, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def draw_case(plugins, seed):
    """A configuration without the options that the tests give; None: its trace
    is made by another command or has another form."""
    case = drawer.draw(plugins, seed)
    case["options"] = [one for one in case["options"] if one[0] not in (
        "--attempts", "--state-at", "--save", "--state")]
    if {"resample", "other", "state"} & set(case):
        return None
    # a load clause is refused if no job comes after the present
    if any(" load" in str(value) for name, value in case["options"]
           if name == "--what-if"):
        return None
    return case


def place_case(place, case):
    """Writes the files of a configuration; returns the options of its run."""
    shutil.rmtree(place, ignore_errors=True)
    for name, text in configuration.texts(case).items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
    return configuration.arguments(case, lambda name: name)


def draw_time(rng, case):
    """A time, s after 1970: at a submission or an end, or any other."""
    jobs = rng.choice(case["jobs"])
    at = float(jobs["submitted_unix_s"])
    at += rng.choice([0, float(jobs["duration_s"]),
                      rng.random() * 3 * float(jobs["duration_s"])])
    first = min(float(job["submitted_unix_s"]) for job in case["jobs"])
    return "%.6f" % max(at, first + 1e-6)


def files_of(folder):
    """The bytes of each file; of the manifest, without what names paths."""
    out = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            out[name] = file.read()
    manifest = json.loads(out.pop("manifest.json"))
    for key in ("provenance", "files"):
        manifest.pop(key, None)
    out["manifest.json"] = json.dumps(manifest).encode()
    return out


def whole_run(place, words, at):
    return run("run", "trace.csv", *words, "-q", "--attempts", "-o", "whole",
               "--state-at", at, "--save", "s.json", where=place)


def go_on(place, words, at):
    """Returns what differs, "" if nothing does, None if the run is refused."""
    done = whole_run(place, words, at)
    if done.returncode not in DONE:
        return None
    rest = run("run", "trace.csv", *words, "-q", "--attempts", "-o", "rest",
               "--state", "s.json", where=place)
    if rest.returncode != done.returncode:
        return rest.stderr or "exit %d" % rest.returncode
    a, b = (files_of(os.path.join(place, name)) for name in ("whole", "rest"))
    return ", ".join(name for name in sorted(set(a) | set(b))
                     if a.get(name) != b.get(name))


def try_same(place, seed, plugins):
    case = draw_case(plugins, seed)
    if not case:
        return None
    words = place_case(place, case)
    at = draw_time(random.Random("warm start %d" % seed), case)
    said = go_on(place, words, at)
    return said and "seed %d at %s: %s: %s" % (seed, at, " ".join(words), said)


def attempts(folder):
    return {(row["job_id"], row["attempt"]): row
            for row in rows(os.path.join(folder, "attempts.csv"))}


def differs_before(place, at, jobs):
    """What differs between the attempts of two runs before a time."""
    whole, rest = (attempts(os.path.join(place, name))
                   for name in ("whole", "rest"))
    kept = {name for name, _ in whole}
    if not kept:
        return ""
    until = Decimal(at) - min(Decimal(job["submitted_unix_s"]) for job in jobs
                              if job["job_id"] in kept)
    for key, row in whole.items():
        if row["starting_time"] in ("", "-1") or \
                Decimal(row["starting_time"]) >= until:
            continue
        other = rest.get(key, collections.defaultdict(str))
        ended = Decimal(row["finish_time"]) < until
        for name in ENDED_BEFORE if ended else ENDED_BEFORE[::2]:
            if row[name] != other[name]:
                return "attempt %s: %s is '%s', and was '%s'" % (
                    key, name, other[name], row[name])
    return ""


def other_words(words, policy):
    """The options with another policy, without layers and their options."""
    out, skip = [], False
    for word in words:
        if word in ("--policy", "--quota", "--schedmate"):
            skip = True
        elif not skip:
            out.append(word)
        else:
            skip = False
    return out + ["--policy", policy]


def try_other(place, seed, plugins):
    case = draw_case(plugins, seed)
    if not case:
        return None
    # Conventions give each policy other laws of time and overheads; of a trace
    # of faults a state has the digest alone; a horizon can end the run before
    # the present.
    given = dict(case["options"])
    parts = [part for value in (given.get("--faults"), given.get("--engine"))
             for part in value or []]
    if "--conventions" in given or any(
            name == "trace" or "horizon_s" in settings
            for name, settings in parts):
        return None
    rng = random.Random("warm start %d" % seed)
    words = place_case(place, case)
    at = draw_time(rng, case)
    policy = rng.choice(plugins.listing["policies"])["name"]
    if whole_run(place, words, at).returncode not in DONE:
        return None
    words = other_words(words, policy)
    done = run("run", "trace.csv", *words, "-q", "--attempts", "-o", "rest",
               "--state", "s.json", where=place)
    what = "seed %d at %s: %s: " % (seed, at, " ".join(words))
    if done.returncode == 2 and done.stderr.count("\n") == 1:
        return None
    if done.returncode not in DONE:
        return what + done.stderr
    said = differs_before(place, at, case["jobs"])
    good = run("verify", "rest", where=place)
    if good.returncode:
        said = said or good.stdout + good.stderr
    return said and what + said


def write_trace(path, rng):
    at, first = START, {}
    vcs = rng.choice([[""], ["a", "b"]])
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["job_id", "submitted_unix_s", "duration_s", "gpus",
                         "user", "vc", "declared_s"])
        for i in range(rng.randrange(40, 200)):
            at += rng.choice([0, 1, rng.randrange(1, 300)])
            took = int(rng.lognormvariate(6.5, 1)) + 10
            writer.writerow(["j%d" % i, at, took, rng.choice([1, 1, 2, 4, 8,
                                                              16]),
                             "u%d" % rng.randrange(4), rng.choice(vcs),
                             int(took * rng.choice([1, 1.5, 3]))])
            first["j%d" % i] = at
    cluster = "4x8" if vcs == [""] else "a=2x8:T4,b=3x8:T4"
    return cluster, first, at


def read_jobs(folder, first):
    jobs = {row["job_id"]: row
            for row in rows(os.path.join(folder, "jobs.csv"))}
    zero = min(first[name] for name in jobs)
    for row in jobs.values():
        for key in TIMES:
            row[key] = Decimal(row[key]) + zero
    return jobs


def forget_past(path):
    with open(path, encoding="utf-8") as text:
        state = json.load(text)
    for key in ("plans", "settings", "refused"):
        del state[key]
    with open(path, "w", encoding="utf-8") as out:
        json.dump(state, out)
    return state


def try_present(place, seed, _):
    """Returns None if the state says that a job has run before."""
    rng = random.Random(seed)
    os.makedirs(place, exist_ok=True)
    trace, state = os.path.join(place, "t.csv"), os.path.join(place, "s.json")
    cluster, first, last = write_trace(trace, rng)
    at = rng.randrange(START + 1, last + 2000)
    words = ["-q", "-p", rng.choice(POLICIES), "--placer", rng.choice(PLACERS),
             "--estimators", rng.choice(ESTIMATORS)]
    whole, rest = os.path.join(place, "whole"), os.path.join(place, "rest")
    done = run("run", trace, "-c", cluster, "-o", whole, "--state-at", str(at),
               "--save", state, *words)
    if done.returncode not in DONE:
        return done.stderr
    begun = forget_past(state)
    if any("ran before" in note for note in begun["notes"]) or (
            not begun["jobs"] and at > last):
        return None
    done = run("run", trace, "--state", state, "-o", rest, *words)
    if done.returncode not in DONE:
        return "%s: %s" % (words, done.stderr)
    a, b = read_jobs(whole, first), read_jobs(rest, first)
    expected = {name for name in a
                if a[name]["finish_time"] >= at or first[name] >= at}
    if not expected <= set(b):
        return "%s: jobs are missing: %s" % (words, expected - set(b))
    for name, row in b.items():
        for key, value in row.items():
            if key not in OTHER and value != a[name][key]:
                return "seed %d, %s at %d: job %s: %s is %s, and was %s" % (
                    seed, words, at, name, key, value, a[name][key])
    return ""


def check(tap, place, attempt, seeds, name, least):
    plugins = drawer.Registry(PROGRAM, ROOT)
    bad, tested = [], 0
    for seed in seeds:
        said = attempt(os.path.join(place, "case"), seed, plugins)
        tested += said is not None
        if said:
            bad.append(said)
    tap.result(not bad, "%s: %d states" % (name, tested), "\n".join(bad[:10]))
    tap.result(tested >= len(seeds) * least, "%s: most states are tested" % name,
               tested)


def table(n):
    """Prints by policy and layer how many of the states went on equally."""
    plugins = drawer.Registry(PROGRAM, ROOT)
    names = [p["name"] for p in plugins.listing["policies"]]
    print("%-16s" % "policy", *("%-17s" % (layer or "(none)")
                                for layer in LAYERS))
    bad = []
    for policy in names:
        print("%-16s" % policy, end=" ")
        for layer in LAYERS:
            good = tested = seed = 0
            while tested < n and seed < 12 * n:
                seed += 1
                said = try_cell(policy, layer, seed, plugins)
                tested += said is not None
                good += said == ""
                if said:
                    bad.append("%s%s %d: %s" % (policy, layer, seed, said))
            print("%-17s" % ("%d of %d" % (good, tested) if tested else "-"),
                  end=" ", flush=True)
        print()
    print("\n".join(bad))


def try_cell(policy, layer, seed, plugins):
    with tempfile.TemporaryDirectory() as place:
        case = draw_case(plugins, seed)
        words = place_case(place, case) if case else []
        if not case or ("+quota" in layer and "--quota" not in words):
            return None
        rng = random.Random("%s%s %d" % (policy, layer, seed))
        options = other_words(words, policy + layer)
        if "+quota" in layer:
            options += ["--quota", words[words.index("--quota") + 1]]
        return go_on(place, options, draw_time(rng, case))


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "table":
        table(int(sys.argv[2]))
        return 0
    tap = Tap()
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    first = int(sys.argv[2]) if len(sys.argv) > 2 else \
        time.time_ns() // 1000 % 10 ** 9
    seeds = range(first, first + n)
    others = seeds if len(sys.argv) > 2 else range(n)
    print("# the first seed is %d" % first, flush=True)
    with tempfile.TemporaryDirectory() as place:
        check(tap, place, try_same, seeds, "same settings", 0.5)
        check(tap, place, try_other, others, "another policy", 0.2)
        # fixed: asked at the present, where the whole run was not, backfill can
        # start a job because a start before has moved a reservation
        check(tap, place, try_present, range(n), "without the past", 0.5)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
