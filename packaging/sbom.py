#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the software bill of materials of a build as SPDX 2.3 JSON: the program,
the libraries that it links (statically or not), those that it loads when it needs
them, and what is embedded. Names, versions, licences and checksums are those of
the machine that built it. The date is SOURCE_DATE_EPOCH, else that of the newest
release, so that the same build gives the same bytes.

    packaging/sbom.py BUILD > schedsim.spdx.json"""
import base64
import datetime
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

import tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Licences in copyright files of Debian -> SPDX.
LICENCES = {
    "expat": "MIT", "mit": "MIT", "apache-2.0": "Apache-2.0",
    "bsd-3-clause": "BSD-3-Clause", "zlib": "Zlib", "gpl-3+": "GPL-3.0-or-later",
    "gpl-2+": "GPL-2.0-or-later", "lgpl-2.1+": "LGPL-2.1-or-later",
    "lgpl-2.1": "LGPL-2.1-only", "curl": "curl", "public-domain": "blessing",
    "bsd-3-clause and gpl-2": "BSD-3-Clause OR GPL-2.0-only",
}
# Licences of libraries whose copyright files no program can read.
SAYS = {"libc": "LGPL-2.1-or-later", "libgsl": "GPL-3.0-or-later",
        "libgslcblas": "GPL-3.0-or-later", "libglpk": "GPL-3.0-or-later",
        "libcurl": "curl", "libmicrohttpd": "LGPL-2.1-or-later",
        "libsqlite": "blessing", "libcsv": "LGPL-2.1-or-later",
        "libxgboost": "Apache-2.0", "libnlopt": "LGPL-2.1-or-later",
        "libzstd": "BSD-3-Clause OR GPL-2.0-only", "zlib": "Zlib",
        "libyaml": "MIT", "libjansson": "MIT", "libssl": "Apache-2.0",
        "libcjson": "MIT"}


def ask(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    return done.stdout if done.returncode == 0 else ""


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def shared(program):
    """Returns the paths of the shared libraries that the program needs."""
    return sorted(set(re.findall(r"(?:=> |^\s*)(/\S+) \(0x",
                                 ask("ldd", program), re.M)))


def static(build):
    """Returns the paths of the libraries outside the tree that are linked
    statically."""
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
        part = file.read().split("\nbuild schedsim:")[1].split("\n\n")[0]
    args = re.search(r"LINK_ARGS = (.*)", part).group(1).split()
    return sorted({os.path.realpath(arg) for arg in args
                   if arg.startswith("/") and arg.endswith(".a")})


def loaded():
    """Returns the paths of the libraries that the program loads when it needs
    them, and the names of those that are not installed."""
    files = set()
    for top in ("base", "traces", "models", "policies", "schedmate", "sim",
                "commands"):
        for path in glob.glob(os.path.join(ROOT, top, "**", "*.c"),
                              recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if "library_load(" in text:
                files |= set(re.findall(r'\{"(lib\w+\.so\.\d+)"', text))
    cache = dict(reversed(re.findall(r"^\s*(\S+) \(.*\) => (\S+)",
                                     ask("/sbin/ldconfig", "-p"), re.M)))
    return sorted(os.path.realpath(cache[name]) for name in files
                  if name in cache), sorted(files - set(cache))


def owner(path):
    """Returns the Debian package of a file as (name, version); (None, None) if
    no package has the file."""
    # Since the merge of /usr, a package may list its file without /usr.
    for known in (path, path.replace("/usr/lib", "/lib", 1)):
        line = ask("dpkg-query", "-S", known).split(": ")[0]
        if line:
            name = line.split(",")[0].split(":")[0]
            return name, ask("dpkg-query", "-W", "-f", "${Version}", line.split(
                ",")[0])
    return None, None


def licence(package):
    for name, spdx in SAYS.items():
        if re.match(re.escape(name) + r"[\d.-]*(-dev|\d.*)?$", package):
            return spdx
    try:
        with open("/usr/share/doc/%s/copyright" % package,
                  encoding="utf-8") as file:
            found = re.search(r"^Files: ?\*\s.*?^License: ?([^\n]+)",
                              file.read(), re.M | re.S)
    except OSError:
        return "NOASSERTION"
    return LICENCES.get(found.group(1).strip().lower(), "NOASSERTION") \
        if found else "NOASSERTION"


def library(path):
    name, version = owner(path)
    package = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^\w.-]", "-", os.path.basename(path)),
        "name": name or os.path.basename(path),
        "packageFileName": os.path.basename(path),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence(name or ""),
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(path)}],
    }
    if version:
        package["versionInfo"] = version
        package["supplier"] = "Organization: Debian"
        package["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": "pkg:deb/debian/%s@%s" % (name, version)}]
    return package


def embedded(build):
    """Returns an entry for uPlot in the page of `report`, if the build has
    uPlot."""
    lock = os.path.join(build, "commands", "report", "uplot", "uplot_of.json")
    if not os.path.exists(lock):
        return []
    with open(lock, encoding="utf-8") as file:
        found = json.load(file)["packages"]["node_modules/uplot"]
    kind, digest = found["integrity"].split("-", 1)
    return [{
        "SPDXID": "SPDXRef-uplot", "name": "uplot",
        "versionInfo": found["version"], "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": found.get("license", "MIT"),
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": kind.upper(), "checksumValue":
                       base64.b64decode(digest).hex()}],
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": "pkg:npm/uplot@" + found["version"]}]}]


def created():
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        at = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return tables.released(ROOT) + "T00:00:00Z"


def document(build):
    program = os.path.join(build, "schedsim")
    version = ask(program, "--version").split()[1]
    own = {
        "SPDXID": "SPDXRef-schedsim", "name": "schedsim",
        "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "GPL-3.0-or-later",
        "licenseDeclared": "GPL-3.0-or-later", "copyrightText": "NOASSERTION",
        "supplier": "Organization: the schedsim developers",
        "checksums": [{"algorithm": "SHA256",
                       "checksumValue": sha256(program)}],
        "primaryPackagePurpose": "APPLICATION"}
    packages, relations = [own], [
        ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-schedsim")]
    optional, absent = loaded()
    for paths, how in ((static(build), "STATIC_LINK"),
                       (shared(program), "DYNAMIC_LINK"),
                       (optional, "OPTIONAL_DEPENDENCY_OF")):
        for path in paths:
            package = library(path)
            packages.append(package)
            ends = ("SPDXRef-schedsim", how, package["SPDXID"])
            relations.append(ends[::-1] if how.endswith("_OF") else ends)
    for package in embedded(build):
        packages.append(package)
        relations.append(("SPDXRef-schedsim", "CONTAINS", package["SPDXID"]))
    whole = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": "schedsim-" + version,
        "creationInfo": {"created": created(),
                         "creators": ["Organization: the schedsim developers",
                                      "Tool: schedsim-packaging-sbom"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": how,
             "relatedSpdxElement": b} for a, how, b in relations]}
    if absent:
        whole["comment"] = "Libraries that are loaded when needed and that the " \
            "machine of the build does not have: " + ", ".join(absent)
    digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
    whole["documentNamespace"] = "urn:schedsim:spdx:%s:%s" % (version, digest)
    return whole


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: packaging/sbom.py BUILD")
    print(json.dumps(document(sys.argv[1]), indent=2))
