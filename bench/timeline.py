# SPDX-License-Identifier: GPL-3.0-or-later
"""A cropped timeline of a run of a million generated jobs: bytes, CPU time
compared with a run without it, and whether the file keeps the rules of its
format, as tests/timeline checks them. `timeline.py [JOBS]`. Exit status 6 if
the file has 5 MB or more, or is not valid."""
import os
import sys
import tempfile
import time

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "tests", "timeline"))
import timeline  # noqa: E402


def main():
    jobs = sys.argv[1] if len(sys.argv) > 1 else "1000000"
    bad = False
    with tempfile.TemporaryDirectory() as home:
        trace = os.path.join(home, "trace.csv")
        measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "venus",
                     "--jobs", jobs, "--out", trace])
        words = [measure.SCHEDSIM, "run", trace, "--cluster", "venus", "--quiet",
                 "--out", os.path.join(home, "result")]
        plain = measure.run(words)[0]
        for name in ("timeline.json", "timeline.json.gz"):
            crop = ["--timeline=from=30d", "--timeline=to=31d"]
            used = measure.run(words + crop + ["--timeline=gzip"] *
                               name.endswith("gz"))[0]
            path = os.path.join(home, "result", name)
            began = time.monotonic()
            events = timeline.read(path)
            wrong = list(timeline.complaints(events))
            size = os.path.getsize(path)
            bad |= bool(wrong) or size >= 5e6
            print("%s: %d events, %.2f MB, %.1f s of CPU time (%.1f s without), "
                  "read in %.1f s, %s" % (
                      name, len(events), size / 1e6, used, plain,
                      time.monotonic() - began, wrong[:3] or "valid"))
    sys.exit(6 if bad else 0)


if __name__ == "__main__":
    main()
