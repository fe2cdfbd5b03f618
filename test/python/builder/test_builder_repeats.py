# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python that repeat elements, have indices for several dimensions, deviations and random numbers, against NumPy."""

import fuser
import fuser.numpy as fnp
import ml_dtypes
import numpy as np
import pytest
from test_builder import random, run

RNG = np.random.default_rng(2)
opened = pytest.mark.parametrize("opened", [False, True])


def same(build, expected, *arrays, opened=True):
    got = run(build, *arrays, opened=opened)
    got = got if isinstance(got, tuple) else (got,)
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_array_equal(result, reference)
        assert result.dtype == reference.dtype and result.shape == reference.shape


# Repeats


@opened
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5), (0, 3), ()])
def test_tile_and_repeat(opened, shape):
    x = np.asarray(random(*shape))
    for counts in (2, (2, 3), (3, 1, 2), (2, 1, 1, 3), (0,)):
        same(lambda b, x, n=counts: b.tile(x, n), [np.tile(x, counts)], x, opened=opened)
    for axis in (None, *range(-len(shape), len(shape))):
        for count in (0, 1, 3):
            same(lambda b, x, n=count, a=axis: b.repeat(x, n, a), [np.repeat(x, count, axis)], x, opened=opened)


def test_eye():
    def build(b, x):
        return b.eye(3), b.eye(b.size(x, 0), 5, k=-1, dtype="int64"), b.eye(2, 4, k=9, dtype="bool"), b.eye(0, 3), x + 1

    x = random(4)
    expected = (np.eye(3, dtype=np.float32), np.eye(4, 5, -1, np.int64), np.eye(2, 4, 9, bool), np.eye(0, 3))
    same(build, (*expected[:3], expected[3].astype(np.float32), x + 1), x)


# Indices


@opened
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_index(opened, dtype):
    x = random(2, 3, 4)
    i, j = RNG.integers(0, 2, (5, 1)).astype(dtype), RNG.integers(0, 3, 6).astype(dtype)
    k = RNG.integers(0, 4, ()).astype(dtype)

    def build(b, x, i, j, k):
        apart = b.index(x, [i, k], (0, 2))
        return apart, b.index(x, [i]), b.index(x, [j], (1,)), b.index(x, [i, j]), b.index(x, [j, k], (1, -1))

    expected = (x[i, :, k], x[i], x[:, j], x[i, j], x[:, j, k])
    same(build, expected, x, i, j, k, opened=opened)


