# ===- check_matmul.py - host.matmul against NumPy -------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""check_matmul.py FOLDER TARGET: runs host programs of one host.matmul each, of every type, layout and odd size, and compares with
NumPy in f64: an element may be off by the rounding of its result and of a sum of k terms in f32 (f64 for f64)."""

import pathlib
import subprocess
import sys

import numpy

PROGRAM = """
func.func @f(%a: {a}, %b: {b}) -> {out} attributes {{host.program}} {{
  %c{row} = arith.constant {row} : index
  %c{column} = arith.constant {column} : index
  {batch}
  %m = memref.dim %a, %c{row} : {a}
  %n = memref.dim %b, %c{column} : {b}
  %o = host.output 0 ({batch_use}%m, %n) {order} : {out}
  host.matmul %a, %b, %o : {a}, {b}, {out}
  return %o : {out}
}}
"""
DTYPES = {"f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16"}
# Half a unit in the last place, relative.
SMALLEST = {"f64": 2.0**-1074, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
ROUNDING = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


def memref(rank, element, is_transposed):
    sizes = "x".join(["?"] * rank)
    if is_transposed is None:
        return f"memref<{sizes}x{element}, strided<[{', '.join(['?'] * rank)}]>>"
    if not is_transposed:
        return f"memref<{sizes}x{element}>"
    strides = ["?"] * (rank - 2) + ["1", "?"]
    return f"memref<{sizes}x{element}, strided<[{', '.join(strides)}]>>"


def tensor_attr(rank, element, is_transposed, first):
    order = list(range(rank))
    if is_transposed:
        order[-2:] = [rank - 1, rank - 2]
    sizes = ", ".join(f"s{first + i}" for i in range(rank))
    align = {"f64": 8, "f32": 4}.get(element, 2)
    if is_transposed is None:
        return f"#host.tensor<{element} [{sizes}] any align {align}>"
    return f"#host.tensor<{element} [{sizes}] order {order} required align {align}>"


def widen(array, element):
    if element == "bf16":
        return (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64)


def run(arguments):
    done = subprocess.run(["fuser-run", *arguments], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        sys.exit(f"fuser-run {' '.join(arguments)}: {done.stderr}")


def load(path):
    return numpy.load(path, allow_pickle=False)


def check(folder, target, element, result, sizes, layouts):
    """sizes: (batch or None, m, n, k); layouts: of a, b and out, True for transposed; None for rows that lie three elements apart, from
    the second element of their memory on."""
    batch, m, n, k = sizes
    rank = 2 if batch is None else 3
    row, column = rank - 2, rank - 1
    a, b = (memref(rank, element, t) for t in layouts[:2])
    out = memref(rank, result, layouts[2])
    text = PROGRAM.format(
        a=a, b=b, out=out, row=row, column=column,
        batch="" if batch is None else f"%c0 = arith.constant 0 : index\n  %batch = memref.dim %a, %c0 : {a}",
        batch_use="" if batch is None else "%batch, ",
        order=f"{{stride_order = array<i64: {', '.join(map(str, [*range(rank - 2), column, row]))}>}}" if layouts[2] else "",
    )  # fmt: skip
    attrs = [tensor_attr(rank, element, t, rank * i) for i, t in enumerate(layouts[:2])]
    text = text.replace(
        f"%a: {a}, %b: {b})", f"%a: {a} {{host.tensor = {attrs[0]}}}, %b: {b} {{host.tensor = {attrs[1]}}})"
    )
    text = text.replace(
        f") -> {out} attr", f") -> ({out} {{host.tensor = {tensor_attr(rank, result, layouts[2], 0)}}}) attr"
    )
    path = folder / "matmul.mlir"
    path.write_text(text)
    inputs = []
    for shape, is_transposed, seed in (((m, k), layouts[0], 1), ((k, n), layouts[1], 2)):
        whole = shape if batch is None else (batch, *shape)
        spec = "x".join(map(str, whole)) + f"x{element}=random:{seed}"
        if is_transposed is None:
            strides = [shape[1] + 3, 1] if batch is None else [shape[0] * (shape[1] + 3), shape[1] + 3, 1]
            spec += ",strides=" + "x".join(map(str, strides)) + ",offset=1"
        elif is_transposed:
            strides = [1, max(shape[0], 1)] if batch is None else [shape[0] * shape[1], 1, max(shape[0], 1)]
            spec += ",strides=" + "x".join(map(str, strides))
        inputs.append(spec)
    copies = []
    for i, spec in enumerate(inputs):
        copy = folder / f"input{i}.mlir"
        kind = "x".join(["?"] * rank) + f"x{element}"
        copy.write_text(
            f'func.func @f(%x: tensor<{kind}> {{fusion.layout = "any"}}) -> tensor<{kind}> {{\n'
            f"  %0 = fusion.set %x : tensor<{kind}>\n  return %0 : tensor<{kind}>\n}}\n"
        )
        copies.append(folder / f"input{i}.npy")
        run([str(copy), "--target=cpu", f"--input={spec}", f"--output={copies[-1]}"])
    run([str(path), f"--target={target}", *(f"--input={spec}" for spec in inputs), f"--output={folder / 'out.npy'}"])
    x, y = (widen(load(copy), element) for copy in copies)
    got = widen(load(folder / "out.npy"), result)
    expected, magnitude = x @ y, numpy.abs(x) @ numpy.abs(y)
    of_sum = ROUNDING["f64" if element == "f64" else "f32"] * max(k, 1)
    allowed = ROUNDING[result] * numpy.abs(expected) * (1 + of_sum) + 2 * of_sum * magnitude + SMALLEST[result] / 2
    if got.shape != expected.shape or not numpy.all(numpy.abs(got - expected) <= allowed):
        sys.exit(f"{text}\n{inputs}: expected\n{expected}\ngot\n{got}")


def main():
    folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    pairs = [("f64", "f64"), ("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f16", "f32"), ("bf16", "f32")]
    layouts = [(False, False, False), (True, False, False), (False, True, True), (True, True, True)]
    for number, (element, result) in enumerate(pairs):
        sizes = [
            (None, 16, 32, 64),
            (3, 8, 24, 16),
            (None, 1, 8, 8),
            (None, 8, 1, 8),
            (None, 8, 8, 1),
            (2, 0, 4, 4),
            (None, 4, 8, 0),
        ]
        for at, size in enumerate(sizes):
            check(folder, target, element, result, size, layouts[(number + at) % 4])
            count += 1
    for layout in layouts:
        check(folder, target, "f32", "f32", (None, 33, 7, 129), layout)
        count += 1
    for element in DTYPES:
        for size in ((None, 24, 16, 40), (3, 8, 8, 8)):
            check(folder, target, element, element, size, (None, None, False))
            count += 1
    # Several blocks, each way to compute them, and what is left of rows, columns and terms.
    for element in ("f32", "f64", "bf16"):
        for at, size in enumerate([(None, 131, 270, 300), (None, 3, 1030, 70), (2, 37, 1, 2100), (None, 2, 5, 33)]):
            for layout in layouts[at % 2 :: 2]:
                check(folder, target, element, element, size, layout)
                count += 1
    print(f"{count} products agree with NumPy")


if __name__ == "__main__":
    main()
