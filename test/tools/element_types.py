# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is written out of the table of element types is what the table says: element_types.py ROOT

TableGen and the pages of docs/spec cannot include the table (fuser_rt/ElementTypes.h). Prints one line a fault; the exit
status is 1 if there is one.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"X\((\w+), \w+, ([\w<>]+), \w+, (\w+), (\d+), \w+, \w+, (\d+), -?\d+, (?:true|false), (true|false)\)")


def read_table(root):
    """Name, kind and whether tensors have it, by number; powers of two and packed floats are none to compute with."""
    text = (root / "runtime/include/fuser_rt/ElementTypes.h").read_text()
    rows = ROW.findall(re.sub(r"\s*\\\n\s*", " ", text))

    def get_kind(kind, bits, precision):
        return "Powers" if precision == "1" else "Packed" if kind == "Float" and int(bits) < 8 else kind

    return [(name, get_kind(*kind), of_tensors == "true") for _, name, *kind, of_tensors in rows]


def listing(names, last=" or "):
    return f"{', '.join(names[:-1])}{last}{names[-1]}" if len(names) > 1 else names[0]


def expectations(table):
    """(file, what it says)."""

    def tensors(*kinds):
        return [name for name, kind, of_tensors in table if of_tensors and kind in kinds]

    record = "include/fuser/Dialect/Fusion/IR/FusionTypes.td"
    everything = {kind for _, kind, _ in table}
    for name, kinds in {
        "Floats": {"Float"},
        "Flags": {"Bool"},
        "Integers": {"Signed", "Unsigned"},
        "Scales": {"Powers"},
        "Complexes": {"Complex"},
        "Packed": {"Packed"},
    }.items():
        names = ", ".join(f'"{each}"' for each in tensors(*kinds))
        yield record, rf"def Fusion_{name} : Fusion_Elements<[^\[]*, \[{names}\](, true)?>;"
    scalars = listing(tensors(*everything - {"Unsigned", "Complex", "Packed"}))
    yield record, rf'def Fusion_Scalar : Type<[^\n]*, "{scalars}">;'
    numbers = ", ".join(f"{number} {name}" for number, (name, _, _) in enumerate(table))
    yield "docs/spec/program.md", rf"A tensor: string name, enumeration type \({numbers}\)"
    quoted = ", ".join(f"`{name}`" for name in tensors(*everything))
    yield "docs/spec/fusion.md", f"Element types: {quoted};"
    yield "include/fuser/Dialect/Fusion/IR/FusionDialect.td", rf"\*Element types\.\* {quoted}\."


def main(root):
    table = read_table(root)
    faults = 0
    for path, expected in expectations(table):
        # Lines may be broken anywhere.
        pattern = re.sub(r"(\\?) ", r"\\s+", expected)
        if not re.search(pattern, (root / path).read_text()):
            print(f"{path}: expected {expected}")
            faults += 1
    print(f"{len(table)} element types, {faults} faults")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
