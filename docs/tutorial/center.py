# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the program of the tutorial with NumPy arrays."""

from pathlib import Path

import fuser
import numpy as np

center = fuser.compile(Path(__file__).with_name("center.mlir").read_text())

random = np.random.default_rng(0)
w = random.standard_normal(512, dtype=np.float32)
for rows in (1, 7, 1000):  # One executable for any number of rows.
    x = random.standard_normal((rows, 512), dtype=np.float32)
    y, mean = center(x, w)
    np.testing.assert_allclose(mean, x.mean(1), atol=1e-6)
    np.testing.assert_allclose(y, (x - x.mean(1, keepdims=True)) * w, atol=1e-5)

# Into memory of the caller, all of it or some.
out = np.empty_like(x)
y, mean = center(x, w, out=(out, None))
assert y is out

try:
    center(x, w[:511])
except fuser.Error as error:
    print(error)
