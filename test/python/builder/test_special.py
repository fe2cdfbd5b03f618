# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python of zeros, booleans, large integers and complex constants, against NumPy."""

import fuser
import ml_dtypes
import numpy as np
import pytest
from test_builder import run

#: Functions that keep the sign of a zero.
ODD = "neg sin tan asin atan sinh tanh asinh atanh erf expm1 log1p sqrt ceil floor trunc round silu copy".split()


@pytest.mark.parametrize("target", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_functions_of_zeros(dtype, target):
    """In vectors and behind the last one."""
    x = np.repeat(np.array([-0.0, 0.0], dtype), 35)

    def build(b, x):
        return tuple(getattr(b, {"neg": "negative"}.get(name, name))(x) for name in ODD)

    for name, result in zip(ODD, run(build, x, target=target), strict=True):
        np.testing.assert_array_equal(np.signbit(result), np.signbit(-x if name == "neg" else x), name)


@pytest.mark.parametrize("name", "add multiply maximum minimum fmax fmin".split())
def test_booleans(name):
    x, y = np.array([[False], [True]]), np.array([False, True])
    got, scalar = run(lambda b, x, y: (getattr(b, name)(x, y), getattr(b, name)(x, True)), x, y)
    np.testing.assert_array_equal(got, getattr(np, name)(x, y))
    np.testing.assert_array_equal(scalar, getattr(np, name)(x, True))
    assert got.dtype == scalar.dtype == bool


def test_sign_of_booleans():
    x = np.array([False, True])
    np.testing.assert_array_equal(run(lambda b, x: b.sign(x), x), x)


def test_large_integers_are_not_made_floats():
    x = np.array([2**53 + 1, -(2**53) - 1])
    got = run(lambda b, x: (b.fmax(x, x - 1), b.fmin(x, x + 1)), x)
    np.testing.assert_array_equal(got, [x, x])


@pytest.mark.parametrize("values", [[1, 2, -3], [0.5, 2.5, -1.0], [1 + 2j, 3, -0.5j]])
def test_complex_constants(values):
    x = np.zeros(3, np.complex64)
    got = run(lambda b, x: x + b.constant(values, (3,), "complex64"), x)
    np.testing.assert_array_equal(got, np.array(values, np.complex64))


@pytest.mark.parametrize("name", ["erfinv", "erfcinv"])
def test_inverse_errors_are_of_no_complex_numbers(name):
    with pytest.raises(fuser.Error, match="expected a tensor of numbers that are not complex"):
        run(lambda b, x: getattr(b, name)(x), np.zeros(3, np.complex64))
