# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests SchedMate's Failure Handler in whole runs: chains of resubmissions
with known times, false alarms, and properties that must be equal with and
without the handler or under two policies."""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..", "replay"),
                os.path.join(HERE, "..", "llm")]
sys.dont_write_bytecode = True
import server  # noqa: E402
import stand_in  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

# Each time of the handler is fixed: 20 + 5 + 40 + 30 s after the failure.
TIMES = ("detect_s=20,detect_max_s=0,isolate_s=40,isolate_max_s=0,reload_s=30,"
         "handler_latency_s=5,servers=254")
DELAY = 95
PERFECT = "recall=1,precision=1," + TIMES
CHAIN = ((0, 600), (900, 900), (1900, 1200))  # seconds: submission, run time
GAPS = (300, 100)
# Each row comes at the instant at which the one before failed.
SUDDEN, NO_GAPS = ((0, 600), (600, 900), (1500, 1200)), (0, 0)


def read(out, name):
    with open(os.path.join(out, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Lab:
    def __init__(self, folder):
        self.folder = folder
        self.n = 0

    def run(self, trace, *options, verify=True):
        self.n += 1
        out = os.path.join(self.folder, "out%d" % self.n)
        done = subprocess.run(
            [PROGRAM, "run", trace, "--quiet", "--out", out] + list(options),
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise RuntimeError(done.stderr)
        if verify:
            done = subprocess.run([PROGRAM, "verify", out],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stdout + done.stderr)
        return out

    def chains(self, n, chain=CHAIN):
        """Returns a trace of n jobs that each fail twice, for a cluster
        without queues. The causes of the failures are drawn."""
        path = os.path.join(self.folder, "chains%d-%d.csv" % (n, chain[1][0]))
        with open(path, "w", encoding="utf-8") as file:
            file.write("submitted_unix_s,duration_s,gpus,job_id,user,name,"
                       "end\n")
            for i in range(n):
                for k, (at, runs) in enumerate(chain):
                    file.write("%d,%d,64,j%d-%d,u,n%d,%s\n" % (
                        at, runs, i, k, i, "failed" if k < 2 else "completed"))
        return path


def attempts_of(out):
    got = {}
    for row in read(out, "attempts.csv"):
        got.setdefault(row["job_id"], []).append(
            (float(row["starting_time"]), float(row["finish_time"])))
    return got


def failures_of(out):
    got = {}
    for row in read(out, "failures.csv"):
        if row["job_id"]:
            got.setdefault(row["job_id"], []).append(row)
    return got


def chained(tap, lab):
    """Checks that with a perfect handler each failure of the infrastructure
    costs the time of the handler, and each other failure the recorded gap."""
    n = 250
    out = lab.run(lab.chains(n), "--cluster", "2400x8", "--chains", "linked",
                  "--policy", "fifo+handler", "--recovery", "retry",
                  "--schedmate", PERFECT)
    attempts, both, bad = attempts_of(out), 0, []
    for job, rows in failures_of(out).items():
        at, want = 0, []
        for k, (_, runs) in enumerate(CHAIN):
            want.append((at, at + runs))
            if k == 2:
                break
            hardware = rows[k]["kind"] == "infrastructure"
            at += runs + (DELAY if hardware else GAPS[k])
            right = (rows[k]["by"], rows[k]["told"]) == (
                ("handler", "infrastructure") if hardware else ("retry", ""))
            if not right or float(rows[k]["delay"]) != (
                    DELAY if hardware else GAPS[k]):
                bad.append(rows[k])
        both += all(row["kind"] == "infrastructure" for row in rows)
        if want != attempts[job]:
            bad.append((want, attempts[job]))
    tap.result(len(attempts) == n and both > 0 and not bad,
               "chains: failures of the infrastructure are held for the time "
               "of the handler, others for the recorded gap; %d of %d chains "
               "are held for twice its time" % (both, n), bad[:3])


def false_alarms(tap, lab, chain=CHAIN, gaps=GAPS):
    """Checks a handler that takes each failure for one of the infrastructure.
    It restarts jobs that fail again at the same point. Then it leaves such a
    job to the layer below, where the trace has it corrected."""
    trace = lab.chains(20, chain)
    out = lab.run(trace, "--cluster", "400x8", "--chains", "linked",
                  "--policy", "fifo+handler", "--recovery", "retry",
                  "--overhead", "fixed:checkpoint_s=0", "--schedmate",
                  "recall=1,precision=0,restarts=1," + TIMES)
    attempts, user, bad = attempts_of(out), 0, []
    for job, rows in failures_of(out).items():
        at, k, want, lost = 0, 0, [], []
        for row in rows:
            runs = chain[k][1]
            want.append((at, at + runs))
            ours = row["by"] == "handler"
            again = ours and row["kind"] != "infrastructure"
            lost.append(runs if again else 0)
            at += runs + (DELAY if ours else gaps[k])
            k += not again
        want.append((at, at + chain[k][1]))
        said = [row["by"] for row in rows]
        if (want != attempts[job] or k != 2
                or lost != [float(row["lost"]) for row in rows]):
            bad.append((want, attempts[job], said))
        if all(row["kind"] != "infrastructure" for row in rows):
            user += said == ["handler", "retry"] * 2
    tap.result(user > 5 and not bad,
               "a false alarm repeats the failure once, then a person decides "
               "(%d jobs)" % user, bad[:3])
    out = lab.run(trace, "--cluster", "400x8", "--chains", "linked",
                  "--policy", "fifo+handler", "--recovery", "retry",
                  "--overhead", "fixed:checkpoint_s=0", "--schedmate",
                  "recall=1,precision=0," + TIMES)
    said = [[row["by"] for row in rows] for rows in failures_of(out).values()
            if all(row["kind"] != "infrastructure" for row in rows)]
    tap.result(len(said) > 5 and all(
        words == (["handler"] * 3 + ["retry"]) * 2 for words in said),
               "the default is three repetitions", said[:2])


def sudden_false_alarms(tap, lab):
    """The same, of jobs that are submitted again at the instant of the failure."""
    false_alarms(tap, lab, SUDDEN, NO_GAPS)


def slow_false_alarms(tap, lab):
    """Checks that restarts are also limited if a failure takes longer than
    again_s to occur again, because the job makes no progress."""
    path = os.path.join(lab.folder, "slow.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,user,name,end\n")
        for i in range(60):
            file.write("0,8000,1,a%d,u,n%d,failed\n"
                       "8100,100,1,b%d,u,n%d,completed\n" % (i, i, i, i))
    out = lab.run(path, "--cluster", "100x8", "--chains", "linked",
                  "--policy", "fifo+handler", "--recovery", "retry",
                  "--overhead", "fixed:checkpoint_s=0", "--schedmate",
                  "recall=1,precision=0," + TIMES)
    said = [[row["by"] for row in rows] for rows in failures_of(out).values()
            if rows[0]["kind"] != "infrastructure"]
    tap.result(len(said) > 5 and all(
        words == ["handler"] * 3 + ["retry"] for words in said),
               "a slow failure is repeated three times too", said[:3])


BUSY = ["--jobs", "1000", "--cluster", "24x8", "--seed", "7", "--faults",
        "exponential:per_1000_node_days=700,repair_mu=0", "--overhead",
        "fixed:interval=daly,write_s=60"]


def venus():
    return os.path.join(ROOT, "traces", "samples", "venus.csv")


def intervals(out):
    return sorted((row["job_id"], row["starting_time"], row["finish_time"],
                   row["allocated_resources"])
                  for row in read(out, "attempts.csv"))


def without_recall(tap, lab):
    """Checks that a handler that recognises nothing changes nothing."""
    for policy in ("fifo", "lucid"):
        plain = lab.run(venus(), *BUSY, "--policy", policy, "--recovery",
                        "person")
        blind = lab.run(venus(), *BUSY, "--policy", policy + "+handler",
                        "--recovery", "person", "--schedmate", "recall=0")
        same = intervals(plain) == intervals(blind)
        rows = read(blind, "failures.csv")
        tap.result(same and len(rows) > 20
                   and read(plain, "failures.csv") == rows,
                   policy + ": recall 0 changes no attempt and no failure")


def keyed(tap, lab):
    """Checks that the n-th failure of a job is recognised under all policies
    or under none, and that its detection takes the same time."""
    got = []
    for policy in ("fifo", "lucid"):
        out = lab.run(venus(), *BUSY, "--policy", policy + "+handler",
                      "--recovery", "person", "--schedmate",
                      "again_s=0,servers=254")
        got.append({(job, row["failures"]): row["by"] == "handler"
                    and (row["detected"], row["told"], row["verdict"])
                    for job, rows in failures_of(out).items()
                    for row in rows})
    both = set(got[0]) & set(got[1])
    differ = [key for key in both if got[0][key] != got[1][key]]
    handled = sum(bool(got[0][key]) for key in both)
    tap.result(0 < handled < len(both) and not differ,
               "rulings are the same under fifo and lucid: %d of %d failures "
               "are handled" % (handled, len(both)), differ[:5])


def user_failures(tap, lab):
    """Checks that a failure of the job's own takes as long as without a
    handler."""
    trace = lab.chains(50)
    common = ["--cluster", "400x8", "--chains", "linked", "--recovery",
              "person"]
    plain = failures_of(lab.run(trace, *common, "--policy", "fifo"))
    ours = failures_of(lab.run(trace, *common, "--policy", "fifo+handler",
                               "--schedmate", PERFECT))
    users, bad = 0, []
    for job, rows in plain.items():
        for a, b in zip(rows, ours[job]):
            if a["kind"] == "infrastructure":
                continue
            users += 1
            if (a["delay"], a["by"]) != (b["delay"], b["by"]):
                bad.append((a, b))
    tap.result(users > 50 and not bad,
               "failures of %d jobs' own go to a person, who needs as long as "
               "without a handler" % users, bad[:2])


STYLES = ("torch-imagenet", "hf-trainer", "deepspeed", "megatron", "lightning",
          "nanogpt", "fairseq", "keras", "mmengine", "paddle")


def with_logs(folder):
    """Writes a trace whose jobs leave logs; half of them fail once by
    themselves."""
    path = os.path.join(folder, "logs.csv")
    with open(path, "w", encoding="utf-8") as trace, open(
            path.replace(".csv", ".evidence.csv"), "w",
            encoding="utf-8") as side:
        trace.write("submitted_unix_s,duration_s,gpus,job_id,user,name,end\n")
        side.write("job_id,log_style,step_s,start_s,steps,steps_per_epoch,"
                   "log_every,batch_size,step_time\n")
        for i in range(60):
            row = "%d,%d,16,%s,u%d,n%d,%s\n"
            if i % 2:
                trace.write(row % (i * 100, 600, "f%d" % i, i % 5, i, "failed"))
            trace.write(row % (i * 100 + i % 2 * 1000, 36000, "j%d" % i,
                               i % 5, i, "completed"))
            side.write("%s%d,%s,0.5,10,100000,1000,50,256,1\n" % (
                "f" if i % 2 else "j", i, STYLES[i % len(STYLES)]))
    return path


LOGS = ["--cluster", "150x8", "--seed", "3", "--chains", "linked", "--policy",
        "fifo+handler", "--recovery", "person", "--faults",
        "hardware:profile=acme,rate_factor=120,hidden=0.5", "--schedmate"]


def replayed(tap, lab):
    """Checks the live module on logs that the simulation writes."""
    trace = with_logs(lab.folder)
    settings = "fidelity=replay,servers=4,handler="
    calm, hostile = (lab.run(trace, *LOGS, settings + "locator" + words)
                     for words in ("", ",hostile=true"))
    tap.result(read(calm, "failures.csv") == read(hostile, "failures.csv"),
               "instructions in logs change no ruling")
    for method, least, most in (("locator", 0.8, 0.1),
                                ("last-lines", 0.6, 0.2), ("rcacopilot", 0, 1)):
        out = lab.run(trace, *LOGS, settings + method)
        again = calm if method == "locator" else out
        rows = [row for rows in failures_of(out).values() for row in rows]
        infra = [row for row in rows if row["kind"] == "infrastructure"]
        users = [row for row in rows if row["kind"] != "infrastructure"]
        ours = [row for row in rows if row["by"] == "handler"]
        found = sum(row in ours for row in infra) / len(infra)
        alarms = sum(row in ours for row in users) / len(users)
        suspects = [row for row in ours if row["suspect"] and row["node"]]
        right = sum(row["suspect"] == row["node"] for row in suspects)
        tap.result(len(infra) > 15 and len(users) > 15 and found >= least
                   and alarms <= most
                   and (method == "rcacopilot" or right / len(suspects) > 0.5)
                   and {row["by"] for row in rows} <= {"handler", "person"}
                   and all(read(out, name) == read(again, name)
                           for name in ("attempts.csv", "failures.csv")),
                   "replay, %s: %d of %d failures of the infrastructure and "
                   "%d of %d others are taken for one; %d of %d suspects are "
                   "right" % (method, found * len(infra), len(infra),
                              alarms * len(users), len(users), right,
                              len(suspects)))


def models(tap, lab):
    """Checks a model that judges the logs, a recording of this model, and an
    empty recording."""
    trace, kind = with_logs(lab.folder), "fidelity=replay,servers=4"
    tape = os.path.join(lab.folder, "tape.jsonl")
    served = server.serve(stand_in.Handler)
    http = "http:base_url=http://127.0.0.1:%d/v1,model=stand-in" % \
        served.server_port
    asked = lab.run(trace, *LOGS, kind, "--llm", http, "--llm-recording", tape)
    served.shutdown()
    again = lab.run(trace, *LOGS, kind, "--llm",
                    "replay:model=stand-in,file=" + tape)
    rows = [row for rows in failures_of(again).values() for row in rows]
    ours = sum(row["by"] == "handler" for row in rows)
    same = all(read(asked, name) == read(again, name)
               for name in ("attempts.csv", "failures.csv", "advice.csv"))
    tap.result(same and ours > 15, "a model reads the logs, and a replay reads "
               "as it did", (same, ours, len(rows)))
    open(tape, "w", encoding="utf-8").close()
    blind = lab.run(trace, *LOGS, kind, "--llm",
                    "replay:model=stand-in,file=" + tape)
    rows = [row for rows in failures_of(blind).values() for row in rows]
    alone = sum(row["by"] == "handler" for row in rows)
    tap.result(0 < alone <= ours, "a model without an answer leaves what the "
               "rules find by strong signatures", (alone, ours, len(rows)))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(folder)
        for test in (chained, false_alarms, sudden_false_alarms, slow_false_alarms,
                     without_recall, keyed, user_failures, replayed, models):
            test(tap, lab)
    sys.exit(tap.exit_status())


main()
