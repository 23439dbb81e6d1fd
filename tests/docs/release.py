# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the parts of a release other than the program: one version everywhere,
CITATION.cff, notes, the bill of materials, that `meson install` leaves nothing
out, and that the packages of packaging/release run in an empty folder."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "packaging"))
import release_notes  # noqa: E402

BUILD = os.path.dirname(PROGRAM)
# Paths below the prefix that an installation must have.
INSTALLED = [
    "bin/schedsim", "include/schedsim.h", "include/schedsim/policies/policy.h",
    "lib/systemd/system/schedsim-watch.service",
    "libexec/schedsim/schedsim-job-end", "share/doc/schedsim/README.md",
    "share/doc/schedsim/docs/results.md", "share/man/man1/schedsim.1",
    "share/man/man1/schedsim-trace-info.1",
    "share/bash-completion/completions/schedsim",
    "share/fish/vendor_completions.d/schedsim.fish",
    "share/zsh/vendor-completions/_schedsim",
    "share/schedsim/contrib/policies/fifo.py",
    "share/schedsim/traces/samples/venus.csv",
    "share/schedsim/traces/evidence/index.json",
]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def citation(text):
    """Returns the keys at the margin of CITATION.cff with their values; lists
    as lists."""
    found, key = {}, None
    for line in text.splitlines():
        match = re.match(r"([a-z-]+): *(.*)$", line)
        if match:
            key = match.group(1)
            found[key] = match.group(2).strip('"') or []
        elif re.match(r"  - ", line) and isinstance(found.get(key), list):
            found[key].append(line[4:])
    return found


def versions(tap):
    version = re.search(r"version : '([^']+)'", read("meson.build")).group(1)
    cite = citation(read("CITATION.cff"))
    others = {"CITATION.cff": cite.get("version"),
              "debian/changelog": re.match(r"schedsim \(([^)]+)\)",
                                           read("debian/changelog")).group(1),
              "the program": subprocess.run(
                  [PROGRAM, "--version"], capture_output=True,
                  text=True).stdout.split()[1]}
    tap.result(set(others.values()) == {version}, "one version everywhere",
               "%s, but %s" % (version, others))
    keys = {"cff-version", "message", "title", "authors", "type", "license"}
    tap.result(keys <= set(cite) and cite["cff-version"] == "1.2.0" and
               cite["authors"] == ["name: the schedsim developers"],
               "CITATION.cff has what the format requires", cite)


def notes(tap):
    newest = release_notes.notes("Unreleased")
    tap.result(newest and newest.startswith("# schedsim Unreleased\n\n- ") and
               "\n## 0." not in newest and release_notes.notes("9.9") is None,
               "release notes are the part of CHANGELOG.md on one version")


def bill(tap):
    name = "the bill of materials has what SPDX 2.3 requires"
    if not shutil.which("dpkg-query"):
        tap.skip(name, "no dpkg-query")
        return
    command = [sys.executable, "-B", os.path.join(ROOT, "packaging", "sbom.py"),
               BUILD]
    first, second = [subprocess.run(
        command, capture_output=True, text=True, check=False,
        env=dict(os.environ, SOURCE_DATE_EPOCH=epoch)) for epoch in
        ("1700000000", "1700000000")]
    tap.result(first.returncode == 0 and first.stdout == second.stdout,
               "the same build gives the same bill", first.stderr)
    whole = json.loads(first.stdout or "{}")
    ids = [package.get("SPDXID") for package in whole.get("packages", [])]
    bad = [key for key in ("spdxVersion", "dataLicense", "SPDXID", "name",
                           "documentNamespace", "creationInfo", "packages",
                           "relationships") if key not in whole]
    bad += [package for package in whole.get("packages", []) if not (
        {"name", "SPDXID", "downloadLocation", "licenseDeclared"} <= set(package)
        and re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        and all(re.fullmatch(r"[0-9a-f]+", c["checksumValue"])
                for c in package["checksums"]))]
    bad += [row for row in whole.get("relationships", []) if not
            {row["spdxElementId"], row["relatedSpdxElement"]} <=
            set(ids) | {"SPDXRef-DOCUMENT"}]
    info = whole.get("creationInfo", {})
    tap.result(not bad and len(ids) == len(set(ids)) and
               whole["spdxVersion"] == "SPDX-2.3" and
               whole["dataLicense"] == "CC0-1.0" and
               info["created"] == "2023-11-14T22:13:20Z" and info["creators"],
               name, bad)
    names = {package["name"] for package in whole.get("packages", [])}
    tap.result({"schedsim", "libc6"} <= names and any(
        name.startswith("libjansson") for name in names) and len(ids) >= 12,
        "it names the program and its libraries", sorted(names))


def build_prefix():
    with open(os.path.join(BUILD, "meson-info/intro-buildoptions.json"),
              encoding="utf-8") as file:
        return next(option["value"] for option in json.load(file)
                    if option["name"] == "prefix")


RUN = """
import schedsim
result = schedsim.run("%s/usr/share/schedsim/traces/samples/native.csv", "srtf",
                      "16x8", jobs=100)
assert result.complete and schedsim.__file__.startswith("%s")
print(len(result.jobs))
"""


