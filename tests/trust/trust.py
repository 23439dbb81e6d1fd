# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that files of somebody else cannot act outside the simulation: results,
configurations, grids and gates that run programs, load code, write files or
send to a server are refused in one line, and do so only with --trust. Side-cars
that name files outside their folder are refused too."""
import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

FIFO = "/usr/bin/python3 -E -s " + os.path.join(
    ROOT, "contrib", "policies", "fifo.py")
SLOW = float(os.environ.get("FAULT_LIMIT_S", "5")) / 5
LIBRARY = """
#include <fcntl.h>
__attribute__((constructor)) static void begin(void)
{
    open("%s", O_CREAT | O_WRONLY, 0600);
}
"""


class Listener:
    """A server that counts connections and answers none."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d/v1" % self.socket.getsockname()[1]
        self.n = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            one, _ = self.socket.accept()
            self.n += 1
            one.close()


class Site:
    """A folder with a trace, its side-car, a secret, and what must not happen:
    a file `mark` that appears, a file `precious` that changes, a connection."""

    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.listener = Listener()
        os.mkdir(self.path("repo"))
        self.put("repo/train.py", "import torch\n")
        self.put("one.csv", "submitted_unix_s,duration_s,gpus,job_id\n"
                            "0,10,1,a\n5,10,1,b\n")
        self.put("one.evidence.csv", "job_id,directory,command\n"
                                     "a,repo,python train.py\n"
                                     "b,repo,python train.py\n")
        self.put("key", "secret")
        self.put("tape.jsonl", "")
        self.calm()

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def calm(self):
        self.put("precious", "precious\n")
        if os.path.exists(self.path("mark")):
            os.remove(self.path("mark"))
        self.before = self.listener.n, os.stat(self.path("tape.jsonl"))

    def happened(self):
        """Words about what has happened since calm(); "" if nothing."""
        words = []
        if os.path.exists(self.path("mark")):
            words.append("mark appeared")
        with open(self.path("precious"), encoding="utf-8") as file:
            if file.read() != "precious\n":
                words.append("precious was overwritten")
        if self.listener.n != self.before[0]:
            words.append("a server was asked")
        tape = os.stat(self.path("tape.jsonl"))
        if tape.st_mtime_ns != self.before[1].st_mtime_ns:
            words.append("a recording was written")
        return ", ".join(words)

    def run(self, *words, env=None):
        done = subprocess.run(
            [PROGRAM, *words], cwd=self.dir, capture_output=True, text=True,
            env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL,
            timeout=60 * SLOW, check=False)
        return done.returncode, done.stderr.strip()


def library(site):
    site.put("evil.c", LIBRARY % site.path("mark"))
    done = subprocess.run(["cc", "-shared", "-fPIC", "-o", site.path("evil.so"),
                           site.path("evil.c")], check=False)
    return done.returncode == 0


def hostile(site):
    """Rows of: what the settings do, the settings, the words that the message
    must have, the environment. Each acts if it is trusted."""
    touch = "touch " + site.path("mark")
    asks = {"policy": "fifo+schedmate", "schedmate": "fidelity=replay"}
    server = "http:base_url=%s,key_file=%s,retries=0,deadline_s=2" % (
        site.listener.url, site.path("key"))
    yield ("run a program", {"policy": "exec:%s,confine=off" % touch},
           ["policy command=touch ", "policy confine=off"], {})
    yield ("run a program under a layer",
           {"policy": "exec+handler:%s,confine=off" % touch},
           ["policy command=touch "], {})
    yield ("run a program by its key",
           {"policy": "exec:confine=off,command=" + touch},
           ["policy command=touch "], {})
    yield ("load a library", {"policy": site.path("evil.so")},
           ["evil.so (loads code)"], {})
    yield ("load a library by a relative path", {"policy": "./evil.so+handler"},
           ["./evil.so (loads code)"], {})
    yield ("overwrite a file",
           {"policy": "exec:%s,record=%s" % (FIFO, site.path("precious"))},
           ["policy record=" + site.path("precious")], {})
    yield ("send a file to a server", dict(asks, llm=server),
           ["llm base_url=", "llm key_file="], {})
    yield ("ask the user's server",
           dict(asks, llm="http:retries=0,deadline_s=2"),
           ["llm http (sends to a server)"],
           {"OPENAI_BASE_URL": site.listener.url})


