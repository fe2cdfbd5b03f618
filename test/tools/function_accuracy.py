# ===- function_accuracy.py - How exact the functions of f32 are ----------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs each function of one or two tensors on numbers of all magnitudes, and compares with f64.

function_accuracy.py TARGET COUNT: on COUNT f32, and all f16 and bf16. Prints the greatest error of each function in units in the last place; a NaN,
an infinity or a zero where there should be none, or an error beyond LIMIT, is an error.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import elementwise_ops
import numpy as np

# Of f32; of f16 and bf16, which are rounded from it, half a unit and a bit.
LIMIT = {"f32": 0.6, "f16": 0.501, "bf16": 0.501}
# Of functions that are computed in f32.
LIMIT_OF_F32 = {"erf": 0.95, "log1p": 0.95, "expm1": 1.5, "sin": 1.5, "cos": 1.5}
# Bits after the point, least exponent of a normal number, greatest exponent.
FORMATS = {"f32": (23, -126, 127), "f16": (10, -14, 15), "bf16": (7, -126, 127)}


def all_of(element):
    bits = np.arange(1 << 16, dtype=np.uint32)
    if element == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float64)
    return (bits << 16).view(np.float32).astype(np.float64)


def numbers(count, seed):
    """Of all exponents, and around where functions change."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, count // 2, dtype=np.uint64).astype(np.uint32)
    near = random.normal(0, 1, count // 2) * random.choice([0.01, 1, 4, 30, 300], count // 2)
    near[::2] += random.choice([-1.0, 1.0, 0.5, 2.0, np.pi / 2, np.pi, 10.0, 88.0], near[::2].size)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38]
    # Next to multiples of pi/2, as near as any f32 comes.
    special += [16367173.0 * 2.0**72, 11.0, 22.0, 355.0, 710.0, 5.0e9, 1.2e20]
    with np.errstate(all="ignore"):
        return np.concatenate([bits.view(np.float32), near.astype(np.float32), np.float32(special)]).astype(np.float64)


def encode(values, element):
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype({"f32": np.float32, "f16": np.float16}[element])


def decode(values, element):
    if element == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def run(target, element, functions, operands, folder):
    kind = f"tensor<{operands[0].size}x{element}>"
    names = "ab"[: len(operands)]
    arguments = ", ".join(f"%{name}: {kind}" for name in names)
    body = "\n".join(f"  %v_{f} = fusion.{f} {', '.join('%' + n for n in names)} : {kind}" for f in functions)
    results = ", ".join(kind for _ in functions)
    values = ", ".join(f"%v_{f}" for f in functions)
    text = f"func.func @f({arguments}) -> ({results}) {{\n{body}\n  return {values} : {results}\n}}\n"
    (folder / "program.mlir").write_text(text)
    command = ["fuser-run", folder / "program.mlir", f"--target={target}"]
    for name, values in zip(names, operands, strict=True):
        np.save(folder / f"{name}.npy", encode(values, element))
        command.append(f"--input={values.size}x{element}={folder}/{name}.npy")
    command += [f"--output={folder}/{f}.npy" for f in functions]
    subprocess.run(command, check=True)
    return [decode(np.load(folder / f"{f}.npy"), element) for f in functions]


def measure(got, exact, element):
    """The greatest error in units, and where it is."""
    bits, low, high = FORMATS[element]
    with np.errstate(all="ignore"):
        exponent = np.clip(np.frexp(exact)[1] - 1, low, high).astype(np.float64)
        units = np.abs(got - exact) / np.exp2(exponent - bits)
        # What rounds to infinity, and what is the same.
        overflows = (np.abs(exact) >= 2.0 ** (high + 1) * (1 - 2.0 ** -(bits + 2))) & np.isinf(got)
        overflows &= np.signbit(got) == np.signbit(exact)
        same = (got == exact) | (np.isnan(got) & np.isnan(exact)) | overflows
        units = np.where(same, 0, np.where(np.isfinite(units), units, np.inf))
        signs = ~np.isnan(exact) & (np.signbit(got) != np.signbit(exact))
        units = np.where(signs, np.inf, units)
    worst = int(np.argmax(units))
    return units[worst], worst


def check(target, element, table, operands, folder):
    functions = [name for name, op in table.items() if "f32" in op[0] and not (op[2] and name != "fmod")]
    faults = 0
    for first in range(0, len(functions), 6):
        part = functions[first : first + 6]
        for name, got in zip(part, run(target, element, part, operands, folder), strict=True):
            with np.errstate(all="ignore"):
                exact = table[name][1](*operands)
            units, worst = measure(got, exact, element)
            at = ", ".join(repr(float(x[worst])) for x in operands)
            print(f"{name} {element}: {units:.4f} at {at}: {got[worst]!r}, exactly {float(exact[worst])!r}")
            limit = LIMIT_OF_F32.get(name, LIMIT[element]) if element == "f32" else LIMIT[element]
            faults += units > limit
    return faults


def main():
    target, count = sys.argv[1], int(sys.argv[2])
    faults = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for element in ("f32", "f16", "bf16"):
            x = numbers(count, 1) if element == "f32" else all_of(element)
            faults += check(target, element, elementwise_ops.UNARY, [x], folder)
            y = np.random.default_rng(2).permutation(x)
            if element == "f32":
                y = np.where(np.arange(y.size) % 4 == 0, np.rint(np.clip(y, -20, 20)), y)
                x = np.where(np.arange(y.size) % 3 == 0, np.abs(np.clip(x, -9, 9)).astype(np.float32), x)
            faults += check(target, element, elementwise_ops.BINARY, [x, y], folder)
    print(f"{faults} functions are less exact than they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
