# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python that scan, sort and scatter, against NumPy."""

import fuser
import numpy as np
import pytest
from test_builder import random, run

RNG = np.random.default_rng(1)
SCANS = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}
COMBINE = {None: lambda old, new: new, "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def check(build, expected, *arrays, opened=True):
    """The program gives what is expected, bit by bit, in its type and shape."""
    got = run(build, *arrays, opened=opened)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape


def part(build, number):
    """Of a program with two results one."""
    return lambda b, *values: build(b, *values)[number]


# Scans


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.bool_])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans(name, dtype, axis):
    x = RNG.integers(0, 3, (4, 5, 6)).astype(dtype)
    grows = name in ("cumsum", "cumprod") and not np.issubdtype(dtype, np.floating)
    result = np.int64 if grows else dtype
    expected = SCANS[name].accumulate(x.astype(result), axis=axis)
    check(lambda b, x: getattr(b, name)(x, axis), expected, x)


def test_scans_of_narrow_floats_round_once():
    x = np.full((1, 4000), 1 / 3, np.float16)
    expected = np.cumsum(x.astype(np.float32), 1).astype(np.float16)
    check(lambda b, x: x.cumsum(1), expected, x)


def test_scans_in_another_type():
    n = RNG.integers(-3, 4, (3, 5)).astype(np.int32)
    check(lambda b, n: n.cumsum(0, "int32"), np.cumsum(n, 0, np.int32), n)
    check(lambda b, n: n.cumprod(1, "float32"), np.cumprod(n, 1, np.float32), n)


def test_scans_of_nothing_of_one_and_of_rank_0():
    for shape in ((0, 3), (3, 0), (1, 1)):
        x = random(*shape)
        check(lambda b, x: x.cumsum(1), np.cumsum(x, 1), x)
    x = np.asarray(np.float32(2.5))
    check(lambda b, x: x.cumsum(0), x, x)
    check(lambda b, x: x.argsort(), np.asarray(0), x)
    check(part(lambda b, x: b.topk(x, 1), 0), x, x)


# Sorts


def descending_order(x, axis):
    """NumPy has NaN last, and equal ones in their order, which stays when all is turned round twice."""
    return np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.bool_])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("descending", [False, True])
def test_sorts(dtype, axis, descending):
    x = RNG.integers(0, 6, (7, 3, 40)).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        x.reshape(-1)[::9], x.reshape(-1)[1::9] = np.nan, -0.0
        x[0, 0, :4] = np.inf, -np.inf, np.nan, np.inf
    order = descending_order(x, axis) if descending else np.argsort(x, axis, kind="stable")
    check(lambda b, x: b.argsort(x, axis, descending), order, x)
    check(part(lambda b, x: b.sort(x, axis, descending), 0), np.take_along_axis(x, order, axis), x)
    check(part(lambda b, x: b.sort(x, axis, descending), 1), order, x)
    for k in (0, 1, 3):
        first = np.take(order, range(k), axis)
        check(part(lambda b, x, k=k: b.topk(x, k, axis, descending), 1), first, x)
        check(part(lambda b, x, k=k: b.topk(x, k, axis, descending), 0), np.take_along_axis(x, first, axis), x)


LONG_DTYPES = [np.float64, np.float32, np.float16, np.bool_, np.int8, np.uint16, np.int32, np.uint64]


