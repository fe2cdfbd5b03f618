# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of arrays, arrays beside each other, products over labelled dimensions and elements by their place in order have the property of property_base.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    ANY,
    BOOL,
    BROADCAST,
    COMPLEX,
    FLOATS,
    INTEGERS,
    Op,
    axes_of,
    axis_of,
    check_ops,
    examples,
    has_dimension,
    has_elements,
    like,
    split,
)

NUMBERS = FLOATS + INTEGERS

# Parts


def move(name, build, expect, options=lambda draw, x: {}, takes=lambda x: True, types=ANY):
    return Op(name, build, expect, types, options, takes, units=0, is_total=True)


def equal_parts(draw, x):
    axis = axis_of(draw, x)
    size = x.shape[axis]
    counts = [n for n in range(1, min(size, 6) + 1) if size % n == 0] or [1, 2, 3]
    return {"count": draw(st.sampled_from(counts)), "axis": axis}


def factors(draw, x):
    """Two sizes in place of one, of which one may be -1."""
    parts = equal_parts(draw, x)
    shape = [parts["count"], x.shape[parts["axis"]] // parts["count"]]
    if all(shape) and draw(st.booleans()):
        shape[draw(st.integers(0, 1))] = -1
    return {"axis": parts["axis"], "shape": tuple(shape)}


def unflatten(x, axis, shape):
    place = axis % x.ndim
    return x.reshape(x.shape[:place] + tuple(np.zeros(x.shape[axis]).reshape(shape).shape) + x.shape[place + 1 :])


def uneven_parts(draw, x):
    return {"count": draw(st.integers(1, 6)), "axis": axis_of(draw, x)}


def ascending(draw, x):
    """Indices within the dimension, as an open size has them, some counted from the end."""
    axis = axis_of(draw, x)
    size = x.shape[axis]
    places = sorted(draw(st.lists(st.integers(0, size), max_size=4)))
    return {
        "indices": tuple(n - size if n < size and draw(st.booleans()) else n for n in places),
        "axis": axis,
    }


def unstack(b, x, axis, y):
    """Of what is stacked the size is known."""
    return b.unstack(b.stack([x, y, x], axis), axis)


def turn(draw, x):
    first, second = (axis - x.ndim * draw(st.booleans()) for axis in draw(st.permutations(range(x.ndim)))[:2])
    return {"k": draw(st.integers(-5, 5)), "axes": (first, second)}


def raise_ranks(b, x):
    """As NumPy has it, too, whose functions of these names are in `np`."""
    return b.atleast_1d(x), b.atleast_2d(x), b.atleast_3d(x)


def beside(name, axis, rank):
    """Arrays that differ in the dimension of a result that grows; where x has as many dimensions as a result at least, perhaps one that has none of it."""

    def options(draw, x):
        shape = list(x.shape)
        if x.ndim >= rank:
            shape[axis] = draw(st.integers(0, 4))
        if x.ndim == rank > 1 and "hstack" not in name and draw(st.booleans()):
            del shape[axis]
        return {"y": like(draw, x, shape)}

    return options


def put(name, axis, rank, takes=lambda x: True):
    build = lambda b, x, y: getattr(b, name.split()[0])([x, y, x])  # noqa: E731
    return move(name, build, lambda x, y: build(np, x, y), beside(name, axis, rank), takes)


def is_matrix(x):
    return x.ndim >= 2


PARTS = [
    move("split", lambda b, x, count, axis: b.split(x, count, axis), lambda x, count, axis: tuple(np.split(x, count, axis)), equal_parts, has_dimension),
    move("split at indices", lambda b, x, indices, axis: b.split(x, indices, axis), lambda x, indices, axis: tuple(np.split(x, indices, axis)), ascending, has_dimension),
    move("split unevenly", lambda b, x, count, axis: b.array_split(x, count, axis), lambda x, count, axis: tuple(np.array_split(x, count, axis)), uneven_parts, has_dimension),
    move("unstack", unstack, lambda x, axis, y: (x, y, x), lambda draw, x: {"axis": draw(st.integers(-x.ndim - 1, x.ndim)), "y": like(draw, x)}),
    move("unflatten", lambda b, x, axis, shape: b._program.op("unflatten", (x,), {"dim": axis, "shape": shape}), unflatten, factors, has_dimension),
    move("reshape_as", lambda b, x, y: b._program.op("reshape_as", (x, y)), lambda x, y: x.reshape(y.shape), lambda draw, x: {"y": like(draw, draw(st.sampled_from((x.T, x.reshape(-1, 1), x))))}),
    move("rot90", lambda b, x, k, axes: b.rot90(x, k, axes), np.rot90, turn, is_matrix),
    move("atleast", raise_ranks, lambda x: raise_ranks(np, x)),
]  # fmt: skip
BESIDE = [
    put("vstack", 0, 2),
    put("hstack", 0, 1, lambda x: x.ndim < 2),
    put("hstack of matrices", 1, 2, is_matrix),
    put("column_stack", 1, 2),
    put("dstack", 2, 3),
]

# Products


@st.composite
def equations(draw, x):
    """An equation and its other operands: labels that x has twice, "...", other labels, and any of them in the result, in any order."""
    sizes, own = {}, ""
    for size in x.shape:
        known = [label for label, each in sizes.items() if each == size]
        label = (
            draw(st.sampled_from(known))
            if known and draw(st.sampled_from([False, False, True]))
            else "abcd"[len(sizes)]
        )
        sizes[label] = size
        own += label
    terms, others = [own], []
    for letter in "ef"[: draw(st.integers(0, 2)) if x.size < 300 else 0]:
        labels = "".join(draw(st.lists(st.sampled_from(sorted(sizes)), unique=True, max_size=3))) if sizes else ""
        if draw(st.booleans()):
            sizes[letter] = draw(st.integers(0, 4))
            labels += letter
        terms.append(labels)
        others.append(like(draw, x, [sizes[label] for label in labels]))
    result = draw(
        st.none()
        | st.permutations(sorted(sizes)).flatmap(
            lambda all_: st.integers(0, len(all_)).map(lambda n: "".join(all_[:n]))
        )
    )
    if result is not None and draw(st.sampled_from([False, False, True])):
        # The first dimensions of x without letters of their own, which no other one has.
        count = draw(st.integers(0, len(own)))
        if len(set(own)) == len(own) and not set(own[:count]) & set("".join(terms[1:])):
            terms[0] = f"...{own[count:]}"
            result = "..." + "".join(label for label in result if label not in own[:count])
    equation = ",".join(terms) + ("" if result is None else f"->{result}")
    return {"equation": equation, "others": tuple(others)}


def batches(draw, x):
    """What "..." stands for in both, one of which may have fewer of them, of the same sizes."""
    batch = x.shape[:-1]
    return {"y": like(draw, x, (*batch[draw(st.integers(0, len(batch))) :], x.shape[-1], draw(st.integers(0, 4))))}


def last_and(draw, x, place):
    """An array whose dimension `place` has the size of the last dimension of x, or that has no dimension."""
    if x.ndim == 0:
        return {"y": like(draw, x, (draw(st.integers(0, 3)),) * draw(st.integers(0, 2)))}
    rank = draw(st.integers(0, 3))
    shape = [draw(st.integers(0, 3)) for _ in range(rank)]
    if rank:
        shape[max(-rank, place)] = x.shape[-1]
    return {"y": like(draw, x, shape)}


def small(draw, x, most=2):
    return {"y": like(draw, x, [draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, most)))])}