def packages(tap, folder):
    """Makes what a release publishes, from this build, and unpacks the Debian
    packages into an empty folder. What the packages depend on is looked up among
    the packages of this machine; their scripts (postinst) do not run."""
    name = "the Debian packages unpack and run in an empty folder"
    if build_prefix() != "/usr" or not all(
            map(shutil.which, ("dh", "patchelf", "git"))):
        tap.skip(name, "needs a build with --prefix=/usr, debhelper, patchelf, git")
        return
    out, empty = folder + "/release", folder + "/empty"
    made = subprocess.run(
        [os.path.join(ROOT, "packaging", "release"), "--build", BUILD, out],
        capture_output=True, text=True, check=False)
    if made.returncode != 0:
        tap.result(False, name, made.stderr)
        return
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"],
                          capture_output=True, text=True, cwd=out, check=False)
    with open(out + "/schedsim.rb", encoding="utf-8") as file:
        recipe = file.read()
    listed = subprocess.run(["sha256sum", *glob.glob(out + "/*.tar.gz")],
                            capture_output=True, text=True, check=False).stdout
    tap.result(made.returncode == sums.returncode == 0 and "@" not in re.sub(
        "openssl@3", "", re.sub("#.*", "", recipe)) and
        'sha256 "%s"' % listed.split()[0] in recipe and
        len(glob.glob(out + "/*.whl")) == 1 and
        len(glob.glob(out + "/*.deb")) >= 5,
        "one script makes the packages, the wheel and the recipe",
        made.stderr + sums.stderr)
    state = empty + "/var/lib/dpkg"
    for part in ("info", "updates"):
        os.makedirs(state + "/" + part)
    shutil.copy("/var/lib/dpkg/status", state)
    dpkg = ["dpkg", "--instdir=" + empty, "--admindir=" + state,
            "--force-not-root", "--log=/dev/null"]
    unpacked = subprocess.run(
        dpkg + ["--unpack"] + [deb for part in (
            "schedsim_", "libschedsim1_", "libschedsim-dev_",
            "python3-schedsim_") for deb in glob.glob(out + "/" + part + "*")],
        capture_output=True, text=True, check=False)
    needs = subprocess.run(dpkg + ["--no-act", "--configure", "--pending"],
                           capture_output=True, text=True, check=False)
    tap.result(unpacked.returncode == needs.returncode == 0,
               "what the packages depend on is there",
               unpacked.stderr + needs.stderr)
    said = [subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder,
        env={"LD_LIBRARY_PATH": ":".join(glob.glob(empty + "/usr/lib/*-gnu")),
             "PYTHONPATH": empty + "/usr/lib/python3/dist-packages",
             "PYTHONDONTWRITEBYTECODE": "1"}) for command in (
        [empty + "/usr/bin/schedsim", "run", "--jobs", "100", "--cluster", "16x8",
         empty + "/usr/share/schedsim/traces/samples/native.csv"],
        ["/usr/bin/python3", "-c", RUN % (empty, empty)])]
    tap.result([one.returncode for one in said] == [0, 0] and
               "fifo on 16x8" in said[0].stdout and said[1].stdout == "100\n",
               name, [one.stdout + one.stderr for one in said])


def installation(tap, folder):
    done = subprocess.run(
        ["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"],
        capture_output=True, text=True, check=False,
        env=dict(os.environ, DESTDIR=folder))
    prefix = folder + build_prefix()
    missing = [path for path in INSTALLED
               if not os.path.exists(os.path.join(prefix, path))]
    tap.result(done.returncode == 0 and not missing,
               "meson install leaves nothing out", str(missing) + done.stderr)
    program = os.path.join(prefix, "bin", "schedsim")
    said = subprocess.run(
        [program, "run", os.path.join(prefix, "share/schedsim/traces/samples/"
                                      "venus.csv"), "--jobs", "100"],
        capture_output=True, text=True, check=False, cwd=folder, env={})
    tap.result(said.returncode == 0 and "fifo on venus" in said.stdout,
               "the installed program runs elsewhere, without an environment",
               said.stderr)
    # The trace of README.md with evidence: from the installation, and by the
    # program of a build folder elsewhere.
    elsewhere = os.path.join(folder, "build")
    shutil.copytree(os.path.join(BUILD, "share"),
                    os.path.join(elsewhere, "share"), symlinks=True)
    shutil.copy(PROGRAM, elsewhere)
    for name, path, traces in (
            ("installed", program,
             os.path.join(prefix, "share/schedsim/traces")),
            ("built elsewhere", os.path.join(elsewhere, "schedsim"),
             os.path.join(ROOT, "traces"))):
        for evidence in ((), ("--evidence", "generated")):
            said = subprocess.run(
                [path, "run", os.path.join(traces, "samples/evidence.csv"),
                 "--policy", "lucid+schedmate", "--schedmate",
                 "fidelity=replay", "--jobs", "50", "--quiet", *evidence],
                capture_output=True, text=True, check=False, cwd=folder, env={})
            tap.result(said.returncode == 0, "the program that is %s finds the "
                       "repositories of evidence %s" % (
                           name, " ".join(evidence)), said.stderr)
    os.remove(os.path.join(elsewhere, "share/schedsim/traces/evidence"))
    said = subprocess.run(
        [os.path.join(elsewhere, "schedsim"), "run",
         os.path.join(ROOT, "traces/samples/evidence.csv"), "--policy",
         "lucid+schedmate", "--schedmate", "fidelity=replay"],
        capture_output=True, text=True, check=False, cwd=folder, env={})
    tap.result(said.returncode == 3 and "--evidence-root DIR" in said.stderr,
               "without them the option is named", said.stderr)


def main():
    tap = Tap()
    versions(tap)
    notes(tap)
    bill(tap)
    if os.path.isdir(os.path.join(BUILD, "meson-info")):
        with tempfile.TemporaryDirectory() as folder:
            installation(tap, folder)
        with tempfile.TemporaryDirectory() as folder:
            packages(tap, folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