def manifest(site, settings):
    """Makes a result whose manifest has other options than its run had."""
    folder = site.path("result")
    shutil.rmtree(folder, ignore_errors=True)
    status, words = site.run("run", "one.csv", "--cluster", "1x4", "--quiet",
                             "--out", folder)
    if status:
        raise RuntimeError(words)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        text = json.load(file)
    text["provenance"]["options"].update(settings)
    with open(os.path.join(folder, "manifest.json"), "w",
              encoding="utf-8") as file:
        json.dump(text, file)
    return folder


def commands(site, settings):
    """Yields, for each kind of file, its name, the name of its command and the
    command with the file."""
    others = {k: v for k, v in settings.items() if k != "policy"}
    policy = settings["policy"]
    config = dict(settings, trace="one.csv", cluster="1x4")
    metric = [{"metric": "jct_s.mean", "tolerance": "1%"}]
    common = {"schedsim_gate": 1, "metrics": metric, "replications": 0}
    files = {
        "config": config,
        "list": dict(config, policy=["fifo", policy]),
        "grid": dict({k: [v] for k, v in settings.items()},
                     trace=["one.csv"], cluster="1x4"),
        "tuples": {"trace": ["one.csv"], "cluster": "1x4", "tuples": [
            [{"policy": "fifo"}, settings], [{"seed": 1}, {"seed": 2}]]},
        "gate": dict(common, settings=dict(others, cluster="1x4"),
                     policies=[{"policy": policy, "name": "fifo"}],
                     traces=[{"trace": "one.csv"}]),
        "gate2": dict(common, traces=[{
            "trace": "one.csv", "policies": ["fifo", {
                "policy": policy, "name": "x",
                "settings": dict(others, cluster="1x4")}]}]),
    }
    for name, text in files.items():
        site.put(name + ".json", json.dumps(text))
    yield "result", ["verify", manifest(site, settings), "--again"]
    yield "configuration", ["run", "--config", "config.json"]
    yield "list of policies", ["compare", "--config", "list.json"]
    yield "configuration of size", ["size", "--config", "config.json",
                                    "--target", "jct.mean < 1h"]
    yield "grid", ["sweep", "grid.json"]
    yield "grid of tuples", ["sweep", "tuples.json"]
    yield "gate", ["gate", "gate.json"]
    yield "gate with settings of a policy", ["gate", "gate2.json"]


def refused_and_trusted(tap, site):
    for what, settings, words, env in hostile(site):
        if "library" in what and not os.path.exists(site.path("evil.so")):
            tap.skip("no file can " + what, "no compiler")
            continue
        for kind, command in commands(site, settings):
            site.calm()
            status, said = site.run(*command, env=env)
            file = command[1] if kind == "result" else [
                w for w in command if w.endswith(".json")][0]
            good = status == 3 and not site.happened() and \
                "\n" not in said and "--trust" in said and \
                file in said and all(w in said for w in words)
            tap.result(good, "a %s cannot %s" % (kind, what), "%d: %s\n%s" % (
                status, said, site.happened()))
            status, said = site.run(*command, "--trust", env=env)
            tap.result(site.happened(), "a trusted %s can %s" % (kind, what),
                       "%d: %s" % (status, said))


def harmless(tap, site):
    """Settings that only read are not refused."""
    site.calm()
    status, words = site.run(
        "run", "one.csv", "--cluster", "1x4", "--quiet", "--policy",
        "exec:%s,record=%s" % (FIFO, site.path("answers")))
    tap.result(status == 0, "what the user types is trusted", words)
    for about, settings in (
            ("a record of answers", {"policy": "exec:replay=answers"}),
            ("a recording of a model",
             {"policy": "fifo+schedmate", "schedmate": "fidelity=replay",
              "llm": "replay", "llm_recording": "tape.jsonl"})):
        site.put("config.json", json.dumps(
            dict(settings, trace="one.csv", cluster="1x4")))
        site.calm()
        status, words = site.run("run", "--config", "config.json", "--quiet")
        tap.result(status == 0 and not site.happened(),
                   about + " is read without --trust",
                   "%d: %s\n%s" % (status, words, site.happened()))
    for mode in ("auto", "record"):
        settings = {"policy": "fifo+schedmate", "schedmate": "fidelity=replay",
                    "llm": "replay:file=tape.jsonl,mode=" + mode}
        site.put("config.json", json.dumps(
            dict(settings, trace="one.csv", cluster="1x4")))
        site.calm()
        status, words = site.run("run", "--config", "config.json", "--quiet")
        tap.result(status == 3 and "llm mode=" + mode in words and
                   not site.happened(),
                   "a file cannot write a recording: " + mode, words)


