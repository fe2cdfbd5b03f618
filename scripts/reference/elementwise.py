# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes where ops element by element stand by name: the type stubs of the Python package, and rows of docs/spec/builder-ops.md.

usage: PYTHONPATH=build/python python scripts/reference/elementwise.py fusion-dialect.md [--check]

The argument is the page of the dialect that scripts/docs writes from the records. With --check nothing is written, and a difference is an error.
"""

import re
import sys
from pathlib import Path

from fuser import _fuser, _nvfuser_ops, builder

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "Dialect" / "Fusion" / "Coverage"))
from op_records import read_records  # noqa: E402

#: Of each stub the tables of names, and how one of one operand and one of two stand there.
STUBS = {
    "builder.pyi": (
        builder,
        "    def {}(self, x: _Operand) -> Value: ...",
        "    def {}(self, x1: _Operand, x2: _Operand) -> Value: ...",
    ),
    "_nvfuser_ops.pyi": (
        _nvfuser_ops,
        "    def {}(self, arg: _Operand) -> TensorView: ...",
        "    def {}(self, lhs: _Operand, rhs: _Operand) -> TensorView: ...",
    ),
    "numpy/__init__.pyi": (
        builder,
        "def {}(x: _Operand) -> Array: ...",
        "def {}(x1: _Operand, x2: _Operand) -> Array: ...",
    ),
}
PAGE = ROOT / "docs/spec/builder-ops.md"
#: What is between such lines, and the empty ones of the formatter, is written here.
WRITTEN = re.compile(
    r"(?P<begin>^[^\n]*Written by scripts/docs[^\n]*\n).*?(?P<end>\n+[^\n]*End of what is written)", re.M | re.S
)


def write_stub(module, unary, binary):
    lines = [
        form.format(name) for ops, form in ((module._UNARY, unary), (module._BINARY, binary)) for name in sorted(ops)
    ]
    return "\n".join(lines)


def describe(record):
    """The result of an op, in the words of the page."""
    if any(element.startswith("i64") for element in record.operand):
        return "as the [dialect](fusion.md#element-by-element) has it"
    return "i1" if record.result == ["i1"] else "floats"


def write_rows(page, records):
    """The ops that the page does not describe elsewhere, those of the same result in a row."""
    others = WRITTEN.sub("", page)
    by_hand = {name for row in re.findall(r"^\| (`.*?) \|", others, re.M) for name in re.findall(r"`(\w+)`", row)}
    rows = {}
    for count in (1, 2):
        for name in _fuser._elementwise_names(count).split():
            if name not in by_hand:
                rows.setdefault((count, describe(records[name])), []).append(f"`{name}`")
    lines = [f"| {', '.join(names)} | {count} | {result} |" for (count, result), names in rows.items()]
    return "\n".join(["", "| op | operands | result |", "| --- | --- | --- |", *lines])


def replace(path, text):
    """The content of the file as it is, and with this text in it."""
    before = path.read_text()
    fresh, count = WRITTEN.subn(lambda match: match["begin"] + text + match["end"], before)
    if count != 1:
        sys.exit(f"elementwise.py: expected one part of {path} that is written, found {count}")
    return before, fresh


def main(records, is_check):
    files = {ROOT / "python-bindings/fuser" / name: write_stub(*stub) for name, stub in STUBS.items()}
    files[PAGE] = write_rows(PAGE.read_text(), read_records(records))
    stale = []
    for path, text in files.items():
        before, fresh = replace(path, text)
        if fresh != before:
            stale.append(path.relative_to(ROOT).as_posix())
            if not is_check:
                path.write_text(fresh)
    if stale and is_check:
        sys.exit(f"{', '.join(stale)}: not what the records say: run scripts/docs")


if __name__ == "__main__":
    main(sys.argv[1], "--check" in sys.argv)
