# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests policies as shared objects. The installed headers compile alone in C
and C++, the examples are built outside of the tree with the flags of
pkg-config, a fifo gives the results of the built-in fifo, and an object that
does not fit is refused in one sentence."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from denied import can_deny, deny  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

EXAMPLES = os.path.join(ROOT, "contrib", "policies", "shared")
TRACE = os.path.join(ROOT, "traces", "samples", "native.csv")
WARN = ["-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]


class Site:
    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.flags = []
        self.headers = ""

    def path(self, name):
        return os.path.join(self.dir, name)

    def install(self):
        done = self.call(["meson", "install", "-C", os.path.dirname(PROGRAM),
                          "--no-rebuild", "--quiet", "--tags", "devel",
                          "--destdir", self.dir])
        found = glob.glob(self.path("**/schedsim.pc"), recursive=True)
        if done.returncode or not found:
            return done.stdout + done.stderr
        env = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(found[0]),
                   PKG_CONFIG_SYSROOT_DIR=self.dir)
        self.flags = self.call(["pkg-config", "--cflags", "schedsim"],
                               env=env).stdout.split()
        self.headers = self.flags[0][2:]
        return ""

    @staticmethod
    def call(command, **more):
        return subprocess.run(command, capture_output=True, text=True,
                              check=False, **more)

    def build(self, compiler, source, name):
        done = self.call(compiler + WARN + self.flags +
                         ["-fPIC", "-shared", "-o", self.path(name), source])
        return done.stderr

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run(self, policy, out, *more):
        done = self.call([PROGRAM, "run", TRACE, "--policy", policy, "--out",
                          self.path(out), *more], cwd=self.dir)
        return done.returncode, done.stderr.strip()

    def bytes_of(self, out):
        with open(os.path.join(self.path(out), "jobs.csv"), "rb") as file:
            return file.read()


def alone(tap, site):
    headers = glob.glob(site.headers + "/**/*.h", recursive=True)
    for compiler in (["cc", "-std=c11", "-x", "c"],
                     ["c++", "-std=c++20", "-x", "c++"]):
        if not shutil.which(compiler[0]):
            tap.skip("headers alone", "no " + compiler[0])
            continue
        done = site.call(compiler + WARN + ["-fsyntax-only"]
                         + site.flags + sorted(headers))
        tap.result(done.returncode == 0 and len(headers) > 20,
                   "each installed header compiles alone with "
                   + " ".join(compiler[:2]), done.stderr)


def examples(tap, site):
    words = site.build(["cc"], os.path.join(EXAMPLES, "fifo.c"), "fifo.so")
    tap.result(not words, "fifo.c is built outside of the tree", words)
    mine, ours = site.run("./fifo.so", "mine"), site.run("fifo", "ours")
    tap.result(mine[0] == ours[0] and mine[0] in (0, 4)
               and site.bytes_of("mine") == site.bytes_of("ours"),
               "fifo.so gives the jobs.csv of fifo", mine[1])
    again = site.call([PROGRAM, "verify", "--again", site.path("mine"), "--trust"])
    tap.result(again.returncode == 0, "rerun gives the same bytes",
               again.stderr)
    if shutil.which("c++"):
        words = site.build(["c++", "-std=c++20"],
                           os.path.join(EXAMPLES, "small_first.cc"), "cc.so")
        tap.result(not words, "small_first.cc is built", words)
        status, words = site.run("./cc.so:patience_s=60", "cc2")
        tap.result(status in (0, 4), "it runs with a setting", words)
        status, words = site.run("./cc.so:patience=60", "cc3")
        tap.result(status == 2 and "did you mean 'patience_s'" in words,
                   "a wrong setting is refused", words)


OTHER = """
#include <schedsim_policy.h>
static __attribute__((unused)) void
decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self;
    %s
}
static const struct policy_ops ops = {.name = "other", .summary = "s",
                                      .decide = %s};
SCHEDSIM_POLICY(ops);
"""


# A descriptor that lacks something, and one that lacks everything.
EMPTY = """
#include <schedsim_policy.h>
static __attribute__((unused)) void
decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self, (void)view, (void)plan;
}
static __attribute__((unused)) const struct option options[] = {{0}};
static __attribute__((unused)) const struct policy_ops ops = {
    .decide = decide, %s};
%s;
"""
HOLLOW = (
    ("nameless.so", (".name = 0", "SCHEDSIM_POLICY(ops)")),
    ("blank.so", (".name = \"\"", "SCHEDSIM_POLICY(ops)")),
    ("options.so", (".name = \"o\", .options = options",
                    "SCHEDSIM_POLICY(ops)")),
    ("hollow.so", (".name = \"o\"", "const struct policy_export "
                   "schedsim_policy_export = {.abi = SCHEDSIM_POLICY_ABI}")),
)


