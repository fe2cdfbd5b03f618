# ===- check.py - What square_scale_shift gives ----------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""check.py X.npy Y.npy: y is x * x * 3 + 1, as f32 with one rounding of the product and the sum together."""

import sys

import numpy

x, y = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
square = (x * x).astype(numpy.float64)
numpy.testing.assert_array_equal(y, (square * 3 + 1).astype(numpy.float32))
if x.shape != (1000,) or not numpy.any(x):
    sys.exit(f"expected 1000 numbers, got {x}")
