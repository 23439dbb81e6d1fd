# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `schedsim report`: the file that it writes, the results that it
refuses, and the page in a headless browser. The page must draw without errors,
its numbers must be those of summary.json, tables must sort, keys and the
switch of colours must work, and the texts of a hostile trace must stay texts.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import browser  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

EVIL = "</script><script>window.evil=1</script><img src=x onerror=window.evil=2>"
FAULTS = ["--faults", "hardware:profile=acme,rate_factor=200,repair_max_s=7200",
          "--recovery", "isolate,person:attempts=1000"]
POLICIES = ["fifo", "backfill", "srtf", "lucid+schedmate"]
MANY = POLICIES + ["tiresias", "sjf", "fjf", "srsf", "qssf", "smallest",
                   "gandiva", "random-pack"]


def schedsim(*words):
    return subprocess.run([PROGRAM] + list(words), cwd=ROOT, text=True,
                          capture_output=True, timeout=100, check=False)


def simulate(out, trace, policy, *more):
    done = schedsim("run", trace, "--policy", policy, "--quiet", "--seed", "1",
                    "--out", out, *more)
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)


def results(home):
    """Writes the results that the page compares: four policies with faults."""
    dirs = []
    for policy in POLICIES:
        dirs.append(os.path.join(home, policy))
        simulate(dirs[-1], "traces/samples/native.csv", policy, "--jobs", "400",
                 "--cluster", "prod=9x8,dev=2x8", "--workloads", "schedmate",
                 "--series", "interval=60", *FAULTS)
    return dirs


def hostile(home):
    """Makes a result whose jobs, users and virtual clusters have hostile
    names. Returns its directory."""
    trace = os.path.join(home, "evil.csv")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,user,name,vc\n")
        for i in range(40):
            file.write('%d,%d,8,"%s%d","%s","=%s",%s\n' % (
                i, 5000, EVIL, i, EVIL, EVIL, ("<b>x", "y&")[i % 2]))
    out = os.path.join(home, "evil</script>")
    simulate(out, trace, "fifo", "--cluster", "<b>x=1x8,y&=1x8")
    return out


def check_file(tap, page, again):
    with open(page, "rb") as file:
        text = file.read()
    with open(again, "rb") as file:
        tap.result(file.read() == text, "two pages of the same results are equal")
    tap.result(len(text) < 1000000, "the page is below 1 MB", len(text))
    loads = re.findall(rb'<(?:script|img|link|iframe)[^>]*(?:src|href)="'
                       rb'(?!data:)[^"]*"|@import|url\((?!data:)', text)
    tap.result(not loads, "the page loads nothing", loads)


def change(directory, name, old, new):
    path = os.path.join(directory, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not re.search(old, text):
        raise RuntimeError("%s has no %s" % (path, old))
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(old, new, text, count=1))


def check_refusals(tap, home, good):
    """Checks that each spoiled result is refused in one line that names it."""
    cases = [
        ("an old version", "manifest.json", r'"schema_version": 1',
         '"schema_version": 0', 3, "schema_version"),
        ("a changed jobs.csv", "jobs.csv", r",completed,", ",cancelled,", 3,
         "jobs.csv: is not the file"),
        ("a broken summary", "summary.json", r'"metrics": \{', '"metrics": [', 3,
         "summary.json"),
        ("hostile nodes", "manifest.json", r'"gpus": 8', '"gpus": -8', 3,
         "manifest.json"),
        ("changed failures", "failures.csv", r"\n\d", "\nx", 3, "failures.csv"),
    ]
    for words, name, old, new, code, says in cases:
        bad = os.path.join(home, "bad")
        shutil.copytree(good, bad)
        change(bad, name, old, new)
        done = schedsim("report", good, bad, "-o", os.path.join(home, "no.html"))
        lines = done.stderr.strip().split("\n")
        tap.result(done.returncode == code and len(lines) == 1 and bad in lines[0]
                   and says in lines[0]
                   and not os.path.exists(os.path.join(home, "no.html")),
                   "%s is refused in one line" % words, done.stderr)
        shutil.rmtree(bad)
    for words, dirs, code in (("no directory", ["/nonexistent"], 3),
                              ("a directory twice", [good, good], 2)):
        done = schedsim("report", *dirs, "-o", os.path.join(home, "no.html"))
        tap.result(done.returncode == code and done.stderr.count("\n") == 1,
                   "%s is refused in one line" % words, done.stderr)


