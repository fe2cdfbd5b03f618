# ===- cpu_code_size.py - Bytes of code for each input --------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compiles sums of more and more inputs of any strides for the CPU and prints the bytes that each input adds.

cpu_code_size.py FUSER_RUN LIMIT. Fails if an input adds more than LIMIT bytes: the time to compile grows with the square of what LLVM
unrolls.
"""

import subprocess
import sys
import tempfile
from pathlib import Path


def get_program(count):
    """The sum of `count` inputs."""
    inputs = ", ".join(f"%x{i}: tensor<?xf32>" for i in range(count))
    lines = [f"func.func @f({inputs}) -> tensor<?xf32> {{"]
    total = "%x0"
    for i in range(1, count):
        lines.append(f"  %s{i} = fusion.add {total}, %x{i} : tensor<?xf32>")
        total = f"%s{i}"
    lines += [f"  return {total} : tensor<?xf32>", "}"]
    return "\n".join(lines)


def get_size(fuser_run, count):
    """The bytes of the compiled program."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "sum.mlir"), Path(folder, "sum.fx")
        source.write_text(get_program(count))
        command = [fuser_run, str(source), "--target", "cpu", "--arch", "x86-64-v3", "--emit", str(program)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return program.stat().st_size


def main():
    fuser_run, limit = sys.argv[1], int(sys.argv[2])
    counts = [8, 16, 32]
    sizes = [get_size(fuser_run, count) for count in counts]
    failed = False
    for low, high, small, large in zip(counts, counts[1:], sizes, sizes[1:]):
        added = (large - small) // (high - low)
        print(f"{low} to {high} inputs: {added} bytes an input")
        failed |= added > limit
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
