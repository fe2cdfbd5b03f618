# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up test results: sum_results.py FOLDER NAME...

For each NAME reads FOLDER/NAME.xml (JUnit) and FOLDER/NAME.rc (the runner's exit code), prints the tests
that failed, what was skipped for lack of a framework or a GPU, and "N passed, N failed, N skipped", and exits with 0
only if some passed and none failed.
"""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

#: What tests may lack, by what pytest and lit say where they skip one. One that lacks both counts as lacking the GPU.
LACKS = {
    "a GPU": re.compile(r"no GPU|required feature\(s\):.*\b(cuda|cublaslt|nccl)\b"),
    "a framework": re.compile(r"could not import '(torch|jax|transformers)|required feature\(s\):.*\btorch\b"),
}


def outcome(case):
    """'passed', 'failed' or 'skipped' for one JUnit test case."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    # CTest counts a test whose program was not built as skipped.
    return "failed" if "Unable to find executable" in skipped.get("message", "") else "skipped"


def find_lack(case):
    """What a skipped test lacks of LACKS, or None."""
    skipped = case.find("skipped")
    text = f"{skipped.get('message', '')} {skipped.text or ''}"
    return next((name for name, pattern in LACKS.items() if pattern.search(text)), None)


def describe_lacks(lacks):
    """One line on `lacks`, the numbers of skipped tests by what they lack, or None."""
    if not any(lacks.values()):
        return None
    counts = " and ".join(f"{count} for lack of {name}" for name, count in lacks.items() if count)
    ways = {"a GPU": "where there is one by scripts/gpu-test", "a framework": "by scripts/test --frameworks"}
    how = ", ".join(ways[name] for name, count in lacks.items() if count)
    # pytest skips a file that cannot import a framework as a whole.
    return f"Skipped {counts} (a file as a whole counts once); to run them: {how}"


def read(folder, name, lacks):
    """The counts of one runner, and the names of the tests that failed; `lacks` is counted up."""
    counts, failures = {"passed": 0, "failed": 0, "skipped": 0}, []
    path = folder / f"{name}.xml"
    if path.exists():
        for case in ET.parse(path).iter("testcase"):
            result = outcome(case)
            counts[result] += 1
            if result == "skipped" and (lack := find_lack(case)):
                lacks[lack] += 1
            if result == "failed":
                failures.append(f"{name}: {case.get('classname', '')} {case.get('name')}")
    code = int((folder / f"{name}.rc").read_text())
    if code != 0 and not counts["failed"]:
        counts["failed"] += 1
        failures.append(f"{name}: the runner ended with exit code {code}")
    return counts, failures


def main():
    folder, total = Path(sys.argv[1]), {"passed": 0, "failed": 0, "skipped": 0}
    lacks = dict.fromkeys(LACKS, 0)
    for name in sys.argv[2:]:
        counts, failures = read(folder, name, lacks)
        for failure in failures:
            print(f"FAILED {failure}")
        for key, value in counts.items():
            total[key] += value
    if line := describe_lacks(lacks):
        print(line)
    print(", ".join(f"{value} {key}" for key, value in total.items()))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
