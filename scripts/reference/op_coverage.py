#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes which op of the fusion dialect is run with which element type and in which forms, as a page.

usage: scripts/reference/op_coverage.py fusion-dialect.md [--ops]

The argument is the page of the dialect that scripts/docs writes from the records. What is run says test/Dialect/Fusion/Coverage/op_matrix.py. The page comes
on standard output, with --ops without what takes a while, the part that is of ops of builders.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [
    str(Path(__file__).parent),
    str(ROOT / "test" / "tools"),
    str(ROOT / "test" / "Dialect" / "Fusion" / "Coverage"),
]
from element_types import read_table  # noqa: E402
from op_matrix import EXEMPT, LETTERS, get_letters, plan  # noqa: E402
from op_records import read_records  # noqa: E402

HEAD = """# Ops and element types

Which op is run with which element type, in which forms. The rows and their element types are what the records say: the elements that the first tensor
operand of an op may have, of `where` and of ops without tensor operands those of the result. Each mark stands for programs that
[op_matrix.py](../../test/Dialect/Fusion/Coverage/op_matrix.py) makes, and runs with `fuser-run --check`: they agree with the reference, which
[numpy_check.py](../../test/Reference/numpy_check.py) compares with NumPy (complex numbers and packed floats:
[complex_programs.py](../../test/Dialect/Fusion/Complex/complex_programs.py), [packed_programs.py](../../test/Dialect/Fusion/Packed/packed_programs.py)).
[test_torch_peers.py](../../test/python/frameworks/test_torch_peers.py) compares a part of them on the CPU with PyTorch in float64.
An op or an element type that has neither programs nor a reason below is an error.

| mark | form | |
| --- | --- | --- |
| `s` | static | sizes that the types have |
| `d` | dynamic | sizes that only a call has |
| `e` | empty | no rows, by either kind of size, and no columns, where the op allows it |
| `t` | strided | inputs that are transposed, or have gaps |
| `b` | broadcast | inputs whose rows, or columns, are one in memory: a stride of 0 |
| `x` | | all of them: of ops without tensor operands the first three |
| `-` | | none: see [what is not run](#what-is-not-run) |

| target | which cells | by |
| --- | --- | --- |
| `cpu` | an eighth a run (`FUSER_TEST_PART`); all with `FUSER_FULL_TESTS=1` | `test/Dialect/Fusion/Coverage/matrix-cpu.test` |
| `sim`, with checks for races, bounds and what nothing has written | a part a run; all with `FUSER_FULL_TESTS=1` | `matrix-sim.test`; `matrix-full.test` |
| `cuda` | all | `matrix-cuda.test`, where there is a GPU |
"""
TAIL = """
The last column is the elements of the result; "the same" is the same list: mostly, but not of `cast`, also the same type. `cast` is run to every type that it
makes of one, `bitcast` to every type of as many bits; reductions, scans, scatters, comparisons and pads are run in each of their kinds, gathers and scatters with both types of indices.
Tensors are small, of at most three dimensions: other sizes, and several ops that are one kernel, are those of
[programs.py](../../test/Integration/programs.py) and of random programs. `composite` has no row here: [its names have](#composites).

## What is not run

| op | element types | forms | why |
| --- | --- | --- | --- |"""
#: Ops whose cells say nothing of what they stand for.
OF_ONE_NAME = {"composite"}


def show_row(op, record, cells, elements):
    marks = ["" if e not in record.elements else get_letters(cells[op, e], record) or "-" for e in elements]
    result = "the same" if record.result == record.elements else ", ".join(record.result)
    return f"| `{op}` | {' | '.join(marks)} | {result} |"


def show_exemptions(exempt, cells):
    """A row for each entry of the table of exemptions."""
    for key, reason in EXEMPT.items():
        forms, elements = {}, []
        for (op, element, used), missing in exempt.items():
            if used == key:
                elements.append(f"`{element}`")
                forms |= dict.fromkeys(missing if cells[op, element] else ["all"])
        shown = "all of its record" if key[1] == "*" else ", ".join(elements)
        yield f"| `{key[0]}` | {shown} | {', '.join(forms)} | {reason} |"


def main(path, are_ops_all=False):
    elements = [name for name, _, of_tensors in read_table(ROOT) if of_tensors]
    records = read_records(path)
    if not records:
        sys.exit(f"op_coverage: expected ops in {path}, found none")
    for op, record in records.items():
        if unknown := set(record.elements) - set(elements):
            sys.exit(f"op_coverage: fusion.{op}: expected element types of the table, got {', '.join(sorted(unknown))}")
    cells, exempt, faults = plan(records)
    if faults:
        sys.exit("\n".join(f"op_coverage: {fault}" for fault in faults))
    assert all(f"| `{letter}` | {form} |" in HEAD for form, letter in LETTERS.items())
    print(HEAD)
    print(f"{sum(map(len, cells.values()))} cells of {len(records)} ops are run.\n")
    print(f"| op | {' | '.join(f'`{name}`' for name in elements)} | result |")
    print(f"| --- |{' :-: |' * len(elements)} --- |")
    for op, record in records.items():
        if op not in OF_ONE_NAME:
            print(show_row(op, record, cells, elements))
    print(TAIL)
    for row in show_exemptions(exempt, cells):
        print(row)
    print()
    if not are_ops_all:
        from composite_coverage import write_composites  # Which needs the package of the build.

        print("\n".join(write_composites(elements)))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or sys.argv[2:] not in ([], ["--ops"]):
        sys.exit("usage: scripts/reference/op_coverage.py fusion-dialect.md [--ops]")
    main(sys.argv[1], sys.argv[2:] == ["--ops"])
