# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of scenarios.mlir, and compares what they give with NumPy.

usage: scenarios.py FOLDER [TARGET]
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("scenarios.mlir")


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def scenarios():
    """Name, input, scalars, and the expected result."""
    line = np.arange(-7, 93, dtype=np.float32) / 8
    yield "three_calls", line, [], 5 * line
    for steps in (0, 1, 9):
        yield "in_place_in_a_loop", line, [steps], line + steps
        yield "ping_pong", line, [steps], line * 2.0**steps
    yield "branches", line, [1], 2 * line
    yield "branches", line, [0], 0 * line
    yield "names", line, [], 2 * line
    yield "programs", line, [], 4 * line
    yield "programs", line[:0], [], line[:0]
    for rows in (0, 1, 8, 13):
        for streams in (1, 2, 4, 8):
            x = np.random.default_rng(rows).random((rows, 33), dtype=np.float32)
            yield "rows_on_streams", x, [streams], x + softmax(x) if rows else x


def run(folder, target, name, x, scalars):
    np.save(folder / "x.npy", x)
    command = ["fuser-run", str(SOURCE), "--entry", name, "--target", target, f"--input={folder}/x.npy"]
    command += [f"--scalar={scalar}" for scalar in scalars] + [f"--output={folder}/o.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name} {scalars}: {done.stderr}"
    return np.load(folder / "o.npy")


def main():
    folder, target = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, x, scalars, expected in scenarios():
        got = run(folder, target, name, x, scalars)
        np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-7, err_msg=f"{name} {x.shape} {scalars}")
        count += 1
    print(f"{count} runs agree with NumPy")


if __name__ == "__main__":
    main()
