# ===- scalars.py - Scalars of all types, converted to all types ----------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""scalars.py FUSER_RUN [OPTION...]. Programs with a scalar of each element type: handed to a kernel as it is, converted
to each other type, and computed with, each against the reference. Prints those that are not right."""

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

FLOATS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
INTEGERS = {"i64": 64, "i32": 32, "i1": 1}
BITS = FLOATS | INTEGERS
# The first two lie next to a tie of bf16, which is lost when they are rounded twice; the third is subnormal as bf16.
VALUES = {
    "f64": ["1.0039062500000002", "-1.0039062499999998", "1e-39"],
    "f32": ["1.00390637", "1.0117188", "1e-39"],
    "f16": ["0.1", "-65504"],
    "bf16": ["3.14", "1e-39"],
    "i64": ["-100"],
    "i32": ["77"],
    "i1": ["1", "0"],
}


def convert(source, target):
    """The op of arith, or none if there is none."""
    if source in FLOATS and target in FLOATS:
        less = BITS[source] < BITS[target]
        return None if BITS[source] == BITS[target] else "extf" if less else "truncf"
    if source in FLOATS:
        return "fptoui" if target == "i1" else "fptosi"
    if target in FLOATS:
        return "uitofp" if source == "i1" else "sitofp"
    if BITS[source] > BITS[target]:
        return "trunci"
    return "extui" if source == "i1" else "extsi"


def get_programs():
    """Pairs of a program's name, with the type of its scalar, and of the op that makes the value to fill with."""
    for element in BITS:
        yield f"{element} as it is", element, element, None
    for source, target in itertools.permutations(BITS, 2):
        if op := convert(source, target):
            yield f"{source} to {target}", source, target, f"arith.{op} %s : {source} to {target}"
    for element, op in itertools.product(FLOATS, ("addf", "mulf", "divf", "maximumf")):
        yield f"{op} of {element}", element, element, f"arith.{op} %s, %s : {element}"


def get_text(source, target, line):
    body = f"  %t = {line}\n" if line else ""
    value = "%t" if line else "%s"
    kind = f"tensor<?x{target}>"
    return (
        f"func.func @f(%s: {source}, %n: index) -> {kind} {{\n{body}"
        f"  %0 = fusion.full {value} sizes(%n) : {kind}\n  return %0 : {kind}\n}}\n"
    )


def main():
    wrong, count = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scalar.mlir")
        for name, source, target, line in get_programs():
            path.write_text(get_text(source, target, line))
            compiled = Path(folder, "scalar.fx")
            done = subprocess.run(
                [sys.argv[1], path, *sys.argv[2:], f"--emit={compiled}"], capture_output=True, text=True
            )
            for value in VALUES[source] if done.returncode == 0 else []:
                if line and "fptoui" in line:
                    value = "1"  # Others are beyond the range.
                scalars = [f"--scalar={value}", "--scalar=5"]
                command = [sys.argv[1], compiled, f"--source={path}", "--check", *scalars]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    break
            count += 1
            if done.returncode:
                wrong += 1
                print(f"{name}: {done.stdout}{done.stderr}")
    print(f"{count - wrong} of {count} scalars right")


if __name__ == "__main__":
    main()
