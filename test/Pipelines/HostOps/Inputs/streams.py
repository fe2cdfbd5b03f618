# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of streams.mlir with loops for 1 to 8 streams, and compares what they give with NumPy.

usage: streams.py FOLDER [TARGET]
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("streams.mlir")


def programs(rows, columns):
    """Name, inputs, and the expected results."""
    x = np.random.default_rng(rows).random((rows, columns), dtype=np.float32)
    w = np.random.default_rng(1).random((columns, 5), dtype=np.float32)
    yield "set", [x], [x]
    yield "set_inner", [x], [x]
    yield "chain", [x], [2 * x * x - 2 * x]
    yield "two_loops", [x], [2 * x * x]
    yield "reduced", [x], [2 * x.sum(1), 2 * x.max(0)]
    yield "matmul_rows", [x, w], [x @ w]
    yield "matmul_columns", [x, w], [x @ w]
    batch, weights = np.stack([x, x + 1, x - 1]), np.stack([w, 2 * w, 3 * w])
    yield "batches", [batch, weights], [batch @ weights]


def run(source, folder, name, inputs, flags):
    command = ["fuser-run", str(source), "--entry", name, *flags]
    for number, tensor in enumerate(inputs):
        np.save(folder / f"in{number}.npy", tensor)
        command.append(f"--input={folder}/in{number}.npy")
    num_outputs = 2 if name == "reduced" else 1
    command += [f"--output={folder}/out{number}.npy" for number in range(num_outputs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    return [np.load(folder / f"out{number}.npy") for number in range(num_outputs)]


def main():
    folder, target = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for streams in (1, 2, 4, 8):
        source = folder / f"streams{streams}.mlir"
        with source.open("w") as file:
            pipeline = f"builtin.module(func.func(host-stream-loops{{streams={streams}}}))"
            subprocess.run(["fuser-opt", str(SOURCE), f"--pass-pipeline={pipeline}"], stdout=file, check=True)
        for rows, columns in ((9, 13), (1, 1), (64, 200)):
            for name, inputs, expected in programs(rows, columns):
                flags = ["--target", target]
                if target == "cpu" and streams == 4:
                    flags += ["--delays", f"{count},200"]
                got = run(source, folder, name, inputs, flags)
                for result, value in zip(got, expected):
                    message = f"{name} of {rows} x {columns} on {streams} streams"
                    np.testing.assert_allclose(result, value, rtol=2e-5, atol=1e-5, err_msg=message)
                count += 1
    print(f"{count} runs agree with NumPy")


if __name__ == "__main__":
    main()
