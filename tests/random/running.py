# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one configuration and judges how the run ended and what it wrote."""
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time
import zlib

import configuration
import permuting
from permuting import Fault, compare

# Processor time, s, after which a run without progress on stderr counts as
# hanging.
PATIENCE_S = 20
# Processor time, s, after which a run that shows progress is stopped without a
# verdict.
LONG_S = 30
MEMORY = 6 << 30
# Largest file of a result; a fault storm writes more.
FILE_MOST = 32 << 20
# One run in so many is also repeated by `rerun`.
RERUN_EACH = 4
RAN, REFUSED, SLOW = "ran", "refused", "slow"


class TooMuch(Exception):
    """A call ended, with this exit status, at a limit of `limited`, which leaves
    no verdict."""


# Keys of a manifest whose values depend on the program and the machine.
OF_THE_BUILD = ("provenance",)


def limited(sanitized):
    """Returns a function that limits the processor time and the file sizes of
    the child, and its memory unless the program has a sanitizer."""
    def limit():
        cpu = PATIENCE_S * (2 if sanitized else 1)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MOST, FILE_MOST))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return limit


def is_sanitized(program):
    """Returns true if the program has an address sanitizer, which reserves
    terabytes of addresses and slows the program down."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


class Runner:
    """Runs a configuration with two programs: `other` is another build, or the
    same program in another environment."""

    def __init__(self, program, other):
        self.program = program
        self.other = other or program
        self.sanitized = {p: is_sanitized(p)
                          for p in (self.program, self.other)}

    def call(self, program, args, where, second=False):
        env = dict(os.environ, LC_ALL="C", TZ="UTC",
                   ASAN_OPTIONS="detect_leaks=0:abort_on_error=1",
                   UBSAN_OPTIONS="halt_on_error=1:abort_on_error=1:"
                   "print_stacktrace=1")
        if second:
            env.update(TZ="Asia/Kathmandu", MALLOC_PERTURB_="165")
        try:
            done = subprocess.run(
                [program] + args, cwd=where, env=env, check=False,
                capture_output=True, text=True, errors="replace",
                preexec_fn=limited(self.sanitized[program]), timeout=20 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Fault("does not end", " ".join(args)) from None
        if (done.returncode == -signal.SIGXCPU or
                done.returncode == 1 and "File too large" in done.stderr):
            raise TooMuch(done.returncode)
        return done

    def judge(self, case):
        """Returns RAN, REFUSED or SLOW; raises Fault if a run breaks a rule."""
        where = tempfile.mkdtemp(prefix="schedsim-random-")
        try:
            return self.judge_in(case, where)
        except TooMuch:
            return SLOW
        finally:
            shutil.rmtree(where, ignore_errors=True)

    def resample(self, case, where):
        """Writes the trace that the run reads, twice. Returns false if it is
        refused."""
        made = []
        for program, second in ((self.program, False), (self.other, True)):
            done = self.call(program, ["trace", "resample", "trace.csv"] +
                             case["resample"] + ["-q", "-o", "resampled.csv"],
                             where, second)
            check_exit(done, where, "resampled")
            if done.returncode:
                return False
            with open(os.path.join(where, "resampled.csv"), "rb") as file:
                made.append({"resampled.csv": file.read()})
        compare(*made)
        return True

    def before(self, case, where):
        """Writes the state from which the run goes on, twice. Returns false if
        that is refused."""
        made = []
        for program, second in ((self.program, False), (self.other, True)):
            done = self.call(program, before_words(case), where, second)
            check_exit(done, where, "before", True)
            if done.returncode not in (0, 4):
                return False
            made.append(files_of(os.path.join(where, "before")))
            with open(os.path.join(where, "before.json"), "rb") as file:
                made[-1]["before.json"] = file.read()
            shutil.rmtree(os.path.join(where, "before"))
        compare(*made)
        return True

    def judge_in(self, case, where):
        write_files(case, where)
        if "resample" in case and not self.resample(case, where):
            return REFUSED
        if "state" in case and not self.before(case, where):
            return REFUSED
        args = run_words(case)
        quiet = args + ["--quiet", "--out", "out"]
        try:
            first = self.call(self.program, quiet, where)
        except TooMuch as stopped:
            if stopped.args[0] != -signal.SIGXCPU:
                raise
            return watch([self.program] + args, where)
        check_exit(first, where, "out", "--save" in args)
        if first.returncode in (2, 3):
            return REFUSED
        verified = self.call(self.program, ["verify", "out"], where)
        check_verified(verified)
        kept = taken(where)
        draw = zlib.crc32(repr(args).encode()) % RERUN_EACH
        if draw == 0:
            check_rerun(self.call(self.program, [
                "verify", "--again", "out", "--trust"], where))
        shutil.rmtree(os.path.join(where, "out"))
        if draw == 1 and "state" not in case: # which names the trace's digest
            self.permute(case, kept, where)
        second = self.call(self.other, quiet, where, second=True)
        if second.returncode != first.returncode:
            raise Fault("the other build ends otherwise (%d)" %
                        second.returncode, first_words(second.stderr))
        compare(kept, taken(where))
        for one, two in ((first.stderr, second.stderr),
                         (first.stdout, second.stdout)):
            if one != two:
                raise Fault("the other build says otherwise", two)
        return RAN

    def permute(self, case, kept, where):
        """Checks that the order of what has no order changes nothing: of the
        columns and rows of a trace, of options, and of the keys of a
        cluster."""
        place = os.path.join(where, "permuted")
        os.mkdir(place)
        other = permuting.permuted(case)
        write_files(other, place)
        if "resample" in case: # a resampled trace is kept as it is
            shutil.copy(os.path.join(where, "resampled.csv"), place)
        done = self.call(self.program, run_words(other) + [
            "--quiet", "--out", "out"], place)
        if done.returncode not in (0, 4):
            raise Fault("refused when permuted", first_words(done.stderr))
        permuting.same(kept, taken(place))


def write_files(case, where):
    for name, text in configuration.texts(case).items():
        path = os.path.join(where, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def run_words(case):
    """Returns the words of the run, which lack --quiet and --out."""
    words = configuration.arguments(case, lambda name: name)
    state = case.get("state")
    if state: # and the cluster is that of the state
        words = words[2:] + ["--state", "before.json"]
    return ["run"] + [trace_of(case)] * (not state or state["trace"]) + words


def before_words(case):
    """Returns the words of the run that writes the state."""
    return ["run", trace_of(case)] + configuration.arguments(
        case, lambda name: name) + [
            "--state-at", case["state"]["at"], "--save", "before.json",
            "--quiet", "--out", "before"]


def taken(where):
    """Returns the files of a result, and of the state that its run saved."""
    out = files_of(os.path.join(where, "out"))
    saved = os.path.join(where, "out-state.json")
    if os.path.exists(saved):
        with open(saved, "rb") as file:
            out["out-state.json"] = file.read()
        os.remove(saved)
    return out


def shape_of(text):
    """Returns the first line of a message without the names and numbers that
    differ between configurations."""
    line = (text.strip().splitlines() or [""])[0]
    line = re.sub(r"(job|user|vc) [^ :]+", r"\1 X", line)
    return re.sub(r"[-+0-9.][-+0-9.e]*", "N", line)[:90]


def first_words(text):
    return "\n".join(text.splitlines()[:12])


def trace_of(case):
    return "resampled.csv" if "resample" in case else "trace.csv"


def check_exit(done, where, name="out", saves=False):
    """Checks that exit status 0 and 4 leave a result, and that 2 and 3 leave
    no result and print one line. `name`: how names of results begin. `saves`:
    the run also saves a state."""
    code = done.returncode
    made = sorted(n for n in os.listdir(where) if n.startswith(name))
    if code in (0, 4):
        results = [n for n in made if not (saves and n.endswith(".json"))]
        if len(results) != 1 or results[0] not in ("out", "before",
                                                   "resampled.csv"):
            raise Fault("no result, or more than one", " ".join(made))
        return
    lines = done.stderr.strip().splitlines()
    if code < 0:
        raise Fault("signal %d" % -code, first_words(done.stderr))
    if code not in (2, 3):
        raise Fault("exit status %d: %s" % (code, shape_of(done.stderr)),
                    first_words(done.stderr))
    if (len(lines) != 1 or not lines[0].startswith(
            ("schedsim: ", '{"error": {')) or len(lines[0]) < 20):
        raise Fault("a refusal that is not one clear line",
                    first_words(done.stderr))
    if made:
        raise Fault("refused, but something is left", " ".join(made))


def check_verified(done):
    if done.returncode != 0:
        words = (done.stdout + done.stderr).strip()
        raise Fault("verify says no (%d): %s" % (
            done.returncode, shape_of(words)), first_words(words))


def check_rerun(done):
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip()
        raise Fault("rerun ends with %d: %s" % (
            done.returncode, shape_of(words)), first_words(words))


def files_of(folder):
    out = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            out[name] = file.read()
        if name == "manifest.json":
            manifest = json.loads(out[name])
            for key in OF_THE_BUILD:
                manifest.pop(key, None)
            out[name] = json.dumps(manifest, indent=1).encode()
    return out


def watch(command, where):
    """Repeats a run that took more than PATIENCE_S, with stderr on a terminal,
    and checks that it shows progress. Measures processor time, because other
    processes may use the machine."""
    parent, child = pty.openpty()
    with subprocess.Popen(command, cwd=where, stderr=child,
                          stdout=subprocess.DEVNULL) as process:
        os.close(child)
        try:
            heard, begun = cpu_of(process.pid), time.monotonic()
            while process.poll() is None:
                ready = select.select([parent], [], [], 0.5)[0]
                now = cpu_of(process.pid)
                if ready and read_some(parent):
                    heard = now
                if now - heard > PATIENCE_S:
                    raise Fault("no progress on stderr in %d s" % PATIENCE_S)
                if now > LONG_S or time.monotonic() - begun > 10 * LONG_S:
                    return SLOW
            return SLOW
        finally:
            process.kill()
            os.close(parent)


def read_some(fd):
    try:
        return len(os.read(fd, 65536)) > 0
    except OSError: # the run has closed the other end
        return False


def cpu_of(pid):
    """Returns the processor time that a process has used, s; 0 if the process
    has ended."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii",
                  errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
