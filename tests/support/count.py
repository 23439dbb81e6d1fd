# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the test cases in meson's junit files. --each prints one line for
each suite, and every failure; --sum prints "passed failed skipped"."""
import json
import re
import sys
import xml.etree.ElementTree as tree


def ended_badly(path):
    """Returns the names of the programs that crashed, ran out of time or ended
    with an error, by the testlog.json beside a junit file, which does not say
    so."""
    with open(path.replace(".junit.xml", ".json"),
              encoding="utf-8", errors="replace") as file:
        tests = [json.loads(line) for line in file]
    return {test["name"] for test in tests
            if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL")}


def programs(paths):
    """Yields (program, cases, output) for each test program; a case is (name,
    verdict)."""
    for path in paths:
        # Control characters in the output of a test make the file invalid XML.
        with open(path, encoding="utf-8", errors="replace") as file:
            text = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?",
                          file.read())
        root = tree.fromstring(text)
        bad = ended_badly(path)
        for suite in root.iter("testsuite"):
            cases = []
            for case in suite.iter("testcase"):
                verdict = "passed"
                if (case.find("failure") is not None
                        or case.find("error") is not None):
                    verdict = "failed"
                elif case.find("skipped") is not None:
                    verdict = "skipped"
                cases.append((case.get("name"), verdict))
            words = suite.findtext("system-out") or ""
            # cmocka before 1.1.6 writes a skipped test as "not ok N # SKIP"
            skips = set(re.findall(r"^not ok (\d+) # SKIP", words, re.M))
            cases = [(name, "skipped" if name in skips else verdict)
                     for name, verdict in cases]
            words += suite.findtext("system-err") or ""
            # junit puts the name of the project before that of the test
            broken = suite.get("name").partition(".")[2] in bad
            if not cases or (broken and not skips
                             and all(v != "failed" for _, v in cases)):
                # A program that crashed or printed no test is a failure, too.
                cases.append(("the program ended well", "failed"))
            yield suite.get("name"), cases, words


def main():
    mode, paths = sys.argv[1], sys.argv[2:]
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for name, cases, words in programs(paths):
        counts = {v: sum(1 for c in cases if c[1] == v) for v in total}
        for verdict, n in counts.items():
            total[verdict] += n
        if mode != "--each":
            continue
        print("       %-34s %s" % (name, ", ".join(
            "%d %s" % (n, v) for v, n in counts.items() if n)))
        for case, verdict in cases:
            if verdict == "failed":
                print("         FAILED: %s" % case)
        if counts["skipped"] and "../shared not present" in words:
            print("         skipped: ../shared not present")
        if counts["failed"]:
            lines = [line for line in words.strip().splitlines()
                     if not line.startswith("ok ")]
            print("\n".join("         | " + line for line in lines[-25:]))
        for line in words.splitlines():
            if line.startswith("# figure: "):
                print("         %s" % line[10:])
    if mode == "--sum":
        print(total["passed"], total["failed"], total["skipped"])


main()
