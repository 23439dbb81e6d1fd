# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the project's own gate, bench/gate.json, and the files that other
programs read of a gate: the gate file by its JSON schema, JUnit XML, and the
workflow of contrib/github."""
import difflib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402
try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import yaml
except ImportError:
    yaml = None

OWN = os.path.join(ROOT, "bench", "gate.json")
SAMPLE = os.path.join(ROOT, "traces", "samples", "native.csv")
ITP = os.path.join(ROOT, "traces", "samples", "itp.csv")
WORKFLOW = os.path.join(ROOT, "contrib", "github", "schedsim-gate.yml")


def gate(*words, cwd=None):
    return subprocess.run([PROGRAM, "gate", *words, "--quiet"], cwd=cwd,
                          capture_output=True, text=True, check=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def first_file(folder, *words):
    path = os.path.join(folder, "g.json")
    shutil.copy(SAMPLE, folder)
    done = gate("g.json", "--init", "native.csv", "-c", "2x8", "-n", "150",
                *words, cwd=folder)
    return path, done


def own_gate(tap, folder):
    """Runs the gate without one run, which takes longer than all others
    together."""
    done = gate(OWN, "--except", "venus.csv sia")
    tap.result(done.returncode == 0, "every policy on every sample gives the "
               "values of bench/gate.json", done.stdout + done.stderr)
    names = {row["trace"] for row in json.loads(read(OWN))["expected"]}
    text = read(OWN).replace('"../t', '"%s/t' % ROOT)
    value = re.search(r'"seren.csv", "policy": "fifo", "jct_s.mean": ([\d.]+)',
                      text).group(1)
    moved = os.path.join(folder, "moved.json")
    write(moved, text.replace(value, "%r" % (float(value) * (1 + 1e-8)), 1))
    done = gate(moved, "--only", "seren.csv fifo")
    tap.result(len(names) == 7 and done.returncode == 6
               and "jct_s.mean" in done.stderr,
               "one part in 100 million is a difference",
               done.stdout + done.stderr)


def schema(tap, folder):
    if not jsonschema:
        tap.skip("the schema", "no Python module jsonschema")
        return
    rules = json.loads(read(os.path.join(ROOT, "docs", "gate.schema.json")))
    jsonschema.Draft202012Validator.check_schema(rules)
    check = jsonschema.Draft202012Validator(rules)
    seeds, _ = first_file(folder, "--replications", "3")
    seeds = shutil.move(seeds, os.path.join(folder, "seeds.json"))
    path, _ = first_file(folder, "-p", "fifo", "-p", "srtf")
    for name in (OWN, path, seeds):
        wrong = [error.message for error in
                 check.iter_errors(json.loads(read(name)))]
        tap.result(not wrong, "the schema accepts " + os.path.basename(name),
                   wrong)
    # The schema and the program must refuse the same files.
    for of, old, new, name in [
            (seeds, '"seeds": [1,', '"seeds": [0,', "a seed of 0"),
            (path, '"1%"', '"one"', "a tolerance in words"),
            (path, '"1%"', '-1', "a tolerance below 0"),
            (path, '"lower"', '"less"', "a direction that is none"),
            (path, '"policies"', '"polices"', "a key that is not known"),
            (path, '"schedsim_gate": 1', '"schedsim_gate": 2', "another version"),
            (path, '["fifo", "srtf"]', '[]', "no policy"),
            (path, '"cluster": "2x8"', '"cluster": ["2x8"]', "a list as a setting")]:
        text = read(of)
        bad = os.path.join(folder, "bad.json")
        write(bad, text.replace(old, new, 1))
        done = gate(bad)
        place = re.match(r"schedsim: \S*bad.json:\d+:\d+: ", done.stderr)
        tap.result(old in text and not check.is_valid(json.loads(read(bad)))
                   and done.returncode == 3 and place,
                   "schema and program refuse " + name, done.stderr)


def pairs(tap, folder):
    """Errors of the estimates grow a little: the pairs of seeds tell it, where
    the interval of the recorded mean calls it noise. Only their draws change:
    pairs give few alarms."""
    path = os.path.join(folder, "g.json")
    shutil.copy(ITP, folder)

    def change(old, new):
        """Returns whether the gate fails, and the new value."""
        text = read(path)
        write(path + ".new.json", text.replace(old, new, 1))
        done = gate(path + ".new.json", "--json")
        metric = json.loads(done.stdout)["cases"][0]["metrics"][0]
        return done.returncode == 6 and old in text, metric["value"]

    told = told_by_mean = alarms = 0
    for seed in range(1, 41, 2):
        if os.path.exists(path):
            os.remove(path)
        gate("g.json", "--init", "itp.csv", "-c", "8x8", "-p", "sjf",
             "--estimators", "noisy:law=lognormal,sigma=0.5,oracle", "--seed",
             str(seed), "--metric", "jct_s", "--replications", "10",
             cwd=folder)
        write(path, read(path).replace('"1%"', '"interval"'))
        values = json.loads(read(path))["expected"][0]["jct_s.mean"]
        half = 2.262157 * statistics.stdev(values) / math.sqrt(10)
        fails, value = change("sigma=0.5", "sigma=0.6")
        told += fails
        told_by_mean += value > statistics.mean(values) + half
        alarms += change('"seed": "%d"' % seed, '"seed": "%d"' % (seed + 1))[0]
    print("# of 20 changes of sigma pairs tell %d, means %d; %d false alarms"
          % (told, told_by_mean, alarms))
    tap.result(told >= 15 and told_by_mean <= 5,
               "pairs of seeds tell a small change that means do not",
               (told, told_by_mean))
    tap.result(alarms <= 1, "at most 1 of 20 changes of the draws is an alarm",
               alarms)


def junit_faults(root):
    """Yields faults at which readers of JUnit XML (Jenkins, GitLab, GitHub's
    reporters) would stumble."""
    if root.tag != "testsuites":
        yield "the root is " + root.tag
    seen, sums = set(), {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in root:
        counts = {"tests": len(suite), "failures": len(suite.findall(
            "testcase/failure")), "errors": len(suite.findall(
                "testcase/error")), "skipped": len(suite.findall(
                    "testcase/skipped"))}
        if suite.tag != "testsuite" or not suite.get("name"):
            yield "a suite without a name"
        for key, count in counts.items():
            sums[key] += count
            if suite.get(key) != str(count):
                yield "%s of %s is %s, not %d" % (key, suite.get("name"),
                                                  suite.get(key), count)
        for case in suite:
            name = (case.get("classname"), case.get("name"))
            if case.tag != "testcase" or not all(name) or name in seen:
                yield "a case without a name of its own: %s" % (name,)
            seen.add(name)
            ends = [child for child in case
                    if child.tag in ("failure", "error", "skipped")]
            if len(ends) > 1:
                yield "%s ends twice" % (name,)
            for end in ends:
                if not (end.get("message") and end.get("type") and end.text):
                    yield "%s fails without a word" % (name,)
            for child in case:
                if child.tag not in ("failure", "error", "skipped",
                                     "system-out", "system-err"):
                    yield "%s has a %s" % (name, child.tag)
    for key, count in sums.items():
        if root.get(key) != str(count):
            yield "%s of all is %s, not %d" % (key, root.get(key), count)


def junit(tap, folder):
    path, _ = first_file(folder, "-p", "fifo", "-p", "srtf")
    tree = json.loads(read(path))
    hostile = "<&\"'>]]>\u0001\u202e\U0001f600|`*[x](y)@all\n"
    tree["policies"].append({"policy": "sjf", "name": "sjf" + hostile})
    tree["traces"].append({"trace": "none.csv", "name": "none" + hostile})
    tree["expected"][0]["jct_s.p99"] *= 0.5
    tree["expected"][1]["makespan_s"] *= 2
    write(path, json.dumps(tree))
    done = gate(path, "--junit", "out.xml", "--markdown", "out.md", cwd=folder)
    text = read(os.path.join(folder, "out.xml"))
    root = ET.fromstring(text.encode())
    tap.result(done.returncode == 6 and not list(junit_faults(root)),
               "JUnit XML has the counts, names and messages that readers want",
               done.stderr + "\n".join(junit_faults(root)))
    tap.result(root.get("failures") == "4" and root.get("errors") == "3"
               and root.get("tests") == "12",
               "JUnit XML: a value that moved, three that are new, three runs "
               "that fail", text)
    lines = [line for line in read(os.path.join(folder, "out.md")).splitlines()
             if line.startswith("| ")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    tap.result(bars == {9} and not re.search(r"<(?!!-- )|@all|\n\n\n",
                                             "\n".join(lines)),
               "Markdown: no name of a file breaks the table or writes HTML",
               "\n".join(lines))


def same_bytes(tap, folder):
    path, done = first_file(folder, "-p", "fifo", "-p", "srtf", "-p", "sjf")
    tap.result(done.returncode == 0, "a first file", done.stderr)
    text = read(path)
    outputs = {gate(path, "--json", "--threads", n).stdout for n in "123"}
    tap.result(len(outputs) == 1, "the output does not depend on threads")
    outputs = {gate(path, "--all", cwd=cwd).stdout for cwd in (folder, "/")}
    tap.result(len(outputs) == 1, "nor on the directory")
    # The user's own layout of the file stays, except for values that changed.
    own = json.dumps(json.loads(text), indent=7, sort_keys=True) + "\n\n"
    own = re.sub(r'("makespan_s": )[\d.]+', r"\g<1>1", own, count=1)
    write(path, own)
    reason = "a \"test\", with \\ and \u00e9"
    done = gate(path, "--update", "--reason", reason)
    lines = list(difflib.ndiff(own.splitlines(), read(path).splitlines()))
    gone = [line[2:].strip() for line in lines if line[:2] == "- "]
    tap.result(done.returncode == 0
               and gone == ['"makespan_s": 1,', '"update": 1', "}"]
               and json.loads(read(path))["updates"][1]["reason"] == reason
               and gate(path).returncode == 0,
               "an update leaves the layout as it is", "\n".join(lines))
    again = read(path)
    gate(path, "--update", "--reason", "nothing")
    tap.result(read(path) == again, "an update without a change writes nothing")


def workflow(tap, folder):
    if not yaml:
        tap.skip("the workflow", "no Python module yaml")
        return
    tree = yaml.safe_load(read(WORKFLOW))
    jobs = tree["jobs"]
    steps = {step.get("name"): step["run"] for job in jobs.values()
             for step in job["steps"] if "run" in step}
    uses = [step["uses"] for job in jobs.values() for step in job["steps"]
            if "uses" in step]
    known = {"name", "uses", "run", "with", "env", "if"}
    tap.result(all(re.fullmatch(r"actions/[a-z-]+@v\d+", use) for use in uses)
               and all(set(step) <= known for job in jobs.values()
                       for step in job["steps"])
               and all({"runs-on", "steps"} <= set(job) for job in jobs.values()),
               "the workflow has jobs with steps of known keys", uses)
    for name, text in steps.items():
        done = subprocess.run(["bash", "-n", "-c", text], capture_output=True,
                              text=True, check=False)
        tap.result(done.returncode == 0, "workflow: bash reads: %s" % name,
                   done.stderr)
    # Runs the steps of the workflow that call schedsim, and checks their
    # results.
    first_file(folder, "-p", "fifo")
    os.rename(os.path.join(folder, "g.json"), os.path.join(folder, "gate.json"))
    os.mkdir(os.path.join(folder, ".schedsim"))
    os.symlink(PROGRAM, os.path.join(folder, ".schedsim", "schedsim"))
    page = os.path.join(folder, "page.md")
    env = dict(os.environ, GITHUB_STEP_SUMMARY=page, **tree["env"])
    for name in ("check", "show the table"):
        done = subprocess.run(["bash", "-e", "-c", steps[name]], cwd=folder,
                              env=env, capture_output=True, text=True,
                              check=False)
        tap.result(done.returncode == 0, "workflow: " + name, done.stderr)
    done = subprocess.run(["bash", "-e", "-c",
                           ".schedsim/" + re.search(r"schedsim version",
                                                    steps["build schedsim"])[0]],
                          cwd=folder, capture_output=True, check=False)
    kept = {path for job in jobs.values() for step in job["steps"]
            for path in str(step.get("with", {}).get("path", "")).split()}
    tap.result(done.returncode == 0 and "passed" in read(page)
               and {"gate.md", "gate.xml"} <= kept
               and all(os.path.exists(os.path.join(folder, name))
                       for name in ("gate.md", "gate.xml")),
               "workflow: it keeps the files that the gate writes", kept)


def main():
    tap = Tap()
    for test in (own_gate, schema, pairs, junit, same_bytes, workflow):
        folder = tempfile.mkdtemp()
        try:
            test(tap, folder)
        finally:
            shutil.rmtree(folder)
    sys.exit(tap.exit_status())


main()
