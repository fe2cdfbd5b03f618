# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up test results: sum_results.py FOLDER NAME...

For each NAME reads FOLDER/NAME.xml (JUnit) and FOLDER/NAME.rc (the runner's exit code), prints the tests
that failed and "N passed, N failed, N skipped", and exits with 0 only if some passed and none failed.
"""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def outcome(case):
    """'passed', 'failed' or 'skipped' for one JUnit test case."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    # CTest counts a test whose program was not built as skipped.
    return "failed" if "Unable to find executable" in skipped.get("message", "") else "skipped"


def read(folder, name):
    """The counts of one runner, and the names of the tests that failed."""
    counts, failures = {"passed": 0, "failed": 0, "skipped": 0}, []
    path = folder / f"{name}.xml"
    if path.exists():
        for case in ET.parse(path).iter("testcase"):
            result = outcome(case)
            counts[result] += 1
            if result == "failed":
                failures.append(f"{name}: {case.get('classname', '')} {case.get('name')}")
    code = int((folder / f"{name}.rc").read_text())
    if code != 0 and not counts["failed"]:
        counts["failed"] += 1
        failures.append(f"{name}: the runner ended with exit code {code}")
    return counts, failures


def main():
    folder, total = Path(sys.argv[1]), {"passed": 0, "failed": 0, "skipped": 0}
    for name in sys.argv[2:]:
        counts, failures = read(folder, name)
        for failure in failures:
            print(f"FAILED {failure}")
        for key, value in counts.items():
            total[key] += value
    print(", ".join(f"{value} {key}" for key, value in total.items()))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
