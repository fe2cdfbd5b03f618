# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, scans and sorts have the property of property_base.py: over any dimensions, kept or not, in any order."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    BOOL,
    COMPLEX,
    E8M0,
    FLOATS,
    INTEGERS,
    REAL,
    Op,
    Typed,
    axes_of,
    axis_of,
    check_ops,
    examples,
    has_dimension,
    has_elements,
    like,
    split,
)
from test_builder_fibres import SCANS, descending_order
from test_formulas import norm

ALL = REAL + BOOL
NUMBERS = FLOATS + INTEGERS


def few(count):
    """Arrays of so few elements that each product is a number, which of half as many bits half as many are."""
    return lambda x: x.size <= (count if x.dtype.kind in "iuc" or x.dtype.itemsize > 2 else count // 4)


def over(draw, x):
    """Some dimensions or all, kept or not."""
    return {"axis": draw(st.none() | st.just(axes_of(draw, x, 0))), "keepdims": draw(st.booleans())}


def reduce_by(name, function, types=NUMBERS, options=over, **others):
    build = lambda b, x, axis, keepdims, *rest: getattr(b, name.split()[-1])(x, axis, *rest, keepdims=keepdims)  # noqa: E731
    return Op(name, build, function, types, options, **others)


def count(x, axis):
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(x.shape[each] for each in axes)


def of_wide(function):
    """Of integers and booleans in int64, as results are."""
    return lambda x, axis, keepdims: function(
        x.astype(np.int64) if x.dtype.kind in "biu" else x, axis, keepdims=keepdims
    )


def with_correction(draw, x):
    return over(draw, x) | {"correction": draw(st.sampled_from([0, 1, 2, 0.5]))}


def deviate(name):
    """Variances and deviations, with the mean or not, as test_builder_repeats.py has them."""

    def expect(x, axis, keepdims, correction):
        variance = x.var(axis, ddof=correction, keepdims=keepdims)
        first = np.sqrt(variance) if name.startswith("std") else variance
        return (first, x.mean(axis, keepdims=keepdims)) if name.endswith("mean") else first

    build = lambda b, x, axis, keepdims, correction: getattr(b, name)(x, axis, correction, keepdims)  # noqa: E731
    return Op(name, build, expect, NUMBERS, with_correction, units=64)


def measure(x, axis, keepdims, order):
    """The norm of an order, as test_orders_of_norms has it."""
    size = np.abs(x)
    if math.isinf(order):
        return (size.max if order > 0 else size.min)(axis, keepdims=keepdims)
    if order == 0:
        return (size != 0).sum(axis, keepdims=keepdims).astype(np.float64)
    return (size**order).sum(axis, keepdims=keepdims) ** (1 / order)


def with_order(draw, x):
    return over(draw, x) | {"order": draw(st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, -1.5, np.inf, -np.inf]))}


def position(name):
    def expect(x, axis, keepdims):
        if axis is None or len(axis) == x.ndim:
            return getattr(np, name)(x, None, keepdims=keepdims)
        axes = sorted(each % x.ndim for each in axis)
        rest = [dim for dim in range(x.ndim) if dim not in axes]
        found = getattr(np, name)(x.transpose(rest + axes).reshape([x.shape[dim] for dim in rest] + [-1]), -1)
        return np.expand_dims(found, axes) if keepdims else found

    return reduce_by(name, expect, REAL, takes=has_elements, is_total=True, units=0)


def welford(x, axis, keepdims):
    mean = x.mean(axis, keepdims=True)
    size = count(x, axis)
    squares = ((x - mean) ** 2).sum(axis, keepdims=keepdims)
    return mean.reshape(squares.shape), squares, np.full(squares.shape, size, np.int64)