CELLS = """[...document.querySelectorAll('[data-path]')].map(c => [
  c.dataset.path, +c.dataset.run, c.dataset.value ?? null, c.textContent])"""


def take(summary, path):
    for key in path.split("."):
        summary = summary.get(key) if isinstance(summary, dict) else None
    return summary


def shown(text):
    """Returns the number in a cell of the page, in the unit of summary.json."""
    match = re.fullmatch(r"([\d,.]+)\u00a0?(s|min|h|d|%|GPU\u00a0h)?", text)
    factor = {"min": 60, "h": 3600, "d": 86400, "%": 0.01}
    return float(match[1].replace(",", "")) * factor.get(match[2], 1)


def check_numbers(tap, cells, dirs):
    """Checks that each number of the tables equals summary.json exactly in its
    data, and to three digits as it is shown."""
    summaries, wrong, paths = [], [], set()
    for one in dirs:
        with open(os.path.join(one, "summary.json"), encoding="utf-8") as file:
            summaries.append(json.load(file))
    for path, run, value, text in cells:
        want = take(summaries[run], path)
        paths.add(path)
        if want is None:
            good = value is None and text == "\u2013"
        else:
            good = value is not None and float(value) == float(want) and \
                abs(shown(text) - want) <= 0.006 * abs(want) + 1e-6
        if not good:
            wrong.append("%s of %d: %s '%s', summary.json has %s" % (
                path, run, value, text, want))
    tap.result(not wrong and len(cells) > 150 and len(paths) > 60,
               "the %d numbers of %d metrics are those of summary.json" %
               (len(cells), len(paths)), "\n".join(wrong[:20]))


LOAD = """runs.map(run => {
  const part = (i) => Math.max(0, Math.min(1, run.end_s / data.bin_s - i));
  const mean = (text) => numbers(text).reduce((s, v, i) => s + (v || 0) * part(i), 0)
    * data.bin_s / run.end_s;
  const load = run.loads[0];
  return [run.end_s, mean(load.up), mean(load.busy), mean(load.pending),
    mean(load.pending_gpus)];
})"""
SERIES = ("gpus_up", "gpus_busy", "jobs_pending", "gpus_pending")


