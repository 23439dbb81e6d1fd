# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `track` and `diagnose` as programs: with the logs in this folder,
hostile and growing logs, a model on the loopback, and its recording."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, HERE)
from server import Server  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

LIMIT_S = 12 * float(os.environ.get("FAULT_LIMIT_S", "5"))
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("SCHEDSIM_LLM", "OPENAI_"))
       and not k.lower().endswith("_proxy")}


def plain(*args, **kwargs):
    return subprocess.run([PROGRAM] + list(args), capture_output=True,
                          text=True, errors="replace", timeout=LIMIT_S,
                          check=False, env=ENV, **kwargs)


def run(*args, **kwargs):
    return plain("mate", *args, **kwargs)


def answer(*args):
    done = run(*args, "--json")
    return json.loads(done.stdout) if done.returncode == 0 else {
        "stderr": done.stderr, "exit": done.returncode}


def log(name):
    return os.path.join(HERE, name)


def labelled(tap):
    with open(log("index.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        name = row["file"]
        got = answer("diagnose", log(name))
        truth = row["failure"]
        tap.result(got.get("error_type") == (truth and truth["cls"])
                   and got["failed"] == bool(truth), name + ": the kind", got)
        if truth and truth["cls"] == "infrastructure":
            tap.result(got["faulty_component"] == truth["sub"],
                       name + ": the part", got)
        if truth:
            tap.result(abs(got["located"]["line"] - row["first_error_line"])
                       <= 1, name + ": the first error", got)
        step = row["step_time"]
        got = answer("track", log(name))
        tap.result(got["found"] == bool(step) and (not step or abs(
            got["seconds_per_step"] / step["seconds_per_step"] - 1) < 0.05),
            name + ": the step time", got)


# One row: name, bytes of the log, whether `track` finds a step time, and
# whether `diagnose` finds a failure (None: either is right).
HOSTILE = [
    ("an empty log", b"", False, False),
    ("zero bytes", b"\0" * 300000, False, False),
    ("random bytes", bytes((i * 7919 >> 5) & 255 for i in range(300000)),
     None, None),
    ("nothing but line ends", b"\n" * 2000000, False, False),
    ("a line of 50 MB", b"loss: 3 " * (50 << 17), None, False),
    ("no line end at the end", b"step 3 loss: 0.5 step_time: 0.25 s", True,
     False),
    ("windows line ends", b"step 3 loss: 0.5 step_time: 0.25 s\r\n" * 50, True,
     False),
    ("a bar that redraws itself", b"".join(
        b"\r 10%%|#         | %d/100 [00:10<01:30,  1.50s/it, loss=0.5]" % i
        for i in range(100)), True, False),
    ("256,000 lines", b"".join(
        b"Epoch: [1][%d/300000]\tTime 0.5 (0.5)\tLoss 3.05 (3.1)\n" % i
        for i in range(255990))
     + b"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n"
       b"    g(x)\nKeyError: 'a'\n", True, True),
]


def small_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (96 << 20, 96 << 20))


def hostile(tap, work):
    with open(PROGRAM, "rb") as program:
        # a sanitizer reserves terabytes of addresses
        sanitized = b"__asan_init" in program.read()
    path = os.path.join(work, "log")
    for name, data, has_step, has_failure in HOSTILE:
        with open(path, "wb") as file:
            file.write(data)
        for command, key, want in (("track", "found", has_step),
                                   ("diagnose", "failed", has_failure)):
            done = run(command, path, "--json",
                       preexec_fn=None if sanitized else small_memory)
            good = done.returncode == 0 and not done.stderr
            if good and want is not None:
                good = json.loads(done.stdout)[key] == want
            tap.result(good, "%s: %s" % (command, name),
                       done.stdout[-500:] + done.stderr)
    for method in ("binary", "last"):
        done = run("diagnose", path, "--locator", method, "--json")
        tap.result(done.returncode == 0 and
                   json.loads(done.stdout)["reason"] == "key error",
                   "diagnose: 256,000 lines, locator " + method, done.stdout)


def refusals(tap, work):
    missing = os.path.join(work, "missing")
    bad = os.path.join(work, "bad.json")
    with open(bad, "w", encoding="utf-8") as file:
        file.write('{"weights": 3}')
    for name, args, status, words in (
            ("a log that is not there", ["diagnose", missing], 3,
             "No such file"),
            ("a directory", ["track", work], 3, "is a directory"),
            ("no log", ["track"], 2, "a log is missing"),
            ("two logs", ["track", bad, bad], 2, "give one log only"),
            ("weights that are none",
             ["diagnose", log("well.log"), "--weights", bad], 3,
             "expected a positive scale"),
            ("an unknown locator",
             ["diagnose", log("well.log"), "--set", "locator=scam"], 2, "scan"),
            ("an unknown classifier",
             ["track", log("well.log"), "--classifier", "x"], 2, "linear"),
            ("too many lines", ["track", log("well.log"), "--set", "lines=9999"],
             2, "lines"),
            ("--execute without commands",
             ["diagnose", log("well.log"), "--execute"], 2, "--actions"),
            ("an unknown action",
             ["diagnose", log("well.log"), "--actions", bad], 3,
             "no action 'weights'")):
        done = run(*args)
        tap.result(done.returncode == status and words in done.stderr
                   and done.stderr.count("\n") == 1 and not done.stdout,
                   "refused: " + name, "%d %s" % (done.returncode,
                                                  done.stderr))


def pipes(tap):
    for command in ("track", "diagnose"):
        file = run(command, log("ib_completion.log"))
        with open(log("ib_completion.log"), "rb") as source:
            pipe = subprocess.run(
                [PROGRAM, "mate", command, "-"], input=source.read(), env=ENV,
                capture_output=True, timeout=LIMIT_S, check=False)
        tap.result(pipe.stdout.decode() == file.stdout,
                   command + ": a pipe says what the file says", pipe.stderr)


def baselines(tap, work):
    """Tests the two baselines: `last-lines` reads only the end of a log, and
    `rcacopilot` compares a log with the logs of known failures."""
    known = os.path.join(work, "known.jsonl")
    with open(known, "w", encoding="utf-8") as file:
        for name, cls, sub, day in (("xid_79.log", "infrastructure", "gpu", 1),
                                    ("key_error.log", "user_script", None, 9)):
            json.dump({"file": log(name), "failed_at": "2026-01-0%d" % day,
                       "failure": {"cls": cls, "sub": sub}}, file)
            file.write("\n")
    near = ["--method", "rcacopilot", "--incidents", known, "--set", "alpha=0"]
    got = answer("diagnose", log("xid_79.log"), *near)
    tap.result(got.get("error_type") == "infrastructure"
               and got["faulty_component"] == "gpu"
               and got["source"] == "nearest" and got["confidence"] == 1,
               "a known failure is recognised", got)
    got = answer("diagnose", log("key_error.log"), *near)
    tap.result(got.get("error_type") == "user_script", "and another one", got)
    got = answer("diagnose", log("cuda_oom.log"), *near, "--set", "least=0.99")
    tap.result(got.get("error_type") == "unknown"
               and got["source"] == "nothing",
               "a failure that resembles none is of no known category", got)
    for wrong in (["--method", "rcacopilot"], ["--incidents", known]):
        done = run("diagnose", log("xid_79.log"), *wrong)
        tap.result(done.returncode == 2 and "needs" in done.stderr,
                   wrong[0] + " alone is refused", done.stderr)
    at = ('{"file": "%s", "failed_at": %%s, "failure": {"cls": "other"}}'
          % log("key_error.log"))
    when = "failed_at: expected a date or seconds since 1970"
    for line, word in (("{", "JSON"), ('{"failure": null}', "file"),
                       ('{"file": ""}', ":1: file: expected the name"),
                       (at % '"soon"', when), (at % "[]", when),
                       (at % "-1", when), (at % "1e300", when),
                       ('{"file": "x", "failure": {"cls": "bad"}}', "cls"),
                       ('{"file": "none", "failure": {"cls": "other"}}',
                        "none")):
        with open(known, "w", encoding="utf-8") as file:
            file.write(line + "\n")
        done = run("diagnose", log("xid_79.log"), *near)
        tap.result(done.returncode == 3 and word in done.stderr
                   and not done.stdout, "bad incidents are refused: " + line,
                   done.stderr)
    short = answer("diagnose", log("time_limit.log"), "--method", "last-lines")
    long = answer("diagnose", log("time_limit.log"), "--set", "locator=last",
                  "--window", "500")
    tap.result(short == long and short["window"]["lines"] == 58,
               "last-lines reads the end of the log", short)


def growing(tap, work):
    path = os.path.join(work, "growing.log")
    line = "Epoch: [1][%d/900]\tTime %.1f (0.5)\tLoss 3.05 (3.1)\n"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line % (i, 0.5) for i in range(40))
    child = subprocess.Popen(
        [PROGRAM, "mate", "track", path, "--follow", "--every", "0.02", "--updates",
         "3", "--json"], stdout=subprocess.PIPE, text=True, env=ENV)
    first = json.loads(child.stdout.readline())
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(line % (i, 2.0) for i in range(40, 80))
    second = json.loads(child.stdout.readline())
    # truncates the file while the program reads it
    with open(path, "w", encoding="utf-8") as file:
        file.write("starting again\n")
    third = json.loads(child.stdout.readline())
    tap.result(child.wait(LIMIT_S) == 0, "follow: ends after its updates")
    tap.result(first["seconds_per_step"] == 0.5 and first["step"] == 39,
               "follow: what was there", first)
    tap.result(second["found"] and second["step"] > 39,
               "follow: what was added", second)
    tap.result(not third["found"], "follow: a log that was cut", third)
    child = subprocess.Popen(
        [PROGRAM, "mate", "track", path, "--follow", "--every", "0.02", "--updates",
         "2", "--json"], stdout=subprocess.PIPE, text=True, env=ENV)
    child.stdout.readline()
    os.rename(path, path + ".1")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines(line % (i, 4.0) for i in range(40))
    os.rename(path + ".new", path)
    fourth = json.loads(child.stdout.readline())
    tap.result(child.wait(LIMIT_S) == 0 and fourth["seconds_per_step"] == 4,
               "follow: a log that was rotated", fourth)


