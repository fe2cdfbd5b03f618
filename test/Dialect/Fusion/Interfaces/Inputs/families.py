# ===- families.py - Runs programs of test-only ops ------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""families.py CASE PROGRAM.fx PREFIX: runs the program and compares its results with NumPy's."""

import subprocess
import sys

import numpy as np

ROWS, COLUMNS = 37, 96
WEIGHT = 0.25


def to_bf16(x):
    """Rounds to the nearest bf16, as its 16 bits."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def lerp(x, y):
    return x + WEIGHT * (y[:, ::-1] - x)


def row_reduction(x, y):
    variance = lerp(x, y).var(axis=1, keepdims=True)
    return [lerp(x, y) * variance + np.arange(COLUMNS), variance]


def generic(x, y):
    return [lerp(x, y).var(axis=1)]


def pointwise(x, y):
    return [lerp(x, y) + np.arange(COLUMNS)]


# The function, its number of results, whether its tensors are bf16, and the error that is allowed.
CASES = {
    "row-reduction": (row_reduction, 2, False, 1e-5),
    "generic": (generic, 1, False, 1e-5),
    "pointwise": (pointwise, 1, True, 1e-2),
}


def main():
    case, program, prefix = sys.argv[1:]
    function, num_results, is_bf16, tolerance = CASES[case]
    random = np.random.default_rng(1)
    inputs = [random.standard_normal((ROWS, COLUMNS), dtype=np.float32) for _ in range(2)]
    if is_bf16:
        inputs = [from_bf16(to_bf16(x)) for x in inputs]
    command = ["fuser-run", program, "--target", "cpu"]
    for number, x in enumerate(inputs):
        path = f"{prefix}.in{number}.npy"
        np.save(path, to_bf16(x) if is_bf16 else x)
        command += ["--input", f"{ROWS}x{COLUMNS}x{'bf16' if is_bf16 else 'f32'}={path}"]
    paths = [f"{prefix}.out{number}.npy" for number in range(num_results)]
    for path in paths:
        command += ["--output", path]
    subprocess.run(command, check=True)
    expected = function(*[x.astype(np.float64) for x in inputs])
    for path, want in zip(paths, expected, strict=True):
        got = np.load(path)
        got = from_bf16(got) if is_bf16 else got
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


main()
