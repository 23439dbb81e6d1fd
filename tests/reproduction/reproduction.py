# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests bench/reproduce.py with a tiny experiment. After kill -9 it continues
and writes the same CSV. It says which value is not reached and why. It never
counts a value that was calibrated from a figure as a reproduction of the
figure. It finds experiments that depart from their sources without a comment.
The real experiments are not run here."""
import copy
import csv
import gzip
import hashlib
import http.server
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.dont_write_bytecode = True
import measure  # noqa: E402
from reproduction import data  # noqa: E402
from reproduction import experiment as experiments  # noqa: E402
from reproduction import judge  # noqa: E402

COMMAND = [sys.executable, "-B", os.path.join(ROOT, "bench", "reproduce.py")]
ENV = dict(os.environ, SCHEDSIM=PROGRAM)


def setting(value, comment="chosen for this test"):
    return {"value": value, "status": "assumed", "comment": comment}


def tiny():
    """Returns an experiment with two loads of a generated trace, two seeds and
    two policies, which are eight runs."""
    return {
        "id": "tiny", "title": "A tiny experiment", "answers": ["table 99"],
        "paper": "none", "note": "it is a test",
        "settings": {"cluster": setting("4x8")},
        "inputs": {"venus": {
            "generate": {"like": setting("venus"), "gpus": setting(32),
                         "jobs": setting(40)},
            "seeds": [1, 2], "fidelity": "not measured"}},
        "factors": {"load": {"setting": "generate.load", "values": [0.5, 1.5],
                             "status": "swept", "comment": "both sides of 1"}},
        "systems": {"fifo": {"policy": setting("fifo")},
                    "srtf": {"policy": setting("srtf"), "seed": dict(
                        setting(0), status="calibrated", **{
                            "from": "figure 16"})}},
        "rows": [
            {"name": "fifo over srtf", "statistic": "ratio", "metric": "jct_h",
             "of": ["fifo", "srtf"], "each": ["load"],
             "published": {"0.5": "schedmate/fig16.four",
                           "1.5": "schedmate/fig16.rate1"},
             "tolerance": {"percent": 1}, "required": True,
             "direction": {"above": 100},
             "explain": {"nothing": "fifo"}},
            {"name": "jobs", "metric": "jobs", "of": ["fifo"],
             "where": {"load": 1.5}}],
        "plots": [{"name": "tiny", "title": "jobs", "metric": "jct_h",
                   "x_of": "load", "series": "system"}],
        "quick": {"seeds": [1], "factors": {"load": [0.5]}}}


def write(folder, experiment):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, experiment["id"] + ".json"), "w",
              encoding="utf-8") as file:
        json.dump(experiment, file)
    return folder


def reproduce(folder, out, *options, env=ENV):
    return subprocess.run(COMMAND + ["--experiments", folder, "--out", out] +
                          list(options), env=env, capture_output=True, text=True,
                          check=False)


def text_of(out, name):
    with open(os.path.join(out, name), encoding="utf-8") as file:
        return file.read()


def lines_of(out):
    return {row["row"]: row for row in csv.DictReader(
        text_of(out, "results.csv").splitlines())}


def whole(tap, folder, root):
    """Runs the experiment once. Returns its folder of results."""
    out = os.path.join(root, "once")
    done = reproduce(folder, out, "--all", env=dict(ENV, PATH=os.path.join(
        root, "nowhere")))
    tap.result(done.returncode == 6, "a value outside its tolerance is exit 6",
               "%d\n%s" % (done.returncode, done.stderr))
    tap.result("apt-get install gnuplot-nox" in done.stdout and
               os.path.exists(os.path.join(out, "tiny.dat")),
               "without gnuplot it says how to get it", done.stdout)
    lines = lines_of(out)
    missed = lines["fifo over srtf, load 0.5"]
    tap.result(missed["verdict"] == "not reached" and
               missed["reason"] == "measured terms: nothing 1.00; no term "
               "reaches 4.60" and missed["low"], "what is missing is measured",
               missed)
    tap.result(lines["fifo over srtf, load 1.5"]["verdict"] ==
               judge.PUT_IN, "what was put in is not reproduced",
               lines["fifo over srtf, load 1.5"])
    tap.result(lines["jobs"]["ours"] == "40", "other values are only ours",
               lines["jobs"])
    return out


def killed(tap, folder, root, once):
    """Kills the experiment after one, three and five runs. In the end it must
    write the same CSV as an experiment that was not killed."""
    out, kills = os.path.join(root, "killed"), 0
    for enough in (1, 3, 5):
        with subprocess.Popen(
                COMMAND + ["--experiments", folder, "--out", out, "--all"],
                env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True) as process:
            while len(runs_of(out)) < enough and process.poll() is None:
                time.sleep(0.001)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
    before = {name: os.stat(os.path.join(out, "runs", name)).st_mtime_ns
              for name in runs_of(out)}
    done = reproduce(folder, out, "--all")
    kept = all(os.stat(os.path.join(out, "runs", name)).st_mtime_ns == at
               for name, at in before.items())
    tap.result(done.returncode == 6 and kills and kept and all(
        text_of(out, name) == text_of(once, name)
        for name in ("results.csv", "runs.csv")),
        "after kill -9 it goes on and gives the same CSV", done.stderr)
    print("# killed %d times; %d of 8 runs were done by then" % (kills,
                                                              len(before)))


def runs_of(out):
    folder = os.path.join(out, "runs")
    if not os.path.isdir(folder):
        return []
    return [name for name in os.listdir(folder) if name.endswith(".json")]


def departing(tap):
    facts = experiments.sources()
    complaints = [words for e in experiments.load_all()
                  for words in experiments.departures(e, facts)]
    tap.result(not complaints, "no experiment departs from its sources",
               "\n".join(complaints))
    right = tiny()
    right["settings"]["policy.profile_s"] = {
        "value": 360, "status": "published", "source": "sia/profiling.s"}

    def found(change):
        wrong = copy.deepcopy(right)
        change(wrong)
        return [w for w in experiments.departures(wrong, facts)]
    profile = "policy.profile_s"
    planted = {
        "another value": lambda e: e["settings"][profile].update(value=100),
        "no source": lambda e: e["settings"][profile].pop("source"),
        "an unknown source": lambda e: e["settings"][profile].update(source="x/y"),
        "no status": lambda e: e["settings"][profile].pop("status"),
        "calibrated from nothing":
            lambda e: e["systems"]["srtf"]["seed"].pop("from"),
        "a published value of nobody":
            lambda e: e["rows"][0]["published"].update({"0.5": "x/y"}),
        "no word about fidelity": lambda e: e["inputs"]["venus"].pop("fidelity"),
    }
    tap.result(not found(lambda e: None), "the experiment of this test is sound")
    for name, change in planted.items():
        tap.result(len(found(change)) == 1, "a departure is found: " + name,
                   found(change))
    tap.result(not found(lambda e: e["settings"][profile].update(
        value=100, comment="theirs is longer")), "a comment explains another value")


def unmet(tap):
    complaints = [words for e in experiments.load_all()
                  for words in judge.without_run(e)]
    tap.result(not complaints, "every row of every experiment has its runs",
               "\n".join(complaints))
    with tempfile.TemporaryDirectory() as folder:
        changed = tiny()
        changed["inputs"]["venus"]["without"] = ["srtf"]
        wrong = experiments.load_all(write(folder, changed))[0]
    tap.result(len(judge.without_run(wrong)) == 2,
               "a row without a run is found before the runs",
               judge.without_run(wrong))


def jackknife(tap):
    """Checks that the interval of a mean is the standard error of the mean
    times Student's t."""
    results = [{"values": {"x": x}} for x in (1.0, 2.0, 4.0)]
    value, (low, high) = judge.interval([results], lambda some: judge.measured(
        some[0], "x"))
    wide = 4.303 * (7.0 / 3 / 3) ** 0.5
    tap.result(abs(value - 7 / 3) < 1e-12 and abs(high - low - 2 * wide) < 1e-9,
               "the interval of a mean is Student's", (low, high, wide))


