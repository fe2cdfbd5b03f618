# ===- numpy_fibres.py - Scans and sorts in the reference against NumPy ---===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Scans, argsort and argtopk, with what numpy_check.py has. Usage: numpy_fibres.py FUSER_RUN"""

import itertools
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy_check as base

SCANS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
SHAPES = ((3, 4, 5), (2, 0, 5), (1, 1, 1), (2, 33, 2))


def scan(kind, x, dim):
    with np.errstate(all="ignore"):
        return SCANS[kind].accumulate(x, axis=dim) if x.size else x


def argsort(x, dim, descending):
    """NumPy has NaN last, and equal ones in their order."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim)


def argtopk(x, dim, descending, k):
    order = argsort(x, dim, descending)
    first = np.take(order, np.arange(min(k, x.shape[dim])), dim)
    return np.pad(first, [(0, k - first.shape[d] if d == dim else 0) for d in range(x.ndim)], constant_values=-1)


def make_values(element, shape, random):
    """Few values: most are equal to others."""
    if element == "i1":
        return random.random(shape) < 0.5
    x = base.make(element, np.round(random.normal(0, 2, shape)))
    if element in base.FLOATS and x.size > 1:
        flat = x.reshape(-1)
        flat[:: x.size // 2], flat[1 :: x.size // 3] = -0.0, 0.0
        special = (math.nan, math.nan, math.inf, -math.inf, math.nan)
        flat[random.choice(x.size, min(5, x.size), replace=False)] = special[: x.size]
    return x


def run(cases, element, x):
    """cases: the text of each op, the shape and the element type of its result, and what is expected."""
    lines, results = [], []
    for number, (op, shape, result, _, _) in enumerate(cases):
        target = base.tensor(shape, result)
        results.append((f"r{number}", target))
        types = f"{base.tensor('???', element)}" + ("" if op.startswith("scan") else f" to {target}")
        lines.append(f"%r{number} = fusion.{op} : {types}")
    got = base.run(base.func([("a", base.tensor("???", element))], lines, results), [(element, x)], len(cases))
    for value, (op, _, _, expected, tolerance) in zip(got, cases, strict=True):
        base.compare(value, expected, f"{op} {element} {x.shape}", tolerance)


def check_scans(element, x):
    x = x + x.dtype.type(0)  # Of zeros with different signs NumPy may give either.
    wide = x.astype(np.float64 if element in base.FLOATS else base.NUMPY[element])
    cases = []
    for kind, dim in itertools.product(SCANS, range(3)):
        expected = scan(kind, wide, dim)
        if element in ("f16", "bf16"):
            expected = base.round_array(expected, element)
        is_exact = kind in ("max", "min") or element not in base.FLOATS
        tolerance = 0.0 if is_exact else {"f16": 2.0**-10, "bf16": 2.0**-7}.get(element, 1e-13)
        cases.append((f"scan <{kind}> %a dim {dim}", "???", element, expected, tolerance))
    run(cases, element, x)


def check_orders(element, x):
    cases = []
    for descending, dim in itertools.product((False, True), range(3)):
        word = "descending" if descending else ""
        cases.append((f"argsort %a dim {dim} {word}", "???", "i64", argsort(x, dim, descending), 0.0))
        for k in (0, 1, 3, 7):
            sizes = [str(k) if d == dim else "?" for d in range(3)]
            expected = argtopk(x, dim, descending, k)
            cases.append((f"argtopk {k} %a dim {dim} {word}", sizes, "i64", expected, 0.0))
    run(cases, element, x)


def main():
    base.fuser_run = sys.argv[1]
    random = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as temporary:
        base.folder = Path(temporary)
        for shape in SHAPES:
            for element in base.NUMBERS:
                check_scans(element, make_values(element, shape, random))
            for element in (*base.NUMBERS, "i1"):
                check_orders(element, make_values(element, shape, random))
    print(f"{base.num_runs} programs right")


if __name__ == "__main__":
    main()