def vectors(draw, x):
    """Along a dimension of three elements; others are broadcast."""
    axis = draw(st.sampled_from([dim for dim, size in enumerate(x.shape) if size == 3]))
    shape = [size if dim == axis else draw(st.sampled_from([size, 1])) for dim, size in enumerate(x.shape)]
    return {"y": like(draw, x, shape), "axis": axis - x.ndim * draw(st.booleans())}


OF_NUMBERS = FLOATS[:2] + INTEGERS + COMPLEX
PRODUCTS = [
    Op("einsum", lambda b, x, equation, others: b.einsum(equation, x, *others), lambda x, equation, others: np.einsum(equation, x, *others), OF_NUMBERS + BOOL, lambda draw, x: draw(equations(x)), lambda x: x.size < 600, 4, is_sum=True),
    Op("einsum of batches", lambda b, x, y: b.einsum("...i,...ij->...j", x, y), lambda x, y: np.einsum("...i,...ij->...j", x, y), OF_NUMBERS, batches, lambda x: x.ndim and x.size < 300, 4, is_sum=True),
    Op("einsum of narrow floats", lambda b, x, y: b.einsum("ij,kj->ik", x, y), lambda x, y: x @ y.T, FLOATS[2:], lambda draw, x: {"y": like(draw, x, (draw(st.integers(0, 5)), x.shape[1]))}, lambda x: x.ndim == 2, 1),
    Op("dot", lambda b, x, y: b.dot(x, y), np.dot, NUMBERS + COMPLEX, lambda draw, x: last_and(draw, x, -2), lambda x: x.size < 600, 4),
    Op("inner", lambda b, x, y: b.inner(x, y), np.inner, NUMBERS + COMPLEX, lambda draw, x: last_and(draw, x, -1), lambda x: x.size < 600, 4),
    Op("vdot", lambda b, x, y: b.vdot(x, y), np.vdot, NUMBERS + COMPLEX, lambda draw, x: {"y": like(draw, x)}, lambda x: x.size < 300, 4, is_sum=True),
    Op("outer", lambda b, x, y: b.outer(x, y), np.outer, NUMBERS + BOOL + COMPLEX, small, lambda x: x.size < 300, 0, is_total=True),
    Op("kron", lambda b, x, y: b.kron(x, y), np.kron, NUMBERS + BOOL + COMPLEX, lambda draw, x: small(draw, x, 3), lambda x: x.size < 100, 0, is_total=True),
    # A narrower float would be rounded before the difference.
    Op("cross", lambda b, x, y, axis: b.cross(x, y, axis=axis), lambda x, y, axis: np.cross(x, y, axis=axis), FLOATS[:3] + INTEGERS + COMPLEX, vectors, lambda x: 3 in x.shape, 0),
]  # fmt: skip

