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

# Processor time, s, after which a run without progress on stderr counts as
# hanging.
PATIENCE_S = 20
# Processor time, s, after which a run that shows progress is stopped without a
# verdict.
LONG_S = 60
MEMORY = 6 << 30
# One run in so many is also repeated by `rerun`.
RERUN_EACH = 4
RAN, REFUSED, SLOW = "ran", "refused", "slow"
# Keys of a manifest whose values depend on the program and the machine.
OF_THE_BUILD = ("provenance",)


class Fault(Exception):
    """A fault of the program. `kind` names the fault in a few words; a reduced
    configuration must show the same kind."""

    def __init__(self, kind, words=""):
        super().__init__(kind)
        self.kind = kind
        self.words = words


def limited(sanitized):
    """Returns a function that limits the processor time and the file sizes of
    the child, and its memory unless the program has a sanitizer."""
    def limit():
        cpu = PATIENCE_S * (5 if sanitized else 1)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
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
            return subprocess.run(
                [program] + args, cwd=where, env=env, check=False,
                capture_output=True, text=True, errors="replace",
                preexec_fn=limited(self.sanitized[program]), timeout=20 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Fault("does not end", " ".join(args)) from None

    def judge(self, case):
        """Returns RAN, REFUSED or SLOW; raises Fault if a run breaks a rule."""
        where = tempfile.mkdtemp(prefix="schedsim-random-")
        try:
            return self.judge_in(case, where)
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

    def judge_in(self, case, where):
        for name, text in configuration.texts(case).items():
            path = os.path.join(where, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if "resample" in case and not self.resample(case, where):
            return REFUSED
        args = ["run", trace_of(case)] + configuration.arguments(
            case, lambda name: name)
        quiet = args + ["--quiet", "--out", "out"]
        first = self.call(self.program, quiet, where)
        if first.returncode == -signal.SIGXCPU:
            return watch([self.program] + args, where)
        if first.returncode == 1 and "File too large" in first.stderr:
            return SLOW
        check_exit(first, where)
        if first.returncode in (2, 3):
            return REFUSED
        verified = self.call(self.program, ["verify", "out"], where)
        if verified.returncode == -signal.SIGXCPU:
            return SLOW
        check_verified(verified)
        if zlib.crc32(repr(args).encode()) % RERUN_EACH == 0:
            check_rerun(self.call(self.program, ["verify", "--again", "out", "--trust"], where))
        kept = files_of(os.path.join(where, "out"))
        shutil.rmtree(os.path.join(where, "out"))
        second = self.call(self.other, quiet, where, second=True)
        if second.returncode == -signal.SIGXCPU:
            # only the second build is too slow, probably because of a sanitizer
            return SLOW
        if second.returncode != first.returncode:
            raise Fault("the other build ends otherwise (%d)" %
                        second.returncode, first_words(second.stderr))
        compare(kept, files_of(os.path.join(where, "out")))
        if first.stderr != second.stderr:
            raise Fault("the other build says otherwise", second.stderr)
        return RAN


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


def check_exit(done, where, name="out"):
    """Checks that exit status 0 and 4 leave a result, and that 2 and 3 leave
    no result and print one line. `name`: how names of results begin."""
    code = done.returncode
    made = sorted(n for n in os.listdir(where) if n.startswith(name))
    if code in (0, 4):
        if len(made) != 1 or made[0] not in ("out", "resampled.csv"):
            raise Fault("no result, or more than one", " ".join(made))
        return
    lines = done.stderr.strip().splitlines()
    if code < 0:
        raise Fault("signal %d" % -code, first_words(done.stderr))
    if code not in (2, 3):
        raise Fault("exit status %d: %s" % (code, shape_of(done.stderr)),
                    first_words(done.stderr))
    if (len(lines) != 1 or not lines[0].startswith("schedsim: ")
            or len(lines[0]) < 20):
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


def compare(one, two):
    if sorted(one) != sorted(two):
        raise Fault("two builds write different files",
                    "%s / %s" % (sorted(one), sorted(two)))
    for name, text in one.items():
        if text == two[name]:
            continue
        for a, b in zip(text.splitlines(), two[name].splitlines()):
            if a != b:
                raise Fault("two builds write different bytes",
                            "%s\n%r\n%r" % (name, a[:300], b[:300]))
        raise Fault("two builds write different bytes", name)


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
