# ===- tensor_map.py - What kernels give that load through tensor maps -----===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""tensor_map.py input-f32|input-bf16 X.npy: writes an input.
tensor_map.py transpose|transpose-8 X.npy FIRST.npy AGAIN.npy PART.npy, or widen X.npy Y.npy: checks results."""

import sys

import numpy


def padded(x, shape, fill):
    """x in the corner of an array of this shape."""
    result = numpy.full(shape, fill, x.dtype)
    result[: x.shape[0], : x.shape[1]] = x
    return result


def write_input(what, path):
    if what == "input-f32":
        numpy.save(path, numpy.arange(1, 37 * 53 + 1, dtype=numpy.float32).reshape(37, 53))
    else:
        # The upper halves of floats, none of them NaN.
        numbers = numpy.random.default_rng(1).standard_normal((37, 72)).astype(numpy.float32)
        numpy.save(path, (numbers.view(numpy.uint32) >> 16).astype(numpy.uint16))


def check_transpose(cut, x, first, again, part):
    expected = padded(x.T, (64, 64), 0)
    numpy.testing.assert_array_equal(first, expected)
    numpy.testing.assert_array_equal(again, expected)
    numpy.testing.assert_array_equal(part, padded(x[:, cut : 53 - cut].T, (64, 64), 0))


def check_widen(x, y):
    wide = (x.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    numpy.testing.assert_array_equal(y, padded(wide, (64, 128), numpy.nan))


def main():
    what, *paths = sys.argv[1:]
    if what.startswith("input-"):
        write_input(what, *paths)
    elif what == "widen":
        check_widen(*map(numpy.load, paths))
    else:
        check_transpose(8 if what == "transpose-8" else 4, *map(numpy.load, paths))


main()