def known_inputs(tap):
    nowhere = [name for e in experiments.load_all() for name in data.names_of(e)
               if not data.files_of(name, data.rows())]
    tap.result(not nowhere, "inputs.csv has every recorded input", nowhere)


def archive_of(content):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, part in (("a/README", b"none"), ("a/trace.csv", content)):
            entry = tarfile.TarInfo(name)
            entry.size = len(part)
            archive.addfile(entry, io.BytesIO(part))
    return packed.getvalue()


class Repository(http.server.BaseHTTPRequestHandler):
    """Serves the files of `served`, and counts the questions."""
    served, asked = {}, []

    def do_GET(self):
        self.asked.append(self.path)
        found = self.served.get(self.path)
        self.send_response(200 if found is not None else 404)
        self.end_headers()
        self.wfile.write(found or b"")

    def log_message(self, *words):
        pass


def fetched(tap):
    """Fetches inputs from a repository on loopback: a file, one from an archive,
    one with other bytes, one that is gone, one that was made. Then fetches
    again."""
    content = b"job_id,gpus\n1,2\n"
    hashed = hashlib.sha256(content).hexdigest()
    Repository.served = {"/o/r/raw/c0/plain.csv": content,
                         "/o/r/raw/c0/all.tar.gz": archive_of(content),
                         "/o/r/raw/c0/other.csv": content + b"2,4\n"}
    table = [dict(path=path, bytes=str(len(content)), sha256=hashed,
                  repository="o/r", commit="c0", source=source, licence="MIT",
                  made=made)
             for path, source, made in (
                 ("traces/plain.csv", "plain.csv", ""),
                 ("traces/packed.csv.gz", "all.tar.gz", ""),
                 ("traces/other.csv", "other.csv", ""),
                 ("traces/gone.csv", "gone.csv", ""),
                 ("traces/made.csv", "plain.csv", "two columns swapped"))]
    wants = {"answers": ["table 99"], "settings": {}, "systems": {}, "factors": {},
             "inputs": {"all": {"files": [row["path"] for row in table]}}}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Repository)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = "http://127.0.0.1:%d" % server.server_address[1]
    rows, shared = data.rows, measure.SHARED
    with tempfile.TemporaryDirectory() as folder:
        data.rows, measure.SHARED = lambda: table, folder
        try:
            lost = data.fetch_missing([wants], host)
            here = {row["path"]: data.state(row) for row in table}
            with gzip.open(os.path.join(folder, "traces", "packed.csv.gz")) as file:
                packed = file.read()
            asked = len(Repository.asked)
            data.fetch_missing([wants], host)
        finally:
            data.rows, measure.SHARED = rows, shared
            server.shutdown()
            server.server_close()
    tap.result(lost == 3 and packed == content and here == {
        "traces/plain.csv": "here", "traces/packed.csv.gz": "here",
        "traces/other.csv": "missing", "traces/gone.csv": "missing",
        "traces/made.csv": "missing"},
        "fetched: what has the right SHA-256, and nothing else", (lost, here))
    tap.result(asked == 4 and len(Repository.asked) == 6,
               "what is here is not fetched again", Repository.asked)


def main():
    tap = Tap()
    known_inputs(tap)
    fetched(tap)
    with tempfile.TemporaryDirectory() as root:
        folder = write(os.path.join(root, "experiments"), tiny())
        once = whole(tap, folder, root)
        killed(tap, folder, root, once)
        quick = reproduce(folder, os.path.join(root, "quick"), "--quick",
                          "--table", "99")
        tap.result("; 2 runs, " in quick.stdout, "--quick runs less",
                   quick.stdout + quick.stderr)
    departing(tap)
    unmet(tap)
    jackknife(tap)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
