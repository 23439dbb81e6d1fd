# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests hostile input and a hostile file system: each case must end within
seconds with the documented exit status, one line on stderr, and no
half-written result."""
import gzip
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

HEAD = "submitted_unix_s,duration_s,gpus,job_id,vc,end\n"
# Limit of a run, s. Sanitizers make a program several times slower, so
# FAULT_LIMIT_S can raise the limit.
LIMIT_S = float(os.environ.get("FAULT_LIMIT_S", "5"))


def row(at="0", runs="10", gpus="1", name="a", vc="", end="completed"):
    return ",".join([at, runs, gpus, name, vc, end]) + "\n"


# (name, text or bytes of the trace, expected exit statuses)
TRACES = [
    ("one row", HEAD + row(), {0}),
    ("a job without length", HEAD + row(runs="0"), {0}),
    ("all at one time", HEAD + "".join(
        row(name="j%d" % i) for i in range(500)), {0}),
    ("unsorted rows", HEAD + row("90", name="a") + row("5", name="b"), {0}),
    ("the same id twice", HEAD + row() + row("1"), {0}),
    ("windows line ends", (HEAD + row()).replace("\n", "\r\n"), {0}),
    ("a byte-order mark", "\ufeff" + HEAD + row(), {0}),
    ("a newline in quotes", HEAD + row(vc='"a\nb"'), {0, 3}),
    ("no newline at the end", (HEAD + row()).rstrip("\n"), {0}),
    ("a job larger than the cluster", HEAD + row(gpus="9"), {4}),
    ("an empty file", "", {3}),
    ("a header and nothing else", HEAD, {3}),
    ("half a GPU", HEAD + row(gpus="0.5"), {3}),
    ("a negative number of GPUs", HEAD + row(gpus="-1"), {3}),
    ("NaN GPUs", HEAD + row(gpus="nan"), {3}),
    ("too many GPUs to count", HEAD + row(gpus="99999999999"), {3}),
    # pandas writes NaN for an unknown run time: such rows are dropped and
    # counted
    ("a run time of NaN", HEAD + row(runs="NaN") + row(name="b"), {0}),
    ("an infinite run time", HEAD + row(runs="inf"), {3}),
    ("a run time beyond the clock", HEAD + row(runs="1e300"), {3}),
    ("a negative run time", HEAD + row(runs="-1") + row(name="b"), {0}),
    ("a submission that is no number", HEAD + row(at="soon"), {3}),
    ("a quote that never closes", HEAD + '0,10,1,"a\n' + row(), {3}),
    ("too few cells", HEAD + "0,10\n", {3}),
    ("a missing column", "submitted_unix_s,gpus\n0,1\n", {3}),
    ("a binary file", bytes(range(256)) * 64, {3}),
    ("zero bytes", b"\0" * 4096, {3}),
    ("a line of a megabyte", HEAD + "0,10,1," + "x" * (1 << 20) + ",,\n",
     {0, 3}),
    ("truncated JSON", '[{"status": "Pass", "vc": "a", "jobid": "x", "attem',
     {3}),
    ("JSON nested without end", "[" * 100000, {3}),
    ("truncated gzip", gzip.compress((HEAD + row() * 5000).encode())[:-40],
     {3}),
    ("gzip with a wrong checksum",
     gzip.compress((HEAD + row()).encode())[:-8] + b"\0" * 8, {3}),
]


def run(args, **kwargs):
    try:
        return subprocess.run([PROGRAM, "run"] + args, capture_output=True,
                              text=True, errors="replace", timeout=LIMIT_S,
                              check=False, **kwargs)
    except subprocess.TimeoutExpired:
        return None


def check(tap, name, done, statuses):
    if done is None:
        tap.result(False, name, "did not end in %g s" % LIMIT_S)
        return
    good = done.returncode in statuses
    words = done.stderr.strip().splitlines()
    if done.returncode:
        # one line says what is wrong, and it is not from a sanitizer
        good = good and len(words) == 1 and words[0].startswith("schedsim: ")
    tap.result(good, name, "exit status %d, expected %s\n%s" % (
        done.returncode, sorted(statuses), done.stderr))


def traces(tap, work):
    for name, text, statuses in TRACES:
        path = os.path.join(work, "trace")
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        check(tap, "trace: " + name,
              run([path, "--cluster", "1x8", "--quiet"]), statuses)
        os.unlink(path)


# Files of settings that somebody else may have written, and how to read each.
NODE = '{"nodes": [{"gpus": 8}]'
SETTINGS = {
    "cluster": (["run", "good.csv", "--quiet", "--cluster"], [
        '{"nodes": [{"count": 1e18, "gpus": 8}]}',
        '{"nodes": [{"count": 100000000, "gpus": 8}]}',
        '{"nodes": [{"count": -1, "gpus": 8}]}',
        '{"nodes": [{"gpus": 1e999}]}',
        '{"nodes": [%s]}' % ",".join(['{"gpus": 8, "count": 99999}'] * 9999),
        NODE + ', "changes": [{"at_s": 1e300, "node": 0, "up": false}]}',
        NODE + ', "changes": [{"at_s": 1, "node": 9, "up": false}]}',
        NODE + ', "queues": [{"vc": "x", "nominal": 1e18}]}',
        NODE + ', "cohorts": %s}' % ("[" * 5000),
        NODE + ', "types": [{"name": "A", "speed": 1e-300}]}']),
    "state": (["when"], [
        '{"schedsim_state": 1, "now": 1e300, "nodes": [], "jobs": []}',
        '{"schedsim_state": 1e18}']),
    "grid": (["sweep"], ['{"traces": ["good.csv"], "seeds": 1e18}',
                         '{"traces": ["good.csv"], "policies": {}}']),
    "gate": (["gate"], ['{"runs": 7}', '{"seeds": 1e18}']),
    "configuration": (["run", "good.csv", "--cluster", "1x8", "--config"],
                      ['{"provenance": {"options": {"policy": ["fifo"]}}}',
                       '{"provenance": {"options": {"seed": 1e999}}}']),
}
NO_JSON = ["", "[" * 100000, '{"nodes":' * 50000, "\0" * 4096, "[1e999]", "7",
           '{"a": "\\ud800"}', '{"a": 1, "a": 2}', "{} {}",
           '"' + "x" * (1 << 20) + '"']


def settings(tap, work):
    for kind, (command, more) in SETTINGS.items():
        bad = ""
        for text in NO_JSON + more:
            with open(os.path.join(work, "bad.json"), "w") as file:
                file.write(text)
            try:
                done = subprocess.run(
                    [PROGRAM, *command, "bad.json"], cwd=work, text=True,
                    capture_output=True, errors="replace", timeout=LIMIT_S,
                    check=False)
                good = done.returncode in (2, 3) and \
                    done.stderr.count("\n") == 1 and len(done.stderr) < 1000
                wrong = "%d %s" % (done.returncode, done.stderr[:300])
            except subprocess.TimeoutExpired:
                good, wrong = False, "no end\n"
            if not good:
                bad += "%s: %s" % (text[:60], wrong)
        os.unlink(os.path.join(work, "bad.json"))
        left = set(os.listdir(work)) - {"good.csv", "trace.csv"}
        tap.result(not bad and not left, "a hostile %s" % kind,
                   bad + str(left))


def virtual_clusters(tap, work):
    path = os.path.join(work, "trace.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + row(vc="a", gpus="3") + row(name="b", vc="b"))
    check(tap, "a job larger than its virtual cluster",
          run([path, "--cluster", "a=1x2,b=1x8", "--quiet"]), {4})
    check(tap, "a virtual cluster without jobs",
          run([path, "--cluster", "a=1x4,b=1x8,c=1x8", "--quiet"]), {0})
    # jobs of the missing virtual cluster are dropped and counted
    check(tap, "a virtual cluster that is not there",
          run([path, "--cluster", "a=1x4,c=1x8", "--quiet"]), {0})


def places(tap, work):
    trace = os.path.join(work, "good.csv")
    with open(trace, "w", encoding="utf-8") as file:
        file.write(HEAD + row())
    plain = [trace, "--cluster", "1x8", "--quiet"]
    check(tap, "the trace is a directory",
          run([work, "--cluster", "1x8", "--quiet"]), {3})
    check(tap, "the trace is not there",
          run([os.path.join(work, "no"), "--cluster", "1x8"]), {1, 3})
    check(tap, "the cluster is not there",
          run([trace, "--cluster", "no.json", "--quiet"]), {2, 3})
    check(tap, "no such policy", run(plain + ["--policy", "fif"]), {2})
    check(tap, "no such option of a policy",
          run(plain + ["--policy", "sjf:skp=true"]), {2})
    os.symlink("loop", os.path.join(work, "loop"))
    check(tap, "--out below a file",
          run(plain + ["--out", os.path.join(trace, "x")]), {1, 2})
    check(tap, "--out below a link to itself",
          run(plain + ["--out", os.path.join(work, "loop", "x")]), {1, 2})
    os.unlink(os.path.join(work, "loop"))
    left = os.listdir(work)
    tap.result(left == ["good.csv"] or sorted(left) == ["good.csv",
                                                        "trace.csv"],
               "a run that failed leaves nothing behind", left)


# Recovery rules and overheads under which jobs fail without end.
STORMS = [
    ("no recovery", []),
    ("retry at once", ["--recovery", "retry:delay_s=0,sigma=0,attempts=60000"]),
    ("retry after a minute", ["--recovery",
                              "retry:delay_s=60,attempts=60000"]),
    ("retry from the beginning, repair at once",
     ["--recovery", "retry:delay_s=0,sigma=0,attempts=60000,resume=false"]),
]


def storms(tap):
    """Runs with a fault of each node every 86 s. The run must end at a limit,
    before memory is used up."""
    for name, rule in STORMS:
        repair = ",repair_max_s=0" if "repair" in name else ""
        for sample in ("venus.csv", "seren.csv", "kalos.csv"):
            trace = os.path.join(ROOT, "traces", "samples", sample)
            check(tap, "a storm of faults, %s: %s" % (sample, name),
                  run([trace, "--cluster", "64x8", "--quiet", "--faults",
                       "exponential:per_1000_node_days=1e6" + repair,
                       "--engine", "faults_max=100000,stall_changes=50000"] +
                      rule), {4})


def full_disk(tap, work):
    if not os.path.exists("/dev/full"):
        tap.skip("standard output is a full disk", "no /dev/full")
        return
    trace = os.path.join(work, "good.csv")
    for words in (["--json"], []):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [PROGRAM, "run", trace, "--cluster", "1x8"] + words,
                stdout=full, stderr=subprocess.PIPE, text=True,
                timeout=LIMIT_S, check=False)
        tap.result(done.returncode == 1 and "cannot write" in done.stderr,
                   " ".join(["standard output is a full disk"] + words),
                   "exit status %d\n%s" % (done.returncode, done.stderr))


def full_file(tap, work):
    """A file at the limit of `ulimit -f` ends the run as a full disk does."""
    out = os.path.join(work, "large")
    done = run([os.path.join(work, "good.csv"), "--cluster", "1x8", "--quiet",
                "--out", out],
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                     (100, 100)))
    check(tap, "a file larger than allowed", done, {1})
    left = [n for n in os.listdir(work) if n.startswith("large")]
    tap.result(not left, "a file larger than allowed: nothing is left", left)


# Commands that read a result, and the words after the result.
READERS = [("verify", []), ("explain", ["--all"]),
           ("report", ["--out", "page.html"])]


def result_of(work):
    out = os.path.join(work, "result")
    return out, run([os.path.join(work, "good.csv"), "--cluster", "1x8",
                     "--quiet", "--decisions", "--series", "by=type",
                     "--faults",
                     "once:at_s=3", "--recovery", "retry", "--out", out])


def read_result(command, out, more, **kwargs):
    return subprocess.run([PROGRAM, command, out] + more, timeout=60,
                          capture_output=True, text=True, errors="replace",
                          check=False, **kwargs)


def is_refusal(done):
    """True if the command ended well, or said in one line with a reason what
    the machine denied to it. Status 5 would say that the result is wrong."""
    words = done.stderr.strip().splitlines()
    return done.returncode == 0 or (
        done.returncode in (1, 2, 3) and len(words) == 1
        and not words[0].endswith(":"))


def unreadable(tap, work):
    """A file of a result that cannot be read is no false result. Reading from
    the start of one's own memory fails with EIO."""
    out, done = result_of(work)
    tap.result(done.returncode == 0, "a result to read", done.stderr)
    for name in sorted(os.listdir(out)):
        path = os.path.join(out, name)
        os.rename(path, path + ".kept")
        os.symlink("/proc/self/mem", path)
        for command, more in READERS:
            done = read_result(command, out, more, cwd=work)
            good = is_refusal(done) and (command != "verify"
                                         or done.returncode != 0)
            tap.result(good, "%s with %s that cannot be read" % (
                command, name), "exit status %d\n%s%s" % (
                    done.returncode, done.stdout[:300], done.stderr))
        os.unlink(path)
        os.rename(path + ".kept", path)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        traces(tap, work)
        virtual_clusters(tap, work)
        places(tap, work)
        settings(tap, work)
        full_disk(tap, work)
        full_file(tap, work)
        unreadable(tap, work)
    storms(tap)
    sys.exit(tap.exit_status())


main()
