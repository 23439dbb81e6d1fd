# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests --what-if: its output equals that for a cluster or a trace with these
changes. Tests `size` against runs with all numbers of nodes and against closed
forms. The commands of docs/capacity.md must print the text of the page."""
import csv
import json
import math
import os
import random
import re
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
    """Runs a trace. Returns jobs.csv and the result directory."""
    out = os.path.join(folder, name)
    done = schedsim("run", trace, *options, "--out", out, "--quiet")
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)
    return read(out, "jobs.csv"), out


def nodes_for_good(tap, folder):
    """Checks that nodes added or removed from the beginning give the result of
    the changed shorthand."""
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
        done = schedsim("verify", "--again", out)
        tap.result(done.returncode == 0, "what-if: %s: rerun" % name,
                   done.stdout + done.stderr)


def nodes_for_a_time(tap, folder):
    """Checks nodes that come or go during the run against a cluster file with
    these changes. The cluster file that the clauses change has its own
    changes, whose nodes are renumbered."""
    def cluster(name, nodes, changes):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"nodes": [{"count": n, "gpus": 8, "type": "V100",
                                  "vc": vc} for vc, n in nodes],
                       "changes": [{"at_s": at, "node": node, "up": up}
                                   for at, node, up in changes]}, file)
        return path
    trace = os.path.join(folder, "two.csv")
    own = [(3600, 5, False), (7200, 5, True)]  # node 5 is the second node of b
    base = cluster("base.json", [("a", 4), ("b", 3)], own)
    got, out = jobs(folder, "time got", trace, "--cluster", base, "--what-if",
                    "+2 nodes in a from day 0.25; -1 node in b from hour 3 "
                    "until 2020-03-31T22:00:34")
    at = 22 * 3600 - 16 * 3600  # the first submission is at 16:00:34
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
    """Checks that faster submissions give the result of a trace with other
    dates."""
    with open(NATIVE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:300]
    first = int(rows[0]["submitted_unix_s"])
    plain, other = (os.path.join(folder, name) for name in ("p.csv", "o.csv"))
    write_rows(plain, rows)
    begin, end = 1000, 5000  # twice as fast from `begin` to `end`
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


def size(*args):
    """Returns the answer of `size --json`."""
    done = schedsim("size", *args, "--json")
    if done.returncode not in (0, 6):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def poisson(path, rate, service, n, seed):
    """Writes a trace of one-GPU jobs with exponential gaps, and run times that
    `service` draws."""
    draw, at, rows = random.Random(seed), 0.0, []
    for i in range(n):
        at += draw.expovariate(rate)
        rows.append({"job_id": i + 1, "submitted_unix_s": "%.6f" % at,
                     "duration_s": "%.6f" % service(draw), "gpus": 1})
    write_rows(path, rows)


def erlang_c(c, offered):
    """Returns the probability that a job of an M/M/c queue waits."""
    blocked = 1.0
    for k in range(1, c + 1):
        blocked = offered * blocked / (k + offered * blocked)
    return blocked / (1 - offered / c * (1 - blocked))


def closed_forms(tap, folder):
    """Checks mean and 95th percentile of the wait in an M/M/c queue. The
    bounds lie between the formula's values for two neighbouring numbers of
    nodes, so that chance cannot move the answer."""
    trace = os.path.join(folder, "mmc.csv")
    mean, offered = 100.0, 8.0
    poisson(trace, offered / mean, lambda draw: draw.expovariate(1 / mean),
            15000, 1)

    def waits(c):
        left = (c - offered) / mean  # rate at which a queue empties
        waiting = erlang_c(c, offered)
        return (waiting / left,
                max(0.0, math.log(waiting / 0.05) / left))
    for metric, which, c in (("queue_delay.mean", 0, 10),
                             ("queue_delay.mean", 0, 12),
                             ("queue_delay.p95", 1, 11)):
        bound = (waits(c)[which] + waits(c - 1)[which]) / 2
        got = size(trace, "--cluster", "14x1", "--target",
                   "%s < %f" % (metric, bound), "--replications", "0")
        tap.result(got["units"][0].get("answer") == c,
                   "size: M/M/c: %s < %.1f s needs %d servers" % (
                       metric, bound, c), got["units"][0])
    # M/G/1 with run times of two lengths: the load at which the mean wait of
    # Pollaczek and Khinchine equals the bound.
    short, long, part = 20.0, 200.0, 0.1
    trace = os.path.join(folder, "mg1.csv")
    first = short * (1 - part) + long * part
    second = short ** 2 * (1 - part) + long ** 2 * part
    rate = 0.2 / first
    poisson(trace, rate, lambda draw: long if draw.random() < part else short,
            20000, 2)
    bound = 150.0  # = x rate second / (2 (1 - x rate first))
    want = 2 * bound / (rate * second + 2 * bound * rate * first)
    got = size(trace, "--cluster", "1x1", "--vary", "load", "--target",
               "queue_delay.mean < %f" % bound, "--replications", "0")
    answer = got["units"][0]["answer"]
    tap.result(abs(answer / want - 1) < 0.05,
               "size: M/G/1: load x%.2f, the formula says x%.2f" % (answer, want))


def all_numbers(tap, folder):
    """Checks the answer against runs with all numbers of nodes."""
    trace = os.path.join(folder, "few.csv")
    with open(NATIVE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:250]
    rows = [dict(row, gpus=min(8, int(row["gpus"]))) for row in rows]
    write_rows(trace, rows)
    for policy in "fifo", "srtf":
        met = {}
        for n in range(1, 17):
            done = schedsim(trace, "--policy", policy, "--cluster", "%dx8" % n,
                            "--estimators", "oracle", "--json")
            summary = json.loads(done.stdout)["metrics"]
            met[n] = (summary["queue_delay_s"]["p95"] < 3600
                      and summary["jct_s"]["mean"] < 3 * 3600)
        for today in 1, 16:
            got = size(trace, "--policy", policy, "--cluster", "%dx8" % today,
                       "--estimators", "oracle",
                       "--target", "queue_delay.p95 < 1h", "--target",
                       "jct.mean < 3h", "--replications", "0", "--most", "16")
            unit = got["units"][0]
            answer = unit.get("answer")
            tap.result(answer and met[answer] and not met.get(answer - 1),
                       "size: %s from %d nodes: %s as all numbers say" % (
                           policy, today, answer), (unit, met))
            lies = [p["x"] for p in unit["tried"] if p["met"] != met[p["x"]]]
            broken = any(p["met"] and not q["met"] and p["x"] < q["x"]
                         for p in unit["tried"] for q in unit["tried"])
            tap.result(not lies and unit["monotone"] != broken,
                       "size: %s from %d nodes: what was tried is true" % (
                           policy, today), (lies, unit))


def each_cluster(tap, folder):
    """Checks that the answer for each virtual cluster equals the answer of a
    run with only its jobs and nodes, and that the number of threads changes
    nothing."""
    options = ["--target", "queue_delay.p95 < 10min"]
    every = size(VENUS, *options, "--vary", "vc", "--replications", "2",
                 "--threads", "2")
    again = size(VENUS, *options, "--vary", "vc", "--replications", "2",
                 "--threads", "1")
    for answer in every, again:
        del answer["seconds"]
    tap.result(every == again, "size: threads change nothing")
    for unit in every["units"]:
        if unit["name"] not in ("vcEwI", "vchA3"):
            continue
        alone = size(VENUS, *options, "--vc", unit["name"], "--cluster",
                     "%dx8:V100" % unit["today"], "--replications", "0")
        tap.result(alone["units"][0]["answer"] == unit["answer"],
                   "size: %s by itself" % unit["name"],
                   (alone["units"][0], unit))
    out = os.path.join(folder, "answer")
    done = schedsim("run", VENUS, "--what-if", every["what_if"], "--out", out,
                    "--quiet")
    summary = json.loads(read(out, "summary.json"))
    late = [name for name, group in summary["by_vc"].items()
            if group["queue_delay_s"]["p95"] >= 600]
    tap.result(done.returncode == 0 and not late,
               "size: the run of the answer meets the target", late)


def extras(tap, folder):
    """Computes shares, groups and Jain's index from jobs.csv with other code.
    `verify` computes them too, and must find each changed value."""
    _, out = jobs(folder, "extras", VENUS, "--wait-over", "10min",
                  "--wait-over", "1h", "--by", "user,type")
    with open(os.path.join(out, "jobs.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    summary = json.loads(read(out, "summary.json"))
    metrics = summary["metrics"]
    for seconds in 600, 3600:
        late = [row for row in rows if float(row["queue_delay"]) > seconds]
        got = metrics["share_waiting_over_%ds" % seconds]
        tap.result(abs(got - len(late) / len(rows)) < 1e-12,
                   "share that waits over %d s" % seconds, got)
    times = {}
    for row in rows:
        time = times.setdefault(row["user"], [0.0, 0.0])
        time[0] += float(row["duration"])
        time[1] += float(row["turnaround_time"])
    x = [needed / spent for needed, spent in times.values() if spent]
    want = sum(x) ** 2 / (len(x) * sum(v * v for v in x))
    tap.result(abs(metrics["jain_users"] - want) < 1e-9,
               "Jain's index over users", (metrics["jain_users"], want))
    tap.result(set(summary["by_user"]) == set(times)
               and all(summary["by_user"][user]["jobs"] ==
                       sum(row["user"] == user for row in rows)
                       for user in times)
               and summary["by_type"]["V100"]["jobs"] == len(rows),
               "groups by user and type have their jobs")
    for key in ("share_waiting_over_600s", "jain_users", "by_user", "by_type"):
        changed = json.loads(read(out, "summary.json"))
        if key in metrics:
            changed["metrics"][key] += 0.001
        else:
            next(iter(changed[key].values()))["jct_s"]["p95"] += 1
        path = os.path.join(out, "summary.json")
        kept = read(path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(changed, file)
        done = schedsim("verify", out)
        tap.result(done.returncode == 5 and key in done.stdout + done.stderr,
                   "verify finds a changed " + key, done.stdout + done.stderr)
        with open(path, "w", encoding="utf-8") as file:
            file.write(kept)


def split_series(tap, folder):
    """Checks that the rows of all virtual clusters and types add up to
    series.csv, that the rows of one cluster follow from its jobs, and that
    `verify` finds a changed value."""
    _, out = jobs(folder, "split", VENUS, "--series", "by=vc,type",
                  "--series", "interval=3600")
    with open(os.path.join(out, "jobs.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["vc"] == "vcEwI"]
    with open(os.path.join(out, "series_vc.csv"), encoding="utf-8") as file:
        series = [row for row in csv.DictReader(file) if row["vc"] == "vcEwI"]
    wrong = []
    for row in series:
        now = float(row["time"])
        here = [job for job in rows if float(job["submission_time"]) <= now]
        running = [job for job in here if float(job["starting_time"]) <= now
                   < float(job["finish_time"])]
        pending = [job for job in here if float(job["starting_time"]) > now]
        if (int(row["jobs_running"]), int(row["jobs_pending"]),
                int(row["gpus_busy"])) != (
                    len(running), len(pending),
                    sum(int(job["requested_number_of_resources"])
                        for job in running)):
            wrong.append(row)
    tap.result(len(series) > 20 and not wrong,
               "series_vc.csv is what the jobs of vcEwI say", wrong[:3])
    done = schedsim("verify", out)
    tap.result(done.returncode == 0, "series by vc and type: verify",
               done.stdout + done.stderr)
    done = schedsim("verify", "--again", out)
    tap.result(done.returncode == 0, "series by vc and type: rerun",
               done.stdout + done.stderr)
    for name in "series_vc.csv", "series_type.csv":
        path = os.path.join(out, name)
        kept = read(path)
        lines = kept.splitlines(keepends=True)
        lines[20] = re.sub(r"\d+$", lambda m: str(int(m.group()) + 1), lines[20])
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(lines))
        done = schedsim("verify", out)
        tap.result(done.returncode == 5 and name + ": jobs_ended: at" in done.stdout,
                   "verify finds a changed value of " + name, done.stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write(kept)


def reasons(tap, folder):
    """Checks the reasons of waits in a case worked out by hand: two nodes of 4
    GPUs, one of which is away from second 100 to second 300."""
    trace = os.path.join(folder, "reasons.csv")
    rows = [  # submission, run time, GPUs
        (0, 50, 8), (10, 20, 8), (120, 10, 8), (125, 5, 1), (400, 5, 9)]
    write_rows(trace, [{
        "job_id": "abcde"[i], "submitted_unix_s": at, "duration_s": span,
        "gpus": gpus, "user": "ann" if i < 2 else "bob"}
        for i, (at, span, gpus) in enumerate(rows)])
    _, out = jobs(folder, "reasons", trace, "--cluster", "2x4", "--what-if",
                  "-1 node from 100s until 300s")
    done = schedsim("explain", out, "--all", "--json")
    answer = json.loads(done.stdout)
    got = {job["job"]: (job["reason"], job["reasons"])
           for job in answer["jobs"]}
    want = {"a": ("none", {}), "b": ("too-few-gpus", {"too-few-gpus": 40}),
            "c": ("nodes-out", {"nodes-out": 180}),
            "d": ("blocked-by", {"blocked-by": 175, "too-few-gpus": 10}),
            "e": ("rejected", {})}
    tap.result(got == want, "explain: reasons", got)
    tap.result(answer["n_jobs"] == 5 and answer["n_waited"] == 3
               and answer["n_rejected"] == 1
               and answer["queue_delay_s"] == 405, "explain: sums", answer)
    for words, names in ((["--user", "bob"], "cde"), (["--worst", "2"], "dc"),
                         (["--job", "d", "--job", "a"], "da"),
                         (["--user", "ann", "--worst", "1"], "b")):
        done = schedsim("explain", out, *words, "--json")
        got = "".join(job["job"] for job in json.loads(done.stdout)["jobs"])
        tap.result(got == names, "explain " + " ".join(words), got)
    done = schedsim("explain", out, "--worst", "9")
    tap.result("3 of 5 jobs waited, 6.75 min in all; 1 was rejected"
               in done.stdout, "explain --worst as a table", done.stdout)


COMMANDS = re.compile(r"^    \$ \./schedsim (.*)\n((?:    .*\n|\n(?=    ))*)",
                      re.M)


def shown(command):
    """Returns the text that a command prints on a page, without the line that
    has seconds."""
    done = subprocess.run(["bash", "-c", '"$0" ' + command, PROGRAM], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "".join(
        "\n" if not line else "    ...\n" if re.match(r"\d+ runs, ", line)
        else "    " + line + "\n" for line in lines)


def page(tap):
    """Runs the commands of docs/capacity.md and compares their output with the
    page. With --update, writes the page again."""
    path = os.path.join(ROOT, "docs", "capacity.md")
    text = read(path)
    if sys.argv[1:] == ["--update"]:
        text = COMMANDS.sub(lambda m: "    $ ./schedsim %s\n%s" % (
            m.group(1), shown(m.group(1))), text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    blocks = COMMANDS.findall(text)
    for command, want in blocks:
        got = shown(command)
        tap.result(got == want, "docs/capacity.md: " + command, got)
    tap.result(blocks, "docs/capacity.md shows commands")


def main():
    tap = Tap()
    if sys.argv[1:] == ["--update"]:
        page(tap)
        sys.exit(tap.exit_status())
    with tempfile.TemporaryDirectory() as folder:
        nodes_for_good(tap, folder)
        nodes_for_a_time(tap, folder)
        load(tap, folder)
        closed_forms(tap, folder)
        all_numbers(tap, folder)
        each_cluster(tap, folder)
        extras(tap, folder)
        reasons(tap, folder)
        split_series(tap, folder)
    page(tap)
    sys.exit(tap.exit_status())


main()
