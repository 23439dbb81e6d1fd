# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves the OpenAI interface on the loopback, with fixed answers. The name of
the model in a request selects a good answer or a kind of fault. Prints its
port and serves until its standard input is closed."""
import base64
import http.server
import json
import struct
import sys
import threading
import time

GOOD = '{"found": true, "step_time": 0.5, "unit": "s"}'
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
         "prompt_tokens_details": {"cached_tokens": 3},
         "completion_tokens_details": {"reasoning_tokens": 2}}


class State:
    """Counts requests by model. `most` is the largest number of requests that
    were answered at the same time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.inside = 0
        self.most = 0

    def count(self, model):
        with self.lock:
            self.counts[model] = self.counts.get(model, 0) + 1
            return self.counts[model]


STATE = State()


def chat(content, finish="stop", usage=True, **message):
    body = {"id": "x", "object": "chat.completion", "model": "served-model",
            "system_fingerprint": "fp_1", "choices": [{
                "index": 0, "finish_reason": finish,
                "message": dict({"role": "assistant", "content": content},
                                **message)}]}
    if usage:
        body["usage"] = USAGE
    return body


def refuse(message, code=None):
    return {"error": {"message": message, "type": "invalid_request_error",
                      "param": None, "code": code}}


def schema_form(body):
    """Returns the way in which the request gives the schema."""
    if "structured_outputs" in body:
        return "structured_outputs"
    kind = body.get("response_format", {}).get("type")
    if kind == "json_schema":
        ok = body["response_format"]["json_schema"]["schema"]["properties"]
        return "json_schema" if ok else "empty"
    return kind or "plain"


def said(body):
    return " ".join(m["content"] for m in body["messages"])


# Each of the functions below returns (status, headers, body) or makes a
# function that does. The body is JSON or bytes; n is the number of the request
# of this model, from 1.
def ok(handler, body, n):
    return 200, {}, chat(GOOD)


def then_ok(status, headers=None, code=None, times=1):
    def act(handler, body, n):
        if n <= times:
            return status, headers or {}, refuse("not now", code)
        return 200, {}, chat(GOOD)
    return act


def always(status, headers=None, code=None):
    return then_ok(status, headers, code, 10**9)


def says(content, **kwargs):
    return lambda handler, body, n: (200, {}, chat(content, **kwargs))


def raw(data):
    return lambda handler, body, n: (200, {}, data)


def slow(handler, body, n):
    time.sleep(60)
    return 200, {}, chat(GOOD)


def picky(allowed):
    """Makes a server that accepts a schema only in the forms `allowed`."""
    def act(handler, body, n):
        form = schema_form(body)
        if form not in allowed:
            field = "structured_outputs" if form == "structured_outputs" \
                else "response_format"
            return 400, {}, refuse("unknown field " + field)
        if form == "plain" and '"step_time"' not in said(body):
            return 400, {}, refuse("the prompt shows no schema")
        if form == "json_object" and "JSON" not in said(body):
            return 400, {}, refuse("the word JSON is missing")
        return 200, {}, chat(GOOD, finish=form)
    return act


def new_tokens(handler, body, n):
    if "max_tokens" in body:
        return 400, {}, refuse("Unsupported parameter: 'max_tokens'. Use "
                               "'max_completion_tokens' instead.")
    for field in ("temperature", "seed"):
        if field in body:
            return 400, {}, refuse("Unsupported value: '%s'" % field)
    return 200, {}, chat(GOOD)


def stubborn(handler, body, n):
    return 400, {}, refuse("response_format, temperature, seed, top_p, "
                           "max_tokens: all wrong")


def invalid_then_ok(handler, body, n):
    roles = [m["role"] for m in body["messages"]]
    if roles[-2:] == ["assistant", "user"]:
        good = "step_time" in body["messages"][-1]["content"]
        return 200, {}, chat(GOOD if good else "{}")
    return 200, {}, chat('{"found": true, "step_time": "half a second"}')


def echo_key(handler, body, n):
    return 200, {}, chat("you sent " + handler.headers["Authorization"])


def unauthorized(handler, body, n):
    return 401, {}, refuse("bad key: " + str(handler.headers["Authorization"]))


def no_key(handler, body, n):
    has = handler.headers["Authorization"] is not None
    return 200, {}, chat("a key" if has else "no key")


def busy(handler, body, n):
    with STATE.lock:
        STATE.inside += 1
        STATE.most = max(STATE.most, STATE.inside)
    time.sleep(0.2)
    with STATE.lock:
        STATE.inside -= 1
        most = STATE.most
    return 200, {}, chat(str(most))


def vector(i):
    return [float(i), 0.5, -1.25]


def embed(form):
    def act(handler, body, n):
        data = [{"object": "embedding", "index": i, "embedding": vector(i)}
                for i in range(len(body["input"]))][::-1]
        if form == "base64":
            for row in data:
                row["embedding"] = base64.b64encode(
                    struct.pack("<3f", *row["embedding"])).decode()
        elif form == "missing":
            data.pop()
        elif form == "twice":
            data[0]["index"] = data[-1]["index"]
        elif form == "ragged":
            data[0]["embedding"] = [1.0]
        elif form == "words":
            data[0]["embedding"] = ["one", "two", "three"]
        return 200, {}, {"data": data, "model": "served-embedder",
                         "usage": {"prompt_tokens": 5, "total_tokens": 5}}
    return act


