# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the servers of SchedMate's language model with closed forms, checks
the time accounting of runs that have such servers, and checks that verify
finds each changed cell of advice.csv."""
import csv
import decimal
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from spoil import rewrite, spoiled  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SERVICE = decimal.Decimal("7.5")
FIXED = "fidelity=oracle,latency_s=7.5"
FAULTS = ["--faults", "exponential:per_1000_node_days=100", "--recovery",
          "retry", "--overhead", "fixed"]


def schedsim(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True,
                          check=False)


def run(out, trace, policy, *options):
    """Runs a trace, which is the name of a sample or a path. Returns the
    result directory."""
    if not os.path.isabs(trace):
        trace = os.path.join(ROOT, "traces", "samples", trace)
    done = schedsim(trace, "--policy", policy, *options, "--out", out,
                    "--quiet")
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)
    return out


def rows_of(out, name="advice.csv"):
    with open(os.path.join(out, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def json_of(out, name="summary.json"):
    with open(os.path.join(out, name), encoding="utf-8") as file:
        return json.load(file)


def write_trace(path, times):
    """Writes jobs with one GPU, submitted at these times by different users,
    so that no job repeats another."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("job_id,submitted_unix_s,duration_s,gpus,user\n")
        for i, time in enumerate(times):
            file.write("%d,%.6f,60,1,user%d\n" % (i, time, i))
    return path


