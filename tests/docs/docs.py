# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the commands of README.md, docs and the rooms' READMEs. Commands that
are cheap are run, page by page in a folder that looks like the tree, and must
end with exit status 0. For the others, the command, the options, choices and
names of policies must be in the tables of the program, and scripts in the
tree; each of them is shown with the reason why it was not run."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import pages

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

# The page whose commands must print what it shows.
COMPARED = "docs/recipes.md"
# The page whose commands tests/slurm/tour.py runs, beside a Slurm.
TOURED = "docs/slurm.md"
# Part of a command -> reason why the command is not run here.
NOT_RUN = [
    (r"\bwatch\b", "it does not end"),
    (r"--follow|--every", "it does not end"),
    (r"--llm http|http:base_url|--embed llm", "it asks a server"),
    (r"--slurm|sacct|scontrol|sbatch|srun|kubectl|condor_|snakemake|parallel ",
     "it needs a scheduler"),
    (r"^(sudo|pip|apt|dpkg|podman|DEB_|meson|ninja|cc|c\+\+|gcc)\b",
     "it builds or installs"),
    (r"^(\./)?(tests|bench)/|python3? (tests|bench)/|^build", "it is a test or a measurement of its own"),
    (r"(docs|packaging)/[a-z]", "it makes parts of the tree or packages"),
    (r"schedsim mate worth|schedsim size (?!.*--jobs 400 .*--replications 0)|make_wheel|policy_gradient|--replications [1-9]|traces/samples/regenerate|--jobs 100000",
     "it takes long"),
    (r"schedsim hello", "it is a command that the page shows how to add"),
    (r"^schedsim mate (history|cases) (list|replay)", "it needs the user's jobs"),
    (r"-Dtests|build-dev", "it needs another build"),
]
PLACEHOLDER = re.compile(r"(?<![\w./$-])([A-Z][A-Z_]{1,}|N|X|I/N)(?![\w./-])|"
                         r"\.\.\.|<\w+>|\[-|\[--|=[A-Z]{2,}\b")
# Commands that read finished results.
READERS = {"compare", "explain", "gate", "plot", "report", "sweep", "verify"}
FILE = re.compile(r"^[\w./@+-]+\.(csv|json|jsonl|swf|gz|log|html|db|txt|so|py|md|c)$")


def without_code(command):
    """Returns the command without the texts in quotes, which it passes to
    another program."""
    return re.sub(r'"[^"]*"|\'[^\']*\'', '""', command)


def missing_file(command, folder):
    """Returns a file that the command reads and that does not exist, or None.
    """
    words = split(command)
    if words[1:2] and words[1] in READERS and "--init" not in words:
        for before, word in zip(words[1:], words[2:]):
            if not before.startswith("-") and not word.startswith("-") and \
                    not os.path.exists(os.path.join(folder, word)):
                return word
    words += re.findall(r"exec:\S+ ([\w./-]+)", command)
    for before, word in zip([""] + words, words):
        value = word.split("=")[-1] if word.startswith("--") else word
        writes = re.match(r"-o$|--(out|junit|markdown|output|map|learned|errors|"
                          r"timeline)\b", before if value == word else word)
        if FILE.match(value) and not writes and "--init" not in command and \
                not os.path.exists(os.path.join(folder, value)) and \
                not re.search(r"trace (convert|generate)", command):
            return value
    return None


def split(command):
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()


def reason(command, prompt, folder):
    """Returns the reason why the command is not run, or None."""
    for pattern, why in NOT_RUN:
        if re.search(pattern, command):
            return why
    found = PLACEHOLDER.search(without_code(command))
    if found:
        return "%s stands for the user's own" % found.group(0)
    missing = missing_file(command, folder)
    if missing and not prompt:
        return "%s is the user's own" % missing
    return None


class Tables:
    """The commands and options of the program."""

    def __init__(self):
        self.commands = {}
        self.add((), self.ask("commands")["commands"])
        self.policies = {item["name"] for item in
                         self.ask("policies", "--json")["policies"]}

    def add(self, above, commands):
        for command in commands:
            path = above + (command["name"],)
            self.commands[" ".join(path)] = command
            self.add(path, command["commands"])

    @staticmethod
    def ask(*words):
        return json.loads(subprocess.run(
            [PROGRAM, "list", *words], check=True, capture_output=True,
            text=True).stdout)

    def of(self, words):
        for n in (3, 2, 1):
            if " ".join(words[:n]) in self.commands:
                return self.commands[" ".join(words[:n])]
        return self.commands["run"]

    def wrong(self, words):
        """Returns what is wrong in the words after `schedsim`, or None."""
        command = self.of(words)
        options = {"--" + o["name"]: o for o in command["options"]}
        options.update({"-" + o["letter"]: o for o in command["options"]
                        if o["letter"]})
        if "--" in words: # the words after -- are for another program
            words = words[:words.index("--")]
        for i, word in enumerate(words):
            if word == "--":
                break
            word = word.strip("[]").split("|")[0]
            name, has_value, value = word.partition("=")
            if not re.match(r"--?[a-zA-Z]", name) or name in (
                    "--help", "--help-all", "--usage", "-h", "--version"):
                continue
            if name not in options:
                return "no option " + name
            option = options[name]
            if option["value"] and not has_value:
                value = words[i + 1] if i + 1 < len(words) else ""
            if option["choices"] and value.islower() and \
                    value not in option["choices"]:
                return "%s is not a value of %s" % (value, name)
            policy = re.split(r"[:+]", value)[0]
            if option["name"] == "policy" and re.match(r"[a-z][\w-]*$", policy) \
                    and policy not in self.policies | {"exec"}:
                return "no policy " + policy
        return None