def refused(tap, site):
    site.write("text.so", "no object\n")
    site.build(["cc"], site.write("none.c", "int none;\n"), "none.so")
    with open(site.path("fifo.so"), "rb") as file:
        text = file.read()
    abi = re.search(rb"[0-9a-f]{64}", text).group(0)
    with open(site.path("old.so"), "wb") as file:
        file.write(text.replace(abi, b"0" * 64))
    site.build(["cc"], site.write("lazy.c", OTHER % ("(void)view, (void)plan;",
                                                     "NULL")), "lazy.so")
    site.build(["cc"], site.write(
        "engine.c", OTHER % ("(void)view; plan_clear(plan);", "decide")),
        "engine.so")
    site.build(["cc"], site.write(
        "twice.c", OTHER % ("const struct job *j = view_first_pending(view, 0);"
                            "if (j) { plan_start(plan, j); plan_start(plan, j);"
                            "}", "decide")), "twice.so")
    for name, fields in HOLLOW:
        site.build(["cc"], site.write("hollow.c", EMPTY % fields), name)
    for name, want, part in (
            *((name, 2, "has options but no config_size" if "option" in name
               else "without a name or without decide") for name, _ in HOLLOW),
            ("text.so", 2, "cannot be loaded"),
            ("missing.so", 2, "cannot be loaded"),
            ("none.so", 2, "is not a policy: it lacks SCHEDSIM_POLICY"),
            ("old.so", 2, "was compiled with the headers of schedsim"),
            ("lazy.so", 2, "without a name or without decide"),
            ("engine.so", 2, "plan_clear"),
            ("twice.so", 5, "started twice in one plan")):
        status, words = site.run("./" + name, "no")
        tap.result(status == want and part in words and "\n" not in words
                   and not os.path.exists(site.path("no")),
                   "%s: %s" % (name, part), "%d %s" % (status, words))


JUDGED = (
    ("crash", "abort();", "crashed, signal 6"),
    ("loop", "for (volatile int i = 0;; i++) {}", "was not done within"),
    ("lazy", "", "jobs unfinished"),
    ("future", "const struct job *all = view->board->jobs; "
               "uint32_t n = view_n_jobs(view); "
               "if (n && all[n - 1].submitted > view_now(view)) return;"
               "FIFO", "without the jobs that come after"),
    ("restless", "const struct job *j = view_first_running(view, 0);"
                 "static uint64_t at; if (j && view_now(view) && at++ % 2)"
                 "{ plan_stop(plan, j); return; } FIFO",
     "it plans stop of job"),
    ("fickle", "static unsigned n; if (n++ % 3 == 1 && "
               "view_n_pending(view, 0) < 2) "
               "{ plan_wake_at(plan, view_now(view) + 1000000 + n); return; }"
               "FIFO", "repeats"),
    ("moody", "ODD if (odd) plan_wake_at(plan, last + 3600000000); FIFO",
     "the second run has another number of decisions"),
    ("shifty", """ODD for (uint16_t vc = 0; vc < view_cluster(view)->n_vcs; vc++) {
        const struct job *a = view_first_pending(view, vc);
        const struct job *b = a ? view_next_pending(view, a) : NULL;
        if (!a || view_first_running(view, vc))
            continue;
        if (odd && b && plan_start(plan, b))
            b = NULL;
        plan_start(plan, a);
        if (b)
            plan_start(plan, b);
    }""", "not on the same GPUs"),
    ("good", "FIFO", ""),
)
# `odd` is true in each second run.
ODD = """static sim_time last;
    static int odd;
    odd ^= view_now(view) < last;
    last = view_now(view);"""
FIFO = """struct vc_list t = view_touched(view);
    for (uint32_t i = 0; i < t.count; i++) {
        const struct job *job = view_first_pending(view, t.at[i]);
        while (job && plan_start(plan, job))
            job = view_next_pending(view, job);
    }"""


