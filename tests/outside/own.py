# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the way to a policy of one's own: `policy new`, `policy build`, `policy
check` and a run, in C, Python and Lua, with the program of the build folder and
with an installed one; and the words for what people type instead."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

TRACE = os.path.join(ROOT, "traces", "samples", "itp.csv")
CROWDED = ["--cluster", "8x8", "--jobs", "400"]
KINDS = (("mine.c", None, "mine.so", ":patience_s=0"),
         ("mine.py", "/usr/bin/python3", "exec:/usr/bin/python3 -s -E mine.py", " 0"),
         ("mine.lua", "lua", "exec:lua mine.lua", " 0"))


class Site:
    """A folder of a user, and the program that he has."""

    def __init__(self, program):
        self.program = program
        self.dir = tempfile.mkdtemp()

    def path(self, name):
        return os.path.join(self.dir, name)

    def call(self, *words, **environment):
        done = subprocess.run(
            [self.program, *words], cwd=self.dir, capture_output=True, text=True,
            check=False, env=dict(os.environ, LC_ALL="C", **environment))
        return done.returncode, done.stdout, done.stderr.strip()

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)


def one_kind(site, name, policy, setting):
    """Returns what went wrong from `new` to a run."""
    steps = [["new", name]]
    steps += [["build", name]] if name.endswith(".c") else []
    steps += [["check", policy, "--jobsets", "3", "--memory-mib", "0"]]
    for step in steps:
        status, out, words = site.call("policy", *step)
        if status or words:
            return "%s: %d %s%s" % (step, status, out, words)
    for out, spec in ((name + "-out", policy), (name + "-now", policy + setting)):
        status, _, words = site.call("run", TRACE, *CROWDED, "-q", "--policy", spec,
                                     "--out", out)
        if status not in (0, 4):
            return words
    return ""


def from_new_to_run(tap, site, where):
    jobs = {}
    for name, interpreter, policy, setting in KINDS:
        if interpreter and not shutil.which(interpreter):
            tap.skip("%s, %s" % (name, where), "no " + interpreter)
            continue
        words = one_kind(site, name, policy, setting)
        tap.result(not words, "%s: new, build, check, run, %s" % (name, where), words)
        if not words:
            jobs[name] = [site.read(name + "-" + out + "/jobs.csv")
                          for out in ("out", "now")]
    first = list(jobs.values())[0] if jobs else None
    tap.result(first and first[0] != first[1]
               and all(one == first for one in jobs.values()),
               "the templates decide alike, and their setting matters, " + where,
               list(jobs))


def kept(tap, site):
    """What the user has is not replaced."""
    site.write("mine.c", "mine\n")
    site.write("schedsim_policy.py", "helper = 1\n")
    status, _, words = site.call("policy", "new", "mine.c")
    tap.result(status == 2 and words.endswith("mine.c exists; --force replaces it")
               and site.read("mine.c") == b"mine\n", "new keeps a file", words)
    status, out, words = site.call("policy", "new", "mine.py", "--force")
    tap.result(status == 0 and "schedsim_policy.py: is there, kept" in out
               and site.read("schedsim_policy.py") == b"helper = 1\n",
               "new --force keeps the helper", out + words)
    site.write("other.c", "int other;\n")
    site.write("other.so", "a library\n")
    status, _, words = site.call("policy", "build", "other.c")
    tap.result(status == 2 and "other.so is no policy; --force" in words
               and site.read("other.so") == b"a library\n",
               "build keeps an object that is no policy", words)
    site.write("mine.so", "an older build: schedsim_policy_export\n")
    site.call("policy", "new", "mine.c", "--force")
    status, out, words = site.call("policy", "build", "mine.c", CFLAGS="-O1 -g")
    tap.result(status == 0 and out.startswith("mine.so: the policy mine;"),
               "build replaces its own object", out + words)
    status, out, words = site.call("policy", "build", "mine.c", CC="false")
    tap.result(status == 1 and "mine.c does not compile" in words,
               "build runs the compiler of CC", out + words)


ANSWERS = (
    (["policy", "build", "absent.c"], 3, "`schedsim policy new absent.c` writes one"),
    (["policy", "build", "mine.py"], 2, "no source in C or C++"),
    (["policy", "build", "broken.c"], 1, "broken.c does not compile"),
    (["policy", "build", "engine.c"], 2, "plan_clear"),
    (["policy", "new", "mine.rs"], 2, "does not end in .c, .py or .lua"),
    (["policy", "new", "my own.c"], 2, "'my own' cannot name a policy"),
    (["policy", "new", "schedsim_policy.py"], 2, "the name of the helper"),
    (["policy", "new", "no/folder.c"], 1, "no/folder.c"),
    (["run", TRACE, "-p", "mine.c"], 2,
     "build it first: schedsim policy build mine.c; then write mine.so"),
    (["run", TRACE, "-p", "./mine.c:patience_s=1"], 2,
     "build it first: schedsim policy build ./mine.c"),
    (["run", TRACE, "-p", "mine.py"], 2, 'write "exec:python3 mine.py"'),
    (["run", TRACE, "-p", "./mine.lua"], 2, 'write "exec:lua ./mine.lua"'),
    (["run", TRACE, "-p", "absent.so"], 2, "policy absent.so cannot be loaded"),
    (["policy", "check", "mine.c", "--memory-mib", "0"], 2, "build it first"),
)


def answers(tap, site):
    site.write("broken.c", "int\n")
    site.write("engine.c", """#include <schedsim_policy.h>
static void decide(void *s, const struct view *v, struct plan *p)
{
    (void)s, (void)v;
    plan_clear(p);
}
static const struct policy_ops own = {.name = "e", .decide = decide};
SCHEDSIM_POLICY(own);
""")
    for words, want, part in ANSWERS:
        status, _, said = site.call(*words, CFLAGS="-w")
        tap.result(status == want and part in said,
                   " ".join(words).replace(ROOT, "") + ": " + part,
                   "%d %s" % (status, said))


def installed(tap):
    """Installs into a folder that is then moved, as a package is unpacked."""
    folder = tempfile.mkdtemp()
    try:
        done = subprocess.run(
            ["meson", "install", "-C", os.path.dirname(PROGRAM), "--no-rebuild",
             "--quiet", "--tags", "devel,runtime", "--destdir", folder],
            capture_output=True, text=True, check=False)
        found = [os.path.join(path, "schedsim") for path, _, names in os.walk(folder)
                 if os.path.basename(path) == "bin" and "schedsim" in names]
        tap.result(done.returncode == 0 and len(found) == 1, "it is installed",
                   done.stderr)
        if len(found) != 1:
            return
        site = Site(found[0])
        from_new_to_run(tap, site, "installed")
        shutil.rmtree(site.dir)
    finally:
        shutil.rmtree(folder)


def main():
    tap, site = Tap(), Site(PROGRAM)
    try:
        from_new_to_run(tap, site, "build folder")
        kept(tap, site)
        answers(tap, site)
    finally:
        shutil.rmtree(site.dir)
    installed(tap)
    sys.exit(tap.exit_status())


main()