def model(name, url, recording=None, mode="record"):
    args = ["--llm", "http:base_url=" + url + ",model=" + name]
    if recording:
        args += ["--llm-recording", recording, "--llm-recording-mode", mode]
    return args


# With these options the model is asked about each failure, and its answer
# decides.
DECIDES = ["--llm-trust", log("model_decides.json")]
ALWAYS = ["--set", "ask=always"] + DECIDES


def models(tap, work):
    recording = os.path.join(work, "recording.jsonl")
    with Server() as server:
        args = model("sound", server.url, recording)
        got = answer("diagnose", log("injection.log"), *args, *ALWAYS)
        tap.result(got.get("method") == "llm" and got["faulty_component"]
                   == "nvlink" and got["tokens"] == 110,
                   "a model's diagnosis is taken", got)
        asked = server.asked[-1]["messages"]
        tap.result([m["role"] for m in asked[:2]] == ["system", "user"]
                   and "Ignore all previous" not in asked[0]["content"]
                   and asked[1]["content"].startswith("Rules: user_script")
                   and asked[1]["content"].endswith("</log>")
                   and asked[1]["content"].count("log>") == 3
                   and "(/log>" in asked[1]["content"]
                   and asked[1]["content"].count("\n") <= 100,
                   "the log is data, fenced, and no more than there is",
                   asked[0])
        step = answer("track", log("time_limit.log"), *args, *DECIDES)
        tap.result(step.get("method") == "llm" and step["source"] == "model"
                   and step["seconds_per_step"] == 0.25,
                   "a model's step time is taken", step)
        refused = answer("track", log("well.log"), *args, *DECIDES)
        tap.result(refused.get("seconds_per_step") == 0.412
                   and "off the clock" in refused["why"],
                   "a clock refuses a model's step time", refused)
        short = os.path.join(work, "short.log")
        with open(short, "w", encoding="utf-8") as file:
            file.write("2024-03-01 22:14:03 begin of training\n")
            for i in range(1, 21):
                file.write("step %d loss %.3f\n" % (500 * i, 3 - i / 50))
            file.write("2024-03-01 22:15:43 end\n")
        refused = answer("track", short, *args, *DECIDES)
        tap.result(refused.get("found") is False
                   and "longer than the log" in refused["why"],
                   "a model's step time has to fit into the log", refused)
        answer("track", log("well.log"), *args, *DECIDES)
        lines = server.asked[-1]["messages"][1]["content"].count("\n")
        tap.result(lines <= 72, "a model reads twenty progress lines", lines)
        for name, part in (("shy", None), ("wild", None),
                           ("contradictory", None)):
            got = answer("diagnose", log("injection.log"),
                         *model(name, server.url), *ALWAYS)
            tap.result(got.get("error_type") == "user_script"
                       and got["faulty_component"] == part
                       and got["method"] == "rules",
                       "a %s model does not decide more than it may" % name,
                       got)
            got = answer("track", log("well.log"), *model(name, server.url),
                         *([] if name == "shy" else DECIDES))
            tap.result(got.get("seconds_per_step") == 0.412
                       and got["method"] == "rules" and got["why"],
                       "a %s model leaves the step time to the rules" % name,
                       got)
        url = server.url
    # The server has stopped here; only the recording can answer.
    replay = model("sound", url, recording, "strict") + ALWAYS
    first = run("diagnose", log("injection.log"), *replay, "--json")
    again = run("diagnose", log("injection.log"), *replay, "--json")
    tap.result(first.returncode == 0 and first.stdout == again.stdout
               and json.loads(first.stdout)["method"] == "recording",
               "a recording answers in its place", first.stderr)
    missed = run("diagnose", log("key_error.log"), *replay)
    tap.result(missed.returncode != 0 and not missed.stdout,
               "a missing answer is an error in mode strict", missed.stderr)
    got = answer("diagnose", log("key_error.log"), *model("sound", url),
                 *ALWAYS)
    tap.result(got.get("method") == "rules" and got["why"]
               and got["error_type"] == "user_script",
               "without a server the rules answer", got)


