# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests man pages and shell completions, which are made from the tables of the
program, colours on terminals only, and --dump-config."""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "packaging"))
import completions  # noqa: E402
import manual  # noqa: E402
import tables  # noqa: E402

SAMPLE = os.path.join(ROOT, "traces", "samples", "native.csv")


def ask(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          **more)


def pages(tap, program, folder):
    manual.write(program, folder, "2026-11-22")
    names = sorted(os.listdir(folder))
    want = {"schedsim.1"} | {
        "-".join(("schedsim",) + words) + ".1" for words, _ in program.leaves()}
    tap.result(want <= set(names), "each command has a man page",
               sorted(want - set(names)))
    bad = []
    for words, command in program.leaves():
        path = os.path.join(folder, "-".join(("schedsim",) + words) + ".1")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("\\-", "-")
        bad += ["%s: --%s" % (path, option["name"])
                for option in command["options"]
                if "\\fB--%s\\fR" % option["name"] not in text]
    tap.result(not bad, "each option stands in its page", bad)
    if shutil.which("mandoc"):
        lint = ask("mandoc", "-T", "lint", *[os.path.join(folder, name)
                                             for name in names])
        tap.result(lint.returncode == 0 and not lint.stdout,
                   "mandoc finds nothing wrong in them", lint.stdout)
    else:
        tap.skip("mandoc finds nothing wrong in them", "no mandoc")
    again = folder + "-again"
    manual.write(tables.Program(PROGRAM), again, "2026-11-22")
    tap.result(ask("diff", "-r", folder, again).returncode == 0,
               "they have the same bytes each time")


def shown_by(words):
    """Returns the options that --help-all shows, and those that --help shows."""
    return [set(re.findall(r"^ {2}(?:-\w, |    )--([\w-]+)", ask(
        PROGRAM, *words, how).stdout, re.M)) for how in ("--help-all", "--help")]


def helps(tap, program):
    """Checks that `list commands` has the options of --help-all, and that --help is
    one screen of some of them."""
    bad, long = [], []
    for words, command in program.leaves():
        shown, brief = shown_by(words)
        listed = {option["name"] for option in command["options"]}
        if shown != listed or not brief <= listed:
            bad.append("%s: %s" % (words, shown ^ listed))
        lines = len(ask(PROGRAM, *words, "--help").stdout.splitlines())
        if lines > 40 and words in SCREENS:
            long.append("%s: %d lines" % (words, lines))
    tap.result(not bad, "list commands has the options of --help-all", bad)
    tap.result(not long, "--help is one screen", long)


# Commands whose --help is one screen.
SCREENS = [("run",), ("compare",), ("sweep",), ("gate",), ("size",),
           ("mate", "diagnose"), ("mate", "watch"), ("mate", "worth")]
# Each key is a command line up to the cursor. Its value is what bash must
# offer; after "+", what bash must offer among other words.
BASH = [
    ("schedsim trace con", ["convert"]),
    ("schedsim mate track", ["track"]),
    ("schedsim run --pol", ["--policy="]),
    ("schedsim run --policy sr", ["srtf", "srsf"]),
    ("schedsim run --policy=tir", ["tiresias"]),
    ("schedsim run -p tiresias:prom", ["promote="]),
    ("schedsim run -p tiresias:promote=4,prom", ["4,promote="]),
    ("schedsim x.csv --placer fir", ["first-fit"]),
    ("schedsim x.csv --estimators oracle,hist", ["oracle,history"]),
    ("schedsim compare --cluster ven", ["venus"]),
    ("schedsim run --format sw", ["swf"]),
    ("schedsim trace convert a b --as sw", ["swf"]),
    ("schedsim run --engine hor", ["horizon_s="]),
    ("schedsim mate track --set wa", ["walk="]),
    ("schedsim run --llm-recording-mode s", ["strict"]),
    ("schedsim mate advise --embed l", ["llm"]),
    ("schedsim list estim", ["estimators"]),
    ("schedsim list --explain tiresias-", ["tiresias-yarn"]),
    ("schedsim help comp", ["compare"]),
    ("schedsim run traces/samples/native.c", ["traces/samples/native.csv"]),
    ("schedsim mate diagnose a tests/logs/wel", ["tests/logs/well.log"]),
    ("schedsim run --out traces/samp", ["traces/samples"]),
    ("schedsim run --color=al", ["always"]),
    ("schedsim run --seed ", []),
]


def conditions(tap, program):
    """Each condition of a setting names a setting beside it and values of it,
    so that a setting that it refuses can be made effective."""
    seen, bad = 0, []
    for kind, entries in program.kinds.items():
        for entry in entries:
            rows = {s["name"]: s for s in entry.get("settings", [])}
            for row in rows.values():
                key, _, values = row.get("only_with", "").partition("=")
                if not key:
                    continue
                seen += 1
                other = rows.get(key.rstrip("!"))
                if not other or (other["kind"] == "choice" and not set(
                        values.split("/")) <= set(other["range"].split("|"))):
                    bad.append((kind, entry["name"], row["name"]))
    tap.result(seen > 20 and not bad, "conditions name settings and values",
               bad or seen)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(tap, program, folder):
    path = os.path.join(folder, "bash")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(completions.SHELLS["bash"](program)) + "\n")
    script = "source %s\n" % quoted(path) + "\n".join(
        "COMP_LINE=%s COMP_POINT=%d; _schedsim 2>/dev/null\n"
        "(IFS=' '; echo \"${COMPREPLY[*]}\")" % (quoted(line), len(line))
        for line, _ in BASH)
    said = ask("bash", "--norc", "-c", script, cwd=ROOT)
    got = [line.split() for line in said.stdout.split("\n")]
    bad = ["%s: %s, expected %s" % (line, answer, want)
           for (line, want), answer in zip(BASH, got)
           if sorted(answer) != sorted(want)]
    tap.result(len(got) == len(BASH) + 1 and not bad,
               "bash completes commands, options, names, settings and files",
               "\n".join(bad) + said.stderr)
    script = "source %s\n" % quoted(path) + "\n".join(
        "_schedsim_options %s; echo $REPLY" % quoted(" ".join(words))
        for words, _ in program.leaves())
    said = ask("bash", "--norc", "-c", script).stdout.split("\n")
    bad = [words for (words, command), line in zip(program.leaves(), said)
           if not {"--" + option["name"] + ("=" if option["value"] else "")
                   for option in command["options"]} <= set(line.split())]
    tap.result(not bad, "bash offers each option of each command", bad)


def others(tap, program, folder):
    for shell, line in (("zsh", None), ("fish", "schedsim run --policy=ti")):
        path = os.path.join(folder, shell)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(completions.SHELLS[shell](program)) + "\n")
        name = "%s accepts its completions" % shell
        if not shutil.which(shell):
            tap.skip(name, "no " + shell)
            continue
        read = ask(shell, "-n", path)
        good = read.returncode == 0 and not read.stderr
        if line:
            read = ask(shell, "--no-config", "-c", "source %s; complete -C %s" % (
                quoted(path), quoted(line)))
            good = good and "tiresias" in read.stdout
        tap.result(good, name, read.stdout + read.stderr)


def on_terminal(*command, **environment):
    """Returns the text that a command prints to a terminal."""
    reader, writer = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    child = subprocess.Popen(command, stdout=writer, stderr=writer,
                             stdin=subprocess.DEVNULL, cwd=ROOT,
                             env={**env, "TERM": "xterm", **environment})
    os.close(writer)
    pieces = []
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:  # on Linux, this error marks the end of a terminal
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(reader)
    child.wait()
    return b"".join(pieces).decode()


def colours(tap):
    compare = (PROGRAM, "compare", os.path.join(os.path.dirname(SAMPLE),
                                                "itp.csv"),
               "-c", "8x8", "-p", "fifo", "-p", "srtf", "-q")
    shown = on_terminal(*compare)
    piped = ask(*compare).stdout
    tap.result("\033[1mpolicy\033[0m" in shown and "\033[32mbetter" in shown,
               "a terminal shows headings bold and what is better green", shown)
    tap.result("\033" not in piped and re.sub(r"\033\[[0-9;]*m|\r", "", shown)
               == piped, "a pipe gets the same words without colours", piped)
    for name, command, environment, coloured in (
            ("NO_COLOR", compare, {"NO_COLOR": "1"}, False),
            ("an empty NO_COLOR", compare, {"NO_COLOR": ""}, True),
            ("TERM=dumb", compare, {"TERM": "dumb"}, False),
            ("--color=never", compare + ("--color=never",), {}, False),
            ("--color always and NO_COLOR",
             compare + ("--color", "always"), {"NO_COLOR": "1"}, True)):
        tap.result(("\033[" in on_terminal(*command, **environment)) == coloured,
                   "%s: %s" % (name, "colours" if coloured else "no colours"))
    tap.result("\033[32mbetter" in ask(*compare, "--color=always").stdout,
               "--color=always colours a pipe")
    wrong = on_terminal(PROGRAM, "run", "absent.csv")
    tap.result(wrong.startswith("\033[1;31mschedsim:\033[0m absent.csv"),
               "errors begin in red", wrong)
    tap.result("\033[1mExit status:\033[0m" in on_terminal(
        PROGRAM, "run", "--help-all"), "headings of --help-all are bold")
    said = ask(PROGRAM, "compare", SAMPLE, "--color=alway")
    tap.result(said.returncode == 2 and "auto, always, never" in said.stderr,
               "another word for --color is refused", said.stderr)


# Each configuration is run, and run again from its dump: both must write the
# same bytes.
DUMPED = [
    ["-p", "fifo"],
    ["-p", "tiresias:promote=4", "--conventions", "lucid", "--seed", "7"],
    ["-p", "lucid", "--series", "interval=60"],
    ["-p", "lucid+schedmate", "--schedmate", "wrong=0.2"],
    ["-p", "fifo+handler", "--faults", "exponential"],
    ["-p", "sia", "--engine", "horizon_s=100000"],
    ["-p", "srtf", "--faults", "hardware", "--recovery", "retry",
     "--estimators", "gbdt,history", "-c", "16x8"],
]


def result_files(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            # The last object of the manifest differs: it describes the program
            # and the machine.
            found[name] = file.read().partition(b'\n  "provenance": {')[0]
    return found


def dumps(tap, folder):
    trace = os.path.join(ROOT, "traces", "samples", "venus.csv")
    file = os.path.join(folder, "config.json")
    for options in DUMPED:
        first, second = os.path.join(folder, "a"), os.path.join(folder, "b")
        run = [PROGRAM, "run", trace, "-n", "60", *options]
        ask(*run, "-q", "--out", first)
        dump = ask(*run, "--dump-config")
        with open(file, "w", encoding="utf-8") as target:
            target.write(dump.stdout)
        said = ask(PROGRAM, "run", "--config", file, "-q", "--out", second)
        again = ask(PROGRAM, "run", "--config", file, "--dump-config")
        same = os.path.isdir(first) and os.path.isdir(second) and \
            result_files(first) == result_files(second)
        tap.result(same and again.stdout == dump.stdout,
                   "the dumped configuration gives the same bytes: "
                   + " ".join(options), dump.stderr + said.stderr)
        shutil.rmtree(first, ignore_errors=True)
        shutil.rmtree(second, ignore_errors=True)
    compare = [PROGRAM, "compare", trace, "-n", "60", "-p", "lucid:pair_gpus=4",
               "-p", "fifo", "--json", "-q"]
    dump = ask(*compare, "--dump-config")
    with open(file, "w", encoding="utf-8") as target:
        target.write(dump.stdout)
    said = ask(PROGRAM, "compare", "--config", file, "--json", "-q")
    tap.result(said.stdout == ask(*compare).stdout and "differs by policy" in dump.stderr,
               "compare dumps its policies, and says which defaults differ",
               dump.stderr + said.stderr)
    with open(file, "w", encoding="utf-8") as target:
        target.write('{"trace": "x.csv", "series_interval_s": -1}')
    said = ask(PROGRAM, "run", "--config", file)
    tap.result(said.returncode == 3 and "series_interval_s" in said.stderr,
               "a wrong interval in a configuration is refused", said.stderr)


def main():
    tap = Tap()
    program = tables.Program(PROGRAM)
    tap.result(json.dumps(program.kinds["policies"]).count("tiresias") > 0,
               "list --json has the policies")
    with tempfile.TemporaryDirectory() as folder:
        helps(tap, program)
        conditions(tap, program)
        pages(tap, program, os.path.join(folder, "man"))
        bash(tap, program, folder)
        others(tap, program, folder)
        dumps(tap, folder)
    colours(tap)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
