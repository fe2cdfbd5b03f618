# ===- numpy_reductions.py - Reductions in the reference against NumPy ----===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Products, any, all and positions, with what numpy_check.py has. Usage: numpy_reductions.py FUSER_RUN"""

import itertools
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy_check as base

DIMS = ([], [0], [1], [2], [0, 2], [1, 2], [0, 1, 2])


def merge(x, dims, keep):
    """The array with `dims` as one last dimension, and the shape of what is reduced."""
    kept = [d for d in range(x.ndim) if d not in dims]
    shape = [1 if d in dims else x.shape[d] for d in range(x.ndim) if keep or d not in dims]
    count = math.prod(x.shape[d] for d in dims)
    return np.transpose(x, kept + list(dims)).reshape([x.shape[d] for d in kept] + [count]), shape


def find(name, x, dims, keep):
    """NumPy's argmax takes the first NaN, too, and so does its argmin."""
    rows, shape = merge(x, dims, keep)
    if rows.shape[-1] == 0:
        return np.full(shape, -1)
    return getattr(np, name)(rows, axis=-1).reshape(shape)


def reduce(name, x, dims, keep):
    with np.errstate(all="ignore"):
        options = {"dtype": x.dtype} if name == "prod" else {}
        return getattr(np, name)(x, axis=tuple(dims), keepdims=keep, **options)


def check(ops, element, x, expect, result, tolerance=0.0):
    """`ops`: the text of each op by its name."""
    cases = list(itertools.product(ops, DIMS, (True, False)))
    lines, results = [], []
    for number, (name, dims, keep) in enumerate(cases):
        sizes = ["1" if keep and d in dims else "?" for d in range(3) if keep or d not in dims]
        target = base.tensor(sizes, result)
        results.append((f"r{number}", target))
        kind = base.tensor("???", element)
        lines.append(f"%r{number} = fusion.{ops[name]} %a dims {dims} {'keep' if keep else ''} : {kind} to {target}")
    got = base.run(base.func([("a", base.tensor("???", element))], lines, results), [(element, x)], len(cases))
    for value, (name, dims, keep) in zip(got, cases, strict=True):
        what = f"{name} {element} {x.shape} {dims}"
        expected = expect(name, x, dims, keep)
        if base.is_narrow(result):
            expected = base.round_array(expected, result)
        base.compare(value, expected, what, tolerance)


def main():
    base.fuser_run = sys.argv[1]
    random = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as temporary:
        base.folder = Path(temporary)
        for shape in ((3, 4, 5), (2, 0, 5)):
            for element in base.NUMBERS:
                # Few values: most are equal to others.
                x = base.make(element, np.round(random.normal(0, 2, shape)))
                if element in base.FLOATS and x.size:
                    x[0, 1, 2] = -0.0
                    x[1, 2, 3], x[1, 3, 1], x[2, 0, 0], x[2, 1, 1] = math.nan, math.nan, math.inf, -math.inf
                    x = base.make(element, x)
                check({"argmax": "argmax", "argmin": "argmin"}, element, x, find, "i64")
                wide = np.float64 if element in base.FLOATS else base.NUMPY[element]
                tolerance = 1e-13 if element in base.FLOATS else 0.0
                if base.is_narrow(element):
                    tolerance = 2.0 ** -base.FORMATS[element][0]
                check({"prod": "reduce <prod>"}, element, x.astype(wide), reduce, element, tolerance)
            for share in (0.1, 0.9):
                x = random.random(shape) < share
                check({"any": "reduce <any>", "all": "reduce <all>"}, "i1", x, reduce, "i1")
    print(f"{base.num_runs} programs right")


if __name__ == "__main__":
    main()
