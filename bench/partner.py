# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores rules, a model alone, and both together on labelled logs, and the same
for a stand-in that knows the labels and is right in a given share of cases. Used
by modules.py (--llm, --curve)."""
import collections
import hashlib
import http.server
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import track_fit

KINDS = ("infrastructure", "framework", "user_script", "other")
PARTS = ("gpu", "nvlink", "network", "node", "other")
SHARES = (0, 0.5, 0.7, 0.85, 0.95, 1)
FOLDS = 4
WAYS = ("rules", "model alone", "together")


def draw(*words):
    """Returns a number from 0 to 1 that depends on the words alone."""
    digest = hashlib.sha256("|".join(map(str, words)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2 ** 48


def pick(choices, *words):
    return choices[int(draw(*words) * len(choices))]


def kind_of(row):
    return row["failure"]["cls"] if row.get("failure") else None


def part_of(row):
    return (row["failure"]["sub"] if kind_of(row) == "infrastructure"
            else None)


class StandIn:
    """Answers questions of `diagnose` and `track` on the loopback. The log of a
    question is the one with which it shares most lines."""

    def __init__(self, rows, share):
        self.share = share
        self.rows = []
        for row in rows:
            with open(row["path"], encoding="utf-8",
                      errors="replace") as file:
                lines = file.read().split("\n")
            self.rows.append((row, lines, {x.strip()[:300] for x in lines}))

    def __enter__(self):
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                reply = json.dumps({"model": body["model"], "choices": [{
                    "index": 0, "finish_reason": "stop", "message": {
                        "role": "assistant",
                        "content": stand_in.answer(body)}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever)
        self.thread.start()
        self.args = ["--llm", "http:base_url=http://127.0.0.1:%d/v1,"
                     "model=stand-in" % self.http.server_address[1]]
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    def answer(self, body):
        text = body["messages"][1]["content"]
        shown = [re.sub(r"^\d+\| ", "", line).strip()[:300]
                 for line in text.split("\n")]
        shown = [line for line in shown if line]
        row, lines, _ = max(self.rows, key=lambda r: len(
            r[2].intersection(shown)))
        about = "step" if "seconds_per_step" in body["messages"][0][
            "content"] else "kind"
        right = draw(row["file"], about) < self.share
        known = set(lines)
        quotable = [line for line in shown if len(line) > 12 and line in known]
        quote = pick(quotable, row["file"], "quote") if quotable else None
        if about == "step":
            return json.dumps(self.step(row, right))
        if right and kind_of(row):
            at = row.get("root_cause_line") or row.get("first_error_line")
            quote = lines[at - 1].strip()[:200] if at else None
        return json.dumps(self.failure(row, right, quote))

    @staticmethod
    def failure(row, right, quote):
        kind, part = kind_of(row), part_of(row)
        if not right:
            kind = pick([k for k in KINDS + (None,) if k != kind],
                        row["file"], "wrong")
            part = pick(PARTS, row["file"], "part")
        if not kind:
            return {"failed": "no"}
        return {"failed": "yes", "error_type": kind, "quote": quote,
                "faulty_component": part if kind == "infrastructure"
                else "none"}

    @staticmethod
    def step(row, right):
        truth = row["steps"][0] if row["steps"] else None
        if not right:
            wrong = (truth or 1) * pick((0.1, 0.4, 2.5, 10), row["file"])
            truth = None if truth and draw(row["file"], "none") < 0.3 else wrong
        if not truth:
            return {"found": False}
        return {"found": True, "value": truth, "unit": "s",
                "seconds_per_step": truth}


def opinion(answer):
    """Returns the kind (None: no failure, "?": not known) and the part that an
    opinion of answers gives."""
    if not answer:
        return "?", None
    if not answer["failed"]:
        return None, None
    return answer["error_type"] or "?", answer["faulty_component"]


class Score:
    """Counts right answers of one way."""

    def __init__(self):
        self.counts = collections.Counter()
        self.errors = []
        self.tokens = {}

    def kind(self, row, said, part):
        c, truth = self.counts, kind_of(row)
        c["logs"] += 1
        c["verdicts"] += said == truth
        c["failed"] += truth is not None
        c["kinds"] += truth is not None and said == truth
        c["sound"] += truth is None
        c["false"] += truth is None and said not in (None, "?")
        c["infra"] += truth == KINDS[0]
        c["said"] += said == KINDS[0]
        c["silent"] += said == "?"
        c["alarms"] += truth is not None and said == KINDS[0]
        c["hit"] += said == truth == KINDS[0]
        if truth == KINDS[0]:
            c["parts"] += part == part_of(row)

    def step(self, row, seconds):
        if row["steps"] is None:
            return
        found = bool(seconds)
        right = found and track_fit.is_right(
            {"found": True, "seconds_per_step": seconds}, row["steps"])
        self.counts["steps"] += 1
        self.counts["told"] += bool(row["steps"])
        if found and row["steps"]:
            self.counts["read"] += 1
            self.errors.append(min((math.log(seconds / s)
                                    for s in row["steps"]), key=abs))
        self.counts["steps_right"] += right or (not found and not row["steps"])
        self.counts["steps_wrong"] += found and not right

    def row(self):
        c = self.counts
        both = c["said"] + c["infra"]
        laws = ",".join("%s=%g" % (name, law["value"])
                        for name, law in self.settings().items())
        return dict(c, f1=2 * c["hit"] / both if both else 0.0,
                    laws="fidelity=calibrated," + laws)

    def count_tokens(self, module, said):
        """Adds the tokens of which a command told on its standard error, and
        the questions that got no answer."""
        missed = re.search(r"(\d+) unanswered", said)
        self.counts["unanswered"] += int(missed[1]) if missed else 0
        found = re.search(r"tokens (\d+) in .*?, (\d+) out", said)
        if found:
            self.tokens.setdefault(module, []).append(int(found[1]))
            self.tokens.setdefault("answer", []).append(int(found[2]))

    def settings(self):
        """Returns the settings with which simulated SchedMate errs as often. It
        looks at failed jobs alone, so alarms in sound logs do not count."""
        c, n = self.counts, len(self.errors)
        laws = {"recall": (c["hit"], c["infra"]),
                "precision": (c["hit"], c["alarms"]),
                "detection": (c["read"], c["told"])}
        if 0 < c["infra"] < c["failed"]:
            laws["infrastructure"] = (c["infra"], c["failed"])
        out = {name: {"value": round(part / whole, 4), "cases": whole}
               for name, (part, whole) in laws.items() if whole}
        if n:
            error = math.sqrt(sum(e * e for e in self.errors) / n)
            out["reading_error"] = {"value": round(error, 4), "cases": n}
        for module, counts in self.tokens.items():
            out[module + "_tokens"] = {
                "value": round(sum(counts) / len(counts)),
                "cases": len(counts)}
        return out

    def quality(self):
        """Returns what `--schedmate measured=FILE` reads, without the head."""
        c = self.counts
        return {"settings": self.settings(), "answers": {
            "failures": {"right": c["verdicts"], "silent": c["silent"],
                         "wrong": c["logs"] - c["verdicts"] - c["silent"]},
            "step_times": {"right": c["steps_right"], "wrong": c["steps_wrong"],
                           "silent": c["steps"] - c["steps_right"]
                           - c["steps_wrong"]}}}


def ask(tools, rows, model, trust):
    """Returns the scores of the three ways."""
    scores = {way: Score() for way in WAYS}
    for row in rows:
        options = model + (["--llm-trust", trust(row)] if trust else [])
        rules = tools.json(row, "diagnose")
        both = tools.json(row, "diagnose", "--set", "ask=always", *options)
        scores["together"].count_tokens("handler", tools.said)
        answers = both["answers"] or {"model": None}
        for way, said in (("rules", rules), ("together", both)):
            scores[way].kind(row, said["error_type"] if said["failed"]
                             else None, said["faulty_component"])
        scores["model alone"].kind(row, *opinion(answers["model"]))
        rules = tools.json(row, "track")
        both = tools.json(row, "track", *options)
        scores["together"].count_tokens("tracker", tools.said)
        scores["rules"].step(row, rules["seconds_per_step"])
        scores["together"].step(row, both["seconds_per_step"])
        scores["model alone"].step(
            row, both["answers"] and both["answers"]["model"])
    return scores


def measure(program, rows, model, path):
    """Measures the trust in a model on rows."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as index:
        for row in rows:
            steps = row["steps"]
            index.write(json.dumps({
                "file": os.path.abspath(row["path"]),
                "failure": row.get("failure"),
                "step_known": steps is not None,
                "step_time": {"seconds_per_step": steps[0],
                              "accepted": steps[1:]} if steps else None})
                + "\n")
        index.flush()
        subprocess.run([program, "mate", "trust", index.name, "--quiet", "--out",
                        path] + model, check=True,
                       stdout=subprocess.DEVNULL)


