# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks which file may include which. The layers are those of the
architecture: base, domain, seams, plug-ins, engine, composition, program. An
edge not allowed here fails, and so does a file that belongs to no layer."""
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

DOMAIN = {"board", "cluster", "event", "evq", "job", "truth"}
SEAMS = {"view", "plan", "plan_parts", "plan_start", "ledger"}
ENGINE = {"engine", "apply", "commit", "progress", "rates"}
COMPOSITION = {"advise", "backend", "run", "compose",
               "compose_bind", "compose_chains", "compose_notes",
               "compose_profilers", "describe", "describe_build",
               "describe_file", "first_stage", "intake", "partition", "past",
               "preset", "rehearse", "rules"}
# These open or write any format, so they are above the readers.
FRONTS = {"traces/read.c", "traces/generate/synthetic.c", "traces/generate/synthetic.h"}

# layer -> layers whose headers it may include
MAY = {
    "base": {"base"},
    "domain": {"base", "domain"},
    "seam": {"base", "domain", "seam"},
    "plug-in": {"base", "domain", "seam", "plug-in"},
    "engine": {"base", "domain", "seam", "engine"},
    "composition": {"base", "domain", "seam", "plug-in", "engine",
                    "composition"},
    # main, commands, reports: the registries and run.h, but no plug-in
    "program": {"base", "domain", "seam", "composition", "program"},
}

# Headers of seams that lie in the plug-ins' folders.
SEAM_HEADERS = {"policies/policy.h", "sim/decide/placer.h", "traces/trace.h",
                "traces/load.h", "sim/base/rows.h", "traces/generate/synthetic.h",
                "models/llm/embed_llm.h", "models/llm/llm_client.h", "models/jobs/recall.h",
                "models/jobs/store.h"}
MODEL_SEAMS = {"agent", "applications", "embed", "estimator", "evidence",
               "fault", "forecast", "goodput", "interference", "llm",
               "overhead", "recovery", "throughput", "workloads",
               # what reads logs: pure text in, beliefs out
               "log_causes", "log_classifier", "log_fence", "log_lines",
               "log_locator", "log_marks", "log_number_kind", "log_numbers",
               "log_tables", "ngrams", "schedmate_handler", "schedmate_tracker"}

# Functions of models/elastic/applications.h that tell a job's future.
FUTURE = re.compile(
    r"\bapplication_(?:step|pace|gradient|epoch_end|epoch_at|local_max)\b")


def layer(path):
    """Returns the layer of a source file, or None if it is in none."""
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    if folder == "sim/base":
        return "base"
    if (stem == "registry" or path in FRONTS
            or (folder == "sim" and stem in COMPOSITION)):
        return "composition"
    if folder == "sim":
        for names, kind in ((DOMAIN, "domain"), (SEAMS, "seam"),
                            (ENGINE, "engine")):
            if stem in names:
                return kind
        return "program"
    if path in SEAM_HEADERS or (folder == "models" and stem in MODEL_SEAMS):
        return "seam"
    if folder in ("policies", "traces", "models"):
        return "plug-in"
    return None


def truth_list(files):
    """Files that may see a job's future: paths in the head of sim/state/truth.h."""
    return set(re.findall(r"[a-z]+/[a-z_/]+\.[ch]\b",
                          files["sim/state/truth.h"].split("*/")[1]))


def allowed(source, header, may_see_truth):
    if header == "sim/state/truth.h":
        return source in may_see_truth
    if header == "sim/state/evq.h" and layer(source) == "plug-in":
        return False
    mine, theirs = layer(source), layer(header)
    if mine == "plug-in" and theirs == "plug-in":
        # one kind of plug-in must not know another kind
        return os.path.dirname(source) == os.path.dirname(header)
    return theirs in MAY.get(mine, set())


def check(files):
    """Yields a complaint for each edge that is not allowed."""
    may_see_truth = truth_list(files)
    for path, text in sorted(files.items()):
        if path.startswith(("tests/", "bench/")):
            continue
        if layer(path) is None:
            yield "%s belongs to no layer" % path
            continue
        if path.startswith("policies/") and FUTURE.search(text):
            yield "%s must not ask what is true of an application" % path
        for header in INCLUDE.findall(text):
            if header not in files:
                yield "%s includes %s, which is not there" % (path, header)
            elif not allowed(path, header, may_see_truth):
                yield "%s (%s) must not include %s (%s)" % (
                    path, layer(path), header, layer(header))
