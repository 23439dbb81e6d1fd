# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests inputs of `diagnose` and `track` other than one plain log: what a
scheduler reports of a job, packed logs, and other encodings."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, HERE)
from server import Server  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("SCHEDSIM_LLM", "OPENAI_"))}


def run(*args, **kwargs):
    return subprocess.run([PROGRAM, "mate"] + list(args), capture_output=True,
                          text=True, errors="replace", timeout=60,
                          check=False, env=ENV, **kwargs)


def answer(*args):
    done = run(*args, "--json")
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"stderr": done.stderr, "exit": done.returncode}


def log(name):
    return os.path.join(HERE, name)


# One row: options, log, and the expected `failed`, `error_type`, `reason` and
# `also` of the answer.
ENDS = [
    (["--state", "FAILED"], "well.log", True, "unknown", None, None),
    (["--exit-code", "1"], "well.log", True, "unknown", None, None),
    (["--exit-code", "0:9"], "well.log", True, "unknown", None, None),
    (["--state", "COMPLETED"], "well.log", False, None, None, None),
    (["--exit-code", "0:0"], "well.log", False, None, None, None),
    (["--state", "RUNNING"], "well.log", False, None, None, None),
    (["--state", "TIMEOUT"], "well.log", True, "other", "time limit", None),
    (["--state", "NODE_FAIL"], "key_error.log", True, "infrastructure",
     "node failure", "key error"),
    (["--state", "OOMKilled"], "well.log", True, "framework",
     "out of memory", None),
    (["--reason", "NodeDown"], "well.log", True, "infrastructure",
     "node failure", None),
    (["--state", "FAILED"], "key_error.log", True, "user_script",
     "key error", None),
    (["--state", "COMPLETED", "--exit-code", "0:0"], "xid_79.log", True,
     "infrastructure", None, "the scheduler says that the job completed"),
]


def ends(tap):
    for args, name, failed, kind, reason, also in ENDS:
        got = answer("diagnose", log(name), *args)
        tap.result(got.get("failed") == failed
                   and got["error_type"] == kind
                   and (reason is None or got["reason"] == reason)
                   and got["also"] == also,
                   "%s with %s" % (name, " ".join(args)), got)
    for args, words in ((["--state", "FALED"], "did you mean 'failed'"),
                        (["--signal", "SIGKIL"], "did you mean 'KILL'"),
                        (["--exit-code", "900"], "0 to 255")):
        done = run("diagnose", log("well.log"), *args)
        tap.result(done.returncode == 2 and words in done.stderr
                   and not done.stdout, "refused: " + " ".join(args),
                   done.stderr)


def conversions(tap, work):
    with open(log("xid_79.log"), "rb") as file:
        data = file.read()
    text = data.decode()
    plain = answer("diagnose", log("xid_79.log"))
    packed = gzip.compress(data * 200)
    cases = [
        ("gzip", gzip.compress(data), ["gzip, unpacked"]),
        ("UTF-16, little-endian", b"\xff\xfe" + text.encode("utf-16-le"),
         ["UTF-16, converted to UTF-8"]),
        ("UTF-16, big-endian", b"\xfe\xff" + text.encode("utf-16-be"),
         ["UTF-16, converted to UTF-8"]),
        ("UTF-16 in gzip", gzip.compress(text.encode("utf-16")),
         ["gzip, unpacked", "UTF-16, converted to UTF-8"]),
        ("a byte-order mark", b"\xef\xbb\xbf" + data,
         ["UTF-8 with a byte-order mark, which is left out"]),
        ("Latin-1", data.replace(b"\n", b" caf\xe9\n"),
         ["%d lines that are not UTF-8, read byte by byte"
          % data.count(b"\n")]),
        ("UTF-8", data.replace(b"\n", " caf\u00e9 \u2588\n".encode()), []),
        ("zero bytes at the front", b"\0" * 200000 + data,
         ["1 lines with zero bytes"]),
        ("carriage returns", data.replace(b"\n", b"\r"),
         ["%d lines that end in a carriage return, each counted"
          % data.count(b"\n")]),
        ("a surrogate pair cut in half",
         b"\xff\xfe\x3d\xd8" + text.encode("utf-16-le") + b"\x3d",
         ["UTF-16, converted to UTF-8"]),
    ]
    path = os.path.join(work, "log")
    for name, stored, remarks in cases:
        with open(path, "wb") as file:
            file.write(stored)
        got = answer("diagnose", path)
        tap.result(got.get("reason") == plain["reason"]
                   and got["cause_line"] == plain["cause_line"]
                   and got["read_as"] == remarks, "read: " + name, got)
        pipe = subprocess.run([PROGRAM, "mate", "diagnose", "-", "--json"],
                              input=stored, capture_output=True, env=ENV,
                              timeout=60, check=False)
        tap.result(pipe.returncode == 0 and json.loads(pipe.stdout)["read_as"]
                   == remarks, "read from a pipe: " + name, pipe.stderr)
    with open(path, "wb") as file:
        file.write(packed[:len(packed) - 30])
    got = answer("diagnose", path)
    tap.result(got.get("reason") == plain["reason"]
               and got["read_as"][1].startswith("read up to an error"),
               "a packed log that is cut off is read up to there", got)
    done = run("track", path, "--follow")
    tap.result(done.returncode == 2 and "does not grow" in done.stderr,
               "a packed log is not followed", done.stderr)
    for name, head in (("xz", b"\xfd7zXZ\0"), ("bzip2", b"BZh9"),
                       ("zip", b"PK\3\4"), ("UTF-32", b"\xff\xfe\0\0a\0\0\0")):
        with open(path, "wb") as file:
            file.write(head + bytes(64))
        done = run("diagnose", path)
        tap.result(done.returncode == 3 and name + " cannot be read directly"
                   in done.stderr, "refused with advice: " + name, done.stderr)
    with open(path, "wb") as file:
        file.write(b"\x1f\x8bnot really gzip")
    done = run("diagnose", path)
    tap.result(done.returncode == 3 and "damaged" in done.stderr,
               "damaged from the start", done.stderr)


