# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes by indices have the property of property_base.py, also where an index is no element."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    BOOL,
    BROADCAST,
    FLOATS,
    INTEGERS,
    NARROW,
    Op,
    axis_of,
    check_ops,
    examples,
    has_dimension,
    like,
    split,
)
from test_builder_fibres import scatter

NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + NARROW + BOOL


def indices(draw, x, shape, axis):
    """Some of them are no elements: negative ones, and those behind the last one."""
    beyond = draw(st.sampled_from([0, 0, 1]))
    dtype = np.dtype(draw(st.sampled_from(["int32", "int64"])))
    return like(draw, x, shape, dtype, domain=(-beyond, max(x.shape[axis] - 1 + beyond, 0)))


def with_nothing(x, axis):
    """x and behind it what is read where an index is no element: NaN, the least integer, or False."""
    least = np.nan if x.dtype.kind == "f" else False if x.dtype.kind == "b" else np.iinfo(x.dtype).min
    shape = list(x.shape)
    shape[axis] = 1
    return np.concatenate([x, np.full(shape, least, x.dtype)], axis)


def inside(x, index, axis):
    """The index, or that of the part behind the last one."""
    return np.where((index >= 0) & (index < x.shape[axis]), index, x.shape[axis])


def take(x, axis, index):
    return np.take(with_nothing(x, axis), inside(x, index, axis), axis)


def take_along_axis(x, axis, index):
    return np.take_along_axis(with_nothing(x, axis), inside(x, index, axis), axis)


def gather(x, axis, index):
    """Of other dimensions the first elements."""
    return take_along_axis(
        x[tuple(slice(None if dim == axis % x.ndim else size) for dim, size in enumerate(index.shape))], axis, index
    )


def index(x, *places):
    """Nothing is read where one index is no element."""
    axes, places = places[0], places[1:]
    for axis in axes:
        x = with_nothing(x, axis)
    inner = [
        np.where((i >= 0) & (i < x.shape[axis] - 1), i, x.shape[axis] - 1) for axis, i in zip(axes, places, strict=True)
    ]
    keys = [slice(None)] * x.ndim
    for axis, place in zip(axes, inner, strict=True):
        keys[axis] = place
    return x[tuple(keys)]


def one_axis(draw, x, most=2):
    axis = axis_of(draw, x)
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=most)))
    return {"axis": axis, "index": indices(draw, x, shape, axis)}


def other_size(draw, x):
    """As many dimensions, of which one has another size."""
    axis = axis_of(draw, x)
    shape = list(x.shape)
    shape[axis] = draw(st.integers(0, 5))
    return {"axis": axis, "index": indices(draw, x, shape, axis)}


def fewer(draw, x):
    axis = axis_of(draw, x)
    shape = [draw(st.integers(0, size)) for size in x.shape]
    shape[axis] = draw(st.integers(0, 5))
    return {"axis": axis, "index": indices(draw, x, shape, axis)}


def two_axes(draw, x):
    axes = tuple(sorted(draw(st.lists(st.sampled_from(range(x.ndim)), unique=True, min_size=1, max_size=2))))
    size = draw(st.integers(0, 4))
    return {"axes": axes} | {
        f"index{n}": indices(draw, x, ((size,), (2, 1), ())[n], axis) for n, axis in enumerate(axes)
    }


READS = [
    Op("take", lambda b, x, axis, i: b.take(x, i, axis), take, ALL, one_axis, has_dimension, 0, is_total=True),
    Op("take all", lambda b, x, i: b.take(x, i), lambda x, i: take(x.reshape(-1), 0, i), ALL, lambda draw, x: {"index": indices(draw, x.reshape(-1), (3,), 0)}, has_dimension, 0, is_total=True),
    Op("index_select", lambda b, x, axis, i: b._program.op("index_select", (x, i), {"dim": axis}), lambda x, axis, i: take(x, axis, np.atleast_1d(i)), ALL, lambda draw, x: one_axis(draw, x, 1), has_dimension, 0),
    Op("embedding", lambda b, x, i: b.embedding(i, x), lambda x, i: take(x, 0, i), FLOATS, lambda draw, x: {"index": indices(draw, x, draw(st.sampled_from([(4,), (2, 3), (0,)])), 0)}, lambda x: x.ndim == 2, 0),
    Op("take_along_axis", lambda b, x, axis, i: b.take_along_axis(x, i, axis), take_along_axis, ALL, other_size, has_dimension, 0, is_total=True),
    Op("gather", lambda b, x, axis, i: b._program.op("gather", (x, i), {"dim": axis}), gather, ALL, fewer, has_dimension, 0, is_total=True),
    Op("index", lambda b, x, axes, *i: b.index(x, i, axes), index, ALL, two_axes, has_dimension, 0, is_total=True),
    Op("take key", lambda b, x, axis, i: x[(slice(None),) * (axis % x.ndim) + (i,)], take, ALL, one_axis, has_dimension, 0),
]  # fmt: skip