def judged(tap, site):
    for name, body, part in JUDGED:
        text = OTHER % ("(void)view, (void)plan; " + body.replace(
            "FIFO", FIFO).replace("ODD", ODD), "decide")
        words = site.build(["cc"], site.write("j.c", text), name + ".so")
        limit = "1" if name == "loop" else "0"
        done = site.call([PROGRAM, "policy", "check", "./%s.so" % name, "--json",
                          "--jobsets", "6", "--memory-mib", "0", "--limit",
                          limit], cwd=site.dir)
        verdict = json.loads(done.stdout) if done.stdout else {}
        if part:
            good = (done.returncode == 5 and not verdict["passed"]
                    and part in done.stderr + done.stdout)
        else:
            good = (done.returncode == 0 and verdict["passed"]
                    and abs(verdict["score"]["value"] - 1) < 1e-9
                    and len(verdict["checks"]) == 5)
        tap.result(good, "check-policy of %s.so: %s" % (name, part),
                   words + done.stderr + done.stdout)
    done = site.call([PROGRAM, "policy", "check", "nosuch",
                      "--memory-mib", "0"])
    tap.result(done.returncode == 2 and "no policy 'nosuch'" in done.stderr,
               "check-policy of no policy", done.stderr)
    done = site.call([PROGRAM, "policy", "check", "exec:/usr/bin/python3 -s -E "
                      + os.path.join(EXAMPLES, "..", "learned.py"),
                      "--jobsets", "2", "--memory-mib", "0"])
    tap.result(done.returncode == 0 and "score" in done.stdout,
               "check-policy of a program", done.stderr + done.stdout)


# One row: a call that the kernel denies, its error, pairs of an argument and its
# value, exit status, part of the sentence.
DENIED = (
    ("mkdir", "EACCES", (), 1, ": Permission denied"),
    ("mmap", "ENOMEM", ((3, 0x21),), 1, "mmap: Cannot allocate memory"),
    ("clone", "EAGAIN", (), 1, "fork: Resource temporarily unavailable"),
    # as if the command had ended before its new process began
    ("getppid", "", (), 5, "ended with exit status 1, before the first check"),
    ("openat", "ENOSPC", ((2, os.O_WRONLY | os.O_CREAT | os.O_EXCL
                           | os.O_CLOEXEC),), 5, "No space left on device"),
)


def judged_within_limits(tap, site):
    with open(PROGRAM, "rb") as file:
        if b"__asan_init" in file.read():
            tap.skip("limits of check-policy", "a sanitizer needs more")
            return
    check = [PROGRAM, "policy", "check", "fifo", "--jobsets", "1"]
    for seed in ("0", "7"):
        done = site.call([*check, "--seed", seed])
        tap.result(done.returncode == 0 and "1.00" in done.stdout,
                   "check-policy within its memory, seed " + seed,
                   done.stdout + done.stderr)
    for call, why, arguments, want, part in DENIED if can_deny() else ():
        done = site.call(check, preexec_fn=deny(call, why, *arguments))
        tap.result(done.returncode == want and part in done.stderr,
                   "check-policy without %s: %s" % (call, part),
                   "%d %s" % (done.returncode, done.stderr))


def tutorial(tap, site):
    """Checks that the two policies of the tutorial do what the tutorial says.
    """
    with open(os.path.join(ROOT, "docs", "policy-tutorial.md"),
              encoding="utf-8") as file:
        text = file.read()
    blocks = dict(re.findall(r"```(c|python)\n(.*?)```", text, re.S))
    words = site.build(["cc"], site.write("patient.c", blocks["c"]),
                       "patient.so")
    site.write("patient.py", blocks["python"])
    shutil.copy(os.path.join(EXAMPLES, "..", "schedsim_policy.py"), site.dir)
    site.write("four.csv", "submitted_unix_s,duration_s,gpus,job_id\n"
               "0,600,4,a\n0,300,4,b\n10,60,2,c\n20,60,2,d\n")
    logs = []
    for number, policy in enumerate(("./patient.so", "exec:/usr/bin/python3 "
                                     "-s -E patient.py")):
        out = "four-%d" % number
        done = site.call([PROGRAM, "run", "four.csv", "--cluster", "1x4",
                          "--policy", policy, "--estimators", "oracle",
                          "--decisions", "-o",
                          site.path(out)], cwd=site.dir)
        words += done.stderr if done.returncode else ""
        try:
            with open(os.path.join(site.path(out), "decisions.log"),
                      encoding="utf-8") as file:
                logs.append([" ".join(line.split()[:3]) for line in file])
        except OSError:
            logs.append([])
        done = site.call([PROGRAM, "policy", "check", policy, "--jobsets", "3",
                          "--memory-mib", "0"], cwd=site.dir)
        words += done.stderr if done.returncode else ""
    want = ["0 start 1", "300 start 2", "300 start 3", "360 start 0"]
    tap.result(not words and logs == [want, want],
               "the policies of the tutorial", "%s %s" % (words, logs))


def main():
    tap, site = Tap(), Site()
    try:
        words = site.install()
        tap.result(not words, "the headers are installed", words)
        if not words:
            alone(tap, site)
            examples(tap, site)
            refused(tap, site)
            judged(tap, site)
            judged_within_limits(tap, site)
            tutorial(tap, site)
    finally:
        shutil.rmtree(site.dir)
    sys.exit(tap.exit_status())


main()