def recorded(tap):
    """Tests that the recorded model (bench/recordings) answers each question
    about the logs of this folder, and that its kinds are right."""
    tape = ["--llm", "replay:model=large-language-model,mode=strict",
            "--llm-recording", os.path.join(ROOT, "bench", "recordings",
                                            "logs.jsonl")]
    with open(log("index.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    right = 0
    for row in rows:
        got = answer("diagnose", log(row["file"]), "--set", "ask=always", *tape)
        step = answer("track", log(row["file"]), *tape)
        said = got.get("answers") and got["answers"]["model"]
        tap.result(said and got["answers"]["words"]["quote_refused"] is False
                   and step.get("answers"),
                   row["file"] + ": the recorded model has answered", got)
        truth = row["failure"] and row["failure"]["cls"]
        right += bool(said) and said["error_type"] == truth
    tap.result(right == len(rows), "and its kinds are right", right)


def quality(tap, work):
    """Tests that modules.py measures the recorded model, and that a simulation
    takes its errors from the file."""
    out = os.path.join(work, "quality.json")
    tape = os.path.join(ROOT, "bench", "recordings", "logs.jsonl")
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "bench", "modules.py"), HERE,
         "--llm", "replay:model=large-language-model", "--recording", tape,
         "--out", out], capture_output=True, text=True, timeout=LIMIT_S * 4,
        env=dict(ENV, SCHEDSIM=PROGRAM), check=False)
    tap.result(done.returncode == 0, "modules.py measures a model",
               done.stderr)
    if done.returncode:
        return
    with open(out, encoding="utf-8") as file:
        got = json.load(file)
    failures = got["answers"]["failures"]
    tap.result(sum(failures.values()) == got["logs"] == 10
               and failures["right"] == 10
               and got["settings"]["recall"] == {"value": 1, "cases": 4}
               and got["when"].startswith("2026-11-"),
               "each log counts, and when it was asked", got)
    run_of = plain("run", os.path.join(ROOT, "traces", "samples", "native.csv"),
                 "--policy", "fifo+handler", "--quiet", "--schedmate",
                 "measured=" + out, "--out", os.path.join(work, "measured"))
    with open(os.path.join(work, "measured", "manifest.json"),
              encoding="utf-8") as file:
        text = file.read()
    recall = json.loads(text)["configuration"]["schedmate"]["recall"]
    tap.result(run_of.returncode == 0 and recall == "1"
               and "measured on 4 cases (large-language-model)" in text,
               "a simulation errs as it did", (run_of.stderr, recall))