def sidecars(tap, site):
    """A side-car names nothing outside its folder, whether by its path, by a
    link or by a part that does not exist yet."""
    os.mkdir(site.path("in"))
    shutil.copytree(site.path("repo"), site.path("in/repo"))
    shutil.copy(site.path("one.csv"), site.path("in/one.csv"))
    site.put("in/a.log", "Epoch 1\n")
    os.symlink("..", site.path("in/up"))
    os.symlink("/etc", site.path("in/etc"))
    os.symlink("../key", site.path("in/key"))
    os.symlink(".", site.path("in/self"))
    command = ["run", "in/one.csv", "--cluster", "1x4", "--quiet", "--policy",
               "fifo+schedmate", "--schedmate", "fidelity=replay"]

    def try_row(directory, log, *more):
        site.put("in/one.evidence.csv", "job_id,directory,command,log\n"
                 "a,%s,python train.py,%s\n" % (directory, log))
        return site.run(*command, *more)

    for directory, log in (
            ("/etc", ""), ("..", ""), ("../..", ""), ("../repo", ""),
            ("repo/../../repo", ""), ("up/repo", ""), ("etc", ""),
            ("etc/ssh", ""), ("none/../..", ""), ("../inside", ""),
            ("../none", ""), ("/", ""), ("repo", "/etc/passwd"),
            ("repo", "../key"), ("repo", "key"), ("repo", "up/key")):
        status, words = try_row(directory, log)
        tap.result(status == 3 and "leads out of the folder" in words
                   and "one.evidence.csv:2:" in words
                   and "--evidence-root" in words,
                   "a side-car cannot name %s %s" % (directory, log), words)
    for directory, log in (
            ("repo", ""), (site.path("in/repo"), "a.log"), (".", "self/a.log"),
            ("up/in/repo", ""), ("repo/none/deep", "none.log"), ("", "")):
        status, words = try_row(directory, log)
        tap.result(status == 0, "a side-car can name '%s' '%s'" % (
            directory, log), words)
    for root, directory, good in ((".", "../repo", True), ("repo", "..", False),
                                  ("repo", "../repo", True),
                                  ("/", "/etc", True), ("none", "repo", False)):
        status, words = try_row(directory, "", "--evidence-root", root)
        tap.result((status == 0) == good, "--evidence-root %s allows %s: %s" % (
            root, directory, good), words)
    site.put("in/c.json", json.dumps({
        "trace": "in/one.csv", "cluster": "1x4", "evidence_root": "/",
        "policy": "fifo+schedmate", "schedmate": "fidelity=replay"}))
    status, words = site.run("run", "--config", "in/c.json", "--quiet")
    tap.result(status == 3 and "evidence-root /" in words,
               "a configuration cannot widen the folder of a side-car", words)
    status, words = site.run("run", "--config", "in/c.json", "--quiet",
                             "--trust")
    tap.result(status == 0, "a trusted configuration can", words)


def read_all(terminal):
    """Reads what was written to a terminal whose programs have ended."""
    text = b""
    try:
        while piece := os.read(terminal, 65536):
            text += piece
    except OSError:  # the end
        pass
    return text.decode(errors="replace")


def asked(tap, site):
    """At a terminal a person is asked."""
    site.put("config.json", json.dumps({
        "trace": "one.csv", "cluster": "1x4",
        "policy": "exec:touch %s,confine=off" % site.path("mark")}))
    for answer, happens in ((b"n\n", False), (b"\n", False), (b"yes\n", True)):
        site.calm()
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [PROGRAM, "run", "--config", "config.json", "--quiet"],
            cwd=site.dir, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        os.write(ours, answer)
        child.communicate(timeout=60 * SLOW)
        said = read_all(ours)
        os.close(ours)
        tap.result("Trust it?" in said and bool(site.happened()) == happens,
                   "a person who says %r is obeyed" % answer.decode(), said)


def main():
    tap = Tap()
    site = Site()
    try:
        library(site)
        harmless(tap, site)
        refused_and_trusted(tap, site)
        sidecars(tap, site)
        asked(tap, site)
    finally:
        shutil.rmtree(site.dir)
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
