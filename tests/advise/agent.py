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


def schema_name(body):
    return body["response_format"]["json_schema"]["name"]


def observations(body):
    return [m["content"] for m in body["messages"]
            if m["role"] == "user" and m["content"].startswith("Observation")]


def step(action, path=None, thought="next"):
    return json.dumps({"thought": thought, "action": action, "path": path})


def files_in(tree):
    """Returns the paths in a tree as the tool draws it."""
    paths, stack = [], []
    for line in tree.splitlines():
        match = re.match(r"( *)(\S.*?)(/| \(\d+ bytes\))$", line)
        if not match:
            continue
        depth = len(match.group(1)) // 2
        stack[depth:] = [match.group(2)]
        if match.group(3) != "/":
            paths.append("/".join(stack))
    return paths


def metadata_of(body, **changes):
    """Returns the metadata that fixed rules find in the text that the agent
    was shown. `changes`: fields with other values."""
    seen = "\n".join(observations(body))
    batch = re.findall(r"batch[-_]size\D{1,60}?(\d+)", seen)
    found = {name: None for name in
             body["response_format"]["json_schema"]["schema"]["properties"]}
    found.update({
        "model_name": "ResNet", "task_type": "image classification",
        "dataset_name": "ImageNet", "framework": "PyTorch",
        "batch_size": int(batch[-1]) if batch else 0, "other": []})
    found.update(changes)
    return found


def reader(handler, body, n):
    """Requests the tree, then each file of interest, then answers."""
    if schema_name(body) == "job_metadata":
        return 200, {}, server.chat(json.dumps(metadata_of(body)))
    seen = observations(body)
    if not seen:
        return 200, {}, server.chat(step("file_tree"))
    changed = re.search(r"read only these again:\n(.*?)\nTake", said(body),
                        re.S)
    wanted = changed.group(1).split("\n") if changed else files_in(seen[0])
    if len(seen) - 1 < len(wanted):
        return 200, {}, server.chat(step("file_read", wanted[len(seen) - 1]))
    return 200, {}, server.chat(step("answer"))


def said(body):
    return "\n".join(m["content"] for m in body["messages"])


PLACES = ["/etc/passwd", "../secret.txt", "sub/../../secret.txt", "link.txt",
          "folder/secret.txt", ".env", "fifo.py", "no such.py", "", "pipe",
          "./././main.py", "main.py/", "main.py/../main.py"]


def gullible(handler, body, n):
    """Obeys instructions in a file: requests files that must not be read, and
    answers with fields that were not requested."""
    if schema_name(body) == "job_metadata":
        found = metadata_of(body, other=["run=rm -rf /", "a=b", "a=c",
                                         "no pair", "key\nline=x"],
                            model_name="x\n$(touch pwned)", hardware="y" * 300)
        found["shell"] = "touch pwned"
        return 200, {}, server.chat(json.dumps(found))
    at = len(observations(body))
    if at < len(PLACES):
        return 200, {}, server.chat(step("file_read", PLACES[at]))
    return 200, {}, server.chat(step("answer"))


def endless(handler, body, n):
    """Requests the tree at each step and never answers."""
    if schema_name(body) == "job_metadata":
        return 200, {}, server.chat(json.dumps(metadata_of(body)))
    return 200, {}, server.chat(step("file_tree"))


def voter(handler, body, n):
    """Answers according to the seed. As evaluator, finds one field without
    support."""
    if schema_name(body) == "agent_step":
        return 200, {}, server.chat(step("answer"))
    if schema_name(body) == "unsupported_fields":
        return 200, {}, server.chat('{"unsupported": ["optimizer", "x"]}')
    batch = {0: 8, 1: 16, 2: 16}[body["seed"]]
    return 200, {}, server.chat(json.dumps(metadata_of(
        body, batch_size=batch, optimizer="Adam",
        other=["depth=%d" % (body["seed"] // 2), "kind=a"])))


def babbler(handler, body, n):
    """Answers with text that is no object."""
    return 200, {}, server.chat("I would rather talk about the weather.")


MODELS = {"reader": reader, "gullible": gullible, "endless": endless,
          "voter": voter, "babbler": babbler,
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
