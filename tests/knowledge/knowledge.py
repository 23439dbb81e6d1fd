# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what is known about failures as data: the files keep to their schema,
each cause is used, and a site adds and replaces rows."""
import glob
import json
import os
import shutil
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

FOLDERS = {"models/logs/knowledge": "knowledge.schema.json",
           "models/advisor/knowledge": "clues.schema.json"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def schemas(tap):
    if not jsonschema:
        tap.result(True, "skipped: the Python module jsonschema is missing")
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
    folder = os.path.join(ROOT, "models", "logs", "knowledge")
    causes = load(os.path.join(folder, "causes.json"))["causes"]
    signatures = load(os.path.join(folder, "signatures.json"))["signatures"]
    used = {row.get("cause") for row in signatures}
    words = ""
    for path in glob.glob(os.path.join(ROOT, "models", "logs", "*.c")):
        with open(path, encoding="utf-8") as file:
            words += file.read()
    idle = [row["name"] for row in causes
            if row["name"] not in used and '"%s"' % row["name"] not in words]
    tap.result(not idle, "each cause has a signature", idle)


class Site:
    """A home with signatures of its own."""

    def __init__(self, work):
        self.work = work
        self.config = os.path.join(work, "config")
        self.folder = os.path.join(self.config, "schedsim", "signatures.d")
        os.makedirs(self.folder)
        self.log = self.write("job.log", "Traceback (most recent call last):\n"
                              "ValueError: the frobnicator is wet\n")

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def diagnose(self, *args):
        env = dict(os.environ, XDG_CONFIG_HOME=self.config)
        return subprocess.run([PROGRAM, "diagnose", self.log] + list(args),
                              capture_output=True, text=True, env=env,
                              timeout=60, check=False)

    def answer(self, *args):
        return json.loads(self.diagnose("--json", *args).stdout)


def rows(name, cause, weight=90):
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
                       rows("wet", "storage"))
    got = site.answer()
    tap.result(got["reason"] == "storage" and got["signature"] == {
        "name": "wet", "file": first,
        "means": "A file system reports an error or does not answer."}
        and got["knowledge"]["files"] == [first]
        and got["knowledge"]["digest"] != digest,
        "a file of the site's directory is read", got)
    second = site.write("config/schedsim/signatures.d/20-b.json",
                        rows("wet", "import"))
    site.write("config/schedsim/signatures.d/.hidden.json", "{")
    site.write("config/schedsim/signatures.d/notes.txt", "{")
    got = site.answer()
    tap.result(got["reason"] == "import"
               and got["knowledge"]["files"] == [first, second],
               "files are read in the order of their names", got)
    option = site.write("mine.json", rows("wet", "node failure"))
    other = site.write("more.json", rows("wetter", "rendezvous", 91))
    got = site.answer("--signatures", option, "--signatures", other)
    tap.result(got["reason"] == "rendezvous"
               and got["knowledge"]["files"] == [first, second, option, other],
               "--signatures comes after them, more than once", got)
    text = site.diagnose("--signatures", option).stdout
    tap.result("signature    wet (%s)" % option in text
               and "also read    %s\n" % first in text,
               "the text says which signature and which files", text)
    wrong = site.write("wrong.json", rows("wet", "storag"))
    done = site.diagnose("--signatures", wrong)
    tap.result(done.returncode == 3 and len(done.stderr.split("\n")) == 2
               and "wrong.json:1:82: signatures 'wet': cause: no cause "
               "'storag'; did you mean 'storage'?" in done.stderr,
               "an error is one line with its place", done.stderr)
    for name, text in (("empty", ""), ("no JSON", "signatures"),
                       ("large", "{" + " " * (1 << 20) + "}")):
        done = site.diagnose("--signatures", site.write("odd.json", text))
        tap.result(done.returncode == 3 and "odd.json" in done.stderr,
                   "a file that is %s is refused" % name, done.stderr)
    done = site.diagnose("--signatures", os.path.join(work, "absent.json"))
    tap.result(done.returncode == 3 and "absent.json" in done.stderr,
               "so is a file that is absent", done.stderr)


def main():
    tap = Tap()
    work = tempfile.mkdtemp()
    try:
        schemas(tap)
        tables(tap)
        sites(tap, work)
    finally:
        shutil.rmtree(work)
    sys.exit(tap.exit_status())


main()
