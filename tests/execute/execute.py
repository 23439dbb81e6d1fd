# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests when `diagnose --execute` runs a command of the operator: all reasons
to refuse it, checks that confirm, hang or fail, limits that hold when
processes race, hostile names, and the log of actions."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

LIMIT_S = 12 * float(os.environ.get("FAULT_LIMIT_S", "5"))
LOGS = os.path.join(ROOT, "tests", "logs")
XID = os.path.join(LOGS, "xid_79.log")


class Site:
    """An operator's commands. Each command appends its arguments to `seen`."""

    def __init__(self, work):
        self.work = work
        self.n = 0
        self.seen = os.path.join(work, "seen")
        self.hand = self.script("hand", 'echo "$@" >>%s' % self.seen)
        self.yes = self.script("yes", "exit 0")
        self.no = self.script("no", "exit 3")
        self.book = self.write("book.json", {
            "replace-node": [self.hand, "--job={job}", "{node}"],
            "confirm": [self.yes, "{node}"], "tell-user": [self.hand, "told"],
            "test-network": ["sleep", "60"],
            "restart-bigger": [work + "/not-there"]})

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        os.chmod(self.path(name), stat.S_IRUSR | stat.S_IWUSR)
        return self.path(name)

    def script(self, name, text):
        path = self.write(name, "#!/bin/sh\n" + text + "\n")
        os.chmod(path, stat.S_IRWXU)
        return path

    def fresh(self):
        """Returns options for a state and a log that are new."""
        self.n += 1
        return ["--set", "action-state=" + self.path("state-%d" % self.n),
                "--set", "action-log=" + self.path("log-%d" % self.n)]

    def nameless(self):
        """Returns the path of a log with an Xid but no host, so that --node
        must name it."""
        path = self.path("xid.log")
        if not os.path.exists(path):
            with open(XID, encoding="utf-8") as file:
                self.write("xid.log", file.read().replace(
                    "node-4 kernel:", "kernel:"))
        return path

    def command(self, *args, log=None, book=None):
        log = log or self.nameless()
        return [PROGRAM, "mate", "diagnose", log, "--json", "--actions",
                book or self.book, *args]

    def run(self, *args, **kwargs):
        done = subprocess.run(self.command(*args, **kwargs), text=True,
                              capture_output=True, timeout=LIMIT_S,
                              check=False)
        done.answer = json.loads(done.stdout) if done.stdout else {}
        done.did = done.answer.get("command") or {}
        return done

    def act(self, *args, **kwargs):
        return self.run("--job", "7", "--node", "gpu-3", "--execute",
                        *args, **kwargs)

    def lines(self):
        if not os.path.exists(self.seen):
            return []
        with open(self.seen, encoding="utf-8") as file:
            rows = file.read().splitlines()
        os.unlink(self.seen)
        return rows


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def refused(tap, site, done, words, what):
    tap.result(done.returncode == 1 and done.did.get("ran") is False
               and any(words in why for why in done.did["refused"])
               and "refused" in done.stderr and not site.lines(), what,
               done.stdout + done.stderr)


def dry_runs(tap, site):
    state = site.fresh()
    done = site.run("--job", "7", "--node", "gpu-3", *state)
    tap.result(done.returncode == 0 and done.did["ran"] is False
               and done.did["refused"] == [] and not site.lines()
               and not any(map(os.path.exists, [one.split("=")[1] for one in state[1::2]])),
               "without --execute nothing runs and nothing is written",
               done.stdout)
    done = site.run(*state)
    tap.result(done.returncode == 0 and len(done.did["refused"]) == 3,
               "and the answer says what would be refused", done.stdout)
    text = subprocess.run(
        [PROGRAM, "mate", "diagnose", XID, "--actions", site.book, "--job", "7",
         "--node", "-x", *state], capture_output=True, text=True,
        check=False).stdout
    tap.result("would be refused: {node} begins with '-'" in text
               and "confirmed by " + site.yes in text, "as text too", text)


