# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whose means follow from theory: failures of jobs and nodes, and costs
of checkpoints and restarts. Each function runs the simulator and returns rows
(what, measured, expected, standard error, command).

All jobs are submitted at time 0 to a cluster that has just enough nodes, so
that no job waits for another. Failures of jobs are independent, because each
node fails by itself. So one run is a sample of all its jobs.

Symbols: L failures per second of the job; D the time from a failure until the
job holds GPUs again; R the time to read a checkpoint; w the time to write one;
t the work between two; W all the work of the job."""

import collections
import csv
import json
import math
import os
import subprocess

import measure

DAY, HOUR = 86400.0, 3600.0
Row = collections.namedtuple("Row", "what measured expected error command")


def sigmas(row):
    """Returns how many standard errors the measured value is from the expected
    one."""
    off = abs(row.measured - row.expected)
    return off / row.error if row.error > 0 else math.inf if off else 0.0


def mean_and_error(values):
    n = len(values)
    mean = math.fsum(values) / n
    square = math.fsum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, math.sqrt(square / n)


def completion(rate, work, delay, restart, interval=0.0, write=0.0):
    """Returns the mean time until a job is done (Daly, FGCS 22:3, 2006, from
    the memoryless property of the exponential distribution). interval 0: no
    checkpoints."""
    parts, part = 1.0, work
    if interval:
        parts, part = work / interval, interval + write
    return (parts * (1 / rate + delay) * math.exp(rate * restart)
            * math.expm1(rate * part))


def young(write, mtbf):
    return math.sqrt(2 * write * mtbf)


def daly(write, mtbf):
    root = math.sqrt(write / (2 * mtbf))
    return young(write, mtbf) * (1 + root / 3 + root ** 2 / 9) - write


def best_interval(write, mtbf):
    """Returns the interval at which `completion` is least: the root of x exp(x
    + y) = exp(x + y) - 1 for x = interval / mtbf, y = write / mtbf."""
    low, high, y = 1e-12, 1.0, write / mtbf
    for _ in range(200):
        x = (low + high) / 2
        if x * math.exp(x + y) < math.expm1(x + y):
            low = x
        else:
            high = x
    return low * mtbf


class Lab:
    """Runs the simulator on jobs that it writes into a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.runs = 0
        self.command = ""

    def write_jobs(self, kinds):
        """Writes the trace. `kinds`: (number of jobs, GPUs of each, work of
        each in seconds)."""
        path = os.path.join(self.folder, "jobs.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("submitted_unix_s,duration_s,gpus,job_id\n")
            for count, gpus, work in kinds:
                for i in range(count):
                    file.write("0,%.6f,%d,%dx%d\n" % (work, gpus, gpus, i))
        return path

    def call(self, kinds, options, out=None):
        """Runs the simulator and returns its standard output. `options`: a
        list of strings."""
        trace = self.write_jobs(kinds)
        self.command = "schedsim run jobs.csv " + " ".join(options)
        target = ["--out", out] if out else ["--json"]
        done = subprocess.run(
            [measure.SCHEDSIM, "run", trace, "--quiet", *options, *target],
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4): # 4: the horizon came before the end
            raise measure.Failed("%s: exit status %d: %s" % (
                self.command, done.returncode, done.stderr.strip()))
        return done.stdout

    def summary(self, kinds, options):
        return json.loads(self.call(kinds, options))

    def rows(self, file, kinds, options):
        """Runs the simulator and yields the rows of a file of the result."""
        self.runs += 1
        out = os.path.join(self.folder, "run%d" % self.runs)
        self.call(kinds, options, out)
        with open(os.path.join(out, file), encoding="utf-8",
                  newline="") as text:
            yield from csv.DictReader(text)


def often(mtbf):
    """Returns the option of the rate of faults of a node, from its mean time
    between faults in seconds."""
    return "%.12g" % (1000 * DAY / mtbf)


def faults(mtbf):
    """Returns the option of faults: every node fails, and is repaired at once.
    """
    return "exponential:per_1000_node_days=%s,repair_max_s=0" % often(mtbf)


def retry(delay):
    return "retry:delay_s=%g,sigma=0,attempts=60000" % delay


def options(cluster, mtbf, delay=0.0, overhead="none", seed=1, more=()):
    return ["--cluster", cluster, "--faults", faults(mtbf), "--recovery",
            retry(delay), "--overhead", overhead, "--seed", str(seed), *more]


def mttf_by_size(lab, days=100.0, jobs=64, seed=1):
    """Yields the time that jobs run, divided by their failures, by size of the
    jobs."""
    mtbf, sizes = 10 * DAY, (1, 2, 4, 8, 16)
    kinds = [(jobs, 8 * n, 1e9) for n in sizes]
    held, failed = collections.Counter(), collections.Counter()
    asked = options("%dx8" % (jobs * sum(sizes)), mtbf, seed=seed,
                    more=["--engine", "horizon_s=%.0f" % (days * DAY)])
    for row in lab.rows("attempts.csv", kinds, asked):
        n = int(row["gpus"]) // 8
        held[n] += float(row["execution_time"])
        failed[n] += row["how"] == "failed"
    for n in sizes:
        mttf = held[n] / failed[n] / HOUR
        yield Row("mean time to failure, jobs on %d node%s, h" % (
            n, "s" if n > 1 else ""), mttf, mtbf / n / HOUR,
                  mttf / math.sqrt(failed[n]), lab.command)


def mttf_published(lab, days=1000.0, seed=1):
    """Yields the two checks of Meta's RSC study: the mean time to failure of a
    job on 1,024 GPUs at 21.5 failures per 1000 node-days, and on 16,384 GPUs
    at 6.5."""
    for gpus, rate in ((1024, 21.5), (16384, 6.5)):
        nodes = gpus // 8
        mtbf = 1000 * DAY / rate
        asked = options("%dx8" % nodes, mtbf, seed=seed,
                        more=["--engine", "horizon_s=%.0f" % (days * DAY)])
        held = failed = 0
        for row in lab.rows("attempts.csv", [(1, gpus, 1e9)], asked):
            held += float(row["execution_time"])
            failed += row["how"] == "failed"
        mttf = held / failed / HOUR
        yield Row("mean time to failure, job of %d GPUs, %g failures per 1000 "
                  "node-days, h" % (gpus, rate), mttf, mtbf / nodes / HOUR,
                  mttf / math.sqrt(failed), lab.command)


# (W, D, R, t, w) in seconds; t 0: no checkpoints. A node fails every 1e5 s.
COMPLETIONS = [
    (1e5, 0, 0, 0, 0),
    (2e5, 0, 0, 0, 0),
    (1e5, 10000, 0, 0, 0),
    (1e5, 10000, 5000, 0, 0),
    (999000, 0, 0, 1800, 0),
    (1e6, 0, 0, 20000, 1000),
    (1e6, 10000, 5000, 20000, 1000),
    (1e6, 3000, 600, 50000, 5000),
]


def completions(lab, jobs=10000, seed=1):
    mtbf = 1e5
    for work, delay, restart, interval, write in COMPLETIONS:
        overhead = "fixed:checkpoint_s=%g,write_s=%g,restart_s=%g" % (
            interval, write, restart)
        asked = options("%dx1" % jobs, mtbf, delay, overhead, seed)
        times = [float(row["turnaround_time"])
                 for row in lab.rows("jobs.csv", [(jobs, 1, work)], asked)]
        mean, error = mean_and_error(times)
        words = "W %.0f, D %g, R %g" % (work, delay, restart)
        words += ", t %g, w %g" % (interval, write) if interval else \
            ", no checkpoints"
        yield Row("mean completion, %s, s" % words, mean,
                  completion(1 / mtbf, work, delay, restart, interval, write),
                  error, lab.command)


def solve(matrix, right):
    """Solves a small system of linear equations by Gauss-Jordan elimination."""
    n = len(right)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                f = rows[k][i] / rows[i][i]
                rows[k] = [a - f * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def least_at(points):
    """Returns the minimum of a curve a/x + b + c x + d x^2 that is fitted to
    points by least squares."""
    scale = points[len(points) // 2][0]
    terms = [[scale / x, 1.0, x / scale, (x / scale) ** 2] for x, _ in points]
    gram = [[math.fsum(t[i] * t[j] for t in terms) for j in range(4)]
            for i in range(4)]
    right = [math.fsum(t[i] * y for t, (_, y) in zip(terms, points))
             for i in range(4)]
    a, _, c, d = solve(gram, right)
    low, high = points[0][0] / scale, points[-1][0] / scale
    for _ in range(100): # find where the slope -a/x^2 + c + 2 d x is 0
        x = (low + high) / 2
        if -a / x ** 2 + c + 2 * d * x < 0:
            low = x
        else:
            high = x
    return low * scale


def sweep(lab, write, jobs=2000, seeds=5, points=11):
    """Returns the best interval that was measured, its standard error and a
    command."""
    mtbf, work = 1e5, 1e7
    found = []
    for seed in range(1, seeds + 1):
        curve = []
        for i in range(points):
            factor = 0.4 * 6.25 ** (i / (points - 1)) # from 0.4 to 2.5
            parts = round(work / (young(write, mtbf) * factor))
            asked = options(
                "%dx1" % jobs, mtbf, seed=seed,
                overhead="fixed:checkpoint_s=%.6f,write_s=%g" % (
                    work / parts, write))
            jct = lab.summary([(jobs, 1, work)], asked)["metrics"]["jct_s"]
            curve.append((work / parts, jct["mean"]))
        found.append(least_at(curve))
    best, error = mean_and_error(found) if seeds > 1 else (found[0], 0.0)
    return best, error, lab.command


def intervals(lab, jobs=20, seed=1):
    """Yields the intervals of `interval=young` and `interval=daly`: the time
    to write a checkpoint, divided by the time for writing per time of work."""
    mtbf, write = 1e6, 100.0
    for law, formula in (("young", young), ("daly", daly)):
        for n in (1, 4, 16):
            asked = options("%dx1" % (jobs * n), mtbf, seed=seed,
                            overhead="fixed:interval=%s,write_s=%g" % (
                                law, write))
            work = writing = 0.0
            for row in lab.rows("attempts.csv", [(jobs, n, 1e6)], asked):
                work += float(row["work"])
                writing += float(row["execution_time"]) - float(row["work"])
            yield Row("interval=%s, jobs on %d node%s, s" % (
                law, n, "s" if n > 1 else ""), write * work / writing,
                      formula(write, mtbf / n), 0.001, lab.command)


def availability(lab, nodes=1000, hours=3000, seed=1):
    """Yields the share of the nodes in service in the steady state. Repair is
    lognormal with sigma 0.5. The standard error is that of an alternating
    renewal process with exponential times in service."""
    mtbf, mu, sigma, from_hour = 100.0, 2.0, 0.5, 300
    mttr = math.exp(mu + sigma ** 2 / 2)
    spread = mttr ** 2 * math.expm1(sigma ** 2)
    asked = ["--cluster", "%dx1" % nodes, "--faults",
             "exponential:per_1000_node_days=%s,repair_mu=%g,repair_sigma=%g,"
             "repair_max_s=1e8" % (often(mtbf * HOUR), mu, sigma),
             "--recovery", retry(0), "--overhead", "none", "--seed", str(seed),
             "--engine", "horizon_s=%.0f" % (hours * HOUR),
             "--series", "interval=1800"]
    up = [int(row["gpus_up"]) / nodes
          for row in lab.rows("series.csv", [(1, 1, 1e9)], asked)
          if float(row["time"]) >= from_hour * HOUR]
    variance = (mtbf ** 2 * spread + mttr ** 2 * mtbf ** 2) / (
        (mtbf + mttr) ** 3 * (hours - from_hour) * nodes)
    yield Row("availability, MTBF %g h, MTTR %.4g h" % (mtbf, mttr),
              math.fsum(up) / len(up), mtbf / (mtbf + mttr),
              math.sqrt(variance), lab.command)


def weibull(lab, nodes=2000, seed=1):
    """Yields the mean and the median of the times between the first six faults
    of a kind on one node, which is repaired at once: scale x Gamma(1 + 1/k)
    and scale x (ln 2)^(1/k). Six faults take far less time than the run, so
    none is cut off."""
    for k in (0.7, 1.5):
        asked = ["--cluster", "%dx8" % nodes, "--faults",
                 "hardware:profile=infinitehbd,shape=%g,rate_factor=100,"
                 "repair_factor=0,frailty=off,bursts=off,hidden=0" % k,
                 "--recovery", retry(0), "--overhead", "none",
                 "--seed", str(seed), "--engine", "horizon_s=%.0f" % (200 * DAY)]
        times = collections.defaultdict(dict)
        for row in lab.rows("failures.csv", [(1, 8, 1e9)], asked):
            if row["scope"] == "node":
                times[row["node"]].setdefault(row["fault"], float(row["time"]))
        gaps = []
        for found in times.values():
            at = list(found.values())[:6]
            gaps += [(b - a) / HOUR for a, b in zip(at, at[1:])]
        # The profile has 2.55 node faults per 1000 node-days; rate_factor is
        # 100.
        scale = 1000 * DAY / 255 / HOUR / math.gamma(1 + 1 / k)
        mean, error = mean_and_error(gaps)
        yield Row("mean time between faults, shape %g, h" % k, mean,
                  scale * math.gamma(1 + 1 / k), error, lab.command)
        median = scale * math.log(2) ** (1 / k)
        density = k / median * math.log(2) / 2
        yield Row("median time between faults, shape %g, h" % k,
                  sorted(gaps)[len(gaps) // 2], median,
                  0.5 / math.sqrt(len(gaps)) / density, lab.command)


def ettr_formula(rate, unavailable, interval, write):
    """Returns the ETTR of Meta's RSC study (HPCA 2025). `rate`: failures per
    second of the job, N r_f."""
    return (1 - rate * (unavailable + interval / 2)) / (1 + write / interval)


def ettr(lab, jobs=1000, seed=1):
    """Yields the effective training time ratio, work / time to completion, of
    jobs on 4 nodes, with the expectation by the formula of first order and by
    the exact mean."""
    nodes, mtbf = 4, 1000 * DAY
    work, delay, restart, interval, write = 5000 * DAY, 120, 180, 3600, 10
    rate = nodes / mtbf
    asked = options(
        "%dx1" % (nodes * jobs), mtbf, delay,
        "fixed:checkpoint_s=%g,write_s=%g,restart_s=%g" % (
            interval, write, restart), seed)
    times = [float(row["turnaround_time"])
             for row in lab.rows("jobs.csv", [(jobs, nodes, work)], asked)]
    mean, error = mean_and_error(times)
    exact = completion(rate, work, delay, restart, interval, write)
    for name, expected in (
            ("formula of Meta RSC",
             ettr_formula(rate, delay + restart, interval, write)),
            ("exact", work / exact)):
        yield Row("ETTR, N r_f = 0.004 a day, u0 300 s, dt 3600 s, w 10 s: " +
                  name, work / mean, expected, work * error / mean ** 2,
                  lab.command)


def ettr_llama(lab, seeds=20):
    """Yields the ratio for a job on 16,384 GPUs at 3.8 failures per 1000
    node-days, with a checkpoint every 30 minutes and a restart of 5 minutes,
    as failures of LLaMA-3 were counted."""
    nodes, mtbf, work, interval, restart = 2048, 1000 * DAY / 3.8, 54 * DAY, \
        1800, 300
    times = []
    for seed in range(1, seeds + 1):
        asked = options("%dx8" % nodes, mtbf, overhead="fixed:checkpoint_s=%d,"
                        "restart_s=%d" % (interval, restart), seed=seed)
        jct = lab.summary([(1, 8 * nodes, work)], asked)["metrics"]["jct_s"]
        times.append(jct["mean"])
    mean, error = mean_and_error(times)
    exact = completion(nodes / mtbf, work, 0, restart, interval, 0)
    yield Row("ETTR, 16,384 GPUs, 3.8 failures per 1000 node-days: exact",
              work / mean, work / exact, work * error / mean ** 2, lab.command)
