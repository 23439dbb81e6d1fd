# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `compare --latex`: its second table holds each value of --json, both
tables have the same number of cells in each row, and names with special
characters are escaped."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

TRACE = os.path.join(ROOT, "traces", "samples", "itp.csv")
RUN = [TRACE, "--cluster", "8x8", "--jobs", "200", "-q"]
SPECIAL = "tiresias:queues=3600,promote=2"
DOCUMENT = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"


def call(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True,
                          text=True, check=False)


def unescaped(cell):
    cell = cell.strip().replace("\\textbackslash{}", "\\")
    return re.sub(r"\\([&%$#_{}~^])(\{\})?", r"\1", cell)


def tables(text):
    """Returns the rows of each tabular, as lists of cells."""
    out = []
    for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)"
                                    r"\\end\{tabular\}", text, re.S):
        rows = [line[:-2] for line in body.splitlines() if line.endswith("\\\\")]
        rows = [[unescaped(cell) for cell in re.split(r"(?<!\\)&", row)]
                for row in rows]
        out.append((len(columns), rows))
    return out


def leaves(value, path=""):
    """Yields (name of a row, text of its cell) for each value of an entry."""
    for key, member in value.items():
        name = (path + " " + key).strip().removeprefix("metrics ")
        if isinstance(member, dict):
            yield from leaves(member, name)
        elif isinstance(member, bool):
            yield name, "yes" if member else "no"
        elif isinstance(member, (int, float)):
            yield name, "%.10g" % member
        elif isinstance(member, str):
            yield name, member


def same(tap, about, folder, words):
    got = call(folder, "compare", *words, "--latex")
    entries = json.loads(call(folder, "compare", *words, "--json").stdout)
    found = tables(got.stdout)
    wrong = ["%d tables" % len(found)] if len(found) != 2 else []
    for columns, rows in found:
        wrong += [row for row in rows if len(row) != columns]
    rows = {row[0]: row[1:] for row in found[-1][1]} if found else {}
    n = 0
    for i, entry in enumerate(entries):
        for name, text in leaves(entry):
            n += 1
            if rows.get(name, [None] * len(entries))[i] != text:
                wrong.append("%s of entry %d: %s" % (name, i, text))
        for remark in entry.get("remarks", []):
            if ": %s\n" % remark not in got.stdout:
                wrong.append(remark)
    tap.result(not wrong and n > 10 and len(found[0][1]) == len(entries) + 1,
               "%s: %d values of --json are in --latex" % (about, n),
               "%s\n%s" % (wrong[:10], got.stderr))
    return got.stdout


def main():
    tap, folder = Tap(), tempfile.mkdtemp()
    try:
        text = same(tap, "runs", folder, RUN + ["-p", "fifo", "-p", SPECIAL])
        tap.result("\ntiresias:queues=3600,promote=2 & " in text
                   and re.search(r"\\% & better|\\% & (less|more|equal|noise)", text),
                   "a row has the policy and its verdict", text[:900])
        call(folder, "compare", *RUN, "-p", "fifo,srtf", "--out", "a_b#c")
        text = same(tap, "results", folder, ["a_b#c/fifo", "a_b#c/srtf"])
        tap.result("\na\\_b\\#c/srtf & " in text, "a name is escaped", text[:900])
        same(tap, "replications", folder,
             RUN + ["-p", "fifo,srtf", "--replications", "3"])
        with open(os.path.join(folder, "grid.json"), "w", encoding="utf-8") as file:
            json.dump({"trace": [TRACE], "cluster": ["8x8"], "jobs": [100],
                       "policy": ["fifo", "srtf"], "seed": [1, 2]}, file)
        call(folder, "sweep", "grid.json", "--out", "swept", "-q")
        whole = same(tap, "a sweep", folder, ["swept"])
        if shutil.which("pdflatex"):
            with open(os.path.join(folder, "t.tex"), "w", encoding="utf-8") as file:
                file.write(DOCUMENT + text + whole + "\\end{document}\n")
            done = subprocess.run(["pdflatex", "-halt-on-error", "t.tex"],
                                  cwd=folder, capture_output=True, text=True,
                                  check=False)
            tap.result(done.returncode == 0, "LaTeX reads it", done.stdout[-900:])
        else:
            tap.skip("LaTeX reads it", "no pdflatex")
    finally:
        shutil.rmtree(folder)
    sys.exit(tap.exit_status())


main()