REDUCTIONS = [
    reduce_by("reduce sum", of_wide(np.sum), ALL + COMPLEX, units=4),
    reduce_by("reduce prod", of_wide(np.prod), NUMBERS + COMPLEX, takes=few(24)),
    Op("reduce mean", lambda b, x, *a: b.mean(x, a[0], keepdims=a[1]), lambda x, axis, keepdims: x.mean(axis, keepdims=keepdims), NUMBERS, over, units=4),
    reduce_by("reduce max", lambda x, axis, keepdims: x.max(axis, keepdims=keepdims), ALL, takes=has_elements, units=0, is_total=True),
    reduce_by("reduce min", lambda x, axis, keepdims: x.min(axis, keepdims=keepdims), ALL, takes=has_elements, units=0, is_total=True),
    reduce_by("reduce any", lambda x, axis, keepdims: x.any(axis, keepdims=keepdims), ALL, is_total=True),
    reduce_by("reduce all", lambda x, axis, keepdims: x.all(axis, keepdims=keepdims), ALL, is_total=True),
    reduce_by("reduce count_nonzero", lambda x, axis, keepdims: np.asarray(np.count_nonzero(x, axis, keepdims=keepdims)), ALL, is_total=True),
    *map(deviate, ("var", "std", "var_mean", "std_mean")),
    reduce_by("welford", welford, FLOATS, units=64),
    reduce_by("nansum", lambda x, axis, keepdims: np.nansum(x, axis, keepdims=keepdims), FLOATS, units=4, is_total=True),
    reduce_by("nanmean", lambda x, axis, keepdims: np.nansum(x, axis, keepdims=keepdims) / (~np.isnan(x)).sum(axis, keepdims=keepdims), FLOATS, units=4, is_total=True),
    reduce_by("logsumexp", lambda x, axis, keepdims: np.log(np.exp(x).sum(axis, keepdims=keepdims)), FLOATS, units=16, is_total=True),
    Op("vector_norm", lambda b, x, axis, keepdims, order: b.vector_norm(x, order, axis, keepdims), measure, FLOATS, with_order, has_elements, units=64),
    *map(position, ("argmax", "argmin")),
    Op("normalize", lambda b, x, axis: b.normalize(x, axis=axis), lambda x, axis: x / np.maximum(norm(x, axis, keepdims=True), 1e-12), FLOATS,
       lambda draw, x: {"axis": axes_of(draw, x)}, has_dimension, units=16),
    Op("cosine_similarity", lambda b, x, axis, y: b.cosine_similarity(x, y, axis), lambda x, axis, y: (x * y).sum(axis) / np.maximum(norm(x, axis), 1e-8) / np.maximum(norm(y, axis), 1e-8), FLOATS,
       lambda draw, x: {"axis": axes_of(draw, x), "y": like(draw, x)}, has_dimension, units=16),
    Op("trace", lambda b, x: b.trace(x), lambda x: np.trace(x, dtype=np.int64 if x.dtype.kind in "iu" else None), NUMBERS + COMPLEX, takes=lambda x: x.ndim == 2, units=4),
    *(
        Op(f"{name} {reduction}", lambda b, x, y, name=name, reduction=reduction: getattr(b, name)(x, y, reduction), lambda x, y, f=function, r=reduction: getattr(f(x - y), r)(), FLOATS,
           lambda draw, x: {"y": like(draw, x)}, units=4)
        for name, function in (("mse_loss", np.square), ("l1_loss", np.abs))
        for reduction in ("mean", "sum")
    ),
]  # fmt: skip


def along(draw, x):
    """One dimension, or all elements in row-major order."""
    return {"axis": draw(st.none() | st.just(axis_of(draw, x))) if x.ndim else None}


def scan(name):
    def expect(x, axis):
        grows = name in ("cumsum", "cumprod") and x.dtype.kind in "biu"
        return SCANS[name].accumulate(
            (x.reshape(-1) if axis is None else x).astype(np.int64 if grows else x.dtype), 0 if axis is None else axis
        )

    types = {"cumsum": ALL + COMPLEX, "cumprod": NUMBERS + COMPLEX}.get(name, ALL)
    is_total = name in ("cummax", "cummin")
    return Op(name, lambda b, x, axis: getattr(b, name)(x, axis), expect, types, along, few(24) if name == "cumprod" else lambda x: True,
              units=0 if is_total else 24 if name == "cumprod" else 4, is_total=is_total)  # fmt: skip


SORTABLE = ALL + [np.dtype(E8M0)]


def in_order(draw, x):
    return along(draw, x) | {"descending": draw(st.booleans())}


def order_of(x, axis, descending):
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
    return x, axis, descending_order(x, axis) if descending else np.argsort(x, axis, kind="stable")


