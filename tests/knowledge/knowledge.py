# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the knowledge about failures as data: the files fit their schema, each
cause is used, a site can add and replace rows, and can keep and replay cases
that it has labelled as wrong."""
import glob
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDERS = {"schedmate/logs/knowledge": "knowledge.schema.json",
           "schedmate/advisor/knowledge": "clues.schema.json"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def schemas(tap):
    if not jsonschema:
        tap.skip("schemas", "the Python module jsonschema is missing")
        return
    for folder, name in FOLDERS.items():
        schema = load(os.path.join(ROOT, folder, name))
        jsonschema.Draft202012Validator.check_schema(schema)
        check = jsonschema.Draft202012Validator(schema)
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.json"))):
            if path.endswith(".schema.json"):
                continue
            wrong = [error.message for error in check.iter_errors(load(path))]
            tap.result(not wrong, os.path.relpath(path, ROOT)
                       + " keeps to its schema", wrong[:3])
        for wrong in ({}, {"format": 1, "signatures": [{"name": "x"}]},
                      {"format": 1, "causes": [{
                          "name": "x", "kind": "infrastructure",
                          "action": "none", "means": "m"}]}):
            tap.result(not check.is_valid(wrong),
                       "the schema refuses %s" % json.dumps(wrong))


def tables(tap):
    folder = os.path.join(ROOT, "schedmate", "logs", "knowledge")
    causes = load(os.path.join(folder, "causes.json"))["causes"]
    signatures = load(os.path.join(folder, "signatures.json"))["signatures"]
    used = {row.get("cause") for row in signatures}
    words = ""
    for path in glob.glob(os.path.join(ROOT, "schedmate", "logs", "*.c")):
        with open(path, encoding="utf-8") as file:
            words += file.read()
    idle = [row["name"] for row in causes
            if row["name"] not in used and '"%s"' % row["name"] not in words]
    tap.result(not idle, "each cause has a signature", idle)
    folder = os.path.join(ROOT, "schedmate", "advisor", "knowledge")
    keys = [key for key, value in load(
        os.path.join(folder, "clues.schema.json"))["properties"].items()
        if value.get("type") not in ("string", None) or "$ref" in value]
    absent = set(keys) - set(load(os.path.join(folder, "clues.json")))
    tap.result(keys and not absent, "each list of clues is built in", absent)


class Site:
    """A home directory with its own signatures."""

    def __init__(self, work):
        self.work = work
        self.config = os.path.join(work, "config")
        self.folder = os.path.join(self.config, "schedsim", "signatures.d")
        os.makedirs(self.folder)
        self.log = self.write("job.log", "Traceback (most recent call last):\n"
                              "ValueError: the frobnicator is wet\n")

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def run(self, *args):
        env = dict(os.environ, XDG_CONFIG_HOME=self.config,
                   XDG_DATA_HOME=os.path.join(self.work, "data"))
        return subprocess.run([PROGRAM] + list(args), capture_output=True,
                              text=True, env=env, timeout=60, check=False)

    def diagnose(self, *args):
        return self.run("mate", "diagnose", self.log, *args)

    def answer(self, *args):
        return json.loads(self.diagnose("--json", *args).stdout)


def rows_of_site(name, cause, weight=90):
    return {"format": 1, "signatures": [
        {"name": name, "text": "the frobnicator", "cause": cause,
         "weight": weight}]}


def sites(tap, work):
    site = Site(work)
    got = site.answer()
    tap.result(got["reason"] == "value error" and got["signature"]["file"]
               == "signatures" and got["knowledge"]["files"] == [],
               "without files of a site the built-in data judge", got)
    digest = got["knowledge"]["digest"]
    first = site.write("config/schedsim/signatures.d/10-a.json",
                       rows_of_site("wet", "storage"))
    got = site.answer()
    tap.result(got["reason"] == "storage" and got["signature"] == {
        "name": "wet", "file": first,
        "means": "A file system reports an error or does not answer."}
        and got["knowledge"]["files"] == [first]
        and got["knowledge"]["digest"] != digest,
        "a file of the site's directory is read", got)
    second = site.write("config/schedsim/signatures.d/20-b.json",
                        rows_of_site("wet", "import"))
    site.write("config/schedsim/signatures.d/.hidden.json", "{")
    site.write("config/schedsim/signatures.d/notes.txt", "{")
    got = site.answer()
    tap.result(got["reason"] == "import"
               and got["knowledge"]["files"] == [first, second],
               "files are read in the order of their names", got)
    option = site.write("mine.json", rows_of_site("wet", "node failure"))
    other = site.write("more.json", rows_of_site("wetter", "rendezvous", 91))
    got = site.answer("--signatures", option, "--signatures", other)
    tap.result(got["reason"] == "rendezvous"
               and got["knowledge"]["files"] == [first, second, option, other],
               "--signatures comes after them, more than once", got)
    text = site.diagnose("--signatures", option).stdout
    tap.result("signature    wet (%s)" % option in text
               and "also read    %s\n" % first in text,
               "the text says which signature and which files", text)
    wrong = site.write("wrong.json", rows_of_site("wet", "storag"))
    done = site.diagnose("--signatures", wrong)
    tap.result(done.returncode == 3 and len(done.stderr.split("\n")) == 2
               and "wrong.json:1:82: signatures 'wet': cause: no cause "
               "'storag'; did you mean 'storage'?" in done.stderr,
               "an error is one line with its place", done.stderr)
    for name, text in (("empty", ""), ("no JSON", "signatures"),
                       ("a byte 0", '{"format": 1\0}'),
                       ("large", "{" + " " * (1 << 20) + "}")):
        done = site.diagnose("--signatures", site.write("odd.json", text))
        tap.result(done.returncode == 3 and "odd.json" in done.stderr,
                   "a file that is %s is refused" % name, done.stderr)
    done = site.diagnose("--signatures", os.path.join(work, "absent.json"))
    tap.result(done.returncode == 3 and "absent.json" in done.stderr,
               "so is a file that is absent", done.stderr)


REFUSED = [
    ("wrng", "did you mean 'wrong'?"),
    ("wrong,kind=infrastucture", "did you mean 'infrastructure'?"),
    ("wrong,part=gpux", "did you mean 'gpu'?"),
    ("wrong,caus=import", "did you mean 'cause'?"),
    ("wrong,cause=importt", "did you mean 'import'?"),
    ("wrong,cause=", "cause: is empty"),
    ("wrong,kind=framework,part=gpu", "is for kind infrastructure"),
    ("right,kind=framework", "takes no other words"),
]


def verdicts(tap, site):
    for words, said in REFUSED:
        done = site.diagnose("--feedback", words)
        tap.result(done.returncode == 2 and said in done.stderr,
                   "--feedback %s is refused" % words, done.stderr)
    done = site.diagnose("--note", "x")
    tap.result(done.returncode == 2 and "--feedback" in done.stderr,
               "so is a note without it", done.stderr)
    tap.result(not os.path.exists(os.path.join(site.work, "data")),
               "and nothing is kept")


def keeping(tap, site):
    """Checks that a right answer, a wrong answer and a missed failure are
    kept."""
    got = site.answer("--feedback", "right", "--state", "FAILED",
                      "--exit-code", "1:0")
    with open(got["case"], encoding="utf-8") as file:
        case = json.load(file)
    tap.result(case["feedback"] == "right" and case["truth"] == {
        key: case["answer"][key] for key in ("kind", "part", "cause", "action")}
        and case["given"]["state"] == "FAILED"
        and case["knowledge"]["digest"] == got["knowledge"]["digest"]
        and "the frobnicator is wet" in case["window"]["text"],
        "a case has the answer, the facts, the knowledge and the window", case)
    tap.result(stat.S_IMODE(os.stat(got["case"]).st_mode) == 0o600
               and os.listdir(os.path.dirname(got["case"]))
               == [os.path.basename(got["case"])],
               "it is one private file")
    got = site.answer("--feedback", "wrong,cause=storage", "--note",
                      "the \x1b[2Jdisk")
    with open(got["case"], encoding="utf-8") as file:
        case = json.load(file)
    tap.result(case["truth"] == {"kind": "infrastructure", "part": "other",
                                 "cause": "storage", "action": "tell-operator"},
               "kind, part and action follow from a known cause", case)
    with open(site.path("odd.log"), "wb") as file:
        file.write(b"starting \xff\xfe\0\n" + b"the pump has run dry\n" * 3)
    done = site.run("mate", "diagnose", site.path("odd.log"), "--json", "--feedback",
                    "wrong,cause=dry pump,kind=infrastructure,part=node")
    case = json.loads(done.stdout)["case"]
    with open(case, encoding="utf-8") as file:
        case = json.load(file)
    tap.result(case["answer"]["kind"] == "none" and not case["window"]["located"]
               and "the pump has run dry" in case["window"]["text"],
               "of a missed failure the end of the log is kept", case)


def replaying(tap, site):
    rows = [json.loads(line) for line in
            site.run("mate", "cases", "list", "--json").stdout.splitlines()]
    tap.result([row["feedback"] for row in rows].count("wrong") == 2
               and len(rows) == 3, "cases are listed", rows)
    done = site.run("mate", "cases", "list")
    tap.result("3 cases" in done.stdout and "\x1b" not in done.stdout,
               "as a table too", done.stdout)
    done = site.run("mate", "cases", "replay")
    tap.result(done.returncode == 0 and "3 cases: right 1 when they were kept, "
               "1 now; mended 0, broken 0" in done.stdout,
               "equal signatures give equal answers",
               done.stdout + done.stderr)
    mend = site.write("mend.json", {
        "format": 1, "causes": [{
            "name": "dry pump", "kind": "infrastructure", "part": "node",
            "action": "replace-node", "means": "The pump has no water."}],
        "signatures": [{"name": "dry", "text": "pump has run dry",
                        "cause": "dry pump", "weight": 95}]})
    done = site.run("mate", "cases", "replay", "--signatures", mend)
    tap.result(done.returncode == 0 and "2 now; mended 1, broken 0"
               in done.stdout, "a signature mends a case", done.stdout)
    turn = site.write("turn.json", rows_of_site("wet", "storage"))
    done = site.run("mate", "cases", "replay", "--signatures", turn, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    tap.result(done.returncode == 6 and "mended 1, broken 1" in done.stderr
               and sum(row["now_right"] for row in rows) == 1,
               "one that breaks a case ends with status 6",
               done.stdout + done.stderr)
    folder = os.path.join(site.work, "data", "schedsim", "cases")
    for name, text in (("empty", ""), ("other", "{}"), ("list", "[]")):
        path = os.path.join(folder, "0-%s.json" % name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = site.run("mate", "cases", "replay")
        tap.result(done.returncode == 3 and path in done.stderr,
                   "a damaged case: " + name, done.stderr)
        os.unlink(path)
    done = site.run("mate", "cases", "list", "--cases", site.path("nowhere"))
    tap.result(done.returncode == 3 and "--feedback" in done.stderr,
               "no cases yet", done.stderr)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        schemas(tap)
        tables(tap)
        sites(tap, os.path.join(work, "site"))
        site = Site(os.path.join(work, "cases"))
        verdicts(tap, site)
        keeping(tap, site)
        replaying(tap, site)
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
