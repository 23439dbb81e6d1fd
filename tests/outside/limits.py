# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests policies as programs in a system that denies what they need, with
programs that do not start or end as they should, and the limits on what one
reads."""
import os
import resource
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
from denied import can_deny, deny  # noqa: E402
from outside import (  # noqa: E402
    EXAMPLES, LIAR, PYTHON, SLOW, Site, example, fifo_here, processes, read,
    remarks)
from tap import Tap  # noqa: E402


# One row: a call that the kernel denies, its error, pairs of an argument and its
# value, settings, exit status, part of the sentence or, after success, of the
# remarks. The first rows concern this process, the others the new one before it
# becomes the program.
DENIED = (
    ("chmod", "EPERM", (), "", 1, "Operation not permitted"),
    ("socketpair", "EMFILE", (), "", 1, "cannot make a pipe: Too many"),
    ("pipe2", "EMFILE", (), "", 1, "cannot make a pipe: Too many"),
    ("fcntl", "EMFILE", ((1, 1030),), "", 1, "cannot make a pipe: Too many"),
    ("clone", "EAGAIN", (), "", 1, "cannot start a process: Resource"),
    ("landlock_create_ruleset", "ENOSYS", ((2, 1),), ",confine=on", 1,
     "this kernel cannot confine a program"),
    ("landlock_create_ruleset", "ENOMEM", ((2, 0),), ",confine=on", 1,
     "this kernel cannot confine a program"),
    ("landlock_create_ruleset", "ENOSYS", (), "", 0,
     "this kernel cannot confine the program"),
    ("read", "EIO", ((2, 65536),), "", 1, "closed its output instead of"),
    ("getcwd", "ENOENT", (), "", 1, "cannot be run: No such file"),
    ("dup3", "EBADF", (), "", 1, "ended with exit status 127"),
    ("setpgid", "EPERM", (), "", 1, "cannot be run: Operation not permitted"),
    ("prctl", "EPERM", ((0, 1),), "", 1, "cannot be run: Operation not"),
    ("getppid", "", (), "", 1, "cannot be run"),
    ("chdir", "EACCES", (), "", 1, "cannot be run: Permission denied"),
    ("prlimit64", "EPERM", ((1, resource.RLIMIT_CORE),), "", 1,
     "cannot be run: Operation not permitted"),
    ("prlimit64", "EPERM", ((1, resource.RLIMIT_AS),), ",memory_mib=4000", 1,
     "cannot be run: Operation not permitted"),
    ("dup2", "EBUSY", ((1, 0),), "", 1, "cannot be run: Device or resource"),
    ("dup2", "EBUSY", ((1, 1),), "", 1, "cannot be run: Device or resource"),
    ("dup2", "EBUSY", ((1, 2),), "", 1, "cannot be run: Device or resource"),
    ("prctl", "EPERM", ((0, 38),), ",confine=on", 1,
     "cannot be run: Operation not permitted"),
    ("prctl", "EPERM", ((0, 22),), ",confine=on", 1,
     "cannot be run: Operation not permitted"),
    ("landlock_restrict_self", "E2BIG", (), ",confine=on", 1,
     "cannot be run: Argument list too long"),
    ("close_range", "EINVAL", (), "", 1, "cannot be run: Invalid argument"),
)


def denied(tap, site):
    """Tests a system that denies what a program needs to start or to end."""
    if not can_deny():
        tap.skip("calls that the kernel denies", "no x86-64")
        return
    status, words, _ = site.run("exec:./fifo-here,confine=on,reads=" + site.dir)
    confines = "cannot confine" not in words
    tap.result(status == 0 or not confines, "a program that is confined", words)
    # what a sanitizer does needs these calls too
    calm = {"ASAN_OPTIONS": "detect_leaks=0:disable_coredump=0"}
    for call, why, arguments, settings, want, part in DENIED:
        about = "denied: %s %s" % (call, arguments)
        if "confine=on" in settings and not confines:
            tap.skip(about, "no Landlock")
            continue
        status, words, out = site.run(
            "exec:./fifo-here%s,reads=%s" % (settings, site.dir),
            environment=calm, preexec_fn=deny(call, why, *arguments))
        said = remarks(out) if status == 0 else words
        tap.result(status == want and part in said
                   and not os.listdir(site.path("tmp")),
                   "%s: %s" % (about, part), "%s %s" % (status, said))


def no_descriptors(tap, site):
    """Each of the descriptors that a start needs is the one too many."""
    reasons = set()
    for limit in range(5, 24):
        status, words, out = site.run(
            "exec:./fifo-here,reads=" + site.dir, preexec_fn=lambda most=limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        if status == 0:
            break
        reasons.add(words.split(": ", 1)[-1])
        if status not in (1, 2, 3) or words.count("\n") or os.path.exists(out) \
                or os.listdir(site.path("tmp")):
            tap.result(False, "%d descriptors" % limit, words)
    tap.result(status == 0 and "policy exec: cannot make a pipe: Too many open "
               "files" in reasons, "too few descriptors", reasons)


def no_programs(tap, site):
    with open(site.path("no-program"), "w", encoding="utf-8") as file:
        file.write("no program\n")
    os.chmod(site.path("no-program"), 0o755)
    for settings in ("", ",confine=off", ",confine=off,show_messages=true",
                     ",confine=off,memory_mib=100"):
        status, words, _ = site.run("exec:./no-program" + settings)
        tap.result(status == 1 and "no-program' cannot be run: Exec format "
                   "error" in words and not os.listdir(site.path("tmp")),
                   "a file that is no program, " + settings, words)


def folders(tap, site):
    """Tests what a program does with the folder in which it runs, and one that
    does not end, which is given 10 s."""
    spec = "exec:%s %s %%s 0 %%d,confine=off" % (PYTHON, LIAR)
    stays, kept = site.start(spec % ("stay", 0))
    for kind in ("litter", "vanish"):
        status, words, out = site.run(spec % (kind, 3))
        left = os.listdir(site.path("tmp"))
        for name in left:
            if os.path.exists(os.path.join(site.path("tmp"), name, "left")):
                shutil.rmtree(os.path.join(site.path("tmp"), name))
        tap.result(status == 0 and
                   ("left files in " in remarks(out)) == (kind == "litter"),
                   "the folder of a program: " + kind, words + remarks(out))
    words = stays.communicate(timeout=120 * SLOW)[1]
    tap.result(stays.returncode == 0 and "did not end after the run and was "
               "killed" in remarks(kept) and not processes(LIAR + "\0stay"),
               "a program that does not end is killed", words)


def long_questions(tap, site):
    """A question longer than what the system holds is sent in parts."""
    with open(site.path("many.csv"), "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,name\n" + "".join(
            "%d,10,1,j%d,%s\n" % (i > 0, i, 400 * "x") for i in range(2000)))
    ends = []
    for policy in ("exec:%s %s mutter 0 1" % (PYTHON, LIAR), "fifo"):
        status, words, out = site.run(policy, trace=site.path("many.csv"),
                                      cluster="99x8")
        ends.append(status == 0 and read(out, "jobs.csv"))
    tap.result(ends[0] and ends[0] == ends[1], "a question of a megabyte", words)


BESIDE = """
import os
import sys
sys.path.insert(0, "%s")
import schedsim_policy
here = os.path.dirname(os.path.abspath(__file__))
n = 0
for name in os.listdir(here):
    try:
        n += len(open(os.path.join(here, name)).read()) == 1
    except PermissionError:
        pass
print(n, "were read", file=sys.stderr)
"""


def beside(tap, site):
    """Of the code beside a script, at most 1,000 files may be read."""
    for n, want in ((3, 3), (1200, 999)):
        folder = site.path("beside-%d" % n)
        os.mkdir(folder)
        for i in range(n):
            with open(os.path.join(folder, "m%d.py" % i), "w") as file:
                file.write("1")
        with open(os.path.join(folder, "main.py"), "w") as file:
            file.write(BESIDE % EXAMPLES)
        status, words, _ = site.run(
            "exec:%s %s/main.py,confine=on,reads=%s" % (PYTHON, folder, EXAMPLES))
        if "cannot confine" in words:
            tap.skip("code beside a script", "no Landlock")
            return
        got = int(words.split(" were read")[0].split('"')[-1])
        tap.result(status == 1 and want <= got <= want + (n > 1000),
                   "code beside a script: %d files" % n, words)


def main():
    tap, site = Tap(), Site()
    try:
        fifo_here(site)
        denied(tap, site)
        no_descriptors(tap, site)
        no_programs(tap, site)
        folders(tap, site)
        long_questions(tap, site)
        beside(tap, site)
    finally:
        shutil.rmtree(site.dir)
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
