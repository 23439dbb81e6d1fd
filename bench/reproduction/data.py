# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded inputs of the experiments: where each file comes from, whether it
is here, and how to fetch it.

inputs.csv has a row for each file: path below $SCHEDSIM_SHARED, bytes and SHA-256
(of the uncompressed content), repository, commit, source path and licence. `made`
is empty for a file that the repository has as it is, perhaps in an archive; only
such files can be fetched. Otherwise it says how the file was made."""
import csv
import gzip
import hashlib
import io
import os
import tarfile
import urllib.error
import urllib.request

import measure
from reproduction import experiment as experiments

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs.csv")
HOST = "https://github.com"
# A source is at most an archive of a few megabytes.
LARGEST, TIMEOUT_S = 1 << 28, 60


def rows():
    with open(TABLE, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


def names_of(experiment):
    """Returns the inputs that an experiment names: files and folders below the
    folder of shared data."""
    names = set()
    for entry in experiment["inputs"].values():
        names.update(n for n in entry.get("files", []) + [entry.get("file", "./")]
                     if not n.startswith("./"))
    for _, _, setting in experiments.settings_of(experiment):
        names.update(experiments.shared_names([str(setting)]))
    return sorted(names)


def files_of(name, table):
    return [row for row in table
            if row["path"] == name or row["path"].startswith(name + "/")]


def content(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return file.read()


def state(row):
    """Returns "here", "missing" or "differs" (from its SHA-256)."""
    path = measure.shared(row["path"])
    if not os.path.exists(path):
        return "missing"
    found = hashlib.sha256(content(path)).hexdigest()
    return "here" if found == row["sha256"] else "differs"


def hint(name):
    """Returns how to get an input that is not here, as the end of a sentence."""
    found = files_of(name, rows())
    if found and not any(row["made"] for row in found):
        return "reproduce.py --data fetch gets it"
    return "reproduce.py --data says where it is from"


def size(total):
    return "%.1f MB" % (total / 1e6) if total >= 1e5 else "%.1f kB" % (total / 1e3)


def list_inputs(known):
    """Prints the inputs of each experiment."""
    table, of = rows(), {}
    for e in known:
        for name in names_of(e):
            of.setdefault(name, []).append(", ".join(e["answers"]))
    for name, answers in sorted(of.items()):
        files = files_of(name, table)
        if not files:
            print("%s: no row of inputs.csv (%s)" % (name, "; ".join(answers)))
            continue
        one, first = len(files) == 1, files[0]
        states = {state(row) for row in files} - {"here"} or {"here"}
        print("%s%s: %s, %s" % (
            name, "" if one else " (%d files)" % len(files),
            size(sum(int(row["bytes"]) for row in files)), ", ".join(sorted(states))))
        print("    for %s" % ", ".join(answers))
        source = " " + first["source"] if one and first["source"] else ""
        print("    from %s %s%s" % (first["repository"], first["commit"], source))
        if first["made"]:
            print("    made: " + first["made"])
        print("    licence: %s; SHA-256 %s" % (
            first["licence"], first["sha256"] if one else "in inputs.csv"))
    print("\nThey are looked for in %s; $SCHEDSIM_SHARED names another folder." %
          os.path.normpath(measure.SHARED))


def downloaded(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        data = answer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise measure.Failed("%s: more than %s" % (url, size(LARGEST)))
    return data


def wanted_part(row, data):
    """Returns the content with the row's SHA-256: the data or a file of the
    archive that they are. None if there is none."""
    parts = [data]
    if row["source"].endswith((".tar.gz", ".tgz")):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            parts = [archive.extractfile(m).read() for m in archive if m.isfile()]
    for part in parts:
        if hashlib.sha256(part).hexdigest() == row["sha256"]:
            return part
    return None


def keep(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if path.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with open(path + ".partial", "wb") as file:
        file.write(data)
    os.rename(path + ".partial", path)


def fetch_missing(known, host=HOST):
    """Fetches what experiments need, is not here and is published as it is.
    Nothing that is here is changed. Returns the number of files that could not
    be had."""
    table = rows()
    need = {row["path"]: row for e in known for name in names_of(e)
            for row in files_of(name, table)}
    got, lost, archives = 0, 0, {}
    for path, row in sorted(need.items()):
        found = state(row)
        if found == "here":
            continue
        if found == "differs":
            print("%s: is here with another SHA-256; it is left as it is" % path)
            lost += 1
            continue
        if row["made"]:
            print("%s: cannot be fetched as it is: %s (%s)" % (
                path, row["made"], row["repository"]))
            lost += 1
            continue
        url = "%s/%s/raw/%s/%s" % (host, row["repository"], row["commit"],
                                   row["source"])
        try:
            if url not in archives:
                archives[url] = downloaded(url)
            data = wanted_part(row, archives[url])
        except (OSError, urllib.error.URLError, tarfile.TarError) as error:
            print("%s: %s: %s" % (path, url, error))
            lost += 1
            continue
        if data is None:
            print("%s: %s: has another SHA-256 than inputs.csv" % (path, url))
            lost += 1
            continue
        keep(measure.shared(path), data)
        got += 1
    print("%d files fetched to %s, %d not" % (
        got, os.path.normpath(measure.SHARED), lost))
    return lost
