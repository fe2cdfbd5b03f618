# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of docs/reference/op_coverage.md that is of ops of builders: what is run, and what the others say that are not."""

import concurrent.futures
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "Dialect" / "Fusion" / "Coverage"))
from composite_matrix import get_letters, plan  # noqa: E402
from composite_programs import DTYPES, ENTRIES, EXEMPT, get_names  # noqa: E402
from fuser._program import ELEMENTS  # noqa: E402

HEAD = """## Composites

Which of the [ops of builders](../spec/builder-ops.md), for which `composite` stands in the table above, is run with which element type, in which forms. An op is of the
element type of one of its tensors, or, without tensors, of its result. Each mark stands for programs that
[composite_matrix.py](../../test/Dialect/Fusion/Coverage/composite_matrix.py) makes of the entries of [test/python/properties](../../test/python/properties), and runs with
`fuser-run --check`, in the order of the forms above: all sizes but 1 are open in the forms that are not static. An op without an entry is an error, and so is a cell that has
neither programs nor a message of the compiler, [below](#what-composites-refuse), that says why.

| target | which cells | by |
| --- | --- | --- |
| `cpu` | one of 64 parts a run (`FUSER_TEST_PART`); all with `FUSER_FULL_TESTS=1` | `test/Dialect/Fusion/Coverage/composites-cpu.test` |
| `sim`, with checks for races, bounds and what nothing has written | one of 128 parts a run; all with `FUSER_FULL_TESTS=1` | `composites-sim.test` |
| `cuda` | all | `composites-cuda.test`, where there is a GPU |
"""
TAIL = """
`N`: random examples of the entry are compared with NumPy's results in float64, on the CPU, in the element types that [the entries](../../test/python/properties) list, whose
number it is. Arrays there are of any order in memory, with steps, backwards, repeated or without elements, and sizes are known or open. How composites are written in text, and
what is refused there, tests [test/Dialect/Fusion/Composites](../../test/Dialect/Fusion/Composites).

## What composites refuse

What is said where no arguments of an element type, or of a form, are taken. `T` is that type.

| message | forms | ops |
| --- | --- | --- |"""


def read_plans():
    """The plans of all element types, which take some seconds each."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for cells, reasons in pool.map(plan, [[*ENTRIES]] * len(DTYPES), [[element] for element in DTYPES]):
            yield from ((cell, forms, reasons[cell]) for cell, forms in cells.items())


def read_reason(cell, message):
    return f": {EXEMPT[cell]}" if cell in EXEMPT else message


def shorten(message, element):
    """One text for all types and shapes."""
    text = re.sub(r"tensor<[^<>]*(<f\d\d>)?>", "tensor", message.partition(": ")[2])
    return re.sub(rf"(?<!\w)({re.escape(element)}|(?<=got ){ELEMENTS[element]})(?!\w)", "T", text)


def find_faults(found):
    """Cells whose reason is no message about what is taken."""
    for (name, element), _, reasons in found:
        for form, message in reasons.items():
            if not message.startswith(": ") and not re.match(r"\w+: expected ", message):
                yield f"{name} of {element}: expected programs, or a message that says what is expected, for the form {form}, got '{message}'"


def list_refused(found):
    """(message, forms, ops), the same message of the same forms once."""
    rows = {}
    for (name, element), _, reasons in found:
        texts = {}
        for form, message in reasons.items():
            texts.setdefault(shorten(message, element), []).append(form)
        for text, forms in texts.items():
            shown = "all" if len(forms) == 5 else ", ".join(forms)
            rows.setdefault((text, shown), {}).setdefault(name, []).append(element)
    for (text, forms), names in sorted(rows.items(), key=lambda row: (row[0][1] != "all", row[0])):
        yield f"| {text} | {forms} | {', '.join(f'`{name}`' for name in sorted(names))} |"


def count_types(name):
    return len({dtype for entry, op in ENTRIES.items() if name in get_names(entry) for dtype in op.types})


def write_composites(elements):
    """The lines."""
    found = [
        (cell, forms, {form: read_reason(cell, message) for form, message in reasons.items()})
        for cell, forms, reasons in read_plans()
    ]
    if faults := list(find_faults(found)):
        sys.exit("\n".join(f"composite_coverage: {fault}" for fault in faults))
    marks = {cell: get_letters(forms) or "-" for cell, forms, _ in found}
    names = sorted({name for name, _ in marks})
    yield HEAD
    yield f"{sum(len(forms) for _, forms, _ in found)} cells of {len(names)} ops are run.\n"
    yield f"| op | {' | '.join(f'`{name}`' for name in elements)} | N |"
    yield f"| --- |{' :-: |' * len(elements)} :-: |"
    for name in names:
        yield f"| `{name}` | {' | '.join(marks[name, element] for element in elements)} | {count_types(name)} |"
    yield TAIL
    yield from list_refused(found)