def runs(tap, site):
    state = site.fresh()
    done = site.act(*state)
    tap.result(done.returncode == 0 and done.did["exit_status"] == 0
               and done.did["evidence"] == "hook"
               and done.did["confirm"]["exit_status"] == 0
               and site.lines() == ["--job=7 gpu-3"],
               "a command that a check confirms runs",
               done.stdout + done.stderr)
    row = rows_of(state[3].split("=")[1])[0]
    tap.result(row["ran"] and row["exit_status"] == 0 and row["node"] == "gpu-3"
               and row["action"] == "replace-node" and row["evidence"] == "hook"
               and row["diagnosis"]["reason"] == done.answer["reason"]
               and abs(row["unix_s"] - time.time()) < 60 and row["time_utc"],
               "a run is one line of the log", row)
    tap.result(all(stat.S_IMODE(os.stat(path).st_mode) == 0o600
                   for path in [one.split("=")[1] for one in state[1::2]]), "both files are private")
    bare = site.write("bare.json", {"replace-node": [site.hand, "{node}"]})
    done = site.act("--state", "NODE_FAIL", *site.fresh(), book=bare,
                    log=os.path.join(LOGS, "well.log"))
    tap.result(done.did.get("ran") and done.did["evidence"] == "scheduler"
               and site.lines() == ["gpu-3"],
               "the word of the scheduler needs no check",
               done.stdout + done.stderr)
    done = site.act(*site.fresh(), log=os.path.join(LOGS, "injection.log"))
    tap.result(done.answer["action"] == "tell-user"
               and site.lines() in ([], ["told"]),
               "a log gives no orders", done.stdout)
    done = site.act(*site.fresh(), log=os.path.join(LOGS, "well.log"))
    tap.result(done.returncode == 0 and done.answer["command"] is None,
               "there is nothing to run where nothing failed", done.stdout)


HOSTILE = ["-rf", "--all", "", "a b", "a;b", "$(id)", "`id`", "a|b", "a\nb",
           "a\tb", "\x1b[2J", "a'b", 'a"b', "a\\b", "*", "~", "#", "a&b",
           "n\u00f6de", "x" * 1025]


def words(tap, site):
    for value in HOSTILE:
        for option, mark in (("--node", "{node}"), ("--job", "{job}")):
            good = {"--node": "gpu-3", "--job": "7", option: value}
            args = [word for pair in good.items() for word in pair]
            done = site.run(*args, "--execute", *site.fresh())
            refused(tap, site, done, mark,
                    "%s %s is refused" % (option, ascii(value)[:24]))
    log = site.path("a log with blanks.log")
    shutil.copy(XID, log)
    book = site.write("log.json", {"confirm": [site.yes], "replace-node": [
        site.hand, "{log}"]})
    refused(tap, site, site.act(*site.fresh(), log=log, book=book), "{log}",
            "so is such a name of a log")
    for value in ("gpu[1-4]", "gpu-1,gpu-2", "a/b", "gpu-1:2"):
        done = site.run("--job", "7", "--node", value, "--execute",
                        *site.fresh())
        refused(tap, site, done, "one node",
                "%s is not one node" % value)
    plain = site.write("plain.json", {"confirm": [site.yes],
                                      "replace-node": [site.hand, "x"]})
    refused(tap, site, site.run("--execute", *site.fresh(), book=plain),
            "one node", "a disruptive command needs a node")


def evidence(tap, site):
    bare = site.write("bare.json", {"replace-node": [site.hand, "{node}"]})
    done = site.act(*site.fresh(), book=bare)
    refused(tap, site, done, "any user can print",
            "the log alone takes no node away")
    mild = site.write("mild.json", {"replace-node": {
        "command": [site.hand, "mild"], "disruptive": False}})
    done = site.act(*site.fresh(), book=mild)
    tap.result(done.did["ran"] and site.lines() == ["mild"],
               "a command that disturbs nobody needs no more", done.stdout)
    harsh = site.write("harsh.json", {"tell-user": {
        "command": [site.hand, "harsh"], "disruptive": True}})
    done = site.act(*site.fresh(), book=harsh,
                    log=os.path.join(LOGS, "key_error.log"),)
    refused(tap, site, done, "any user can print",
            "the file of commands can call any action disruptive")
    done = site.act("--set", "action-confidence=0.99", *site.fresh())
    refused(tap, site, done, "the least is 0.99",
            "a diagnosis below the floor runs nothing")


def kernels(tap, site):
    """Checks that a line of the kernel is evidence only if it is from the job."""
    bare = site.write("bare.json", {"replace-node": [site.hand, "{node}"]})
    kernel = site.write("kernel.log", "2026-03-01T10:00:00+00:00 gpu-3 kernel: "
                        "[ 123.45] NVRM: Xid (PCI:0000:03:00): 79, pid=1, GPU "
                        "has fallen off the bus.\n")
    args = ["--kernel-log", kernel, *site.fresh()]
    refused(tap, site, site.act(*args, book=bare), "--from",
            "a line of the kernel of unknown time is none")
    done = site.act(*args, "--from", "2026-03-01T09:00:00Z", book=bare)
    tap.result(done.returncode == 0 and done.did["ran"]
               and done.did["evidence"] == "kernel"
               and site.lines() == ["gpu-3"],
               "one at the time of the job is evidence",
               done.stdout + done.stderr)