def sort(x, axis, descending):
    x, axis, order = order_of(x, axis, descending)
    return np.take_along_axis(x, order, axis), order


def first(draw, x):
    axis = axis_of(draw, x)
    return {"axis": axis, "k": draw(st.integers(0, x.shape[axis])), "largest": draw(st.booleans())}


def topk(x, axis, k, largest):
    values, order = sort(x, axis, largest)
    return np.take(values, range(k), axis), np.take(order, range(k), axis)


def place(draw, x):
    axis = axis_of(draw, x)
    return {"axis": axis, "k": draw(st.integers(1, x.shape[axis])), "keepdims": draw(st.booleans())}


def kthvalue(x, axis, k, keepdims):
    found = [np.take(each, [k - 1], axis) for each in sort(x, axis, False)]
    return tuple(each if keepdims else each.squeeze(axis) for each in found)


def build_kthvalue(b, x, axis, k, keepdims):
    return b._program.op("kthvalue", (x,), {"k": [k], "dim": axis, "keep": keepdims})


def in_rows(draw, x):
    return {"axis": axis_of(draw, x), "keepdims": draw(st.booleans())}


def build_in_rows(name):
    return lambda b, x, axis, keepdims: b._program.op(name, (x,), {"dim": axis, "keep": keepdims})


def read_rows(find):
    """The element of each row at a place that `find` says of it in order, and where it is."""

    def expect(x, axis, keepdims):
        ordered = [np.moveaxis(each, axis, -1) for each in sort(x, axis, False)]
        places = np.apply_along_axis(find, -1, ordered[0])[..., None]
        found = [np.moveaxis(np.take_along_axis(each, places, -1), -1, axis) for each in ordered]
        return tuple(each if keepdims else each.squeeze(axis) for each in found)

    return expect


def find_middle(row):
    return len(row) - 1 if np.isnan(row[-1]) else (len(row) - 1) // 2


def find_most(row):
    runs = [1]
    for before, each in itertools.pairwise(row):
        runs.append(runs[-1] + 1 if each == before else 1)
    return int(np.argmax(runs))


SORTS = [
    Op("sort", lambda b, x, axis, descending: b.sort(x, axis, descending), sort, SORTABLE, in_order, units=0, is_total=True),
    Op("argsort", lambda b, x, axis, descending: b.argsort(x, axis, descending), lambda *a: order_of(*a)[2], SORTABLE, in_order, is_total=True),
    Op("topk", lambda b, x, axis, k, largest: b.topk(x, k, axis, largest), topk, SORTABLE, first, has_dimension, units=0, is_total=True),
    Op("kthvalue", build_kthvalue, kthvalue, SORTABLE, place, lambda x: x.ndim and x.size, units=0, is_total=True),
    Op("median_low", build_in_rows("median_low"), read_rows(find_middle), FLOATS + INTEGERS, in_rows, lambda x: x.ndim and x.size, units=0, is_total=True),
    Op("mode", build_in_rows("mode"), read_rows(find_most), FLOATS + INTEGERS, in_rows, lambda x: x.ndim and x.size, units=0, is_total=True),
]  # fmt: skip

FAMILIES = {
    "reductions": REDUCTIONS,
    "scans": [
        *map(scan, SCANS),
        Op("cumsum in another type", lambda b, x, axis: b.cumsum(x, axis, "float64"), lambda x, axis: Typed(np.cumsum(x, axis), "float64"), NUMBERS, along),
        Op("diff", lambda b, x, axis, n: b.diff(x, n, axis), lambda x, axis, n: np.diff(x, n, axis), NUMBERS + BOOL, lambda draw, x: {"axis": axis_of(draw, x), "n": draw(st.integers(0, 3))}, has_dimension, units=0),
        Op("diff with ends", lambda b, x, axis, y: b.diff(x, 1, axis, y, y), lambda x, axis, y: np.diff(x, 1, axis, y, y), FLOATS + INTEGERS + BOOL, lambda draw, x: {"axis": axis_of(draw, x), "y": like(draw, x)}, has_dimension, units=0),
    ],
    "sorts": SORTS,
}  # fmt: skip


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_reductions(table, data):
    check_ops(data.draw, TABLES[table])