WEAK = ("step 1 loss 2.5\nstep 2 loss 2.4\nTraceback (most recent call last):\n"
        "  File \"train.py\", line 3, in <module>\n    go()\n"
        "RuntimeError: it went wrong\n")


def weighing(tap, work):
    """Tests how the answers of rules and of a model are weighed. Model `sound`
    answers infrastructure and nvlink; model `contradictory` answers
    user_script."""
    weak = os.path.join(work, "weak.log")
    with open(weak, "w", encoding="utf-8") as file:
        file.write(WEAK)
    strong = log("key_error.log")

    def ask(model, path, *args):
        before = len(server.asked)
        got = answer("diagnose", path, "--llm", "http:base_url=%s,model=%s"
                     % (server.url, model), "--quiet", *args)
        return got, len(server.asked) > before

    with Server() as server:
        got, asked = ask("sound", strong)
        tap.result(not asked and got["agreement"] == "rules-only"
                   and got["answers"] is None,
                   "no model is asked about a strong signature", got)
        got, asked = ask("sound", strong, "--set", "ask=always")
        tap.result(asked and got["agreement"] == "differs"
                   and got["error_type"] == "user_script"
                   and got["method"] == "rules"
                   and got["answers"]["model"]["faulty_component"] == "nvlink"
                   and got["answers"]["rules"]["error_type"] == "user_script",
                   "a model does not overrule a strong signature", got)
        got, asked = ask("contradictory", strong, "--set", "ask=always")
        tap.result(asked and got["agreement"] == "same"
                   and got["reason"] == "key error", "it may agree", got)
        got, asked = ask("sound", weak)
        tap.result(asked and got["agreement"] == "differs"
                   and got["faulty_component"] == "nvlink"
                   and got["method"] == "llm"
                   and got["answers"]["rules"]["confidence"] < 0.7,
                   "a model decides where the rules are weak", got)
        got, asked = ask("sound", strong, "--llm-trust",
                         log("model_decides.json"))
        tap.result(asked and got["faulty_component"] == "nvlink"
                   and got["method"] == "llm" and got["also"] == "key error",
                   "it does where it was measured to be better", got)
        got, asked = ask("sound", weak, "--set", "ask=never")
        tap.result(not asked and got["agreement"] == "rules-only",
                   "a model need not be asked", got)
        kept = os.path.join(work, "cases")
        run("diagnose", weak, "--cases", kept, "--feedback",
            "wrong,cause=storage")
        ask("sound", weak, "--cases", kept)
        tap.result("Kept case with similar lines (1.00): infrastructure, other: "
                   "storage." in server.asked[-1]["messages"][1]["content"],
                   "a similar kept case is part of the question",
                   server.asked[-1]["messages"][1]["content"])
        got, asked = ask("shy", weak)
        tap.result(asked and got["agreement"] == "rules-only" and got["why"]
                   and got["method"] == "rules", "no answer: the rules stay",
                   got)
        got, asked = ask("sound", log("well.log"), "--state", "FAILED")
        tap.result(asked and got["agreement"] == "model-only"
                   and got["faulty_component"] == "nvlink",
                   "a model decides where the rules are silent", got)
        got, asked = ask("sound", log("well.log"), "--state", "TIMEOUT")
        tap.result(not asked and got["reason"] == "time limit",
                   "no model is asked about the scheduler's word", got)
        got, asked = ask("sound", log("well.log"))
        tap.result(asked and not got["failed"]
                   and got["agreement"] == "differs",
                   "without a quote it does not overrule silence", got)
        got, asked = ask("sound", log("well.log"), "--state", "COMPLETED")
        tap.result(not asked and not got["failed"],
                   "no model is asked about a job that completed", got)
        done = run("diagnose", weak, "--set", "ask=always", "--llm",
                   "http:base_url=%s,model=sound" % server.url)
        tap.result("answers      differs (rules: framework; model: "
                   "infrastructure, nvlink)" in done.stdout,
                   "both answers are shown", done.stdout)
    got = answer("diagnose", log("well.log"), "--state", "FAILED")
    tap.result(len(got["tail"]) == 5 and got["tail"][-1]["line"]
               == got["located"]["lines"],
               "an unknown cause comes with the end of the log", got)