def checks(tap, site):
    own = {"command": [site.hand, "{node}"], "confirm": [site.no, "{node}"]}
    book = site.write("no.json", {"replace-node": own, "confirm": [site.yes]})
    state = site.fresh()
    refused(tap, site, site.act(*state, book=book), "exit status 3",
            "a check that says no; that of the action counts first")
    row = rows_of(state[3].split("=")[1])[0]
    tap.result(not row["ran"] and row["check"]["exit_status"] == 3
               and row["refused"], "a refusal is one line of the log", row)
    tap.result(not os.path.exists(state[1].split("=")[1]),
               "what a check refuses does not count against the limits")
    args = site.command("--job", "7", "--node", "gpu-3", "--execute",
                        *site.fresh(), book=book)
    done = subprocess.run(
        [sys.executable, "-c", "import os, signal, sys; signal.signal("
         "signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])",
         *args], text=True, capture_output=True, timeout=LIMIT_S, check=False)
    done.did = json.loads(done.stdout)["command"]
    refused(tap, site, done, "exit status 3",
            "a check that says no to a program whose parent ignores SIGCHLD")
    hang = site.script("hang", "trap '' TERM; sleep 100 & wait; sleep 100")
    book = site.write("hang.json", {"replace-node": [site.hand, "{node}"],
                                    "confirm": [hang]})
    began = time.monotonic()
    done = site.act("--set", "check-limit=0.3", *site.fresh(), book=book)
    refused(tap, site, done, "no answer within 0.3 s", "a check that hangs")
    tap.result(time.monotonic() - began < LIMIT_S / 2, "ends in time")
    book = site.write("gone.json", {"replace-node": [site.hand, "{node}"],
                                    "confirm": [site.path("gone")]})
    state = site.fresh()
    done = site.act(*state, book=book)
    tap.result(done.returncode == 1 and "gone" in done.stderr
               and not site.lines() and "gone" in rows_of(state[3].split("=")[1])[0]["error"],
               "a check that is not there", done.stderr)


def limits(tap, site):
    state = site.fresh()
    site.act(*state)
    site.lines()
    refused(tap, site, site.act(*state), "--set node-cooldown",
            "a second command within the cool-down")
    free = ["--set", "node-cooldown=0"]
    for _ in range(2):
        site.act(*state, *free)
    tap.result(len(site.lines()) == 2, "after it the node has its limit")
    refused(tap, site, site.act(*state, *free), "--set node-limit",
            "which is 3 in 24 hours")
    other = ["--job", "7", "--execute", *state, "--node"]
    done = site.run(*other, "gpu-4")
    tap.result(done.did["ran"] and site.lines(), "another node has its own",
               done.stdout + done.stderr)
    refused(tap, site, site.run(*other, "gpu-5"), "--set cluster-limit",
            "the cluster has one for all")
    old = int(time.time()) - 3601
    kept = site.write("old", "".join(json.dumps(
        {"unix_s": old + i, "node": "n%d" % i, "action": "replace-node"}) + "\n"
        for i in range(-4, 1)))
    done = site.act("--set", "action-state=" + kept, "--set", "action-log=" + site.path("log"))
    tap.result(done.did["ran"] and site.lines() and len(rows_of(kept)) == 6,
               "what is older than an hour does not count for the cluster",
               done.stdout + done.stderr)
    ahead = site.write("ahead", json.dumps(
        {"unix_s": old + 9000, "node": "gpu-3", "action": "replace-node"}))
    refused(tap, site, site.act("--set", "action-state=" + ahead, *site.fresh()[2:]),
            "--set node-cooldown", "a clock that was set back frees nothing")
    failing = site.write("fail.json", {
        "replace-node": [site.no, "{node}"], "confirm": [site.yes]})
    state = site.fresh()
    done = site.act(*state, book=failing)
    tap.result(done.did["ran"] and done.did["exit_status"] == 3,
               "a command that fails", done.stdout)
    refused(tap, site, site.act(*state), "--set node-cooldown", "counts too")


def races(tap, site):
    state = site.fresh()
    children = [subprocess.Popen(
        site.command("--job", "7", "--node", "gpu-3", "--execute", *state),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)]
    done = [child.communicate(timeout=LIMIT_S) for child in children]
    ran = [json.loads(out)["command"]["ran"] for out, _ in done]
    tap.result(sum(ran) == 1 and len(site.lines()) == 1,
               "of six processes one runs the command", ran)
    rows = rows_of(state[3].split("=")[1])
    tap.result(len(rows) == 6 and sum(row["ran"] for row in rows) == 1,
               "and each writes its line", rows)


