#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes which op of the fusion dialect takes which element type, as a page.

usage: scripts/reference/op_coverage.py fusion-dialect.md

The argument is the page of the dialect that scripts/docs writes from the records. The page comes on standard output.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test" / "tools"))
from element_types import read_table  # noqa: E402

HEAD = """# Ops and element types

Which elements the first tensor operand of an op may have, and its result, as the records say. Ops without tensor operands are listed by their
results. "The same" is the same list: mostly, but not of `cast`, also the same type. A rule with a number may ask for more: that operands have one
type, or that a sum is of numbers ([the specification](../spec/fusion.md)).
"""
OP = re.compile(r"^### `fusion\.(\w+)` .*?$(.*?)(?=^### |^## |\Z)", re.M | re.S)
ROW = re.compile(r"^\| `\w+` \| (.*) \|$", re.M)
TENSOR = re.compile(r"ranked tensor of at most 2\^48 (.*?) elements")


def read_types(text, heading):
    """The elements of the first tensor in a table of operands or results; none if there is no tensor."""
    start = text.find(f"#### {heading}:")
    if start < 0:
        return []
    end = text.find("####", start + 4)
    for row in ROW.findall(text[start : end if end > 0 else len(text)]):
        if found := TENSOR.search(row):
            return re.split(r", | or ", found.group(1))
    return []


def read_ops(page):
    """(name, elements of the operand, elements of the result) of each op on tensors, in alphabetic order."""
    for name, text in sorted(OP.findall(page)):
        operand, result = read_types(text, "Operands"), read_types(text, "Results")
        if operand or result:
            yield name, operand or result, result


def main(path):
    elements = [name for name, _, of_tensors in read_table(ROOT) if of_tensors]
    print(HEAD)
    print(f"| op | {' | '.join(f'`{name}`' for name in elements)} | result |")
    print(f"| --- |{' :-: |' * len(elements)} --- |")
    count = 0
    for name, operand, result in read_ops(Path(path).read_text()):
        if unknown := set(operand) - set(elements):
            sys.exit(
                f"op_coverage: fusion.{name}: expected element types of the table, got {', '.join(sorted(unknown))}"
            )
        cells = " | ".join("x" if element in operand else "" for element in elements)
        print(f"| `{name}` | {cells} | {'the same' if result == operand else ', '.join(result)} |")
        count += 1
    if count == 0:
        sys.exit(f"op_coverage: expected ops in {path}, found none")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: scripts/reference/op_coverage.py fusion-dialect.md")
    main(sys.argv[1])
