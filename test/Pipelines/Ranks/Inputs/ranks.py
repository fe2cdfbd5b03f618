# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs host programs on several ranks by fuser-run, and compares what each rank gets with NumPy.

usage: ranks.py FOLDER [TARGET [MOST_RANKS]]

Every communication, in every type that NumPy has, with parts of odd sizes, one element and none, on 1 to 8 ranks. Values are small integers, so
that sums are exact in every type and order.
"""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np

ELEMENTS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i1": np.bool_,
}
REDUCTIONS = {
    "sum": lambda parts: parts.sum(0),
    "prod": lambda parts: parts.prod(0),
    "min": lambda parts: parts.min(0),
    "max": lambda parts: parts.max(0),
    # Of integers as C has it: towards zero.
    "avg": lambda parts: parts.sum(0) / len(parts) if parts.dtype.kind == "f" else np.trunc(parts.sum(0) / len(parts)),
}


def run_ranks(source, inputs, num_outputs, target="cpu", flags=()):
    """The outputs of each rank of the program in the file `source`: `inputs[rank]` is what it gets."""
    source, ranks = Path(source), len(inputs)
    folder, name = source.parent, source.stem
    command = ["fuser-run", str(source), "--target", target, "--ranks", str(ranks), "--timeout", "20", *flags]
    for rank, tensors in enumerate(inputs):
        for number, tensor in enumerate(tensors):
            np.save(folder / f"{name}_in{number}_{rank}.npy", tensor)
    command += [f"--input={folder}/{name}_in{number}_{{rank}}.npy" for number in range(len(inputs[0]))]
    command += [f"--output={folder}/{name}_out{number}_{{rank}}.npy" for number in range(num_outputs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name} on {ranks} ranks: {done.stderr}"
    return [[np.load(folder / f"{name}_out{n}_{rank}.npy") for n in range(num_outputs)] for rank in range(ranks)]


def print_program(steps, element, group="host.group"):
    """A program that does `steps` with its inputs %part (N x 3) and %whole (as many rows for each rank); each gives a result of the size of
    one of them. The results start as zeros."""
    lines, types = [], []
    for number, (what, size) in enumerate(steps):
        rows = {"part": "%n", "whole": "%m"}[size]
        lines.append(f"  %o{number} = host.output {number} ({rows}) : !T")
        lines.append(f"  host.copy %z_{size}, %o{number} : !T, !T")
        lines.append("  " + what.format(f"%r{number}", f"%o{number}"))
        lines.append(f"  host.wait %r{number}")
        types.append("!T")
    return "\n".join(
        [
            f"!T = memref<?x3x{element}>",
            f"func.func @main(%part: !T, %whole: !T, %z_part: !T, %z_whole: !T) -> ({', '.join(types)}) attributes {{host.program}} {{",
            "  %c0 = arith.constant 0 : index",
            "  %c1 = arith.constant 1 : index",
            f"  %all = {group}",
            "  %size = host.size %all",
            "  %rank = host.rank %all",
            "  %last = arith.subi %size, %c1 : index",
            "  %n = memref.dim %part, %c0 : !T",
            "  %m = memref.dim %whole, %c0 : !T",
            *lines,
            f"  return {', '.join(f'%o{i}' for i in range(len(steps)))} : {', '.join(types)}",
            "}",
        ]
    )


def moves():
    """Steps without arithmetic, and what a rank gets: of (rank, ranks, parts, wholes)."""

    def only(root, value, size):
        return lambda r, n, p, w: value(p, w) if r == root(n) else np.zeros_like(p[r] if size == "part" else w[r])

    def last(n):
        return n - 1

    return [
        ("{0} = host.all_gather %part, {1} dim 0 in %all : !T, !T", "whole", lambda r, n, p, w: np.concatenate(p)),
        ("{0} = host.broadcast %whole, {1} root %last in %all : !T, !T", "whole", lambda r, n, p, w: w[n - 1]),
        (
            "{0} = host.gather %part, {1} dim 0 root %last in %all : !T, !T",
            "whole",
            only(last, lambda p, w: np.concatenate(p), "whole"),
        ),
        (
            "{0} = host.scatter %whole, {1} dim 0 root %c0 in %all : !T, !T",
            "part",
            lambda r, n, p, w: split(w[0], n)[r],
        ),
        (
            "{0} = host.all_to_all %whole, {1} in %all : !T, !T",
            "whole",
            lambda r, n, p, w: np.concatenate([split(x, n)[r] for x in w]),
        ),
    ]


def split(whole, ranks):
    return np.split(whole, ranks)


def combinations(kind):
    fold = REDUCTIONS[kind]
    return [
        (
            f"{{0}} = host.all_reduce <{kind}> %whole, {{1}} in %all : !T, !T",
            "whole",
            lambda r, n, p, w: fold(np.stack(w)),
        ),
        (
            f"{{0}} = host.reduce <{kind}> %whole, {{1}} root %last in %all : !T, !T",
            "whole",
            lambda r, n, p, w: fold(np.stack(w)) if r == n - 1 else np.zeros_like(w[r]),
        ),
        (
            f"{{0}} = host.reduce_scatter <{kind}> %whole, {{1}} dim 0 in %all : !T, !T",
            "part",
            lambda r, n, p, w: split(fold(np.stack(w)), n)[r],
        ),
    ]


def make_inputs(element, rows, ranks, seed):
    generator = np.random.default_rng(seed)

    def make(count):
        low = 0 if element == "i1" else -2
        return generator.integers(low, 2 if element == "i1" else 3, (count, 3)).astype(ELEMENTS[element])

    parts = [make(rows) for _ in range(ranks)]
    wholes = [make(rows * ranks) for _ in range(ranks)]
    return parts, wholes


def check_case(folder, element, rows, ranks, target):
    steps = moves()
    if element not in ("i1", "i16"):
        for kind in REDUCTIONS:
            steps += combinations(kind)
    parts, wholes = make_inputs(element, rows, ranks, seed=ranks * 100 + rows)
    source = Path(folder) / f"{element}_{rows}_{ranks}.mlir"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(print_program([(what, size) for what, size, _ in steps], element))
    inputs = [[p, w, np.zeros_like(p), np.zeros_like(w)] for p, w in zip(parts, wholes)]
    got = run_ranks(source, inputs, len(steps), target)
    for (what, _, expected), rank in itertools.product(steps, range(ranks)):
        number = [s[0] for s in steps].index(what)
        want = np.asarray(expected(rank, ranks, parts, wholes)).astype(ELEMENTS[element])
        np.testing.assert_allclose(
            got[rank][number].astype(np.float64),
            want.astype(np.float64),
            rtol={"f16": 1e-3, "f32": 1e-6}.get(element, 1e-15),
            err_msg=f"{what} of {element}, {rows} rows, rank {rank} of {ranks}",
        )
    return len(steps)


def main():
    folder = sys.argv[1]
    target = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    count = 0
    for ranks in [n for n in (1, 2, 3, 8) if n <= most]:
        for rows in (0, 1, 7):
            count += check_case(folder, "f32", rows, ranks, target)
    for element in ELEMENTS:
        count += check_case(folder, element, 101, min(4, most), target)
    print(f"{count} communications agree with NumPy")


if __name__ == "__main__":
    main()