@pytest.mark.parametrize("dtype", LONG_DTYPES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", [32, 33, 129, 257, 5001])
def test_sorts_of_any_length(dtype, descending, length):
    """Lengths about those from which on a CPU sorts in another way, and all bits of all types; rows and columns, more than there are work items."""
    bits = RNG.integers(0, 256, (length, 67, np.dtype(dtype).itemsize), np.uint8)
    x = (bits[..., 0] & 1).astype(bool) if dtype is np.bool_ else bits.view(dtype)[..., 0]
    x[length // 2 :, ::2] = x[: length - length // 2, ::2]
    for axis, rows in enumerate((x, np.ascontiguousarray(x.T[:3]))):
        order = descending_order(rows, axis) if descending else np.argsort(rows, axis, kind="stable")
        check(lambda b, x, axis=axis: b.argsort(x, axis, descending), order, rows, opened=axis == 0)
        for k in (1, length // 8):
            first = np.take(order, range(k), axis)
            topk = part(lambda b, x, k=k, axis=axis: b.topk(x, k, axis, descending), 1)
            check(topk, first, rows, opened=axis == 1)


def test_topk_of_less_than_k():
    x = random(2, 3)
    with pytest.raises(fuser.Error, match="'topk': expected at least 5 elements in dimension 1, got 3"):
        run(lambda b, x: b.topk(x, 5, 1, largest=False)[1], x)
    with pytest.raises(fuser.Error, match="expected k to be at most the size 3 of dimension 1, got 5"):
        run(lambda b, x: b.topk(x, 5)[0], x, opened=False)
    with pytest.raises(fuser.Error, match="'topk': expected at least 0 as 'k', got -1"):
        run(lambda b, x: b.topk(x, -1)[0], x)


# Scatters


def scatter(x, indices, updates, axis, combine):
    result = x.copy()
    for at in np.ndindex(indices.shape):
        if 0 <= indices[at] < x.shape[axis]:
            to = (*at[:axis], indices[at], *at[axis + 1 :])
            result[to] = COMBINE[combine](result[to], updates[at])
    return result


@pytest.mark.parametrize("combine", COMBINE)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("axis", [0, 1])
def test_scatters(combine, dtype, axis):
    x, updates = (RNG.integers(-3, 4, shape).astype(dtype) for shape in ((5, 6), (5, 6)))
    indices = RNG.integers(-1, 6, (5, 6)).astype(np.int32)
    expected = scatter(x, indices, updates, axis, combine)
    check(lambda b, x, i, u: b.scatter(x, i, u, axis, combine), expected, x, indices, updates)
    # Fewer indices than elements, and more that could be written.
    indices = indices[:3, :4]
    expected = scatter(x, indices, updates, axis, combine)
    check(lambda b, x, i, u: b.scatter(x, i, u, axis, combine), expected, x, indices, updates, opened=False)
    expected = scatter(x, indices, np.full_like(updates, 2), axis, combine)
    check(lambda b, x, i: b.scatter(x, i, 2, axis, combine), expected, x, indices, opened=False)


def test_scatters_of_narrow_floats_round_once():
    x, updates = np.ones(3, np.float16), np.full(2000, 1 / 3, np.float16)
    indices = np.zeros(2000, np.int64)
    total = np.cumsum(np.concatenate([x[:1], updates]).astype(np.float32))[-1]
    expected = np.array([total, 1, 1], np.float16)
    check(lambda b, x, i, u: b.index_add(x, i, u), expected, x, indices, updates)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_index_copy_and_add(axis):
    x = RNG.integers(-3, 4, (4, 5, 6)).astype(np.float32)
    indices = np.array([2, 0, 2, 9, -1, 3])
    shape = list(x.shape)
    shape[axis] = 6
    updates = RNG.integers(-3, 4, shape).astype(np.float32)
    copied, added = x.copy(), x.copy()
    for number, index in enumerate(indices):
        if 0 <= index < x.shape[axis]:
            to = (slice(None),) * (axis % 3) + (index,)
            copied[to] = np.take(updates, number, axis)
            added[to] += np.take(updates, number, axis)
    check(lambda b, x, i, u: b.index_copy(x, i, u, axis), copied, x, indices, updates)
    check(lambda b, x, i, u: b.index_add(x, i, u, axis), added, x, indices, updates)
    check(lambda b, x, i: b.index_copy(x, i, 7.0, 0), np.full_like(x, 7), x, np.arange(4))


def test_wrong_scatters():
    x, i = random(4, 5), np.zeros((4, 5), np.int64)
    with pytest.raises(fuser.Error, match="'scatter': expected 'sum', 'prod', 'max' or 'min' as 'combine', got 'add'"):
        run(lambda b, x, i: b.scatter(x, i, x, reduce="add"), x, i)
    with pytest.raises(fuser.Error, match="'scatter': expected integers as indices, got"):
        run(lambda b, x: b.scatter(x, x, x), x)
    with pytest.raises(fuser.Error, match="'index_add': expected indices of at most one dimension"):
        run(lambda b, x, i: b.index_add(x, i, x), x, i)
    with pytest.raises(fuser.Error, match="'scatter': expected elements to write, got none"):
        run(lambda b, x, i: b._program.op("scatter", (x, i), {"dim": 0}), x, i)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_long_sums_keep_their_digits(target):
    """Added one by one in f32, these would be 0.07 % off."""
    x = np.full((1, 100000), 0.1, np.float32)
    b = fuser.Builder()
    b.output(b.cumsum(b.input(x.shape, "float32"), 1))
    b.output(b.cumprod(b.input((1, 5000), "float32"), 1))
    factors = np.random.default_rng(0).uniform(0.99, 1.01, (1, 5000)).astype(np.float32)
    sums, products = (np.asarray(each) for each in b.compile(target)(x, factors))
    np.testing.assert_allclose(sums, np.cumsum(x.astype(np.float64), 1), rtol=1e-6)
    np.testing.assert_allclose(
        products, np.cumprod(factors.astype(np.float64), 1), rtol=1e-6 if target == "cpu" else 1e-5
    )
