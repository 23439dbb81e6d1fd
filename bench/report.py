# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of `report` on 100,000 jobs: CPU time, memory, bytes, and how long a
headless Chromium takes to open it. `report.py [JOBS [POLICY...]]`; the jobs are
generated like those of Venus, with faults. Exit status 6 if the page of four
results has 3 MB or more, or a browser takes more than 3 s."""
import os
import sys
import tempfile
import time

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "tests", "support"))
import browser  # noqa: E402

POLICIES = ["fifo", "backfill", "srtf", "lucid+schedmate"]
FAULTS = ["--faults", "hardware:profile=acme", "--recovery", "isolate,person",
          "--overhead", "fixed:interval=daly,write_s=30,restart_s=300",
          "--workloads", "schedmate"]


def simulate(home, jobs, policies):
    trace = os.path.join(home, "trace.csv")
    measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "venus",
                 "--jobs", str(jobs), "--out", trace])
    dirs = []
    for policy in policies:
        dirs.append(os.path.join(home, policy))
        measure.run([measure.SCHEDSIM, "run", trace, "--policy", policy,
                     "--cluster", "venus", "--quiet", "--out", dirs[-1]]
                    + FAULTS, accepted=(0, 4))
    return dirs


def opened(page):
    """Returns the seconds until the page is loaded, and the seconds to draw
    all charts again."""
    one = browser.Browser()
    try:
        start = time.monotonic()
        one.open(page)
        loaded = time.monotonic() - start
        again = one.value("(() => { const t = performance.now(); redraw();"
                          " return performance.now() - t; })()") / 1000
        if one.errors:
            sys.exit("\n".join(one.errors))
    finally:
        one.close()
    return loaded, again


def main(words):
    jobs = int(words[0]) if words else 100000
    policies = words[1:] or POLICIES
    with tempfile.TemporaryDirectory() as home:
        dirs = simulate(home, jobs, policies)
        page = os.path.join(home, "report.html")
        seconds, memory, _ = measure.run(
            [measure.SCHEDSIM, "report", "--out", page] + dirs)
        size = os.path.getsize(page) / 1e6
        print("| jobs | results | CPU s | memory MiB | page MB | opens in s "
              "| draws again in s |\n|---:|---:|---:|---:|---:|---:|---:|")
        loaded, again = opened(page) if browser.find() else (None, None)
        print("| %d | %d | %.2f | %.0f | %.2f | %s | %s |" % (
            jobs, len(dirs), seconds, memory, size,
            "-" if loaded is None else "%.2f" % loaded,
            "-" if again is None else "%.2f" % again))
    return 6 if size >= 3 or (loaded or 0) > 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
