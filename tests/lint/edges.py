# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks includes by one list of rooms, ground first: a file may include its
own room and the rooms before it. Inside a room the folders have an order, too:
no folder reaches itself by includes. Policies know of the models only what a view
shows, and live modules nothing that simulates."""
import collections
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

ROOMS = ["base", "traces", "models", "policies", "schedmate", "sim", "commands",
         "lib"]
# folder -> what its files must not include: rooms before it that it must not know.
APART = {
    "base": ["base/state"],
    "schedmate/advisor": ["base/state", "traces", "models", "policies"],
    "schedmate/jobs": ["base/state", "traces", "models", "policies"],
    "schedmate/live": ["base/state", "traces", "models", "policies"],
    "schedmate/llm": ["base/state", "traces", "models", "policies"],
    "schedmate/logs": ["base/state", "traces", "models", "policies"],
    "schedmate/watch": ["base/state", "traces", "models", "policies"],
    "schedmate/simulated": ["policies"],
    "models": ["policies"],
    "sim/verify": ["base/state", "traces", "models", "policies", "schedmate",
                   "sim/run", "sim/engine"],
}
# A plug-in must not see the future: neither the event queue nor, unless the
# head of base/state/truth.h names the file, the truth.
QUEUE = "base/state/evq.h"
TRUTH = "base/state/truth.h"
# Files that may include the truth about jobs are listed in its header; the same
# holds for the true cause of a failure.
CAUSE = "models/failures/failure_truth.h"
MAY_SEE_QUEUE = {"base/state", "sim/engine", "sim/run"}

# Functions of models/elastic/applications.h that reveal the future of a job.
FUTURE = re.compile(
    r"\bapplication_(?:step|speed|gradient|epoch_end|epoch_at|local_max)\b")


def truth_list(files, header):
    """Returns the paths of the files that may see a truth, from the head of
    its header."""
    return set(re.findall(r"[a-z]+/[a-z_/]+\.[ch]\b",
                          files[header].split("*/")[1]))


def inside(path, folder):
    return path.startswith(folder + "/")


def complaint(source, header, may_see):
    """Returns the reason why an include is not allowed; None if it is allowed.
    """
    if header in may_see and source not in may_see[header]:
        return "must not see the truth; see the head of " + header
    if header == QUEUE and os.path.dirname(source) not in MAY_SEE_QUEUE:
        return "must not see the event queue"
    room, theirs = source.split("/")[0], header.split("/")[0]
    if ROOMS.index(theirs) > ROOMS.index(room):
        return "%s lies above %s: uphill" % (theirs, room)
    for folder, others in APART.items():
        for other in others:
            if inside(source, folder) and inside(header, other) and \
                    not inside(source, other):
                return "%s must not know %s" % (folder, other)
    return None


def cycle(edges):
    """Returns a folder that reaches itself by includes; None if there is none."""
    for start in sorted(edges):
        seen, todo = set(), list(edges[start])
        while todo:
            folder = todo.pop()
            if folder == start:
                return start
            if folder not in seen:
                seen.add(folder)
                todo += edges[folder] if folder in edges else []
    return None


def check(files):
    """Yields a complaint for each edge that is not allowed."""
    may_see = {header: truth_list(files, header) for header in (TRUTH, CAUSE)
               if header in files}
    folders = collections.defaultdict(set)
    for path, text in sorted(files.items()):
        if path.startswith(("tests/", "bench/", "packaging/")):
            continue
        if path.split("/")[0] not in ROOMS:
            yield "%s lies in no room" % path
            continue
        if path.startswith("policies/") and FUTURE.search(text):
            yield "%s must not ask what is true of an application" % path
        for header in INCLUDE.findall(text):
            if header not in files:
                yield "%s includes %s, which is not there" % (path, header)
                continue
            why = complaint(path, header, may_see)
            if why:
                yield "%s includes %s: %s" % (path, header, why)
            here, there = os.path.dirname(path), os.path.dirname(header)
            if here != there:
                folders[here].add(there)
    again = cycle(folders)
    if again:
        yield "the folder %s reaches itself by includes" % again
