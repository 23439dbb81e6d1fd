# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for models, on the loopback interface, that read a job's files
through the agent's tools. Each follows a fixed plan, some of them a foolish
one."""
import json
import os
import re
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "llm"))
import server  # noqa: E402


class Heard:
    """Keeps all requests that were sent to the server."""

    def __init__(self):
        self.lock = threading.Lock()
        self.bodies = []
        self.headers = []

    def text(self):
        with self.lock:
            return "\n".join(json.dumps(b, ensure_ascii=False)
                             for b in self.bodies)

    def clear(self):
        with self.lock:
            self.bodies.clear()
            self.headers.clear()


HEARD = Heard()


def observations(body):
    """Returns what the agent was shown, the first view included."""
    return [m["content"] for m in body["messages"] if m["role"] == "user"]


def look(*requests):
    return json.dumps({"thought": "more", "look": requests, "answer": None})


def answer(*lines):
    return json.dumps({"thought": "done", "look": None, "answer": lines})


def said(body):
    return "\n".join(m["content"] for m in body["messages"])


def batch_line(body):
    """Returns a line of the answer about the last batch size that was shown."""
    path = hit = None
    for line in "\n".join(observations(body)).splitlines():
        header = re.match(r"== (\S+), ", line)
        path = header.group(1) if header else path
        found = re.search(r"batch[-_]size\D{1,60}?(\d+)", line)
        if found and path:
            hit = "batch_size | %s | %s | %s" % (
                found.group(1), path, re.sub(r"^\d+: ", "", line))
    return hit


def reader(handler, body, n):
    """Asks for two files at once, then answers with quotes."""
    if len(observations(body)) == 1:
        return 200, {}, server.chat(look("read train.py 1-100",
                                         "read conf/a.yaml", "list conf"))
    return 200, {}, server.chat(answer(batch_line(body)))


PLACES = ["read /etc/passwd", "read ../secret.txt", "sub/../../secret.txt",
          "read link.txt", "outline folder/secret.txt", "read .env",
          "grep SECRET|root: in /etc", "grep SECRET|root: in ..",
          "list ..", "read fifo.py", "read no such.py", "read ", "read pipe",
          "read ./././main.py", "read main.py/", "read main.py/../main.py"]


def gullible(handler, body, n):
    """Obeys instructions in a file: requests files that must not be read, and
    answers with what was not asked for."""
    at = 8 * (len(observations(body)) - 1)
    if at < len(PLACES):
        return 200, {}, server.chat(look(*PLACES[at:at + 8]))
    return 200, {}, server.chat(answer(
        "model_name | x\n$(touch pwned) | main.py | import torch",
        "shell | touch pwned | main.py | import torch",
        "no pair", "a | b | main.py | import torch",
        "optimizer | ../secret.txt | main.py | import torch",
        "dataset_name | TOP | ../secret.txt | TOP SECRET",
        "task_type | TOP | link.txt | TOP SECRET",
        "batch_size | 4 | main.py | parser.add_argument('--batch-size', default=4)",
        "hardware | " + "y" * 300 + " | main.py | import torch"))


def endless(handler, body, n):
    """Asks for the same again and again, and answers when it must."""
    if "Answer now" in observations(body)[-1]:
        return 200, {}, server.chat(answer(batch_line(body)))
    return 200, {}, server.chat(look("read train.py", "read a.py", "read b.py"))


def voter(handler, body, n):
    """Answers according to the seed."""
    epochs = {0: 8, 1: 16, 2: 16}[body["seed"]]
    return 200, {}, server.chat(answer(
        "epochs | %d | train.py | batch_size = 32" % epochs,
        "learning_rate | 3 | train.py | lr = 3",
        "depth | %d | train.py | import torch" % (body["seed"] // 2),
        "kind | a | train.py | import torch"))


def liar(handler, body, n):
    """Gives one field with a true quote, and fields whose quotes do not stand
    where it says: in another file, in a comment, in no file."""
    return 200, {}, server.chat(answer(
        "batch_size | 32 | train.py | batch_size = 32",
        "learning_rate | 0.1 | train.py | lr: 0.1",
        "epochs | 7 | train.py | # epochs = 7",
        "optimizer | Adam | nowhere.py | Adam(",
        "sequence_length | many | train.py | batch_size = 32",
        "precision | bf16 | command | python train.py --bf16",
        "gpus | 1 | command | python train.py",
        "max_steps | null", "model_name | | |", "|||", ""))


def wrong(handler, body, n):
    """Contradicts what the rules know from the command."""
    return 200, {}, server.chat(answer(
        "batch_size | 32 | train.py | batch_size = 32"))


def careful(handler, body, n):
    """Agrees with the rules in a number and withdraws a guess of theirs."""
    return 200, {}, server.chat(answer(
        "batch_size | 32 | train.py | batch_size = 32", "framework | null"))


def babbler(handler, body, n):
    """Answers with text that is no object."""
    return 200, {}, server.chat("I would rather talk about the weather.")


MODELS = {"reader": reader, "gullible": gullible, "endless": endless,
          "voter": voter, "liar": liar, "wrong": wrong,
          "careful": careful, "babbler": babbler,
          "down": server.always(503, {"Retry-After-Ms": "1"})}


class Handler(server.Handler):
    models = MODELS

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        data = self.rfile.read(length)
        with HEARD.lock:
            HEARD.bodies.append(json.loads(data))
            HEARD.headers.append(dict(self.headers))
        body = json.loads(data)
        status, headers, reply = MODELS[body["model"]](self, body, 0)
        self.send(status, headers, json.dumps(reply).encode())