# Elements by their place in order, and norms


def over(draw, x):
    """One dimension, some or all, kept or not."""
    axis = draw(st.none() | st.just(axes_of(draw, x))) if x.ndim else None
    return {"axis": axis[0] if axis and draw(st.booleans()) else axis, "keepdims": draw(st.booleans())}


#: Places between two elements by them are exact.
EIGHTHS = st.integers(0, 8).map(lambda n: n / 8)
METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def of_fractions(fractions):
    def options(draw, x):
        return {"q": draw(fractions)} | over(draw, x) | {"method": draw(st.sampled_from(METHODS))}

    return options


def quantile(x, q, axis, keepdims, method):
    return np.quantile(x, q, axis, keepdims=keepdims, method=method)


def matrix_norm(b, x, order, axis, keepdims):
    """Of a builder, or of NumPy, which gives what is traced to fuser.numpy."""
    norm = b._linalg_norm if hasattr(b, "_linalg_norm") else np.linalg.norm
    return norm(x, order, axis, keepdims)


def of_matrix(draw, x):
    axes = tuple(axis - x.ndim * draw(st.booleans()) for axis in draw(st.permutations(range(x.ndim)))[:2])
    return {"order": draw(st.sampled_from([1, -1, math.inf, -math.inf])), "axis": axes, "keepdims": draw(st.booleans())}


ORDERED = [
    Op("median", lambda b, x, *a: b.median(x, *a), lambda x, axis, keepdims: np.median(x, axis, keepdims=keepdims), NUMBERS, over, has_elements, units=0, is_total=True),
    Op("quantile", lambda b, x, *a: b.quantile(x, *a), quantile, NUMBERS, of_fractions(EIGHTHS), has_elements, units=0),
    Op("quantile of several", lambda b, x, *a: b.quantile(x, *a), quantile, NUMBERS, of_fractions(st.lists(EIGHTHS, min_size=1, max_size=3).map(tuple)), has_elements, units=0),
    Op("matrix_norm", matrix_norm, np.linalg.norm, NUMBERS, of_matrix, lambda x: is_matrix(x) and has_elements(x), units=4, is_total=True),
]  # fmt: skip

FAMILIES = {"parts": PARTS, "beside": BESIDE, "contractions": PRODUCTS, "ordered": ORDERED}


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_arrangements(table, data):
    check_ops(data.draw, TABLES[table], opened=BROADCAST)
