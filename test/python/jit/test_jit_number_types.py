# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of NumPy's numbers with Python's and with each other have NumPy's types."""

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SIGNED, UNSIGNED = (np.int8, np.int16, np.int32, np.int64), (np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (np.float16, np.float32, np.float64)
TYPES = (*SIGNED, *UNSIGNED, np.bool_, *FLOATS)
OF_INTEGERS = (
    lambda k: k << 1,
    lambda k: k >> 1,
    lambda k: k & 1,
    lambda k: k | 1,
    lambda k: k ^ 1,
    lambda k: 1 << k,
)
OF_ALL = (
    lambda k: k + 1,
    lambda k: 7 - k,
    lambda k: k * 3,
    lambda k: k // 2,
    lambda k: k % 2,
    lambda k: k**2,
    lambda k: k + True,
    lambda k: k * 2.5,
    lambda k: k * k,
    lambda k: (k + 1) * 2 + k,
    lambda k: (k + 1) * 2.5,
    np.square,
    lambda k: np.minimum(k, 2),
    lambda k: np.maximum(2, k),
    lambda k: np.clip(k, 0, 2),
)


def check(result, expected):
    assert [each.dtype for each in result] == [each.dtype for each in expected]
    for each, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(each.astype(np.float64), other.astype(np.float64), rtol=2e-3)


@pytest.mark.parametrize("kind", TYPES)
def test_beside_numbers_of_python(kind):
    expressions = OF_ALL + (() if kind in FLOATS else OF_INTEGERS)
    function = fuser.jit(lambda k: [each(k) for each in expressions])
    for number in (1, 3, 100):
        check(function(kind(number)), [each(kind(number)) for each in expressions])
    assert function.num_programs == 1


@pytest.mark.parametrize("kind", TYPES)
def test_beside_each_other(kind):
    numbers = [other(2) for other in TYPES]

    def apply(k, numbers):
        return [each for other in numbers for each in (k + other, k * other, np.minimum(k, other))]

    check(fuser.jit(apply)(kind(3), numbers), apply(kind(3), numbers))


def expect_array(array, number):
    """NumPy's type, where it is not PyTorch's: floats of numbers have the type of an array of floats, and give theirs to integers; uint64 stays uint64."""
    if array.dtype.kind == "f":
        return array.dtype
    if number.dtype.kind == "f":
        return number.dtype
    result = np.result_type(array.dtype, number.dtype)
    return result if result.kind != "f" else np.dtype(np.uint64 if array.dtype == np.uint64 else array.dtype)


@pytest.mark.parametrize("kind", TYPES)
def test_beside_arrays(kind):
    # Of a number of uint64 beside arrays with a sign there is no common type of integers.
    arrays = [np.array([100, 1], other) for other in TYPES if kind is not np.uint64 or other not in SIGNED]

    def apply(arrays, k):
        return [each for array in arrays for each in (array * (k + 1), array + (k * 2))]

    for number in (3, 30):
        expected = apply(arrays, kind(number))
        types = [expect_array(array, each) for array in arrays for each in (kind(number) + 1, kind(number) * 2)]
        check(
            fuser.jit(apply)(arrays, kind(number)),
            [each.astype(dtype) for each, dtype in zip(expected, types, strict=True)],
        )


def test_lowest_bits():
    function = fuser.jit(lambda a, k: a * (k + 1))
    result = function(np.array([100], np.int8), np.int8(3))
    assert result.dtype == np.int8 and result.tolist() == [-112]


def test_booleans():
    """Of booleans NumPy has the shortest integers of what is no op of booleans."""
    expressions = (lambda k: k // k, lambda k: k**k, lambda k: k << k, lambda k: k * k)
    check(
        fuser.jit(lambda k: [each(k) for each in expressions])(np.bool_(1)), [each(np.bool_(1)) for each in expressions]
    )


def test_numbers_that_the_type_does_not_hold():
    with pytest.raises(OverflowError, match="add: expected an integer that int8 holds, from -128 to 127, got 300"):
        fuser.jit(lambda k: k + 300)(np.int8(3))
    assert fuser.jit(lambda k: k < 300)(np.int8(3))
    function = fuser.jit(lambda x, k: k + x.shape[0])
    assert function(np.ones(100), np.int8(3)).dtype == np.int8
    with pytest.raises(fuser.Error, match="300"):
        function(np.ones(300), np.int8(3))


def test_sizes_and_indices_of_narrow_numbers():
    """A size that a number of 32 bits is a part of is one; an index counts from the end of any size."""
    x = np.arange(300.0)
    assert fuser.jit(lambda x, k: fnp.zeros(x.shape[0] * k))(x, np.int32(2)).shape == (600,)
    assert fuser.jit(lambda x, k: fnp.zeros(k + 1))(x, np.int8(2)).shape == (3,)
    for number in (np.int8(-1), np.int16(-2), np.int32(-3)):
        assert fuser.jit(lambda x, k: x[k])(x, number) == x[number]


def test_numbers_beside_the_arguments():
    scale = np.int8(3)
    result = fuser.jit(lambda a: a * (scale + a.shape[0]))(np.array([100, 1], np.int8))
    assert result.dtype == np.int8 and result.tolist() == [-12, 5]


SUMS = (
    np.sum,
    np.prod,
    np.cumsum,
    np.cumprod,
    lambda x: x.sum(),
    lambda x: x.cumsum(0),
    lambda x: np.trace(x[:, None]),
)


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED, np.bool_])
def test_sums_of_integers(dtype):
    """Without a sign they are uint64."""
    x = np.array([np.iinfo(dtype).max if dtype != np.bool_ else True, 0, 1]).astype(dtype)
    check(fuser.jit(lambda x: [each(x) for each in SUMS])(x), [each(x) for each in SUMS])
    assert fuser.jit(lambda x: fnp.sum(x, dtype="int32"))(x).dtype == np.int32
    assert fuser.jit(lambda x: fnp.max(x))(x).dtype == dtype


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_deviations_of_great_integers(dtype):
    """Those of 32 bits or more are computed in float64."""
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max] * 500, dtype)
    near = (np.array(info.max, dtype) - np.arange(100, dtype=dtype)).astype(dtype)
    for x in (ends, near) if np.dtype(dtype).itemsize < 8 else (ends, near[::10] // 2**20):
        for function in (np.var, np.std, np.nanvar, np.nanstd, lambda x: x.var(ddof=1)):
            result, expected = fuser.jit(function)(x), function(x)
            assert result.dtype == np.float32
            np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize("kind", SIGNED + UNSIGNED)
def test_arrays_of_integers_become_float32(kind):
    """In functions, quotients and means, where NumPy's of 32 and 64 bits become float64."""
    x = np.arange(1, 5).astype(kind)
    for function in (
        lambda x: x / 2,
        lambda x: x / x,
        np.sqrt,
        lambda x: x.mean(),
        lambda x: x.var(),
        lambda x: x + 0.5,
    ):
        result = fuser.jit(function)(x)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, function(x), rtol=1e-3)
    for function in (
        lambda x: x / np.float64(2),
        lambda x: x.mean(dtype=np.float64),
        lambda x: x.astype(np.float64) / 2,
    ):
        check([np.asarray(fuser.jit(function)(x))], [np.asarray(function(x))])
