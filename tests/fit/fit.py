# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the published pairs again. The result must be the coefficients that are
compiled in, with the quality that the comment in their source claims."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..",
                                                           "shared")
FILES = [os.path.join(SHARED, "traces", "lucid", name)
         for name in ("colocate_info.csv", "single_data.csv")]
# Words of the table in the source -> key in the result of the script.
CLAIMS = {"in sample": "in_sample", "ten folds of whole pairs": "ten_folds",
          "leaving out a model": "lomo",
          "in sample, speeds not cut": "in_sample_raw"}


def compiled(kind, name):
    answer = subprocess.run(
        [PROGRAM, "list", kind, "--explain", name, "--json"],
        capture_output=True, check=True)
    model = json.loads(answer.stdout)[kind][0]
    return {row["name"]: row["default"] for row in model["settings"]}


def claimed():
    with open(os.path.join(ROOT, "models", "interference", "interference.c"),
              encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^ \*     (\S.*?) {2,}(0\.\d+) +(0\.\d+)$", text, re.M)
    return {CLAIMS[name]: (float(r2), float(mae)) for name, r2, mae in rows}


def sharing(tap):
    """Compares the limits of policy lucid with a fit of the published labels.
    """
    answer = subprocess.run(
        [sys.executable, os.path.join(ROOT, "bench", "fit_sharing.py"),
         FILES[1], FILES[0], "--json"], capture_output=True, check=True)
    fit = json.loads(answer.stdout)
    settings = compiled("policies", "lucid")
    for name in ("tiny_util", "medium_util"):
        tap.result(abs(fit[name] - float(settings[name])) < 0.005, name,
                   "%g, compiled in %s" % (fit[name], settings[name]))
    with open(os.path.join(ROOT, "policies", "lucid", "lucid_options.c"),
              encoding="utf-8") as file:
        source = file.read()
    for words in ("in sample", "leaving out one", "leaving out a model"):
        said = re.search(words + r" +(0\.\d+)$", source, re.M)
        key = words.replace(" ", "_")
        tap.result(said and abs(fit["chosen"][key] - float(said[1])) < 0.001,
                   "sharing classes " + words, fit["chosen"][key])


def main():
    tap = Tap()
    if not all(os.path.exists(path) for path in FILES):
        tap.skip("fit", "skipped: ../shared not present")
        return tap.exit_status()
    answer = subprocess.run(
        [sys.executable, os.path.join(ROOT, "bench", "fit_interference.py"),
         "--json"] + FILES, capture_output=True, check=True)
    fit = json.loads(answer.stdout)
    settings = compiled("interferences", "fitted")
    for name, value in fit["coefficients"].items():
        tap.result(abs(value - float(settings[name])) < 0.002,
                   "coefficient " + name, "%g, compiled in %s" %
                   (value, settings[name]))
    claims = claimed()
    tap.result(set(claims) == set(CLAIMS.values()), "the source claims all",
               claims)
    for key, (r2, mae) in claims.items():
        tap.result(abs(fit[key]["r2"] - r2) < 0.001
                   and abs(fit[key]["mae"] - mae) < 0.001,
                   "quality " + key, fit[key])
    sharing(tap)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
