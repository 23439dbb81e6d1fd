# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves a model with fixed answers on the loopback, in a thread. The name of
the model selects a row of ANSWERS. Keeps the requests in `asked`."""
import http.server
import json
import re
import threading
import zlib

ANSWERS = {
    "sound": {"step_time": '{"found": true, "value": 250, "unit": "ms", '
                           '"seconds_per_step": 0.25}',
              "failure": '{"failed": "yes", "error_type": "infrastructure", '
                         '"faulty_component": "nvlink"}'},
    "shy": {"step_time": '{"found": false}',
            "failure": "I would rather not say."},
    "wild": {"step_time": '{"found": true, "seconds_per_step": 1e9}',
             "failure": '{"error_type": "infrastructure", '
                        '"faulty_component": "rm -rf /"}'},
    "contradictory": {"step_time": '{"found": true, "seconds_per_step": -1}',
                      "failure": '{"error_type": "user_script", '
                                 '"faulty_component": "gpu"}'},
}


WIDTH = 512


def embedding(text):
    """Returns a vector of hashed words, so that texts with common words have
    similar vectors."""
    vector = [0] * WIDTH
    for word in re.findall("[a-z]+", text.lower()):
        vector[zlib.crc32(word.encode()) % WIDTH] += 1
    return vector


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(size))
        self.server.asked.append(body)
        if self.path.endswith("/embeddings"):
            self.answer({"object": "list", "model": body["model"], "data": [
                {"index": i, "embedding": embedding(text)}
                for i, text in enumerate(body["input"])]})
            return
        kind = "failure" if "error_type" in json.dumps(
            body["messages"][0]) else "step_time"
        self.answer({
            "object": "chat.completion", "model": body["model"], "choices": [{
                "index": 0, "finish_reason": "stop", "message": {
                    "role": "assistant",
                    "content": ANSWERS[body["model"]][kind]}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10,
                      "total_tokens": 110}})

    def answer(self, what):
        reply = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


class Server:
    def __enter__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.asked = []
        self.thread = threading.Thread(target=self.http.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    @property
    def url(self):
        return "http://127.0.0.1:%d/v1" % self.http.server_address[1]

    @property
    def asked(self):
        return self.http.asked
