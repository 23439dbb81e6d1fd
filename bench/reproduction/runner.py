# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs experiments, two runs at a time, and keeps the result of each run in a
file.

A file appears as a whole: it is written under another name and renamed. So a
run that was stopped is run again, a finished run is not, and the tables are
equal in both cases. The name of a file is the SHA-256 of everything that
decides its content: program, command and inputs."""
import concurrent.futures
import fcntl
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

import measure
from reproduction import experiment
from reproduction import metrics


def digest(*words):
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]


def file_digest(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


class Missing(Exception):
    """An input is not on this machine."""


class Store:
    """The folder of results: `runs`, `inputs`, and the files that are written
    at the end."""

    def __init__(self, folder, program=None):
        self.folder = folder
        self.program = program or measure.SCHEDSIM
        self.lock = threading.Lock()
        self.making, self.digests = {}, {}
        for name in ("runs", "inputs", "scratch"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        self.identity = file_digest(self.program)
        self.claim()

    def claim(self):
        """Makes sure that only one process works in the folder. The lock ends
        with the process."""
        self.claimed = open(self.path("lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(self.claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise measure.Failed("%s: another reproduce.py works here" %
                                 self.folder)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def scratch(self):
        return tempfile.mkdtemp(dir=self.path("scratch"))

    def digest_of(self, path):
        with self.lock:
            if path not in self.digests:
                self.digests[path] = file_digest(path)
            return self.digests[path]

    def made(self, key, make):
        """Returns the folder inputs/KEY. If it does not exist, make(folder)
        makes it, only once even if two threads request it."""
        place = self.path("inputs", key)
        with self.lock:
            lock = self.making.setdefault(key, threading.Lock())
        with lock:
            if not os.path.isdir(place):
                folder = self.scratch()
                make(folder)
                os.rename(folder, place)
        return place

    # Inputs.

    def command_of(self, run):
        """Returns the command that makes the input of a run, as a list, and
        the input's key."""
        values = run.generated()
        words = ["trace", "generate"]
        for name, value in values.items():
            if name == "repositories":
                value = os.path.join(measure.ROOT, value)
            words += ["--" + name, str(value)]
        return words, digest(self.identity, *words)

    def generated(self, run):
        words, key = self.command_of(run)
        return os.path.join(self.made(key, lambda folder: self.schedsim(
            words + ["--out", os.path.join(folder, "trace.csv")])), "trace.csv")

    def resampled(self, run, path):
        words = ["trace", "resample", path, "--quiet"]
        for name, setting in run.entry["resample"].items():
            value = setting["value"]
            words += ["--" + name] + ([] if value is True else [str(value)])
        words += ["--seed", str(run.place["repeat"])]
        key = digest(self.identity, self.digest_of(path), *words)
        return os.path.join(self.made(key, lambda folder: self.schedsim(
            words + ["--out", os.path.join(folder, "trace.csv")])), "trace.csv")

    def bursts(self, run):
        """Writes jobs that are all submitted in one second, for Fig. 16.
        Returns the path."""
        n = run.settings["submissions"]["value"]

        def make(folder):
            with open(os.path.join(folder, "trace.csv"), "w",
                      encoding="utf-8") as file:
                file.write("job_id,submitted_unix_s,duration_s,gpus,user\n")
                for i in range(n):
                    file.write("%d,0,60,1,user%d\n" % (i, i))
        return os.path.join(self.made(digest("bursts", str(n)), make),
                            "trace.csv")

    def file_of(self, run):
        name = (run.place["repeat"] if run.entry.get("files")
                else run.entry["file"])
        path = (os.path.join(measure.ROOT, name[2:]) if name.startswith("./")
                else measure.shared(name))
        if not os.path.exists(path):
            raise Missing(name)
        return path

    def trace_of(self, run):
        if "generate" in run.entry:
            return self.generated(run)
        if run.kind == "bursts":
            return self.bursts(run)
        path = self.file_of(run)
        return self.resampled(run, path) if "resample" in run.entry else path

    # Runs.

    def schedsim(self, words, accepted=(0,)):
        done = subprocess.run([self.program] + words, capture_output=True,
                              text=True, check=False)
        if done.returncode not in accepted:
            raise measure.Failed("%s: exit status %d: %s" % (
                " ".join([self.program] + words), done.returncode,
                (done.stderr or done.stdout).strip()[-600:]))
        return done.stdout

    def fidelity(self, run):
        """Returns the bars of `trace fidelity` that the trace of a run misses.
        """
        trace = self.trace_of(run)
        like = run.entry["generate"]["like"]["value"]
        words = ["trace", "fidelity", trace, "--like", like, "--json",
                 "--skip", "learning"]
        path = self.path("runs", "fidelity-" + digest(
            self.identity, self.digest_of(trace), like) + ".json")
        if not os.path.exists(path):
            write(path, self.schedsim(words))
        with open(path, encoding="utf-8") as file:
            measures = json.load(file)["measures"]
        bars = [m for m in measures if m["verdict"] in ("pass", "fail")]
        groups = {}
        for m in bars:
            if m["verdict"] == "fail":
                group, _, name = m["measure"].partition(".")
                groups.setdefault(group, []).append(name)
        return "%d of %d%s" % (
            sum(map(len, groups.values())), len(bars), "".join(
                "; %s: %s" % (group, ", ".join(names))
                for group, names in groups.items()))

    def key_of(self, run, trace):
        for name in experiment.shared_names(run.options()):
            if not os.path.exists(measure.shared(name)):
                raise Missing(name)
        options = [word.replace("$TRACE", trace or "").replace(
            "$SHARED", measure.SHARED) for word in run.options()]
        return options, digest(self.identity, metrics.VERSION, run.kind,
                               self.digest_of(trace) if trace else "",
                               *options, *map(str, run.entry.get("call", [])),
                               str(run.place["repeat"]))

    def result(self, run):
        """Returns the result of a run, an object. Runs it if no file has the
        result."""
        trace = None
        if run.kind not in ("logs", "catalogue", "faults"):
            trace = self.trace_of(run)
        options, key = self.key_of(run, trace)
        path = self.path("runs", key + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        folder = self.scratch()
        try:
            result = metrics.READERS[run.kind](self, run, trace, options,
                                               folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        write(path, json.dumps(result, sort_keys=True))
        return result


def write(path, text):
    """Writes a file that others see as a whole or not at all."""
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(partial, path)


def run_all(store, runs, workers=2, progress=None):
    """Returns the results of the runs in their order: an object each, or a
    Missing."""
    done = [0]

    def one(run):
        try:
            result = store.result(run)
        except Missing as error:
            result = error
        with store.lock:
            done[0] += 1
            if progress:
                progress(done[0], len(runs))
        return result
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, runs))


def clear_scratch(store):
    """Removes the folders that killed runs left behind."""
    for path in glob.glob(store.path("scratch", "*")):
        shutil.rmtree(path, ignore_errors=True)


def tell(done, total):
    if sys.stderr.isatty():
        print("\r%d of %d runs" % (done, total), end="", file=sys.stderr)
