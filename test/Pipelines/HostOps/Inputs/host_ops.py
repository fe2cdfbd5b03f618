# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computations on buffers in host programs agree with NumPy: all types, layouts, sizes of 0 and 1, in place.

usage: host_ops.py FOLDER [TARGET]
"""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np

ELEMENTS = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
REDUCTIONS = {"sum": np.sum, "min": np.min, "max": np.max, "avg": np.mean}
ROWS, COLUMNS, ANY = "memref<?x?x{}>", "memref<?x?x{}, strided<[?, ?]>>", "memref<?x?x{}, strided<[?, ?], offset: ?>>"


class Program:
    """A host program over inputs of two dimensions, and what its outputs should be."""

    def __init__(self, element):
        self.element, self.lines, self.inputs, self.expected, self.types = element, [], [], [], []
        self.lines += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
        self.outputs = []

    def add_input(self, array, layout):
        """A buffer of the program's, with this layout; a view of an output's memory would be one too."""
        number = len(self.inputs)
        self.inputs.append((array, layout))
        return f"%in{number}", layout.format(self.element)

    def add_output(self, rank, sizes, expected):
        number = len(self.expected)
        kind = f"memref<{'?x' * rank}{self.element}>"
        self.lines.append(f"%out{number} = host.output {number} ({sizes}) : {kind}")
        self.expected.append(expected)
        self.types.append(kind)
        return f"%out{number}", kind

    def print(self):
        arguments = ", ".join(f"%in{i}: {layout.format(self.element)}" for i, (_, layout) in enumerate(self.inputs))
        body = "\n".join(f"  {line}" for line in self.lines)
        results = ", ".join(f"%out{i}" for i in range(len(self.types)))
        return (
            f"func.func @main({arguments}) -> ({', '.join(self.types)}) attributes {{host.program}} {{\n{body}\n"
            f"  return {results} : {', '.join(self.types)}\n}}\n"
        )


def save(path, array, layout):
    """The file, and what --input says of how it lies."""
    np.save(path, array)
    rows, columns = array.shape
    if layout == ROWS:
        return f"--input={path}"
    strides = f"1x{max(rows, 1)}" if layout == COLUMNS else f"{2 * max(columns, 1) + 1}x2"
    return f"--input={path},strides={strides}"


def run(program, folder, name, target):
    source = folder / f"{name}.mlir"
    source.write_text(program.print())
    command = ["fuser-run", str(source), "--target", target]
    for number, (array, layout) in enumerate(program.inputs):
        command.append(save(folder / f"{name}_in{number}.npy", array, layout))
    command += [f"--output={folder}/{name}_out{i}.npy" for i in range(len(program.expected))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{source}: {done.stderr}"
    for number, expected in enumerate(program.expected):
        got = np.load(folder / f"{name}_out{number}.npy")
        np.testing.assert_allclose(
            got.astype(np.float64),
            np.asarray(expected).astype(ELEMENTS[program.element]).astype(np.float64),
            rtol={"f16": 2e-3, "f32": 2e-6}.get(program.element, 1e-14),
            err_msg=f"{source}: output {number}",
        )
    return len(program.expected)


def make_array(element, rows, columns, seed):
    values = np.random.default_rng(seed).integers(1, 5, (rows, columns))
    return values.astype(ELEMENTS[element])


def check_binary(element, rows, columns, layouts):
    """Each operation, then one in place, and one into a column and into a row of a buffer."""
    program = Program(element)
    (x, a), (y, b) = (
        program.add_input(make_array(element, rows, columns, seed), layout) for seed, layout in enumerate(layouts)
    )
    left, right = (array for array, _ in program.inputs)
    sizes = "%n, %m"
    program.lines += [f"%n = memref.dim {x}, %c0 : {a}", f"%m = memref.dim {x}, %c1 : {a}"]
    for name, compute in BINARY.items():
        if name == "div" and element[0] == "i":
            continue
        out, kind = program.add_output(2, sizes, compute(left, right))
        program.lines.append(f"host.{name} {x}, {y}, {out} : {a}, {b}, {kind}")
    out, kind = program.add_output(2, sizes, 2 * (left + right))
    program.lines += [
        f"host.add {x}, {y}, {out} : {a}, {b}, {kind}",
        f"host.add {out}, {out}, {out} : {kind}, {kind}, {kind}",
    ]
    out, kind = program.add_output(2, sizes, left)
    program.lines.append(f"host.copy {x}, {out} : {a}, {kind}")
    out, kind = program.add_output(2, sizes, np.full_like(left, 3))
    value = "3" if element[0] == "i" else "3.0"
    program.lines += [f"%c = arith.constant {value} : {element}", f"host.fill %c, {out} : {element}, {kind}"]
    if rows and columns:
        into = left.copy()
        into[:, columns - 1] = right[:, 0]
        into[rows - 1, :] = right[0, :]
        out, kind = program.add_output(2, sizes, into)
        column = f"memref<?x{element}, strided<[?], offset: ?>>"
        row = f"memref<?x{element}, strided<[1], offset: ?>>"
        program.lines += [
            f"host.copy {x}, {out} : {a}, {kind}",
            "%last = arith.subi %m, %c1 : index",
            "%bottom = arith.subi %n, %c1 : index",
            f"%yr = memref.cast {y} : {b} to {ANY.format(element)}",
            f"%to = host.select {out} dim 1 at %last : {kind}",
            f"%from = host.select %yr dim 1 at %c0 : {ANY.format(element)}",
            f"host.copy %from, %to : {column}, {column}",
            f"%down = host.select {out} dim 0 at %bottom : {kind}",
            f"%up = host.select %yr dim 0 at %c0 : {ANY.format(element)}",
            f"host.copy %up, %down : {column}, {row}",
        ]
    return program


def check_reductions(element, rows, columns, layout):
    program = Program(element)
    x, a = program.add_input(make_array(element, rows, columns, 7), layout)
    array = program.inputs[0][0]
    program.lines += [f"%n = memref.dim {x}, %c0 : {a}", f"%m = memref.dim {x}, %c1 : {a}"]
    for kind, compute in REDUCTIONS.items():
        if kind == "avg" and element[0] == "i":
            continue
        for dims, axis, sizes, rank in (("0, 1", None, "", 0), ("1", 1, "%n", 1), ("0", 0, "%m", 1)):
            expected = compute(array.astype(np.float64), axis=axis)
            out, type_ = program.add_output(rank, sizes, expected)
            program.lines.append(f"host.reduction <{kind}> {x}, {out} dims [{dims}] : {a}, {type_}")
    return program


def check_linear(element, layouts):
    program = Program(element)
    (x, a), (w, b) = (
        program.add_input(make_array(element, rows, 6, rows), layout) for rows, layout in zip((5, 3), layouts)
    )
    left, weight = (array for array, _ in program.inputs)
    out, kind = program.add_output(2, "%n, %m", left @ weight.T)
    program.lines[-1:] = [
        f"%n = memref.dim {x}, %c0 : {a}",
        f"%m = memref.dim {w}, %c0 : {b}",
        program.lines[-1],
        f"host.linear {x}, {w}, {out} : {a}, {b}, {kind}",
    ]
    return program


def main():
    folder, target = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    programs = {}
    for element in ELEMENTS:
        programs[f"binary_{element}"] = check_binary(element, 5, 7, (ROWS, ANY))
        programs[f"reductions_{element}"] = check_reductions(element, 9, 17, ANY)
    for number, layouts in enumerate(itertools.product((ROWS, COLUMNS, ANY), repeat=2)):
        programs[f"layouts_{number}"] = check_binary("f32", 4, 6, layouts)
        programs[f"linear_{number}"] = check_linear("f32", layouts)
    for rows, columns in ((0, 3), (3, 0), (1, 1), (1, 65), (65, 1), (130, 257)):
        programs[f"sizes_{rows}_{columns}"] = check_binary("f32", rows, columns, (ROWS, COLUMNS))
        if rows and columns:
            programs[f"reduced_{rows}_{columns}"] = check_reductions("f32", rows, columns, ROWS)
    count = sum(run(program, folder, name, target) for name, program in programs.items())
    print(f"{count} results agree with NumPy")


if __name__ == "__main__":
    main()
