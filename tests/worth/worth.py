# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `worth`: each number comes from runs that `run` makes with the policy,
the settings and the seed that the JSON names, and the changes, intervals, the
break-even quality and the verdict follow from them."""
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

PHILLY = os.path.join(ROOT, "traces", "samples", "philly.csv")
QUALITY = os.path.join(ROOT, "bench", "recordings", "quality.json")
# the 97.5 % quantile of Student's t with 2 degrees of freedom
STUDENT_2 = 4.302653
DRAWS = 3
INPUT = [PHILLY, "--jobs", "400", "--cluster", "3x8"]


def schedsim(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True,
                          check=False)


def near(a, b, least=1e-9):
    return abs(a - b) <= least * max(1, abs(a), abs(b))


def change(alone, values):
    """Returns the change of a JCT and the interval of one further draw."""
    logs = [math.log(b / a) for a, b in zip(alone, values)]
    mean = statistics.mean(logs)
    half = STUDENT_2 * statistics.stdev(logs) * math.sqrt(1 + 1 / DRAWS)
    return [math.expm1(x) for x in (mean, mean - half, mean + half)]


def runs_are_those_of_run(tap, rows):
    wrong = []
    for row in rows:
        for draw in (0, DRAWS - 1):
            words = ["--schedmate", row["schedmate"]] if "schedmate" in row \
                and "+" in row["policy"] else []
            done = schedsim("run", *INPUT, "--policy", row["policy"], *words,
                            "--estimators", "history", "--seed", str(7 + draw),
                            "--quiet", "--json")
            mean = json.loads(done.stdout)["metrics"]["jct_s"]["mean"]
            if not near(mean, row["jct_by_draw_s"][draw]):
                wrong.append((row["name"], draw, mean, row["jct_by_draw_s"]))
    tap.result(not wrong, "each draw is a run with that seed", wrong)


def numbers_follow(tap, answer):
    rows = answer["rows"]
    alone, wrong = rows[0]["jct_by_draw_s"], []
    for row in rows:
        want = change(alone, row["jct_by_draw_s"])
        got = [row["jct_s"][key] for key in ("change", "lo", "hi")]
        if not all(near(a, b, 1e-6) for a, b in zip(want, got)):
            wrong.append((row["name"], want, got))
    tap.result(not wrong, "changes and intervals follow from the draws", wrong)
    ladder = [(row["quality"], row["jct_s"]["change"]) for row in rows
              if "quality" in row]
    even = 0.0 if ladder[-1][1] <= 0 else None
    for (x, before), (y, after) in zip(ladder, ladder[1:]):
        if before > 0 >= after:
            even = x + (y - x) * before / (before - after)
    tap.result(even is not None and near(even, answer["break_even_quality"]),
               "the break-even quality is where the line crosses 0",
               (even, answer["break_even_quality"], ladder))
    tap.result(ladder[0][1] > ladder[-1][1] and ladder[-1][1] < 0,
               "useless advice is worse than perfect advice", ladder)


def measured_is_marked(tap, answer):
    """The mark is the share of right answers of the file, on the line between
    the rows of the qualities."""
    with open(QUALITY, encoding="utf-8") as file:
        counts = json.load(file)["answers"].values()
    right = sum(row["right"] for row in counts)
    share = right / sum(sum(row.values()) for row in counts)
    ladder = [(row["quality"], row["jct_s"]["change"])
              for row in answer["rows"] if "quality" in row]
    (x, before), (y, after) = [
        pair for pair in zip(ladder, ladder[1:])
        if pair[0][0] <= share <= pair[1][0]][0]
    want = before + (after - before) * (share - x) / (y - x)
    tap.result(near(share, answer["quality_measured"])
               and near(want, answer["change_with_measured"], 1e-6),
               "the measured quality is marked", (share, want, answer))
    tap.result([row["name"] for row in answer["rows"]][3]
               == "measured errors", "and its errors are run")


def refusals(tap):
    for words, message in [
            (["--policy", "sjf+advisor"], "worth adds SchedMate's itself"),
            (["--plot", "figure.png"], "expected a file .svg"),
            (["--policy", "sjff"], "did you mean 'sjf'"),
            (["--measured", PHILLY], "philly.csv:1:")]:
        done = schedsim("mate", "worth", *INPUT, *words)
        tap.result(done.returncode in (2, 3) and message in done.stderr,
                   message, done.stderr)


def text_and_figure(tap, common):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "worth.svg")
        plot = ["--plot", path] if shutil.which("gnuplot") else []
        done = schedsim("mate", "worth", *INPUT, *common, *plot, "--price",
                        "token-price-in=0.5", "--price", "gpu=2")
        wanted = ["break-even: ", "cost: ", "price of the tokens: ", "why: ",
                  "none about fields",
                  "believed: advice is the truth with errors"]
        missing = [word for word in wanted if word not in done.stdout]
        tap.result(done.returncode == 0 and not missing,
                   "the text says what it costs, why, and what is believed",
                   done.stdout + done.stderr)
        if not plot:
            tap.skip("the figure is an SVG", "gnuplot is not installed")
            return
        with open(path, encoding="utf-8") as file:
            tap.result("<svg" in file.read(), "the figure is an SVG")


def main():
    tap = Tap()
    common = ["--policy", "sjf:skip=true", "--estimators", "history", "--draws",
              str(DRAWS), "--seed", "7", "--schedmate", "servers=2", "--quiet",
              "--measured", QUALITY]
    done = schedsim("mate", "worth", *INPUT, *common, "--json", "--threads", "2")
    if done.returncode != 0:
        tap.result(False, "worth answers", done.stderr)
        return tap.exit_status()
    answer = json.loads(done.stdout)
    runs_are_those_of_run(tap, answer["rows"])
    numbers_follow(tap, answer)
    measured_is_marked(tap, answer)
    again = schedsim("mate", "worth", *INPUT, *common, "--json", "--threads", "1")
    tap.result(again.stdout == done.stdout,
               "the answer does not depend on threads")
    refusals(tap)
    text_and_figure(tap, common)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