def installed(tap, work, llm):
    """Tests that `mate trust` without names asks about the labelled logs and
    trees that are installed beside the program, and says where it looks."""
    bin_dir, data = os.path.join(work, "bin"), os.path.join(
        work, "share", "schedsim", "labelled")
    os.mkdir(bin_dir)
    program = shutil.copy(PROGRAM, bin_dir)

    def measure(*args):
        return subprocess.run([program, "mate", "trust", *llm, *args],
                              capture_output=True, text=True, timeout=60,
                              check=False, env=ENV)
    none = measure()
    tap.result(none.returncode == 2 and data in none.stderr,
               "no labelled logs are installed", none.stderr)
    os.makedirs(os.path.join(data, "logs"))
    os.makedirs(os.path.join(data, "trees", "one"))
    shutil.copy(log("well.log"), os.path.join(data, "logs"))
    with open(os.path.join(data, "logs", "index.jsonl"), "w", encoding="utf-8") as file:
        file.write('{"file": "well.log", "failure": null}\n')
    label = os.path.join(data, "trees", "one.json")
    with open(label, "w", encoding="utf-8") as file:
        file.write('{"command": "python train.py --epochs 3", '
                   '"expect": {"epochs": "3"}}')
    some = measure()
    tap.result(some.returncode == 0 and "1 of 1 source trees" in some.stdout,
               "the installed ones are asked about", some.stdout + some.stderr)
    with open(label, "w", encoding="utf-8") as file:
        file.write('{"command": "python train.py", "expect": 3}')
    bad = measure()
    tap.result(bad.returncode == 3 and "one.json: expected" in bad.stderr,
               "a label that is none", bad.stderr)


def trust(tap, work):
    """Tests that `llm-trust` counts who is right, and what is no such file.
    Model `sound` answers infrastructure, nvlink and 0.25 s about each log."""
    path = os.path.join(work, "trust.json")
    with Server() as server:
        llm = ["--llm", "http:base_url=%s,model=sound" % server.url, "--quiet"]
        done = run("trust", log("index.jsonl"), *llm, "--out", path)
        with open(path, encoding="utf-8") as file:
            counts = json.load(file)["counts"]
        verdicts = [counts[c] for c in ("silent", "doubtful", "unknown", "weak",
                                        "strong", "hard")]
        steps = [counts[c] for c in ("no_step", "step", "clocked")]
        # 4 of the 10 logs are of the infrastructure; 0.25 s is near 0.312
        tap.result(done.returncode == 0
                   and sum(c["n"] for c in verdicts) == 10
                   and sum(c["rules"] for c in verdicts) == 10
                   and sum(c["model"] for c in verdicts) == 4
                   and sum(c["n"] for c in steps) == 10
                   and sum(c["model"] for c in steps) == 2  # 0.25 is near 0.312
                   and counts["part"] == {"n": 4, "rules": 4, "model": 0},
                   "llm-trust counts who is right", counts)
        installed(tap, work, llm)
        got = answer("diagnose", log("key_error.log"), *llm, "--set", "ask=always",
                     "--llm-trust", path)
        tap.result(got["error_type"] == "user_script", "and its counts decide",
                   got)
    done = run("trust", log("index.jsonl"))
    tap.result(done.returncode == 2 and "--llm" in done.stderr,
               "llm-trust needs a model", done.stderr)
    for text, words in (("{", "trust.json:1"), ("{}", "an object 'counts'"),
                        ('{"counts": {"silnt": {}}}', "mean 'silent'"),
                        ('{"counts": {}, "fields": {"bach_size": {}}}',
                         "mean 'batch_size'"),
                        ('{"counts": {}, "fields": []}', "an object 'fields'"),
                        ('{"counts": {"weak": {"n": 3, "rules": 4, "model": 0}'
                         '}}', "at most n")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = run("diagnose", log("well.log"), "--llm-trust", path)
        tap.result(done.returncode == 3 and words in done.stderr
                   and not done.stdout, "no counts: " + text, done.stderr)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        ends(tap)
        conversions(tap, work)
        weighing(tap, work)
        trust(tap, work)
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