def embeddings(tap, work):
    """Tests the classifier of the paper: cosine similarity of vectors that a
    server computed."""
    recording = os.path.join(work, "vectors.jsonl")
    how = ["--classes", "--classifier", "cosine", "--embed", "llm", "--quiet"]
    with Server() as server:
        args = model("sound", server.url, recording)
        first = run("diagnose", log("well.log"), *how, *args)
        with open(log("well.log"), encoding="utf-8") as file:
            losses = [" progress " in said for said, line
                      in zip(first.stdout.splitlines(), file)
                      if "loss" in line]
        tap.result(first.returncode == 0 and losses and all(losses)
                   and all("input" in body for body in server.asked),
                   "lines are compared by a server's embeddings",
                   first.stdout + first.stderr)
        url = server.url
    again = run("diagnose", log("well.log"), *how,
                *model("sound", url, recording, "strict"))
    tap.result(again.returncode == 0 and again.stdout == first.stdout,
               "recorded embeddings answer without the server", again.stderr)
    missed = run("diagnose", log("key_error.log"), *how,
                 *model("sound", url, recording, "replay"))
    tap.result(missed.returncode != 0 and not missed.stdout
               and "vectors" in missed.stderr,
               "a line without a vector is an error, not a guess",
               missed.stderr)


def record(recording):
    """Records the answers of the model `sound` about all logs of this folder:
    for both methods of `diagnose` and for `track`."""
    with Server() as server, open(log("index.jsonl"),
                                  encoding="utf-8") as file:
        args = model("sound", server.url, recording)
        for row in map(json.loads, file):
            run("diagnose", log(row["file"]), *args, *ALWAYS)
            run("diagnose", log(row["file"]), "--method", "last-lines", *args,
                *ALWAYS)
            run("track", log(row["file"]), *args)


