# ===- same_arrays.py - Compares .npy files --------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""same_arrays.py FIRST.npy OTHER.npy...: fails unless all have the same elements, whatever their memory order."""

import sys

import numpy as np

first, *others = (np.load(path) for path in sys.argv[1:])
for other in others:
    np.testing.assert_array_equal(first, other)