def wrong(command, tables):
    """Returns what is wrong in a command that is not run, or None."""
    if "schedsim hello" in command:
        return None
    command = re.sub(r"\$\([^)]*\)", "''", command)
    for part in re.split(r"\|\s|&&|;|\n|\bdo\b", command):
        words = split(part)
        while words and re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        if not words:
            continue
        if re.search(r"(^|/)schedsim$", words[0]):
            said = tables.wrong(words[1:])
            if said:
                return said
        script = words[1] if words[0] in ("python", "python3") and \
            len(words) > 1 else words[0]
        if re.match(r"(\./)?(tests|bench|packaging|docs|traces|python|contrib)/",
                    script) and not os.path.exists(os.path.join(ROOT, script)):
            return "%s is not in the tree" % script
    return None


def place(folder):
    """Makes a folder that looks like the tree, in which commands may write."""
    os.makedirs(folder)
    for name in os.listdir(ROOT):
        if not name.startswith((".", "build")) and name != "schedsim":
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.symlink(PROGRAM, os.path.join(folder, "schedsim"))


def run(command, folder, programs):
    env = dict(os.environ, PATH=programs + ":" + os.environ["PATH"],
               NO_COLOR="1", LC_ALL="C.UTF-8", HOME=folder,
               XDG_DATA_HOME=folder + "/data", XDG_CONFIG_HOME=folder + "/config")
    began = time.monotonic()
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env,
                              capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return 124, "it takes more than 60 s", 60
    return (done.returncode, (done.stdout + done.stderr)[-9000:],
            time.monotonic() - began)


def expected(text):
    """Maps each command with a prompt to the lines that the page shows after
    it."""
    shown, lines = {}, None
    for line in text.splitlines():
        if line.startswith("    $ "):
            lines = shown[line[6:]] = []
        elif line.startswith("    ") or not line:
            if lines is not None:
                lines.append(line[4:])
        else:
            lines = None
    return shown


def differs(want, said):
    """Returns what is wrong with the text that a command printed, or None. A
    line "..." stands for any lines."""
    while want and not want[-1]:
        want.pop()
    parts = ["(?:.*\n)*" if line == "..." else re.escape(line) + "\n"
             for line in want]
    got = "".join(line + "\n" for line in said.splitlines())
    if re.fullmatch("".join(parts), got):
        return None
    return "expected:\n%s\ngot:\n%s" % ("\n".join(want), got)


def page(tap, tables, name, work, programs):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        text = file.read()
    folder = os.path.join(work, name.replace("/", "-"))
    shown = list(pages.commands(text))
    if not shown:
        return 0, 0
    place(folder)
    ran = 0
    own = None  # an object of JSON, for the next command that reads a file
    for command, prompt in shown:
        if prompt is None:
            own = command
            continue
        missing = missing_file(command, folder)
        if own and missing and missing.endswith(".json"):
            with open(os.path.join(folder, missing), "w",
                      encoding="utf-8") as file:
                file.write(own)
            own = None
        title = "%s: %s" % (name, " ".join(command.split())[:120])
        why = reason(command, prompt, folder)
        if name == TOURED:
            why = why or "tests/slurm/tour.py runs it"
        if why:
            bad = wrong(command, tables)
            tap.result(not bad, "%s (not run: %s)" % (title, why), bad)
            continue
        status, said, seconds = run(command, folder, programs)
        ran += 1
        bad = None
        if name == COMPARED and status == 0 and prompt:
            bad = differs(expected(text).get(command, ["..."]), said)
        tap.result(status == 0 and not bad, title, bad or said)
        if os.environ.get("DOCS_SECONDS"):
            print("# %.2f s" % seconds)
    return ran, sum(prompt is not None for _, prompt in shown)


def main():
    tap, tables = Tap(), Tables()
    work = tempfile.mkdtemp()
    programs = os.path.join(work, "bin")
    os.makedirs(programs)
    os.symlink(PROGRAM, os.path.join(programs, "schedsim"))
    total = [0, 0]
    try:
        for name in pages.names(ROOT):
            ran, shown = page(tap, tables, name, work, programs)
            total = [total[0] + ran, total[1] + shown]
    finally:
        shutil.rmtree(work)
    print("# %d commands of %d were run" % tuple(total))
    tap.result(total[0] >= 20, "most commands of README.md can be run")
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
