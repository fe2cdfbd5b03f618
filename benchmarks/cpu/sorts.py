# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts of rows on a CPU beside NumPy's and, where it is installed, PyTorch's: median ms of calls that make new arrays.

PYTHONPATH=build/python python benchmarks/cpu/sorts.py [ROUNDS]
"""

import statistics
import sys
import time

import fuser
import fuser.numpy
import numpy as np

try:
    import torch
except ImportError:
    torch = None

CASES = [(4, 2**20, "f4"), (1, 2**22, "f4"), (4096, 1024, "f4"), (65536, 64, "f4"), (4, 2**20, "i8")]


@fuser.jit
def argsort(x):
    return fuser.numpy.argsort(x)


@fuser.jit
def sort(x):
    return fuser.numpy.sort(x)


def measure(function, rounds):
    function()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rng = np.random.default_rng(0)
    print("| rows | fuser argsort | sort | NumPy argsort (stable) | sort | PyTorch sort (stable) |")
    print("|---|---|---|---|---|---|")
    for rows, length, dtype in CASES:
        bits = rng.integers(-(2**62), 2**62, (rows, length))
        x = bits if dtype == "i8" else rng.standard_normal((rows, length)).astype(dtype)
        contenders = [
            lambda x=x: argsort(x),
            lambda x=x: sort(x),
            lambda x=x: np.argsort(x, kind="stable"),
            lambda x=x: np.sort(x),
        ]
        if torch:
            tensor = torch.from_numpy(x)
            contenders.append(lambda x=tensor: torch.sort(x, stable=True))
        times = [f"{measure(each, rounds):.1f}" for each in contenders]
        print(f"| {rows} x {length} {dtype} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main()
