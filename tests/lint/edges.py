# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks includes by one table of folders ("rooms"). The layer of a file is
the folder in which it lies. An include that the table does not allow is an
error, and so is a folder that the table lacks."""
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

STATE = ["sim/base", "sim/state"]
# The models that make up the simulated world.
WORLD = ["models/elastic", "models/estimators", "models/failures",
         "models/forecasts", "models/interference", "models/usage"]
# SchedMate's modules, which turn text into beliefs and do not depend on the
# simulation.
TEXT = ["models/advisor", "models/jobs", "models/llm", "models/logs"]
DECIDE = STATE + ["sim/decide", "policies"]

# room -> other rooms whose headers it may include
ROOMS = {
    "sim/base": ["sim/base/absent"],
    # the use of libraries that a build may leave out
    "sim/base/absent": [],
    "sim/state": ["sim/base"],
    "sim/decide": STATE + WORLD,
    "sim/engine": STATE + WORLD + ["sim/decide", "policies"],
    "sim/run": STATE + WORLD + ["sim/decide", "sim/engine", "models",
                                "schedmate", "policies",
                                "policies/outside", "traces",
                                "traces/evidence", "schedmate/evidence"],
    # fairness needs the speed of a job on an equal share
    "sim/results": STATE + ["sim/run", "models/elastic", "models/failures",
                            "models/usage", "traces"],
    "sim/judge": STATE + ["policies", "sim/run"],
    "sim/verify": ["sim/base", "sim/results"],
    "sim/live": ["sim/base", "models"] + TEXT,
    "sim/watch": ["sim/base", "sim/base/absent", "sim/live"] + TEXT,
    "sim/cli": STATE + TEXT + [
        "sim/decide", "sim/judge", "sim/run", "sim/results",
        "sim/verify", "sim/live", "sim/watch", "models",
        "models/failures", "models/usage", "policies", "policies/outside",
        "traces", "traces/evidence", "traces/fidelity", "traces/generate",
        "traces/resample", "traces/guess"],
    # result directories as pages and figures
    "report": ["sim/base", "sim/results", "sim/verify", "sim/cli"],
    "sim": ["sim/cli"],
    # many runs as one piece of work, with the commands for that
    "study": STATE + ["sim/decide", "sim/run", "sim/results", "sim/cli",
                      "sim/live", "models", "models/usage", "policies",
                      "traces", "traces/evidence", "traces/generate",
                      "traces/resample"],
    # the library: another front end besides the commands
    "lib": STATE + ["sim/decide", "sim/run", "sim/results", "sim/cli",
                    "policies", "traces"],

    "models": STATE + WORLD + ["models/llm"],
    "models/estimators": STATE + ["sim/base/absent", "models/usage", "traces"],
    "models/forecasts": STATE + ["models/estimators"],
    "models/interference": STATE + ["models/usage"],
    "models/failures": STATE,
    "models/elastic": STATE + ["sim/base/absent", "models/failures",
                               "models/usage"],
    "models/usage": STATE + ["traces"],
    # SchedMate in simulated time: beliefs about a run from its own modules
    "schedmate": STATE + TEXT + ["models/estimators", "schedmate/evidence",
                                 "models/failures", "models/interference",
                                 "models/usage"],
    "schedmate/evidence": STATE + ["models/usage", "traces",
                                   "traces/evidence"],
    "models/llm": ["sim/base", "sim/base/absent"],
    "models/advisor": ["sim/base", "models/llm", "models/advisor/python"],
    # the evaluator of Python returns its findings as settings
    "models/advisor/python": ["sim/base", "models/llm"],
    "models/logs": ["sim/base", "models/llm"],
    "models/jobs": ["sim/base", "models/llm"],

    "policies": STATE + ["sim/decide"],
    "policies/queue": DECIDE,
    # gives programs the facts that a policy sees, and objects the headers of
    # policies
    "policies/outside": DECIDE + ["policies/queue"],
    "policies/placers": DECIDE,
    "policies/tiresias": DECIDE + ["policies/queue"],
    "policies/lucid": DECIDE + ["policies/queue"],
    "policies/sia": DECIDE + ["models/elastic"],
    "policies/pollux": DECIDE + ["models/elastic"],
    "policies/gavel": DECIDE,
    "policies/packing": DECIDE,

    "traces": STATE,
    "traces/evidence": ["sim/base"],
    "traces/fidelity": STATE + ["traces"],
    "traces/formats": STATE + ["traces"],
    # the format csv has the words for ends of jobs
    "traces/guess": STATE + ["traces", "traces/formats"],
    "traces/generate": STATE + ["traces", "traces/evidence"],
    "traces/resample": STATE + ["traces"],
}
# A plug-in must not see the future: neither the event queue nor, unless the
# head of sim/state/truth.h names the file, the truth.
QUEUE = "sim/state/evq.h"
TRUTH = "sim/state/truth.h"
# Files that may include the truth about jobs are listed in its header; the same
# holds for the true cause of a failure.
CAUSE = "models/failures/failure_truth.h"
MAY_SEE_QUEUE = {"sim/state", "sim/engine", "sim/run"}

# Functions of models/elastic/applications.h that reveal the future of a job.
FUTURE = re.compile(
    r"\bapplication_(?:step|speed|gradient|epoch_end|epoch_at|local_max)\b")


def truth_list(files, header):
    """Returns the paths of the files that may see a truth, from the head of
    its header."""
    return set(re.findall(r"[a-z]+/[a-z_/]+\.[ch]\b",
                          files[header].split("*/")[1]))


def complaint(source, header, may_see):
    """Returns the reason why an include is not allowed; None if it is allowed.
    """
    room, theirs = os.path.dirname(source), os.path.dirname(header)
    if header in may_see and source not in may_see[header]:
        return "must not see the truth; see the head of " + header
    if header == QUEUE and room not in MAY_SEE_QUEUE:
        return "must not see the event queue"
    if room != theirs and theirs not in ROOMS[room]:
        return "%s may not include %s" % (room, theirs)
    return None


def cycle():
    """Returns a room that reaches itself through the table; None if there is
    none."""
    for start in ROOMS:
        seen, todo = set(), list(ROOMS[start])
        while todo:
            room = todo.pop()
            if room == start:
                return start
            if room not in seen:
                seen.add(room)
                todo += ROOMS.get(room, [])
    return None


def check(files):
    """Yields a complaint for each edge that is not allowed."""
    may_see = {header: truth_list(files, header) for header in (TRUTH, CAUSE)
               if header in files}
    if cycle():
        yield "the table of rooms has a cycle through %s" % cycle()
    for path, text in sorted(files.items()):
        room = os.path.dirname(path)
        if path.startswith(("tests/", "bench/")):
            continue
        if room not in ROOMS:
            yield "%s lies in no room" % path
            continue
        if room.startswith("policies") and FUTURE.search(text):
            yield "%s must not ask what is true of an application" % path
        for header in INCLUDE.findall(text):
            if header not in files:
                yield "%s includes %s, which is not there" % (path, header)
                continue
            why = complaint(path, header, may_see)
            if why:
                yield "%s includes %s: %s" % (path, header, why)