def with_updates(options):
    """And elements of the shape of what is written, or a number."""

    def draw_options(draw, x):
        given = options(draw, x)
        return given | {"updates": like(draw, x, given["index"].shape)}

    return draw_options


def combined(draw, x):
    return with_updates(other_size)(draw, x) | {"combine": draw(st.sampled_from(["sum", "max", "min"]))}


def along(draw, x):
    given = one_axis(draw, x, 1)
    shape = list(x.shape)
    shape[given["axis"]] = given["index"].size
    return given | {"updates": like(draw, x, shape)}


def by_parts(combine):
    """index_copy and index_add as scatters whose indices are the same in other dimensions."""

    def expect(x, axis, index, updates):
        shape = [1] * x.ndim
        shape[axis] = index.size
        return scatter(x, np.broadcast_to(index.reshape(shape), updates.shape), updates, axis % x.ndim, combine)

    return expect


def put(draw, x):
    given = two_axes(draw, x)
    shape = (
        x[
            tuple(
                np.zeros_like(given[f"index{given['axes'].index(dim)}"], int) if dim in given["axes"] else slice(None)
                for dim in range(x.ndim)
            )
        ].shape
        if 0 not in x.shape
        else None
    )
    return given | {"values": like(draw, x, shape if shape and draw(st.booleans()) else ())}


def index_put(accumulate):
    def expect(x, axes, *given):
        places, values = np.broadcast_arrays(*given[:-1]), given[-1]
        result = np.moveaxis(x.copy(), axes, range(len(axes)))
        is_side = axes[-1] - axes[0] + 1 == len(axes)
        front = axes[0] if is_side else 0
        rest = result.shape[len(axes) :]
        values = np.broadcast_to(values, (*rest[:front], *places[0].shape, *rest[front:]))
        values = np.moveaxis(values, range(front, front + places[0].ndim), range(places[0].ndim))
        for at in np.ndindex(places[0].shape):
            to = tuple(int(each[at]) for each in places)
            if all(0 <= n < size for n, size in zip(to, result.shape, strict=False)):
                result[to] = result[to] + values[at] if accumulate else values[at]
        return np.moveaxis(result, range(len(axes)), axes)

    return expect


WRITES = [
    Op("scatter", lambda b, x, axis, i, u: b.scatter(x, i, u, axis), lambda x, axis, i, u: scatter(x, i, u, axis % x.ndim, None), ALL, with_updates(other_size), has_dimension, 0),
    Op("scatter combine", lambda b, x, axis, i, u, c: b.scatter(x, i, u, axis, c), lambda x, axis, i, u, c: scatter(x, i, u, axis % x.ndim, c), NUMBERS, combined, has_dimension, 0),
    Op("index_copy", lambda b, x, axis, i, u: b.index_copy(x, i, u, axis), by_parts(None), ALL, along, has_dimension, 0),
    Op("index_add", lambda b, x, axis, i, u: b.index_add(x, i, u, axis), by_parts("sum"), NUMBERS, along, has_dimension, 0),
    Op("index_put", lambda b, x, axes, *given: b.index_put(x, given[:-1], given[-1], axes), index_put(False), ALL, put, has_dimension, 0),
    Op("index_put accumulate", lambda b, x, axes, *given: b.index_put(x, given[:-1], given[-1], axes, True), index_put(True), NUMBERS, put, has_dimension, 0),
]  # fmt: skip
#: In other dimensions, too, there are fewer indices than elements, whose sizes are known.
PARTS = [op._replace(options=with_updates(fewer)) for op in WRITES if op.name == "scatter"]


FAMILIES = {"reads": READS, "writes": WRITES}


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_indices(table, data):
    check_ops(data.draw, TABLES[table], least=1, opened=BROADCAST)


@examples(10)
@given(st.data())
def test_fewer_indices(data):
    check_ops(data.draw, PARTS, least=1, opened=("none",))
