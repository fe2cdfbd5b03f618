# ===- half.py - Conversions of f16 ----------------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""half.py FUSER_RUN ARCH. Conversions compiled for ARCH, against NumPy's."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NAMES = {np.float16: "f16", np.float32: "f32", np.float64: "f64"}


def convert(folder, values, target):
    source, result = NAMES[values.dtype.type], NAMES[target]
    program = folder / "cast.mlir"
    program.write_text(
        f"func.func @f(%x: tensor<?x{source}>) -> tensor<?x{result}> {{\n"
        f"  %y = fusion.cast %x : tensor<?x{source}> to tensor<?x{result}>\n  return %y : tensor<?x{result}>\n}}\n"
    )
    np.save(folder / "in.npy", values)
    command = [sys.argv[1], program, "--arch", sys.argv[2]]
    subprocess.run(
        [*command, f"--input={folder}/in.npy", f"--output={folder}/out.npy"], check=True, capture_output=True
    )
    return np.load(folder / "out.npy")


def check(folder, values, target, what):
    with np.errstate(all="ignore"):
        expected = values.astype(target)
    got = convert(folder, values, target)
    bits = f"u{np.dtype(target).itemsize}"
    same = (got.view(bits) == expected.view(bits)) | (np.isnan(got) & np.isnan(expected))
    wrong = np.flatnonzero(~same)
    print(
        f"{what}: "
        + ("right" if wrong.size == 0 else f"{wrong.size} wrong, {values[wrong[0]]!r} gave {got[wrong[0]]!r}")
    )


def main():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = np.sort(halves[np.isfinite(halves)].astype(np.float64))
    ties = (finite[1:] + finite[:-1]) / 2
    wide = np.concatenate([finite, ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)])
    wide = np.concatenate([wide, [65519.99, 65520.0, -65520.0, 1e300, np.inf, -np.inf, np.nan, 1e-300, -0.0]])
    single = np.concatenate([ties, finite]).astype(np.float32)
    single = np.concatenate(
        [single, np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))]
    )
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder), halves, np.float32, "f16 to f32")
        check(Path(folder), single, np.float16, "f32 to f16")
        check(Path(folder), wide, np.float16, "f64 to f16")


if __name__ == "__main__":
    main()
