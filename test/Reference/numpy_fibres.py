# ===- numpy_fibres.py - Scans and sorts in the reference against NumPy ---===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Scans, argsort, argtopk and scatters, with what numpy_check.py has. Usage: numpy_fibres.py FUSER_RUN"""

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
        return SCANS[kind].accumulate(x, axis=dim, dtype=x.dtype) if x.size else x


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
        x = base.make(element, x)
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
        if base.is_narrow(element):
            expected = base.round_array(expected, element)
        is_exact = kind in ("max", "min") or element not in base.FLOATS
        tolerance = 0.0 if is_exact else 2.0 ** -base.FORMATS[element][0] if base.is_narrow(element) else 1e-13
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


COMBINE = {"": lambda old, new: new, "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def scatter(combine, x, indices, updates, dim):
    """One update after the other; `indices` are of one dimension, or of as many as x has."""
    result = x.copy()
    for at in np.ndindex(updates.shape):
        number = indices[at[dim]] if indices.ndim == 1 and x.ndim > 1 else indices[at]
        if 0 <= number < x.shape[dim]:
            to = (*at[:dim], int(number), *at[dim + 1 :])
            with np.errstate(all="ignore"):
                result[to] = COMBINE[combine](result[to], updates[at])
    return result


def check_scatters(element, x, random):
    if 0 in x.shape:
        return
    x = x + x.dtype.type(0)  # As for scans.
    narrow = base.is_narrow(element)
    kinds = [c for c in COMBINE if c not in ("sum", "prod") or not narrow] if element != "i1" else [""]
    for dim, count in ((0, 7), (1, 0), (2, 11)):
        name = ("i32", "i64")[dim % 2]
        shape = [count if d == dim else size for d, size in enumerate(x.shape)]
        updates = make_values(element, shape, random) + x.dtype.type(0)
        for op, sizes in (("scatter", [count]), ("scatter_along_axis", shape)):
            # Of all there are, and some that are none, most of them several times.
            indices = random.integers(-2, x.shape[dim] + 1, sizes).astype(np.int64 if name == "i64" else np.int32)
            types = [base.tensor("???", element), base.tensor("?" * len(sizes), name), base.tensor("???", element)]
            lines, results = [], []
            for combine in kinds:
                results.append((f"r{combine}", types[0]))
                word = f"combine <{combine}>" if combine else ""
                lines.append(f"%r{combine} = fusion.{op} %a, %i, %u dim {dim} {word} : {', '.join(types)}")
            source = base.func(list(zip("aiu", types, strict=True)), lines, results)
            got = base.run(source, [(element, x), (name, indices), (element, updates)], len(kinds))
            wide = x.astype(np.float64) if element in base.FLOATS else x
            for value, combine in zip(got, kinds, strict=True):
                expected = scatter(combine, wide, indices, updates.astype(wide.dtype), dim)
                tolerance = 1e-13 if combine in ("sum", "prod") and element in base.FLOATS else 0.0
                base.compare(value, expected, f"{op} {combine} {element} {x.shape} {dim}", tolerance)


def check_sizes():
    """Sizes that differ are an error, and no access to what is not there."""
    x, i, u = "tensor<?x?xf32>", "tensor<?xi64>", "tensor<?x?xf32>"
    line = f"%r = fusion.scatter %x, %i, %u dim 0 combine <sum> : {x}, {i}, {u}"
    source = base.func([("x", x), ("i", i), ("u", u)], [line], [("r", x)])
    for rows, width in ((2, 5), (4, 5), (3, 4), (3, 6)):
        inputs = [("f32", np.zeros((9, 5))), ("i64", np.zeros(3)), ("f32", np.zeros((rows, width)))]
        base.fail_run(source, inputs, "expected sizes that agree at run time")


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
                check_scatters(element, make_values(element, shape, random), random)
        check_sizes()
    print(f"{base.num_runs} programs right")


if __name__ == "__main__":
    main()
