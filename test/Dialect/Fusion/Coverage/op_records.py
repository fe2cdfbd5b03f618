# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the records of the fusion dialect say of ops on tensors, read from the page that mlir-tblgen makes of them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs/reference/fusion-dialect.md"

OP = re.compile(r"^### `fusion\.(\w+)` .*?$(.*?)(?=^### |^## |\Z)", re.M | re.S)
ROW = re.compile(r"^\| `\w+` \| (.*) \|$", re.M)
TENSOR = re.compile(r"ranked tensor of at most 2\^48 (.*?) elements")


@dataclass
class Record:
    """Elements of the first tensor operand, none if no operand is one, and of the first result."""

    operand: list
    result: list

    @property
    def elements(self):
        """What the op is listed by: an operand that is always i1 is a condition, and says nothing."""
        return self.result if self.operand in ([], ["i1"]) else self.operand


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


def read_records(path):
    """Records of ops on tensors by their names, in alphabetic order."""
    records = {}
    for name, text in sorted(OP.findall(Path(path).read_text())):
        record = Record(read_types(text, "Operands"), read_types(text, "Results"))
        if record.elements:
            records[name] = record
    return records
