# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the reasons that `explain` gives for waits against a naive recount. It
reads the files of a result and, for each stretch of time without a change,
counts the free GPUs of each node again and applies the rules of
docs/capacity.md one by one. Times are whole microseconds, and must be equal."""
import bisect
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..",
                                                           "shared")
WAITS = 130  # waits that are recounted in each result


def micro(text):
    """Returns exact microseconds of a decimal number of seconds."""
    whole, _, part = text.partition(".")
    return int(whole) * 10**6 + int(part.ljust(6, "0") or 0)


def numbers(cell):
    for word in cell.split():
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)


def rows_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Stay:
    def __init__(self, job, start, end, gpus, profiling, how):
        self.job, self.start, self.end = job, start, end
        self.gpus, self.profiling, self.how = gpus, profiling, how


class Wait:
    def __init__(self, job, since, free, until, profiling):
        self.job, self.since, self.free, self.until = job, since, free, until
        self.profiling = profiling


class Result:
    """A result directory, as its files describe it."""

    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json"),
                  encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.end = micro(str(self.manifest["end_s"]))
        self.nodes, self.node_of = [], []
        for group in self.manifest["cluster"]["groups"]:
            for _ in range(group["nodes"]):
                self.node_of += [len(self.nodes)] * group["gpus"]
                self.nodes.append(group)
        self.jobs = rows_of(folder, "jobs.csv")
        self.stays = collections.defaultdict(list)
        self.read_stays(folder)
        self.waits = [wait for i in range(len(self.jobs))
                      for wait in self.waits_of(i)]
        self.policy = self.manifest["policy"].split("+")[0]
        self.find_rounds()

    def read_stays(self, folder):
        rows = rows_of(folder, "attempts.csv")
        released = {}
        for row in rows_of(folder, "failures.csv"):
            if row["job_id"] and row["delay"]:
                released[row["job_id"], int(row["attempt"])] = (
                    micro(row["time"]) + micro(row["delay"]))
        place = {job["job_id"]: i for i, job in enumerate(self.jobs)}
        self.released = {}
        for row in rows or self.jobs:
            if not row["starting_time"]:
                continue
            i = place[row["job_id"]]
            self.stays[i].append(Stay(
                i, micro(row["starting_time"]), micro(row["finish_time"]),
                list(numbers(row["allocated_resources"])),
                row.get("profiling") == "1", row.get("how", "finished")))
            key = row["job_id"], len(self.stays[i])
            if key in released:
                self.released[i, len(self.stays[i])] = released[key]

    def waits_of(self, i):
        job = self.jobs[i]
        since = micro(job["submission_time"])
        last = micro(job["finish_time"]) if job["finish_time"] else self.end
        for k, stay in enumerate(self.stays[i] + [None]):
            until = stay.start if stay else max(last, since)
            free = min(max(self.released.get((i, k), 0), since), until)
            yield Wait(i, since, free, until, bool(stay and stay.profiling))
            since = stay.end if stay else since

    def find_rounds(self):
        length = self.manifest["configuration"].get(
            "policy " + self.policy, {}).get("round_s", "0")
        self.round = micro(length)
        starts = {stay.start % self.round for stays in self.stays.values()
                  for stay in stays if not stay.profiling} if self.round else {}
        if len(starts) != 1:
            self.round = 0
        self.phase = min(starts, default=0)

    def next_round(self, at):
        if not self.round:
            return at
        return at + (self.phase - at) % self.round


class Moment:
    """A stretch of time in which nothing changes: who holds each GPU, which
    nodes can be used, which jobs wait for the policy."""

    def __init__(self, result, start, end, stays, down, lent, waits):
        self.result, self.start, self.end = result, start, end
        self.holders = collections.defaultdict(list)
        for stay in stays:
            for gpu in stay.gpus:
                self.holders[gpu].append(stay.job)
        self.usable = [i not in down | lent and not node["profiler"]
                       for i, node in enumerate(result.nodes)]
        self.lent = lent - down
        self.free = [0] * len(result.nodes)
        for gpu, node in enumerate(result.node_of):
            self.free[node] += gpu not in self.holders
        self.waits = waits
        self.fits = {}

    def pools(self, job):
        """Yields the nodes that a job may use, by type."""
        types = collections.defaultdict(list)
        for i, node in enumerate(self.result.nodes):
            if node["vc"] == job["vc"] and not node["profiler"] and (
                    job["gpu_type"] in ("", node["type"])):
                types[node["type"]].append(i)
        return types.values()

    def places(self, nodes, need):
        """Tells whether the placer finds room."""
        usable = [i for i in nodes if self.usable[i]]
        if sum(self.free[i] for i in usable) < need:
            return False
        if self.result.manifest["placer"] != "consolidate":
            return True
        width = {i: self.result.nodes[i]["gpus"] for i in nodes}
        left, taken = set(nodes), 0
        while need > max((width[i] for i in left), default=0) or (
                taken and need and need == max(width[i] for i in left)):
            idle = [i for i in usable if i in left
                    and self.free[i] == width[i]]
            if not idle:
                return False
            widest = max(idle, key=lambda i: width[i])
            left.remove(widest)
            need -= width[widest]
            taken += 1
        return not need or any(self.free[i] >= need
                               for i in usable if i in left)

    def width(self, node):
        return self.result.nodes[node]["gpus"]

    def ours(self, nodes, need):
        """Returns the nodes whose GPUs count: lent ones if the job needs
        them."""
        ours = {i for i in nodes if self.usable[i]}
        if sum(self.width(i) for i in ours) < need:
            ours |= {i for i in nodes if i in self.lent}
        return ours

    def fit(self, job):
        """Returns how far a job is from a start, and its pools."""
        key = job["vc"], job["gpu_type"], job["requested_number_of_resources"]
        if key not in self.fits:
            need, best, pools = int(key[2]), 0, list(self.pools(job))
            for nodes in pools:
                usable = [i for i in nodes if self.usable[i]]
                if self.places(nodes, need):
                    best = 3
                elif sum(self.free[i] for i in usable) >= need:
                    best = max(best, 2)
                else:
                    ours = self.ours(nodes, need)
                    if sum(self.width(i) for i in usable) < need <= sum(
                            self.free[i] for i in ours):
                        best = max(best, 1.5)
                    elif sum(self.width(i) for i in ours) >= need:
                        best = max(best, 1)
            self.fits[key] = best, pools
        return self.fits[key]

    def turn(self, wait):
        return (wait.free if self.result.policy == "backfill"
                else wait.until), wait.job, wait.since

    def reason(self, wait, placed_since):
        result, job = self.result, self.result.jobs[wait.job]
        need = int(job["requested_number_of_resources"])
        fit, pools = self.fit(job)
        if fit == 0:
            return "nodes-out"
        if fit == 3:
            if self.start < result.next_round(max(placed_since, wait.free)):
                return "between-rounds"
            if any(self.turn(other) < self.turn(wait) for other in self.waits
                   if result.jobs[other.job]["vc"] == job["vc"]
                   and self.fit(result.jobs[other.job])[0] < 3):
                return ("reserved-for" if result.policy == "backfill"
                        else "blocked-by")
            return "passed-over"
        if fit in (1.5, 2):
            return "fragmented" if fit == 2 else "nodes-lent"
        for nodes in pools:
            ours = self.ours(nodes, need)
            if sum(result.nodes[i]["gpus"] for i in ours) >= need and sum(
                    all(who > wait.job for who in self.holders.get(gpu, []))
                    for gpu, node in enumerate(result.node_of)
                    if node in ours) >= need:
                return "overtaken"
        others = sum(self.free[i] for i, node in enumerate(result.nodes)
                     if self.usable[i] and node["vc"] != job["vc"]
                     and job["gpu_type"] in ("", node["type"]))
        return "quota" if others >= need else "too-few-gpus"


def moments(result):
    """Cuts the run wherever anything changes."""
    stays = [stay for all_stays in result.stays.values() for stay in all_stays
             if not stay.profiling and stay.end > stay.start]
    waits = [wait for wait in result.waits
             if not wait.profiling and wait.until > wait.free]
    changes = [(micro(str(at)), node, kind) for at, node, kind, *_
               in result.manifest["cluster"]["changes"]]
    edges = {at for at, _, _ in changes}
    starts, ends = (collections.defaultdict(list) for _ in range(2))
    for part in stays:
        starts[part.start].append(part)
        ends[part.end].append(part)
    for part in waits:
        starts[part.free].append(part)
        ends[part.until].append(part)
        edges.add(result.next_round(part.free))
    edges |= set(starts) | set(ends)
    if result.round:  # rounds that follow a change
        edges |= {result.next_round(at) for at in edges}
    edges = sorted(edges)
    now, down, lent = set(), set(), set()
    for start, end in zip(edges, edges[1:]):
        now.difference_update(ends[start])
        now.update(part for part in starts[start])
        for at, node, kind in changes:
            if at == start:
                {"down": down.add, "up": down.discard, "lent": lent.add,
                 "back": lent.discard}[kind](node)
        yield Moment(result, start, end,
                     [part for part in now if isinstance(part, Stay)],
                     set(down), set(lent),
                     [part for part in now if isinstance(part, Wait)])


def recount(result, chosen):
    """Returns microseconds by reason of each chosen wait."""
    line = list(moments(result))
    starts = [moment.start for moment in line]
    # when a placement of the jobs of a size began to exist
    since = []
    last = {}
    sizes = {(j["vc"], j["gpu_type"], j["requested_number_of_resources"]): j
             for j in result.jobs} if result.round else {}
    for moment in line:
        for key, job in sizes.items():
            if moment.fit(job)[0] < 3:
                last.pop(key, None)
            else:
                last.setdefault(key, moment.start)
        since.append(dict(last))
    for wait in chosen:
        job = result.jobs[wait.job]
        key = job["vc"], job["gpu_type"], job["requested_number_of_resources"]
        spans = collections.Counter()
        if wait.free > wait.since:
            spans["held-back"] = wait.free - wait.since
        if wait.profiling:
            spans["profiler-busy"] = wait.until - wait.free
        else:
            at = bisect.bisect_left(starts, wait.free)
            while at < len(line) and line[at].start < wait.until:
                moment = line[at]
                spans[moment.reason(wait, since[at].get(key, 0))] += (
                    moment.end - moment.start)
                at += 1
        yield {code: span for code, span in spans.items() if span}


CASES = [
    # name, trace, options
    ("fifo", "itp.csv", ["-c", "8x8", "--jobs", "600"]),
    ("fjf", "itp.csv", ["-c", "8x8", "-p", "fjf", "--jobs", "600"]),
    ("backfill", "itp.csv", ["-c", "8x8", "-p", "backfill", "--jobs", "600"]),
    ("srtf", "itp.csv", ["-c", "8x8", "-p", "srtf", "--jobs", "600"]),
    ("tiresias", "itp.csv", ["-c", "8x8", "-p", "tiresias", "--jobs", "600"]),
    ("lucid", "itp.csv", ["-c", "8x8", "-p", "lucid", "--jobs", "600"]),
    ("lucid, lent nodes", "sia.csv", ["-c", "4x4", "-p", "lucid"]),
    ("rounds", "itp.csv", ["-c", "8x8", "-p", "gavel-las", "--jobs", "300"]),
    ("virtual clusters", "venus.csv", ["--jobs", "900"]),
    ("spread", "itp.csv", ["-c", "8x8", "-p", "sjf", "--placer",
                          "spread", "--jobs", "600"]),
    ("two widths, nodes out", "itp.csv",
     ["-c", "6x8+4x4", "-p", "backfill", "--jobs", "400", "--what-if",
      "-3 nodes of 8xGPU from day 4 until day 8"]),
    ("failures", "native.csv",
     ["-c", "8x8", "--jobs", "300", "--faults",
      "exponential:per_1000_node_days=1200,repair_mu=0", "--recovery",
      "person:attempts=1000"]),
]


def differ(out, jobs):
    """Returns the first of the jobs with the longest delays of which `explain`
    says something else when it is asked for few jobs than when it is asked for
    all; None: all are equal."""
    told = subprocess.run([PROGRAM, "explain", out, "--worst", "9", "--json"],
                          capture_output=True, text=True, check=False)
    all_jobs = {job["job"]: job for job in jobs}
    for job in json.loads(told.stdout)["jobs"]:
        for event in job["events"]: # who was to blame is told of few jobs
            for key in ("later_jobs", "held_gpu_h", "holders", "holding_jobs",
                        "blocked_by"):
                event.pop(key, None)
        if job != all_jobs[job["job"]]:
            return job, all_jobs[job["job"]]
    return None


def check(tap, folder, name, trace, options):
    """Runs a trace and recounts the longest waits and others at equal steps.
    Returns the number of waits that were recounted."""
    out = os.path.join(folder, name)
    done = subprocess.run([PROGRAM, "run", trace, *options, "-q", "-o", out],
                          capture_output=True, text=True, check=False)
    told = subprocess.run([PROGRAM, "explain", out, "--all", "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4) or told.returncode:
        tap.result(False, "explain: " + name, done.stderr + told.stderr)
        return 0
    jobs = json.loads(told.stdout)["jobs"]
    tap.result(not (other := differ(out, jobs)),
               "explain: %s: few jobs as all" % name, other)
    answers = {(i, micro("%.6f" % event["from_s"])): event["reasons"]
               for i, job in enumerate(jobs) for event in job["events"]
               if event["event"].startswith("waits")}
    result = Result(out)
    waits = sorted((wait for wait in result.waits if wait.until > wait.since),
                   key=lambda wait: wait.since - wait.until)
    half = WAITS // 2
    chosen = waits[:half]
    chosen += waits[half::max(1, (len(waits) - half) // half)]
    wrong, sums = [], collections.Counter()
    for wait, want in zip(chosen, recount(result, chosen)):
        got = answers.get((wait.job, wait.since), {})
        got = {code: micro("%.6f" % span) for code, span in got.items()}
        sums.update(want)
        if got != want or sum(got.values()) != wait.until - wait.since:
            wrong.append((jobs[wait.job]["job"], wait.since, got, want))
    tap.result(chosen and len(answers) == len(waits) and not wrong,
               "explain: %s: %d waits, %s" % (name, len(chosen), ", ".join(
                   "%s %.0f h" % (code, span / 3.6e9)
                   for code, span in sorted(sums.items()))),
               "%d of %d differ: %s" % (len(wrong), len(chosen), wrong[:3]))
    return len(chosen)


def words(tap, folder):
    """Checks what a user reads: a job whose 8 GPUs lay on two nodes, the top
    holders, and the nearest ids if a job does not exist."""
    out = os.path.join(folder, "words")
    subprocess.run([PROGRAM, "run", os.path.join(
        ROOT, "traces", "samples", "venus.csv"), "-q", "-o", out], check=True)
    told = [subprocess.run([PROGRAM, "explain", out, "--job", job],
                           capture_output=True, text=True, check=False)
            for job in ("2928", "1000_0")]
    tap.result("fragmented 4.15 d: " in told[0].stdout
               and "users u160 (1 job, 53 %), u124 (1 job, 27 %), u47 (5 jobs"
               in told[0].stdout, "explain: a fragmented job of venus",
               told[0].stdout)
    tap.result(told[1].returncode == 2 and "has no job '1000_0'; nearest: "
               "'1000'" in told[1].stderr, "explain: nearest ids",
               told[1].stderr)


def main():
    tap = Tap()
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        words(tap, folder)
        for name, trace, options in CASES:
            path = os.path.join(ROOT, "traces", "samples", trace)
            total += check(tap, folder, name, path, options)
        tap.result(total >= 1000, "at least 1,000 waits were recounted", total)
        shared = os.path.join(SHARED, "traces", "itp", "cluster08.csv.gz")
        if os.path.exists(shared):
            check(tap, folder, "a shared trace", shared,
                  ["-c", "14x8", "-p", "srtf", "--jobs", "400"])
        else:
            tap.skip("explain: a shared trace", "it is not here")
    sys.exit(tap.exit_status())


main()