MODELS = {
    "ok": ok,
    "chunked": ok,
    "fenced": says("<think>{\"found\": 1}</think>Sure:\n```json\n" + GOOD
                   + "\n```\nGlad to help {you}."),
    "429-seconds": then_ok(429, {"Retry-After": "1.5"}),
    "429-date": then_ok(429, {"Retry-After": "Thu, 01 Jan 2026 00:00:07 GMT"}),
    "429-past": then_ok(429, {"Retry-After": "Thu, 01 Jan 2015 00:00:00 GMT"}),
    "429-ms": then_ok(429, {"Retry-After-Ms": "250", "Retry-After": "9"}),
    "429-long": always(429, {"Retry-After": "121"}),
    "429-words": then_ok(429, {"Retry-After": "soon"}),
    "quota": always(429, code="insufficient_quota"),
    "500-once": then_ok(500),
    "500-always": always(500),
    "408-once": then_ok(408),
    "409-once": then_ok(409),
    "404": always(404),
    "503-should-not": always(503, {"x-should-retry": "false"}),
    "404-should": then_ok(404, {"x-should-retry": "true"}),
    "redirect": always(302, {"Location": "/v1/elsewhere"}),
    "slow": slow,
    "truncated": ok,
    "truncated-once": ok,
    "cut-chunks": ok,
    "garbage": ok,
    "closes": ok,
    "not-json": raw(b"<html>proxy says no</html>"),
    "half-json": raw(b'{"choices": [{"message": {"content": "x"'),
    "an-array": raw(b"[1, 2]"),
    "deep": raw(b"[" * 100000),
    "empty-body": raw(b""),
    "wrong-types": raw(b'{"choices": "many", "usage": 3, "model": 7}'),
    "choice-is-number": raw(b'{"choices": [4]}'),
    "content-is-number": raw(
        b'{"choices": [{"message": {"content": 5}, "finish_reason": 1}]}'),
    "empty-choices": raw(b'{"choices": []}'),
    "no-content": says(None),
    "refusal": says(None, refusal="I would rather not"),
    "filter": says("", finish="content_filter"),
    "length": says('{"found": true, "step_', finish="length"),
    "huge": raw(b'{"pad": "' + b"x" * (3 << 20) + b'"}'),
    "bad-utf8": raw(json.dumps(chat("a@b")).encode().replace(b"@", b"\xff")),
    "no-usage": says(GOOD, usage=False),
    "bad-usage": raw(json.dumps(dict(chat(GOOD), usage={
        "prompt_tokens": -4, "completion_tokens": "x"})).encode()),
    "picky-structured": picky({"structured_outputs"}),
    "picky-object": picky({"json_object"}),
    "picky-plain": picky({"plain"}),
    "picky-schema": picky({"json_schema"}),
    "new-tokens": new_tokens,
    "stubborn": stubborn,
    "invalid-then-ok": invalid_then_ok,
    "invalid-always": says('{"found": "perhaps"}'),
    "echo-key": echo_key,
    "unauthorized": unauthorized,
    "no-key": no_key,
    "busy": busy,
    "embed": embed("float"),
    "embed-base64": embed("base64"),
    "embed-missing": embed("missing"),
    "embed-twice": embed("twice"),
    "embed-ragged": embed("ragged"),
    "embed-words": embed("words"),
}


# The models of manners.py need the functions above, so the import stands here.
import manners  # noqa: E402
MODELS.update(manners.models(sys.modules[__name__]))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    models = MODELS

    def log_message(self, *_args):
        pass

    def send(self, status, headers, data, length=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length",
                         str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def send_chunks(self, data, cut):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(data), 7):
            piece = data[at:at + 7]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if cut and at > 20:
                self.close_connection = True
                return
        self.wfile.write(b"0\r\n\r\n")

    def broken(self, model, n, data):
        """Spoils the reply for models that break a transfer. Returns true if
        nothing remains to be sent."""
        if model == "truncated" or (model == "truncated-once" and n == 1):
            self.send(200, {}, data[:len(data) // 2], len(data))
        elif model in ("chunked", "cut-chunks"):
            self.send_chunks(data, model == "cut-chunks")
            return True
        elif model == "garbage":
            self.wfile.write(b"\0\1\2 what is HTTP?\r\n\r\n")
        elif model != "closes":
            return False
        self.close_connection = True
        return True

    def do_POST(self):
        body = json.loads(self.rfile.read(
            int(self.headers["Content-Length"])).decode("utf-8"))
        model = body.get("model")
        n = STATE.count(model)
        act = self.models.get(model, self.models.get("*"))
        if not act:
            self.send(404, {}, json.dumps(refuse("no such model")).encode())
            return
        status, headers, reply = act(self, body, n)
        data = reply if isinstance(reply, bytes) \
            else json.dumps(reply).encode()
        if not self.broken(model, n, data):
            self.send(status, headers, data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args):
        """Ignores a client that closes the connection early, because some
        tests do that."""


def serve(handler=Handler):
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    server = serve()
    print(server.server_port, flush=True)
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