@opened
def test_index_put(opened):
    x, one = random(2, 3, 4), np.asarray(random())
    i, j, values = np.array([[0], [1], [0], [0], [1]]), np.array([2, 0]), random(5, 2, 4)

    def build(b, x, i, j, values, one):
        last = b.index_put(x, [j], one, (2,))
        return b.index_put(x, [i, j], values), b.index_put(x, [i], 7.0), last, b.index_put(x, [i], one, accumulate=True)

    put, filled, ones, added = x.copy(), x.copy(), x.copy(), x.copy()
    for place in np.ndindex(5, 2):
        put[i[place[0], 0], j[place[1]]] = values[place]
    filled[i], ones[:, :, j] = 7, one
    np.add.at(added, i, one)
    got = run(build, x, i, j, values, one, opened=opened)
    for result, expected in zip(got, (put, filled, ones, added), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_sums_at_places_of_half_types_are_rounded_once():
    x, i = np.zeros((4, 3), np.float16), RNG.integers(0, 4, 3000)
    values = RNG.uniform(0, 1, (3000, 3)).astype(np.float16)
    expected = np.zeros((4, 3))
    np.add.at(expected, i, values)
    got = run(lambda b, x, i, v: b.index_put(x, [i], v, accumulate=True), x, i, values)
    np.testing.assert_allclose(got, expected.astype(np.float16), rtol=1e-3)


def test_places_that_are_none():
    """Nothing is written, and NaN is read, where one of the indices is no element."""
    x = random(3, 4)
    i, j = np.array([0, 3, 2, -1]), np.array([1, 0, 4, 1])
    read, written = run(lambda b, x, i, j: (b.index(x, [i, j]), b.index_put(x, [i, j], 9.0)), x, i, j)
    np.testing.assert_array_equal(read, [x[0, 1], np.nan, np.nan, np.nan])
    expected = x.copy()
    expected[0, 1] = 9
    np.testing.assert_array_equal(written, expected)


def test_negative_indices_of_traced_functions():
    @fuser.jit
    def move(x, i, j):
        return fnp.index(x, [i, j]), fnp.index_put(x, [i], 0.0), fnp.embedding(i, x), fnp.tile(x, 2), np.repeat(x, 2, 1)

    x, i, j = random(3, 4), np.array([-1, 0]), np.array([3, -4])
    read, written, rows, tiled, repeated = move(x, i, j)
    np.testing.assert_array_equal(read, x[i, j])
    np.testing.assert_array_equal(written, [[0] * 4, x[1], [0] * 4])
    np.testing.assert_array_equal(rows, x[i])
    np.testing.assert_array_equal(tiled, np.tile(x, 2))
    np.testing.assert_array_equal(repeated, np.repeat(x, 2, 1))


@pytest.mark.parametrize("axes", [(1, 0), (0,), (0, 0)])
def test_axes_that_do_not_ascend(axes):
    b = fuser.Builder()
    x, i = b.input((3, 4)), b.input((2,), "int64")
    with pytest.raises(
        (ValueError, fuser.Error),
        match="(ascending dimensions as .dims.|an axis for each of the indices|each dimension once)",
    ):
        b.index(x, [i, i], axes)


# Deviations


@opened
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("correction", [0, 1, 2, 0.5, 1.75])
def test_deviations(opened, axis, keepdims, correction):
    x = random(3, 4, 5, dtype=np.float64) + 1000
    options = {"axis": axis, "keepdims": keepdims}

    def build(b, x):
        given = options | {"correction": correction}
        return (
            x.var(**given),
            b.std(x, **given),
            *b.var_mean(x, **given),
            *b.std_mean(x, **given),
            *b.welford(x, **options),
        )

    variance, mean = x.var(ddof=correction, **options), x.mean(**options)
    root, squares = variance**0.5, x.var(**options) * (x.size / mean.size)
    expected = (variance, root, variance, mean, root, mean, mean, squares, np.full(mean.shape, x.size // mean.size))
    for result, reference in zip(run(build, x, opened=opened), expected, strict=True):
        np.testing.assert_allclose(result, reference, rtol=1e-9)
        assert result.shape == reference.shape and result.dtype == reference.dtype


def test_deviations_of_other_types():
    n, half = RNG.integers(-5, 6, (4, 30)), (random(4, 300) + 60).astype(np.float16)
    got = run(lambda b, n, x: (*b.var_mean(n, 1), *b.std_mean(x, 1)), n, half)
    exact = half.astype(np.float64)
    for result, expected, dtype in zip(
        got,
        (n.var(1), n.mean(1), exact.std(1), exact.mean(1)),
        (np.float32, np.float32, np.float16, np.float16),
        strict=True,
    ):
        assert result.dtype == dtype
        np.testing.assert_allclose(result, expected.astype(dtype), rtol=1e-6)


def test_deviations_far_from_zero():
    """Differences from the mean are exact there; sums of squares would leave nothing."""
    x = (1e4 + random(3, 4096)).astype(np.float32)
    np.testing.assert_allclose(run(lambda b, x: b.var(x, 1), x), x.astype(np.float64).var(1), rtol=1e-5)


# Random numbers


def test_dropout():
    def build(b, x):
        y, mask = b.dropout(x, 0.25, 5, 1)
        return y, mask, b.uniform((b.size(x, 0), 40), 5, 1), *b.dropout(x, 0.0, 5), *b.dropout(x, 1.0, 5)

    x = random(500, 40)
    y, mask, numbers, whole, all_kept, nothing, none_kept = run(build, x)
    np.testing.assert_array_equal(mask, numbers < 0.75)
    np.testing.assert_array_equal(y, np.where(mask, x * np.float32(1 / 0.75), 0))
    np.testing.assert_array_equal(whole, x)
    assert abs(mask.mean() - 0.75) < 0.02 and all_kept.all() and not none_kept.any() and (nothing == 0).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_normal_numbers_are_the_same_everywhere(dtype):
    """On the simulator of GPUs as on the CPU, for f64 but for how exact functions are; and whatever the shape."""
    b = fuser.Builder()
    x = b.input((None,), dtype)
    for shape in ((b.size(x, 0), 3), (6003,)):
        b.output(b.normal(shape, 7, 2, dtype, (1, 2)))
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    given = np.ones(2001, dtype)
    (first, flat), (other, _) = b.compile()(given), b.compile("sim")(given)
    np.testing.assert_array_equal(first.ravel(), flat)
    if dtype == np.float64:
        np.testing.assert_allclose(first, other, rtol=np.finfo(dtype).eps * 8, atol=np.finfo(dtype).eps * 16)
    else:
        np.testing.assert_array_equal(first, other)
    assert first.dtype == dtype and np.isfinite(first).all() and len(np.unique(first)) > 25