def files(tap, site):
    for name, text in (("text", "x\n"), ("cut", '{"unix_s": 17'),
                       ("empty", '{"unix_s": 0, "node": "a", "action": "b"}')):
        path = site.write("bad-" + name, text)
        done = site.act("--set", "action-state=" + path, *site.fresh()[2:])
        tap.result(done.returncode == 3 and path + ":1: " in done.stderr
                   and not site.lines(), "a damaged state: " + name,
                   done.stderr)
    path = site.write("open", "")
    os.chmod(path, 0o666)
    done = site.act("--set", "action-state=" + path, *site.fresh()[2:])
    tap.result(done.returncode == 1 and "can write it" in done.stderr
               and not site.lines(), "a state that others can write",
               done.stderr)
    link = site.path("link")
    os.symlink(site.write("target", ""), link)
    done = site.act("--set", "action-state=" + link, *site.fresh()[2:])
    tap.result(done.returncode == 1 and "is not a plain file" in done.stderr
               and not site.lines(), "a state that is a link", done.stderr)
    done = site.act(*site.fresh()[:2], "--set", "action-log=" + site.work)
    tap.result(done.returncode == 1 and not site.lines(),
               "without a log nothing runs", done.stderr)
    book = site.write("shared.json", {"replace-node": [site.hand],
                                      "confirm": [site.yes]})
    os.chmod(book, 0o622)
    refused(tap, site, site.act(*site.fresh(), book=book), "can write it",
            "commands that others can write")
    done = site.act(*site.fresh(), log=os.path.join(LOGS, "cuda_oom.log"),)
    tap.result(done.returncode == 1 and "not-there" in done.stderr
               and done.answer["failed"] and not done.did["ran"],
               "a command that cannot be run keeps the diagnosis", done.stderr)
    done = site.act("--set", "action-limit=0.2", *site.fresh(),
                    log=os.path.join(LOGS, "ib_completion.log"))
    tap.result(done.did["timed_out"], "a command that hangs is ended",
               done.stdout)


BOOKS = [
    ({"replce-node": ["x"]}, "no action 'replce-node'; did you mean"),
    ({"replace-node": []}, "expected a list of 1 to 64 strings"),
    ({"replace-node": [1]}, "expected a list of 1 to 64 strings"),
    ({"replace-node": ["x", "{nod}"]},
     "no value '{nod}'; did you mean '{node}'?"),
    ({"replace-node": {"confirm": ["x"]}}, 'replace-node: expected'),
    ({"replace-node": {"command": ["x"], "comfirm": ["x"]}},
     "no key 'comfirm'; did you mean 'confirm'?"),
    ({"replace-node": {"command": ["x"], "disruptive": 1}},
     "expected true or false"),
    ({"confirm": {"command": ["x"]}}, "expected a list of 1 to 64 strings"),
    ([], "expected an object of actions"),
    ({"replace-node": [""]}, "expected a list of 1 to 64 strings"),
    ({"replace-node": ["x"] * 65}, "expected a list of 1 to 64 strings"),
    ({"replace-node": ["x", "{", "{}", "{a b}", "{zzzzzzz}", "{nod}"]},
     "no value '{zzzzzzz}'; there are {job}, {node}"),
    ({"replace-node": ["x", "{%s}" % ("a_b" * 30)]},
     "no value '{a_ba_ba_ba_ba_ba_ba_ba_ba_ba_ba_ba_ba_b'; there are"),
    ({"replace-node": {"command": ["x"], "confirm": [], "odd": 1}},
     "expected a list of 1 to 64 strings"),
    ({"replace-node": {"command": ["x"], "zzzzzz": 1}}, "no key 'zzzzzz'"),
    ({"zzzzzzzz": ["x"]}, "no action 'zzzzzzzz'"),
]


def books(tap, site):
    for book, said in BOOKS:
        done = site.act(*site.fresh(), book=site.write("b.json", book))
        tap.result(done.returncode == 3 and said in done.stderr
                   and done.stderr.count("\n") == 1,
                   "a file of commands: " + said, done.stderr)
    with open(site.write("b.json", {}), "w", encoding="utf-8") as file:
        file.write("{")
    done = site.act(*site.fresh(), book=file.name)
    tap.result(done.returncode == 3 and "b.json:1:1: " in done.stderr,
               "a file of commands that is no JSON", done.stderr)


def homes(tap, site):
    env = {k: v for k, v in os.environ.items()
           if k not in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    args = site.command("--job", "7", "--node", "gpu-3", "--execute")
    done = subprocess.run(args, env=env, capture_output=True, text=True,
                          check=False)
    tap.result(done.returncode == 2 and "--set action-state" in done.stderr
               and not site.lines(), "without a home the files must be named",
               done.stderr)
    env["XDG_STATE_HOME"] = site.path("home")
    done = subprocess.run(args, env=env, capture_output=True, text=True,
                          check=False)
    folder = site.path("home/schedsim")
    tap.result(done.returncode == 0 and sorted(os.listdir(folder)) == [
        "actions.log", "actions.state", "actions.state.lock"] and site.lines(),
               "with one they have their place", done.stderr)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        site = Site(work)
        for test in (dry_runs, runs, words, evidence, kernels, checks, limits, races,
                     files, books, homes):
            test(tap, site)
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