def fields(folders, model):
    """Scores `advise` on labelled trees (tests/advise/strangers.py). Returns
    the answers, and the settings of an advisor that takes a job for another
    kind as often as a field is wrong. A figure where none belongs is wrong."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests",
                                    "advise"))
    import strangers
    total = collections.Counter()
    for folder in folders:
        total.update(strangers.score_folder(pathlib.Path(folder), model)[1])
    wrong = total["wrong"] + total["extra"]
    told = total["right"] + wrong
    if not told:
        sys.exit("modules.py: --trees: no field was told")
    asked = told + total["missing"]
    return ({"right": total["right"], "wrong": wrong,
             "silent": total["missing"]},
            {"match": {"value": round(told / asked, 4), "cases": asked},
             "wrong": {"value": round(wrong / told, 4), "cases": told}})


def by_folds(program, rows, model, folder):
    """Measures the trust on the sources of other folds. Returns a function from
    a row to the file that counts for it."""
    def fold(row):
        return int(draw(row["repo"]) * FOLDS)
    for i in range(FOLDS):
        measure(program, [r for r in rows if fold(r) != i], model,
                os.path.join(folder, "%d.json" % i))
    return lambda row: os.path.join(folder, "%d.json" % fold(row))


COLUMNS = [
    ("verdicts", lambda r: "%d/%d" % (r["verdicts"], r["logs"])),
    ("kinds", lambda r: "%d/%d" % (r["kinds"], r["failed"])),
    ("infrastructure F1", lambda r: "%.3f" % r["f1"]),
    ("false alarms", lambda r: "%d/%d" % (r["false"], r["sound"])),
    ("parts", lambda r: "%d/%d" % (r["parts"], r["infra"])),
    ("step times right", lambda r: "%d/%d" % (r["steps_right"], r["steps"])),
    ("wrong", lambda r: str(r["steps_wrong"]))]


def three_ways(tools, program, rows, model):
    """Scores a model with the default trust and with the trust measured by
    folds. Returns the scores by way."""
    with tempfile.TemporaryDirectory() as folder:
        usual = ask(tools, rows, model, None)
        usual["together, trust measured"] = ask(
            tools, rows, model,
            by_folds(program, rows, model, folder))["together"]
    return usual


def curve(tools, program, rows):
    """Returns the rows of the table of stand-ins, by share and way."""
    table = {}
    for share in SHARES:
        with StandIn(rows, share) as server:
            scores = three_ways(tools, program, rows, server.args)
        for way, score in scores.items():
            table["%d %%, %s" % (100 * share, way)] = score.row()
    return table


def losses(table):
    """Returns the differences in points between together and the better of
    rules and model, by share."""
    out = {}
    for share in SHARES:
        head = "%d %%, " % (100 * share)
        one, two = table[head + "rules"], table[head + "model alone"]
        for way in ("together", "together, trust measured"):
            both = table[head + way]
            out[head + way] = {
                name: 100 * (both[a] / both[n] - max(one[a], two[a]) / one[n])
                for name, a, n in (("verdicts", "verdicts", "logs"),
                                   ("kinds", "kinds", "failed"),
                                   ("steps", "steps_right", "steps"))}
            out[head + way]["f1"] = 100 * (both["f1"]
                                           - max(one["f1"], two["f1"]))
    return out