def scores(tap, work):
    recording = os.path.join(work, "all.jsonl")
    record(recording)
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "bench", "modules.py"), HERE,
         "--json", "--recording", recording, "--model", "sound"],
        capture_output=True, text=True, timeout=LIMIT_S * 4,
        env=dict(ENV, SCHEDSIM=PROGRAM), check=False)
    tap.result(done.returncode == 0, "modules.py scores these logs",
               done.stderr)
    if done.returncode:
        return
    score = json.loads(done.stdout)
    tap.result(score["handler"]["scan, rules"]["f1"] == 1
               and score["tracker"]["rules"]["right"] == 1
               and score["locator"]["scan"]["within_5"] == 8
               and score["locator"]["scan"]["false_alarms"] == 0,
               "and finds all of them right", score["locator"])
    # Model `sound` answers infrastructure, nvlink and 0.25 s for any log.
    alone = score["handler"]["last 500 lines, model alone"]
    tap.result(alone["by_model"] == 8 and alone["recall"] == 1
               and alone["precision"] == 0.5 and alone["tokens"] == 110,
               "a recording drops in", alone)
    tap.result(score["tracker"]["model alone"]["right"] == 0
               and score["tracker"]["rules and model"]["right"] == 1,
               "of the step time too", score["tracker"])


STEPS = "".join("step %d/500 | loss %.3f | 412.3 ms/step\n" % (i, 4 - i / 100)
                for i in range(1, 40))
# name, log, whether the job failed, its kind and its part
SEVERITIES = [
    ("an agent of the node",
     STEPS + "node-agent[8]: CRIT power supply PSU2 input lost, node drained\n"
     "node-agent[8]: ERROR terminating job 7: node unhealthy\nTerminated\n",
     (True, "infrastructure", "node")),
    ("an accelerator that no signature knows",
     STEPS + "[14:22:10][SYN_API][error] Synapse Device 3 needs a reset\n"
     "Traceback (most recent call last):\n  File \"/home/a/train.py\", line 2, in f\n"
     "    step()\nRuntimeError: [Rank:3] FATAL ERROR :: device is in reset\n",
     (True, "infrastructure", "gpu")),
    ("one line that the job survived",
     STEPS + "[ERROR] writer: failed to remove a file, volume is down\n"
     "Final accuracy 0.912\n", (False, None, None)),
    ("an exception says more than a severity",
     STEPS + "ERROR:trainer:failed to move a batch to GPU\n"
     "Traceback (most recent call last):\n  File \"/home/a/train.py\", line 2, in f\n"
     "    x.to(d)\nTypeError: to() received an invalid argument\n",
     (True, "user_script", None)),
]


def severities(tap, work):
    for name, text, want in SEVERITIES:
        path = os.path.join(work, "severity.log")
        with open(path, "w", encoding="utf-8") as log:
            log.write(text)
        got = answer("diagnose", path)
        tap.result((got["failed"], got["error_type"], got["faulty_component"])
                   == want, "severity: " + name, got)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        labelled(tap)
        severities(tap, work)
        refusals(tap, work)
        hostile(tap, work)
        pipes(tap)
        baselines(tap, work)
        growing(tap, work)
        models(tap, work)
        recorded(tap)
        quality(tap, work)
        embeddings(tap, work)
        scores(tap, work)
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
