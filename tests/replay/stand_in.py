# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a language model, on the loopback. It answers each question
with what the rules of schedsim find in the text of the question. It speaks the
OpenAI interface, so the program cannot tell it from a model.

As a program, this file prints its port and serves until its standard input is
closed. With `--tokens-per-second N` it waits before each answer as long as a
model takes that writes N tokens per second, so that a recording has realistic
latencies. With `--record` it runs the sample and adds the answers to the
recording of the sample. It does not wait then, but writes the latencies of N
tokens per second into the recording.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..", "llm"),
                os.path.join(HERE, "..", "advise")]
import agent  # noqa: E402
import server  # noqa: E402
from tap import PROGRAM, ROOT  # noqa: E402

BLANK = {"stdin": subprocess.DEVNULL, "capture_output": True, "check": True}


def schedsim(*args):
    """Runs a command with --json. Returns the JSON object that the command
    prints."""
    done = subprocess.run([PROGRAM, *args, "--json", "--quiet"], cwd=ROOT,
                          **BLANK)
    return json.loads(done.stdout)


def advice(body):
    """Leaves each field as the rules have it, which the question shows."""
    return agent.answer()


def on_log(body, *args):
    """Returns what a command finds in the log lines of the question."""
    lines = body["messages"][-1]["content"]
    lines = lines[lines.index("<log>\n") + len("<log>\n"):-len("</log>")]
    lines = re.sub(r"^\d+\| ", "", lines, flags=re.M)
    with tempfile.NamedTemporaryFile("w", suffix=".log", encoding="utf-8",
                                     newline="") as file:
        file.write(lines)
        file.flush()
        return schedsim(*args, file.name)


def step_time(body):
    found = on_log(body, "track")
    if not found["found"]:
        return json.dumps({"found": False, "value": None, "unit": None,
                           "seconds_per_step": None})
    return json.dumps({"found": True, "value": found.get("value"),
                       "unit": (found.get("unit") or "")[:15],
                       "seconds_per_step": found["seconds_per_step"]})


def failure(body):
    found = on_log(body, "diagnose")
    kind = found.get("error_type")
    part = found.get("faulty_component") or "none"
    if not kind or kind == "unknown":
        return json.dumps({"failed": "cannot_tell"})
    return json.dumps({"failed": "yes", "error_type": kind,
                       "faulty_component": part})


ANSWERS = {"step_time": step_time, "failure": failure}
PACE = {"tokens_per_second": 0}


def stand_in(handler, body, n):
    form = body.get("response_format", {}).get("json_schema", {})
    text = ANSWERS.get(form.get("name"), advice)(body)
    reply = server.chat(text)
    # A token has about four bytes of text.
    prompt = sum(len(m["content"].encode()) for m in body["messages"]) // 4
    tokens = len(text.encode()) // 4 + 1
    reply["model"] = "stand-in"
    reply["system_fingerprint"] = "rules of schedsim"
    reply["usage"] = {"prompt_tokens": prompt, "completion_tokens": tokens,
                      "total_tokens": prompt + tokens}
    if PACE["tokens_per_second"]:
        time.sleep(tokens / PACE["tokens_per_second"])
    return 200, {}, reply


class Handler(server.Handler):
    models = {"*": stand_in}


SAMPLE = ["run", "traces/samples/evidence.csv", "--cluster", "a800-64",
          "--policy", "lucid+schedmate", "--schedmate", "fidelity=replay",
          "--quiet"]
RECORDING = os.path.join(ROOT, "traces", "samples", "evidence.jsonl")


# Upper bound of the runs that --record makes. Answers that arrive at other
# times can lead to other questions, so a run may ask something that is not
# recorded yet.
PASSES_MAX = 20


def paced(line, tokens_per_second):
    """Returns a record with the latency that its answer takes at a speed in
    tokens per second."""
    entry = json.loads(line)
    entry["latency_ms"] = round(
        1000 * entry["usage"]["completion"] / tokens_per_second, 3)
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def lines():
    if not os.path.exists(RECORDING):
        return []
    with open(RECORDING, encoding="utf-8") as file:
        return file.read().splitlines()


def record(port, tokens_per_second):
    """Adds the answers to the recording of the sample that it lacks."""
    url = "http:base_url=http://127.0.0.1:%d/v1" % port
    for _ in range(PASSES_MAX):
        old = lines()
        subprocess.run([PROGRAM, *SAMPLE, "--llm", url, "--llm-recording",
                        RECORDING], cwd=ROOT, check=True)
        new = lines()[len(old):]
        if not new:
            return
        with open(RECORDING + ".partial", "w", encoding="utf-8") as file:
            for line in old + [paced(one, tokens_per_second) for one in new]:
                file.write(line + "\n")
        os.rename(RECORDING + ".partial", RECORDING)
        print("%d answers more" % len(new), file=sys.stderr)
    sys.exit("the questions do not end after %d runs" % PASSES_MAX)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens-per-second", type=float, default=0)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if not args.record:
        PACE["tokens_per_second"] = args.tokens_per_second
    served = server.serve(Handler)
    if args.record:
        record(served.server_port, args.tokens_per_second or 50)
    else:
        print(served.server_port, flush=True)
        sys.stdin.read()
    served.shutdown()


if __name__ == "__main__":
    main()
