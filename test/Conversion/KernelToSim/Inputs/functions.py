# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions with NumPy's.

functions.py make X.npy               writes 4096 numbers of f64 of all sizes
functions.py check NAME X.npy Y.npy   prints how many of Y are not NAME of X, within four units in the last place
"""

import sys

import numpy as np

COUNT = 4096


def make(file):
    random = np.random.default_rng(1)
    x = np.ldexp(random.random(COUNT) + 1, random.integers(-60, 1023, COUNT)) * random.choice([-1.0, 1.0], COUNT)
    x[1::4] = random.random(COUNT // 4) * 8 - 4
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 5e-324, 1e22]
    np.save(file, x)


def check(name, numbers, results):
    x, y = np.load(numbers), np.load(results)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x.astype(y.dtype))
        isRight = np.isnan(y) & np.isnan(expected) | (y == expected)
        isRight |= np.abs(y - expected) <= 4 * np.spacing(np.abs(expected))
    print(f"{name}: {COUNT - isRight.sum()} of {COUNT} wrong")


{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