def burst(tap, folder):
    """Checks n questions at the same time: with c servers, server i % c
    answers question i after (i // c + 1) services; on one server the mean
    delay is 7.5 (n + 1) / 2 s. This is Fig. 16 of SchedMate, whose axis is the
    number of jobs in one second."""
    for servers in (1, 2, 4):
        for n in (1, 2, 4, 8, 16, 32):
            trace = write_trace(os.path.join(folder, "burst.csv"), [0] * n)
            out = run(os.path.join(folder, "burst"), trace, "fifo+advisor",
                      "--cluster", "8x8", "--schedmate",
                      "%s,llm_gpus=%d" % (FIXED, servers))
            got = [(decimal.Decimal(row["answered_s"]), int(row["server"]))
                   for row in rows_of(out)]
            want = [(SERVICE * (i // servers + 1), i % servers)
                    for i in range(n)]
            mean = float(sum(at for at, _ in want)) / n
            part = json_of(out)["advice"]
            good = (got == want and abs(part["delay_mean_s"] / mean - 1) < 1e-9
                    and abs(part["capacity_per_hour"] / (480 * servers) - 1)
                    < 1e-9 and verify(out).returncode == 0)
            if servers == 1:
                good &= mean == 7.5 * (n + 1) / 2
            if n % servers == 0:
                good &= abs(part["per_hour"] / (480 * servers) - 1) < 1e-9
            tap.result(good, "%d at once, %d servers: closed form" %
                       (n, servers), part)


def most_servers(tap, folder):
    """Checks the largest number of servers: an advice_row numbers them with 8
    bits; one value means that there is none."""
    trace = write_trace(os.path.join(folder, "most.csv"), [0] * 300)
    options = ["--cluster", "8x8", "--schedmate", FIXED + ",servers=%d"]
    out = run(os.path.join(folder, "most"), trace, "fifo+advisor",
              *[o.replace("%d", "255") for o in options])
    got = [row["server"] for row in rows_of(out)]
    tap.result(got == [str(i % 255) for i in range(300)]
               and verify(out).returncode == 0, "255 servers", got)
    done = schedsim(trace, "--policy", "fifo+advisor",
                    *[o.replace("%d", "256") for o in options])
    tap.result(done.returncode == 2 and "255" in done.stderr,
               "there are no more", done.stderr)


def poisson(tap, folder):
    """Checks questions at random times, with one server and equal services:
    the mean wait of M/D/1 is rho s / (2 (1 - rho)) (Pollaczek and Khinchine).
    """
    seeds, jobs, warm = 16, 3000, 500
    for rho in (0.3, 0.6, 0.8):
        means = []
        for seed in range(seeds):
            draw = random.Random("%g %d" % (rho, seed))
            times, now = [], 0.0
            for _ in range(jobs):
                times.append(now)
                now += draw.expovariate(rho / float(SERVICE))
            trace = write_trace(os.path.join(folder, "poisson.csv"), times)
            out = run(os.path.join(folder, "poisson"), trace, "fifo+advisor",
                      "--cluster", "64x8", "--schedmate", FIXED)
            waits = [float(row["begun_s"]) - float(row["asked_s"])
                     for row in rows_of(out)]
            means.append(statistics.mean(waits[warm:]))
        want = rho * float(SERVICE) / (2 * (1 - rho))
        mean = statistics.mean(means)
        error = statistics.stdev(means) / math.sqrt(seeds)
        tap.result(abs(mean - want) <= 3 * error and error < 0.1 * want,
                   "M/D/1 at load %g: mean wait %.3f s, %.3f +- %.3f s" %
                   (rho, want, mean, error))


def cluster(tap, folder):
    """Checks that GPUs which serve the model are not left for jobs, and that
    the accounting has their time. The numbers of the nodes stay, so the same
    nodes must fail."""
    results = {}
    for gpus in (0, 1, 9):
        results[gpus] = run(os.path.join(folder, "cluster%d" % gpus),
                            "native.csv", "fifo+advisor", "--cluster",
                            "8x8:A800", "--schedmate", "llm_gpus=%d" % gpus,
                            *FAULTS)
        manifest = json_of(results[gpus], "manifest.json")["cluster"]
        left = sum(group["nodes"] * group["gpus"]
                   for group in manifest["groups"])
        tap.result(left == 64 - gpus and manifest.get("llm_gpus", 0) == gpus,
                   "%d GPUs serve the model, %d run jobs" % (gpus, left))
        parts = json_of(results[gpus])
        time, span = parts["gpu_time"], parts["metrics"]["makespan_s"] / 3600
        llm = [time.get("llm_%s_gpu_hours" % part, 0)
               for part in ("busy", "idle")]
        right = sum(time["%s_gpu_hours" % part]
                    for part in ("down", "idle", "busy")) + sum(llm)
        tap.result(abs(sum(llm) - gpus * span) <= 1e-9 * span
                   and abs(right / (64 * span) - 1) < 1e-9
                   and (gpus == 0) == (llm[0] == 0)
                   and time["machine_error"] <= 1e-9
                   and time["jobs_error"] <= 1e-9,
                   "%d GPUs serve the model: the machine's time adds up" % gpus,
                   time)
    faults = [[(row["time"], row["node"], row["cause"], row["repair"])
               for row in rows_of(results[gpus], "failures.csv")
               if row["fault"]] for gpus in (0, 1)]
    faults = [list(dict.fromkeys(rows)) for rows in faults]
    n = min(len(rows) for rows in faults)
    tap.result(n > 10 and faults[0][:n] == faults[1][:n],
               "a GPU of a node serves the model: the same nodes fail", n)
    for options, words in (
            (["--cluster", "1x8", "--schedmate", "llm_gpus=8"], "can spare 7"),
            (["--cluster", "1x8:A800", "--schedmate",
              "llm_gpus=1,llm_pool=V100"], "or GPU type 'V100'")):
        done = schedsim(os.path.join(ROOT, "traces", "samples", "native.csv"),
                        "--policy", "fifo+advisor", *options)
        tap.result(done.returncode == 2 and words in done.stderr
                   and done.stderr.count("\n") == 1,
                   "refused: " + words, done.stderr)


def first_jobs(folder, jobs):
    """Writes the first jobs of a sample whose jobs have models. Returns its
    path."""
    path = os.path.join(folder, "first.csv")
    with open(os.path.join(ROOT, "traces", "samples", "lucid.csv"),
              encoding="utf-8") as file:
        lines = file.readlines()
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines[:jobs + 1])
    return path


def policies():
    return [line.split()[0] for line in
            schedsim("list", "policies").stdout.splitlines()
            if re.match(r"  \S", line)]


def books(tap, folder):
    """Checks the accounting of each policy with all layers, sharing,
    evictions, failures, and a model that the cluster serves."""
    evicted, trace = 0, first_jobs(folder, 500)
    for policy in policies():
        out = os.path.join(folder, "books")
        if policy == "script":
            continue
        out = run(out, trace, policy + "+schedmate", "--cluster", "5x8",
                  "--workloads", "schedmate", "--schedmate",
                  "llm_gpus=2,threshold=0.8,detection=1", "--attempts",
                  *FAULTS[:-1], "fixed:write_s=20,start_s=30")
        parts = json_of(out)
        time = parts["gpu_time"]
        n = sum(row["final_state"].startswith("EVICTED")
                or "evicted" in row.values()
                for row in rows_of(out, "attempts.csv"))
        evicted += n
        checked = verify(out)
        tap.result(checked.returncode == 0 and time["machine_error"] <= 1e-9
                   and time.get("jobs_error", 0) <= 1e-9
                   and parts["advice"]["questions"] > 0,
                   "%s+schedmate: the books add up (%d evictions)" %
                   (policy, n), (time, checked.stdout))
    tap.result(evicted > 100, "jobs were evicted in these runs", evicted)


def verify(out):
    return schedsim("verify", out)


def samples(rows, names):
    """Returns the number of one row for each module and basis, with and
    without a server."""
    seen = {}
    for number, row in rows:
        key = (row[names.index("module")], row[names.index("server")] == "",
               row[names.index("basis")])
        seen.setdefault(key, []).append(number)
    return [seen[key][len(seen[key]) // 2] for key in sorted(seen)]


def spoil(tap, folder):
    """Checks that verify finds a changed cell, a missing row and two exchanged
    rows, even if the digest fits."""
    out = run(os.path.join(folder, "spoil"), first_jobs(folder, 500),
              "horus+schedmate", "--cluster", "5x8", "--workloads", "schedmate", "--schedmate",
              "llm_gpus=2", *FAULTS)
    tap.result(verify(out).returncode == 0, "verify accepts the result",
               verify(out).stdout)
    with open(os.path.join(out, "advice.csv"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    names = lines[0].split(",")
    cells = [(i, line.split(",")) for i, line in enumerate(lines) if i and line]
    used = samples(cells, names)
    tap.result({lines[i].split(",")[names.index("module")] for i in used} ==
               {"advisor", "tracker", "handler"}, "all modules have asked")
    for fit in (False, True):
        for column, name in enumerate(names):
            missed = []
            for number in used:
                row = lines[number].split(",")
                # The files do not say which of the jobs that share GPUs was the
                # resident.
                if row[column] == "" or (fit and name == "job_id" and
                                         "tracker" in row):
                    continue
                row[column] = spoiled(row[column])
                rewrite(out, "advice.csv", "\n".join(
                    lines[:number] + [",".join(row)] + lines[number + 1:]),
                        fit)
                if verify(out).returncode != 5:
                    missed.append((number, row))
            tap.result(not missed, "verify catches a change of %s%s" % (
                name, " with a new digest" if fit else ""), missed)
    for what, changed in (
            ("a missing row", lines[:5] + lines[6:]),
            ("a missing last row", lines[:-2] + lines[-1:]),
            ("exchanged rows", lines[:5] + [lines[6], lines[5]] + lines[7:])):
        rewrite(out, "advice.csv", "\n".join(changed), True)
        tap.result(verify(out).returncode == 5, "verify catches " + what)


def rehearsal(tap, folder):
    """Checks that `estimate` queries a layer about a job only when the answer
    has come. Job 1 starts at 9 s, because the answer about it takes that long,
    and ends at 14 s. The answer about job 2, which was submitted at 2 s, comes
    at 18 s and rests on job 1."""
    trace = os.path.join(folder, "twice.csv")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("job_id,submitted_unix_s,duration_s,gpus,user,name\n"
                   "1,0,5,1,ann,bert\n2,2,5,1,ann,bert\n")
    done = schedsim("trace", "estimate", trace, "--estimators", "advisor", "--split",
                    "0", "--json", "--schedmate", "fidelity=oracle")
    found = json.loads(done.stdout) if done.returncode == 0 else done.stderr
    tap.result(done.returncode == 0 and found["answered"] == 1
               and found["mae_s"] == 0 and found["below_100"] == 1,
               "estimate waits for answers on their way", found)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        burst(tap, folder)
        most_servers(tap, folder)
        poisson(tap, folder)
        cluster(tap, folder)
        rehearsal(tap, folder)
        books(tap, folder)
        spoil(tap, folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