def check_load(tap, page, dirs):
    """Checks that the means of the charts over time agree with series.csv,
    which has the state at each minute."""
    wrong = []
    for one, (end, *means) in zip(dirs, page.value(LOAD)):
        with open(os.path.join(one, "series.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        times = [float(row["time"]) for row in rows] + [end]
        for name, mean in zip(SERIES, means):
            want = sum(float(row[name]) * (times[i + 1] - times[i])
                       for i, row in enumerate(rows)) / end
            if abs(mean - want) > 0.02 * want + 0.05:
                wrong.append("%s %s: %f, series.csv %f" % (one, name, mean, want))
    tap.result(not wrong, "the load over time has the means of series.csv",
               "\n".join(wrong))


def check_answer(tap, page, dirs):
    """Checks that the first sentence names the result with the lowest mean JCT
    and that the tables begin with it."""
    said = page.value("document.querySelector('.answer').textContent")
    order = page.value("[...document.getElementById('comparison').tBodies[0].rows]"
                       ".map(r => r.cells[0].dataset.value)")
    means = {}
    for one in dirs:
        with open(os.path.join(one, "summary.json"), encoding="utf-8") as file:
            means[os.path.basename(one)] = json.load(file)["metrics"]["jct_s"]["mean"]
    best = min(means, key=means.get)
    tap.result(said.startswith(best + " has the lowest mean JCT") or
               said.startswith(best + ", the baseline, has"),
               "the first sentence names the best result", (said, means))
    tap.result(order == sorted(means, key=means.get),
               "the comparison is sorted by mean JCT", (order, means))


def check_baseline(tap, page, home, dirs):
    """Checks that --baseline decides to which result the others are compared."""
    out = os.path.join(home, "base.html")
    done = schedsim("report", *dirs, "--baseline", "srtf", "-o", out)
    page.open(out)
    caption, zero = page.value(
        """[document.querySelector('#differences caption').textContent,
        document.body.textContent.includes('interval 0')]""")
    tap.result(done.returncode == 0 and caption.startswith("Differences to srtf")
               and not zero, "--baseline: differences are to this result",
               (done.stderr, caption, zero))
    done = schedsim("report", *dirs, "--baseline", "none", "-o", out)
    tap.result(done.returncode == 2 and done.stderr.count("\n") == 1,
               "a baseline that is not shown is refused in one line",
               done.stderr)


def check_sorting(tap, page):
    script = """(() => { const t = document.getElementById('comparison');
      const b = t.querySelectorAll('thead button')[2];
      const seen = () => [...t.tBodies[0].rows].map(r => +r.cells[2].dataset.value);
      const sorts = []; for (let i = 0; i < 2; i++) { b.click();
        sorts.push([b.closest('th').getAttribute('aria-sort'), seen()]); }
      return sorts; })()"""
    (up, rising), (down, falling) = page.value(script)
    tap.result(up == "ascending" and rising == sorted(rising)
               and down == "descending" and falling == sorted(falling)[::-1],
               "the comparison sorts both ways", (rising, falling))


def check_colours(tap, page):
    back = "getComputedStyle(document.body).backgroundColor"
    page.dark(False)
    light = page.value(back)
    page.value("document.getElementById('theme').focus()")
    page.key("Enter", text="\r")
    switched = page.value(back)
    page.key("Enter", text="\r")
    tap.result(light == "rgb(255, 255, 255)" and switched != light
               and page.value(back) == light,
               "a key switches between light and dark", (light, switched))
    page.value("delete document.documentElement.dataset.theme")
    page.dark(True)
    tap.result(page.value(back) == switched, "the system's dark scheme is used")
    page.dark(False)


def check_keys(tap, page, ids):
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for one in ids:
        page.value("document.getElementById('%s').focus()" % one)
        words = "document.getElementById('%s').getAttribute('aria-valuetext')" % one
        before = page.value(words)
        page.key("ArrowRight")
        after = page.value(words)
        page.key("End")
        tap.result(before != after and page.value(words) != after,
                   "arrow keys read the chart " + one, (before, after))


CHOOSE = """const choose = (id, value) => { const s = document.getElementById(id);
  s.value = value; s.dispatchEvent(new Event('change')); };"""


def check_settings(tap, page):
    seen = page.value("(() => {" + CHOOSE + """
      return ['differ', 'some', 'all'].map(shown => { choose('settings-shown', shown);
        return [...document.querySelectorAll('#settings-table tbody tr')]
          .filter(r => r.offsetParent).length; });
    })()""")
    tap.result(0 < seen[0] < seen[1] < seen[2],
               "settings that differ, or all, can be shown", seen)


def check_vcs(tap, page):
    titles, drawn = page.value("(() => {" + CHOOSE + """ choose('vc', 2);
      return [[...document.querySelectorAll('#load figcaption')].map(f => f.textContent),
        document.querySelectorAll('#load .plot > *').length]; })()""")
    tap.result(all("virtual cluster y&" in title for title in titles)
               and drawn == len(titles) > 2,
               "a virtual cluster can be chosen", (titles, drawn))


def check_zoom(tap, page):
    picture = "document.querySelector('#cdf-jct_s canvas')?.toDataURL()"
    if page.value("hasUplot") is not True:
        tap.skip("keys zoom a chart", "this build has no uPlot")
        return
    page.value("document.getElementById('cdf-jct_s').focus()")
    seen = []
    for key in ("0", "+", "0"):
        page.key(key, text=key)
        page.value("new Promise(r => setTimeout(r, 100))")
        seen.append(page.value(picture))
    tap.result(seen[0] and seen[0] == seen[2] != seen[1], "keys zoom a chart")


STRUCTURE = """(() => { const all = (s) => [...document.querySelectorAll(s)];
  const ids = all('[id]').map(e => e.id);
  return {
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    sections: all('main > section').length,
    nameless: all('section').filter(s => !s.querySelector('h2')
      || s.textContent.trim().length < s.querySelector('h2').textContent.length + 20)
      .map(s => s.id),
    captions: all('table').filter(t => !t.caption || !t.caption.textContent).map(t => t.id),
    tableless: all('.plot, .boxes').filter(p => !p.closest('figure').querySelector('table'))
      .map(p => p.id),
    unlabelled: all('[tabindex="0"]').filter(e => !e.getAttribute('aria-label')).length,
    canvases: all('.plot canvas, .plot svg').length, boxes: all('.boxes svg').length,
    plots: all('.plot').length, maps: all('canvas.map').filter(c => c.width > 100).length,
    nonsense: document.body.innerText.match(/\\[object|undefined|NaN|Infinity/g),
    h1: all('h1').length, ready: document.documentElement.dataset.ready,
  }; })()"""


def check_structure(tap, page):
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    s = page.value(STRUCTURE)
    page.value("document.querySelectorAll('details').forEach(d => { d.open = false; })")
    tap.result(s["ready"] == "yes" and s["h1"] == 1 and s["sections"] == 13
               and not s["nonsense"],
               "all parts of the page are there", s)
    tap.result(not s["twice"] and not s["nameless"] and not s["captions"],
               "each section has a heading and a content, each table a caption",
               s)
    tap.result(not s["tableless"] and not s["unlabelled"],
               "each chart has its numbers as a table and a label", s)
    tap.result(s["canvases"] == s["plots"] >= 5 and s["maps"] == len(POLICIES)
               and s["boxes"] >= 4, "all charts are drawn", s)


WIDTHS = """(() => { const shown = (s) => [...document.querySelectorAll(s)]
  .filter(e => e.offsetParent);
  return [document.documentElement.scrollWidth,
    shown('body *').filter(e => !e.closest('.scroll')
      && e.getBoundingClientRect().right > innerWidth + 2)
      .map(e => e.outerHTML.slice(0, 90)).slice(0, 5),
    shown('#comparison, #differences').map(e => e.parentNode)
      .filter(e => e.scrollWidth > e.clientWidth)
      .map(e => e.getAttribute('aria-label'))]; })()"""


def check_widths(tap, page):
    """At the widths of a telephone and of a laptop, light and dark, nothing is
    wider than the page; on a laptop, the comparison and the differences have no
    hidden columns."""
    for width in (390, 1280):
        for dark in (False, True):
            page.size(width, 844)
            page.dark(dark)
            page.value("new Promise(r => setTimeout(r, 300))")
            whole, parts, tables = page.value(WIDTHS)
            tap.result(whole <= width and not parts and
                       (width < 1280 or not tables),
                       "nothing is cut at %d px, %s" %
                       (width, "dark" if dark else "light"),
                       (whole, parts, tables))
    page.size(1280, 900)
    page.dark(False)


def check_many(tap, page, home):
    """Checks a page of twelve results: one sentence and one table come first,
    all that repeats for each result is closed."""
    out = os.path.join(home, "twelve")
    done = schedsim("compare", "traces/samples/itp.csv", "-n", "300", "-c",
                    "8x8", "-q", "-o", out, *[
                        word for name in MANY for word in ("-p", name)])
    done = schedsim("report", out, "-o", out + ".html")
    page.open(out + ".html")
    height, said, opened, above = page.value("""[
      document.getElementById('overview').offsetHeight,
      document.querySelector('.answer').textContent,
      document.querySelectorAll('details[open]').length,
      document.getElementById('comparison').getBoundingClientRect().bottom]""")
    tap.result(done.returncode == 0 and said.count(".") >= 1 and opened == 0
               and height < 1000 and above < 900,
               "twelve results: the answer and the table fit on a screen",
               (done.stderr, height, said, opened, above))
    check_widths(tap, page)


def brightness(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
             for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_contrast(tap):
    """Checks the contrast of colours with the page by WCAG 2.2: at least 4.5
    for text, 3 for lines."""
    with open(os.path.join(ROOT, "commands", "report",
                           "page", "style.css"),
              encoding="utf-8") as file:
        blocks = re.findall(r"\{\s*color-scheme: \w+;(.*?)\}", file.read(), re.S)
    low = []
    for block in blocks:
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for name, colour in colours.items():
            least = 4.5 if name in ("ink", "soft", "link") else \
                3 if re.match(r"run-\d", name) else 0
            pair = sorted([brightness(colour), brightness(colours["page"])])
            ratio = (pair[1] + 0.05) / (pair[0] + 0.05)
            if ratio < least:
                low.append("%s %s: %.2f" % (name, colour, ratio))
    tap.result(len(blocks) == 3 and not low and blocks[1].split() ==
               blocks[2].split(), "the colours have contrast", low)


def in_browser(tap, page, pages, dirs):
    page.open(pages["four"])
    check_structure(tap, page)
    cells = page.value(CELLS)
    check_numbers(tap, cells, dirs)
    check_load(tap, page, dirs)
    check_answer(tap, page, dirs)
    check_sorting(tap, page)
    check_colours(tap, page)
    check_keys(tap, page, ["cdf-jct_s", "load-pending", "map-0"])
    check_zoom(tap, page)
    check_settings(tap, page)
    check_widths(tap, page)
    check_many(tap, page, os.path.dirname(pages["four"]))
    tap.result(not page.errors, "the console has no error",
               "\n".join(page.errors))
    page.errors = []
    check_baseline(tap, page, os.path.dirname(pages["four"]), dirs)
    page.open(pages["evil"])
    seen = page.value("""[window.evil ?? null, document.body.innerText.includes(
      'window.evil=1'), document.documentElement.dataset.ready]""")
    check_vcs(tap, page)
    head = page.value("document.getElementById('head').textContent")
    tap.result("1970" not in head and "no dates" in head,
               "a trace without dates is given none", head)
    tap.result(seen == [None, True, "yes"] and not page.errors,
               "texts of a hostile trace stay texts", (seen, page.errors))


def main():
    tap = Tap()
    home = tempfile.mkdtemp(prefix="report.")
    try:
        dirs = results(home)
        pages = {name: os.path.join(home, name + ".html")
                 for name in ("four", "again", "evil")}
        for name in ("four", "again"):
            done = schedsim("report", *dirs, "-o", pages[name])
        tap.result(done.returncode == 0, "the page is written", done.stderr)
        if "no uPlot" in done.stderr:
            print("# " + done.stderr.strip())
        done = schedsim("report", hostile(home), "-o", pages["evil"])
        tap.result(done.returncode == 0, "a page of hostile names is written",
                   done.stderr)
        check_file(tap, pages["four"], pages["again"])
        check_refusals(tap, home, dirs[0])
        check_contrast(tap)
        if browser.find():
            page = browser.Browser()
            in_browser(tap, page, pages, dirs)
            page.close()
        else:
            tap.skip("the page in a browser", "chromium is not installed")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
