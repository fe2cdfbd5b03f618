# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the program of the tutorial in Python, and one with nvFuser's names."""

import fuser
import numpy as np

b = fuser.Builder("center")
x = b.input((None, 512), "float32", name="x")  # None: any number of rows.
w = b.input((512,), "float32", name="w")
mean = x.mean(axis=1, keepdims=True)
b.output((x - mean) * w, name="y")
b.output(mean.squeeze(1), name="mean")
print(b.text())

center = b.compile()  # or b.compile("cuda")
random = np.random.default_rng(0)
array, weight = random.standard_normal((7, 512), np.float32), random.standard_normal(512, np.float32)
y, mean = center(array, weight)
np.testing.assert_allclose(y, (array - array.mean(1, keepdims=True)) * weight, atol=1e-5)
