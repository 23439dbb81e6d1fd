# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls a headless Chromium through its DevTools protocol over a pipe."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """Returns the path of the browser, None if no browser is installed."""
    for name in NAMES:
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """A browser with one page. `errors` collects the errors of the console."""

    def __init__(self, width=1280, height=900):
        self.home = tempfile.mkdtemp(prefix="browser.")
        theirs_in, self.out = os.pipe()
        self.come, theirs_out = os.pipe()
        words = [find(), "--headless", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-sync",
                 "--hide-scrollbars", "--user-data-dir=" + self.home,
                 "--window-size=%d,%d" % (width, height),
                 "--remote-debugging-pipe", "about:blank"]
        script = 'exec "$@" 3<&%d 4>&%d' % (theirs_in, theirs_out)
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash"] + words,
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session = b"", 0, None
        self.errors, self.events = [], []
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            self.call(part + ".enable")

    def message(self, within):
        """Returns the next message; None if no message arrives within `within`
        seconds."""
        until = time.monotonic() + within
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.come], [], [], left)[0]:
                return None
            piece = os.read(self.come, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has gone")
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        name, body = message.get("method"), message.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(body["exceptionDetails"])[:500])
        elif name == "Runtime.consoleAPICalled" and body["type"] in (
                "error", "warning", "assert"):
            self.errors.append(json.dumps(body["args"])[:500])
        elif name == "Log.entryAdded" and body["entry"]["level"] in (
                "error", "warning"):
            self.errors.append(body["entry"]["text"][:500])
        self.events.append(name)

    def call(self, method, **params):
        self.number += 1
        words = {"id": self.number, "method": method, "params": params}
        if self.session:
            words["sessionId"] = self.session
        os.write(self.out, json.dumps(words).encode() + b"\0")
        while True:
            message = self.message(60)
            if message is None:
                raise RuntimeError(method + ": no answer in 60 s")
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.note(message)

    def open(self, path):
        """Opens a file and waits until its scripts have run."""
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            message = self.message(60)
            if message is None:
                raise RuntimeError("the page does not load")
            self.note(message)

    def value(self, script):
        """Evaluates a JavaScript expression. Returns its value, converted from
        JSON."""
        made = self.call("Runtime.evaluate", expression=script,
                         returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in made:
            raise RuntimeError(json.dumps(made["exceptionDetails"])[:800])
        return made["result"].get("value")

    def key(self, name, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name,
                      code=code or name, windowsVirtualKeyCode={
                          "Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39,
                          "ArrowLeft": 37, "End": 35}.get(name, 0), **more)

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[{
            "name": "prefers-color-scheme",
            "value": "dark" if is_dark else "light"}])

    def close(self):
        os.close(self.out)
        os.close(self.come)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
