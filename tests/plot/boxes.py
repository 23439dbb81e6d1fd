# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures in a browser the boxes of the texts that each kind of figure draws,
for 1 to 12 results with short and long names: no text may leave the picture or
cover another one. Fonts must have one size on paper in SVG, PDF and PNG, and
the colours must differ for people with each kind of colour blindness."""
import base64
import csv
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import browser  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

POLICIES = ["fifo", "srtf", "lucid+schedmate", "backfill", "tiresias", "sjf",
            "fjf", "srsf", "qssf", "smallest", "gandiva", "random-pack"]
COUNTS = (1, 2, 3, 6, 12)
# words of a figure of results, of a sweep
RESULTS = ["--kind cdf", "--kind cdf --quantity slowdown", "--kind boxes",
           "--kind boxes --quantity jct --style boxes-by=duration --style width=12",
           "--kind utilisation", "--kind queue", "--kind nodes",
           "--kind gantt", "--kind bars", "--kind bars --log --quantity jct",
           "--kind relative", "--kind relative --log",
           "--kind utilisation --columns 3 --style width=17.5",
           "--kind nodes --columns 2 --style width=17.5",
           "--kind cdf --kind queue --columns 2 --style width=17.5 --title Waits",
           "--kind cdf --style font-size=6 --style width=17.5"]
SWEEPS = ["--kind bars", "--kind relative", "--kind lines",
          "--kind bars --log --quantity jct --style width=17.5", "--kind lines --log --quantity "
          "slowdown_p99", "--kind relative --quantity makespan_s"]
LONG = "lucid+schedmate,trace=/data/traces/philly-2017/vc%d/jobs.csv.gz"
# Texts as [text, left, top, right, bottom] in em, and the size of the picture.
TEXTS = """[...document.querySelectorAll('svg')].map(svg => {
  const at = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
  return [at.width, at.height, texts.map(t => {
    const b = t.getBoundingClientRect();
    return [t.textContent.trim(), b.left - at.left, b.top - at.top,
      b.right - at.left, b.bottom - at.top,
      parseFloat(getComputedStyle(t).fontSize)]; })]; })"""


def plot(place, *words):
    done = subprocess.run([PROGRAM, "plot", *words, "--quiet", "--force"],
                          cwd=place, text=True, capture_output=True,
                          check=False)
    if done.returncode:
        raise RuntimeError("plot %s: %s" % (" ".join(words), done.stderr))


def schedsim(place, *words):
    done = subprocess.run([PROGRAM, *words], cwd=place, text=True,
                          capture_output=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)


def make_data(place):
    """Makes results of all policies and, for each count, a sweep of so many."""
    trace = os.path.join(ROOT, "traces/samples/native.csv")
    schedsim(place, "compare", trace, "--jobs", "300", "--cluster", "6x8",
             "--out", "results", "--quiet",
             *[word for name in POLICIES for word in ("-p", name)])
    with open(os.path.join(place, "grid.json"), "w", encoding="utf-8") as file:
        file.write('{"trace": {"generate": "venus", "jobs": 60, "seeds": 2}, '
                   '"cluster": "4x8", "policy": ["%s"], "load": [0.8, 1, 1.2]}'
                   % '", "'.join(POLICIES))
    schedsim(place, "sweep", "grid.json", "--quiet", "--out", "sweep")
    with open(os.path.join(place, "sweep", "runs.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for n in COUNTS:
        os.mkdir(os.path.join(place, "sweep%d" % n))
        with open(os.path.join(place, "sweep%d" % n, "runs.csv"), "w",
                  encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(r for r in rows if r["policy"] in POLICIES[:n])


def figures(place):
    """Draws all figures. Yields what each shows, and the path of its SVG."""
    number = 0
    for n, is_long in itertools.product(COUNTS, (False, True)):
        labels = [word for i in range(n) for word in ("--label", LONG % i)
                  ] if is_long else []
        of = [("results", ["results/" + name for name in POLICIES[:n]], words)
              for words in RESULTS] + [("sweep", ["sweep%d" % n], words)
                                       for words in SWEEPS]
        for what, dirs, words in of:
            number += 1
            path = os.path.join(place, "figure%d.svg" % number)
            plot(place, *dirs, *words.split(), *labels, "--out", path)
            yield "%s %d %s%s" % (what, n, words, ", long" * is_long), path


def measure(page, place, paths):
    """Returns the pictures of some SVGs as TEXTS says."""
    html = os.path.join(place, "all.html")
    with open(html, "w", encoding="utf-8") as out:
        for path in paths:
            with open(path, encoding="utf-8") as file:
                svg = file.read()
            out.write("<div>" + svg[svg.index("<svg"):] + "</div>\n")
    page.open(html)
    return page.value(TEXTS)


def faults(picture):
    """Lists the texts that leave the picture or cover another one. A box is as
    high as a line, so boxes may touch by a fifth of the size of the font."""
    width, height, texts = picture
    found = []
    for text, left, top, right, bottom, size in texts:
        if left < -0.5 or top < -0.2 * size or right > width + 0.5 or \
                bottom > height + 0.2 * size:
            found.append("'%s' leaves the picture: %.0f..%.0f of %.0f, "
                         "%.0f..%.0f of %.0f" % (text, left, right, width, top,
                                                 bottom, height))
    for a, b in itertools.combinations(texts, 2):
        over = min(a[3], b[3]) - max(a[1], b[1])
        high = min(a[4], b[4]) - max(a[2], b[2])
        small, large = sorted([over, high])
        if small > 0.25 * a[5] and large > 0.25 * a[5]:
            found.append("'%s' and '%s' cover each other" % (a[0], b[0]))
    return found


def check_boxes(tap, page, place):
    drawn = list(figures(place))
    pictures = measure(page, place, [path for _, path in drawn])
    by_kind, sizes, n_texts = {}, set(), 0
    for (words, _), picture in zip(drawn, pictures):
        kind = re.search(r"--kind (\w+)", words).group(1)
        by_kind.setdefault(kind, []).extend(
            words + ": " + one for one in faults(picture))
        n_texts += len(picture[2])
        if "font-size" not in words:
            sizes |= {round(text[5], 2) for text in picture[2]}
    tap.result(len(pictures) == len(drawn) and n_texts > 20 * len(drawn),
               "%d figures with %d texts are measured" % (len(drawn), n_texts))
    for kind, found in sorted(by_kind.items()):
        tap.result(not found, kind + ": no text leaves the picture or covers "
                   "another one", "\n".join(found[:30]))
    tap.result(sizes == {10.67} or sizes == {10.7},
               "all texts of an SVG are 8 pt high, 1 px being 1/96 inch", sizes)


def check_damage(tap, page, place):
    """Damages a figure in three ways. Each must be found."""
    path = os.path.join(place, "good.svg")
    plot(place, "results", "--kind", "bars", "--out", path)
    with open(path, encoding="utf-8") as file:
        svg = file.read()
    names = re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*>\s*<text>', svg)
    first, last = names[0], names[-1]
    for name, bad in (
            ("larger text", re.sub(r'font-size="[\d.]+"', 'font-size="22"', svg)),
            ("a text at the edge", svg.replace("translate(%s,%s)" % last,
                                               "translate(2,%s)" % last[1])),
            ("a text upon another", svg.replace("translate(%s,%s)" % last,
                                                "translate(%s,%s)" % first))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(bad)
        tap.result(bad != svg and faults(measure(page, place, [path])[0]),
                   name + " is found")


def label_height(path):
    """Returns how high the label of the y axis is in a PNG, which is what is
    dark in the first 1.6 em of its width, as a share of the height."""
    with open(path, "rb") as file:
        raw = file.read()
    parts, at = b"", 8
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB",
                                                     raw[at + 8:at + 18])
        elif kind == b"IDAT":
            parts += raw[at + 8:at + 8 + size]
        at += size + 12
    step = {2: 3, 6: 4}[colour]
    data, line = zlib.decompress(parts), bytearray(width * step)
    rows = []
    for y in range(height):
        begin = y * (width * step + 1)
        kind, now = data[begin], bytearray(
            data[begin + 1:begin + 1 + width * step])
        for i in range(len(now) if kind else 0):
            left = now[i - step] if i >= step else 0
            above, corner = line[i], line[i - step] if i >= step else 0
            guess = left + above - corner
            near = min((left, above, corner), key=lambda v: abs(guess - v))
            now[i] = (now[i] + (0, left, above, (left + above) // 2,
                                near)[kind]) & 255
        line = now
        if min(now[:int(1.6 * 8 / 72 * 300) * step]) < 128:
            rows.append(y)
    return (rows[-1] - rows[0]) / height


def check_formats(tap, page, place):
    """The PDF names the size of its fonts. The PNG must have a label as large
    as the browser draws that of the SVG at 300 pixels an inch."""
    for form in ("svg", "pdf", "png"):
        plot(place, "results/fifo", "results/srtf", "--kind", "bars",
             "--quantity", "jct", "--out", "one." + form)
    with open(os.path.join(place, "one.pdf"), "rb") as file:
        pdf = file.read()
    text = b"".join(zlib.decompressobj().decompress(part) for part in re.findall(
        rb"stream\n(x.*?)endstream", pdf, re.S))
    sizes = {round(max(map(abs, map(float, m[:2]))), 2) for m in re.findall(
        rb"([-\d.]+) ([-\d.]+) [-\d.]+ [-\d.]+ [-\d.]+ [-\d.]+ Tm\s", text)}
    tap.result(sizes == {8.0}, "all texts of a PDF are 8 pt high", sizes)
    measure(page, place, [os.path.join(place, "one.svg")])
    box = page.value("(({x, y, width, height}) => ({x, y, width, height}))"
                     "(document.querySelector('svg').getBoundingClientRect())")
    shot = page.call("Page.captureScreenshot", format="png",
                     clip={**box, "scale": 3.125})
    with open(os.path.join(place, "shot.png"), "wb") as file:
        file.write(base64.b64decode(shot["data"]))
    png, svg = [label_height(os.path.join(place, name))
                for name in ("one.png", "shot.png")]
    tap.result(abs(png / svg - 1) < 0.03, "a PNG has texts as large as an SVG",
               (png, svg))


# What people with protanopia, deuteranopia and tritanopia see of linear RGB
# (Machado, Oliveira and Fernandes 2009, table 1, severity 1.0).
BLIND = {"protanopia": ((0.152286, 1.052583, -0.204868),
                        (0.114503, 0.786281, 0.099216),
                        (-0.003882, -0.048116, 1.051998)),
         "deuteranopia": ((0.367322, 0.860646, -0.227968),
                          (0.280085, 0.672501, 0.047413),
                          (-0.011820, 0.042940, 0.968881)),
         "tritanopia": ((1.255528, -0.076749, -0.178779),
                        (-0.078411, 0.930809, 0.147602),
                        (0.004733, 0.691367, 0.303900))}


def lab(linear):
    """Converts linear RGB to CIE L*a*b* under D65."""
    def f(v):
        return v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116
    r, g, b = (min(max(v, 0), 1) for v in linear)
    x, y, z = (f(v) for v in (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def nearest(colours, matrix):
    seen = []
    for colour in colours:
        rgb = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
                  for c in rgb]
        seen.append(lab([sum(m * c for m, c in zip(row, linear))
                         for row in matrix]))
    return min(sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5
               for a, b in itertools.combinations(seen, 2))


def check_colours(tap, place):
    """Two colours that differ by 10 in L*a*b* are told apart side by side; red
    and green of one lightness are not."""
    plot(place, "results", "--script", "colours.gp")
    with open(os.path.join(place, "colours.gp"), encoding="utf-8") as file:
        colours = re.findall("set style line . lc rgb '(#.{6})'", file.read())
    colours = list(dict.fromkeys(colours))
    for name, matrix in BLIND.items():
        tap.result(len(colours) == 7 and nearest(colours, matrix) > 10,
                   "the colours differ with " + name,
                   "%s: %.1f" % (colours, nearest(colours, matrix)))
    tap.result(nearest(["#c05040", "#807a20"], BLIND["deuteranopia"]) < 10,
               "red and green do not with deuteranopia",
               nearest(["#c05040", "#807a20"], BLIND["deuteranopia"]))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as place:
        make_data(place)
        check_colours(tap, place)
        if shutil.which("gnuplot") and browser.find():
            page = browser.Browser()
            check_boxes(tap, page, place)
            check_damage(tap, page, place)
            check_formats(tap, page, place)
            page.close()
        else:
            tap.skip("the boxes of texts", "gnuplot or chromium is not installed")
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
