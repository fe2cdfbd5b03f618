# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of each family on arrays of any shape, strides and element type, against NumPy.

Numbers are small integers, so that results are exact in every type and in any order of a sum.
"""

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*overflow.*")
FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMBERS = FLOATS + INTEGERS
# The same examples each time: a failure is one of the code, and not of the day.
settings.register_profile(
    "fuser", max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
settings.load_profile("fuser")

sizes = st.sampled_from([0, 1, 2, 3, 5, 8, 17, 33])


@st.composite
def views(draw, dtypes, rank=None, shape=None):
    """A view of a larger array: dimensions in any order in memory, with steps, expanded, or from an odd element on."""
    dtype = draw(st.sampled_from(dtypes))
    if shape is None:
        count = draw(st.integers(0, 4)) if rank is None else rank
        shape = draw(st.lists(sizes, min_size=count, max_size=count))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3])) for _ in shape]
    offset = draw(st.sampled_from([0, 0, 1, 3]))
    expanded = [size > 1 and draw(st.sampled_from([False, False, False, True])) for size in shape]
    stored = [1 if each else size * step for size, step, each in zip(shape, steps, expanded)]
    inside = [stored[dim] for dim in order]
    count = int(np.prod(inside, dtype=int))
    low = 0 if np.dtype(dtype).kind == "u" else -4
    numbers = np.random.default_rng(draw(st.integers(0, 99))).integers(low, 5, count + offset)
    view = numbers.astype(dtype)[offset:].reshape(inside).transpose(np.argsort(order))
    view = view[tuple(slice(None, None, 1 if each else step) for step, each in zip(steps, expanded))]
    return np.broadcast_to(view, shape)


def check(function, expected, *arrays, **options):
    """Of `function`, of fuser.numpy, what NumPy makes of the arrays; the element type, too."""
    (result,) = (fuser.jit(lambda *each: function(*each, **options))(*arrays),)
    assert type(result) is np.ndarray and result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@st.composite
def broadcast_pairs(draw):
    """Two arrays of one type, each with some dimensions of size 1 or none in front."""
    shape = draw(st.lists(sizes, max_size=4))
    dtype = draw(st.sampled_from(NUMBERS))
    pair = []
    for _ in range(2):
        kept = shape[draw(st.integers(0, len(shape))) :]
        kept = [1 if draw(st.booleans()) and size != 0 else size for size in kept]
        pair.append(draw(views([dtype], shape=kept)))
    return pair


@given(broadcast_pairs())
def test_elementwise(pair):
    x, y = pair
    expected = np.where(x < y, x * y + x, np.maximum(x, y) - y)
    check(lambda a, b: fnp.where(a < b, a * b + a, fnp.maximum(a, b) - b), expected, x, y)


@given(views(NUMBERS), st.data())
def test_reductions(x, data):
    axes = tuple(data.draw(st.lists(st.sampled_from(range(x.ndim)), unique=True, min_size=1))) if x.ndim else ()
    keepdims = data.draw(st.booleans())
    kind = x.dtype.kind
    expected = x.sum(axes, keepdims=keepdims, dtype=np.int64 if kind in "iu" else x.dtype)
    check(lambda a: fnp.sum(a, axis=axes, keepdims=keepdims), np.asarray(expected), x)
    if x.size:
        check(lambda a: fnp.max(a, axis=axes, keepdims=keepdims), np.asarray(x.max(axes, keepdims=keepdims)), x)


@given(views(NUMBERS), st.data())
def test_index_maps(x, data):
    order = data.draw(st.permutations(range(x.ndim)))
    flipped = data.draw(st.lists(st.sampled_from(range(x.ndim)), unique=True)) if x.ndim else []
    expected = np.flip(x, flipped).transpose(order).reshape(-1)
    check(lambda a: fnp.reshape(fnp.permute_dims(fnp.flip(a, flipped) if flipped else a, order), (-1,)), expected, x)


@given(views(NUMBERS, rank=2), st.data())
def test_slices_and_cat(x, data):
    def bounds(size):
        begin = data.draw(st.integers(0, size))
        return slice(begin, data.draw(st.integers(begin, size)), data.draw(st.integers(1, 3)))

    rows, columns = map(bounds, x.shape)
    expected = np.concatenate([x[rows], x], 0)[:, columns]
    check(lambda a: fnp.concat([a[rows], a], axis=0)[:, columns], expected, x)


@given(views(FLOATS + ["int32", "int64"]).filter(lambda x: x.ndim), st.data())
def test_scans_and_sorts(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    check(lambda a: fnp.cumsum(a, axis=axis), np.cumsum(x, axis, dtype=np.int64 if x.dtype.kind == "i" else x.dtype), x)
    check(lambda a: fnp.sort(a, axis=axis), np.sort(x, axis), x)
    check(lambda a: fnp.argsort(a, axis=axis), np.argsort(x, axis, kind="stable"), x)


@given(views(NUMBERS).filter(lambda x: x.ndim), st.data())
def test_takes(x, data):
    axis = data.draw(st.integers(0, x.ndim - 1))
    most = x.shape[axis] if x.size else 0
    indices = np.asarray(data.draw(st.lists(st.integers(0, most - 1), max_size=7)) if most else [], np.int64)
    check(lambda a, i: fnp.take(a, i, axis=axis), np.take(x, indices, axis), x, indices)


@given(st.data(), sizes, sizes, sizes)
def test_products(data, rows, inner, columns):
    dtype = data.draw(st.sampled_from(FLOATS))
    a, b = data.draw(views([dtype], shape=[rows, inner])), data.draw(views([dtype], shape=[inner, columns]))
    check(fnp.matmul, a @ b, a, b)
