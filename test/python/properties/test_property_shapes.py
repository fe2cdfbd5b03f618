# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements, and those that make numbers, have the property of property_base.py, of elements of any type."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    ANY,
    BOOL,
    BROADCAST,
    E8M0,
    FLOATS,
    INTEGERS,
    MOST_ELEMENTS,
    REAL,
    SIGNED,
    Op,
    Typed,
    axes_of,
    axis_of,
    broadcast_like,
    check_ops,
    examples,
    has_dimension,
    has_elements,
    like,
    split,
)
from test_builder import run
from test_builder_indices import philox


def move(name, build, expect, options=lambda draw, x: {}, takes=lambda x: True, types=ANY):
    return Op(name, build, expect, types, options, takes, units=0, is_total=True)


def some_axes(draw, x):
    return {"axis": axes_of(draw, x)}


def one_axis(draw, x):
    return {"axis": axis_of(draw, x)}


def shifts(draw, x):
    axis = axes_of(draw, x)
    return {"shift": tuple(draw(st.integers(-40, 40)) for _ in axis), "axis": axis}


def repeats(draw, x):
    counts = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=x.ndim + 1))
    return {"counts": tuple(counts) if math.prod(counts) * x.size <= 4 * MOST_ELEMENTS else (1,)}


def all_repeats(draw, x):
    """A number for each dimension at least."""
    counts = repeats(draw, x)["counts"]
    return {"counts": (*[1] * (x.ndim - len(counts)), *counts)}


def repeat(draw, x):
    return {"count": draw(st.integers(0, 3)), "axis": draw(st.none() | st.just(axis_of(draw, x))) if x.ndim else None}


def order(draw, x):
    return {"axes": tuple(axis - x.ndim * draw(st.booleans()) for axis in draw(st.permutations(range(x.ndim))))}


def two_axes(draw, x):
    return {"one": axis_of(draw, x), "other": axis_of(draw, x)}


def shape_of(draw, x):
    """The sizes of x, taken apart and put together in another way, one of them perhaps -1."""
    sizes = [1]
    for size in x.shape:
        factor = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0])) if size else 0
        sizes = [*sizes[:-1], sizes[-1] * factor] if draw(st.booleans()) else [*sizes, factor]
        sizes.append(size // factor if factor else 1)
    if x.size and draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = -1
    return {"shape": tuple(sizes)}


def places(draw, x):
    return {"axis": tuple(draw(st.lists(st.integers(0, x.ndim), unique=True, min_size=1, max_size=1)))}


def wider(draw, x):
    """A shape to expand to, whose sizes of x may be -1."""
    if x.size > MOST_ELEMENTS // 8:
        return {"shape": (-1,) * x.ndim, "full": x.shape}
    own = [draw(st.sampled_from([1, 2, 3])) if size == 1 else size for size in x.shape]
    front = draw(st.lists(st.integers(0, 3), max_size=1)) if x.ndim < 4 else []
    given_ = [-1 if size == wide and draw(st.booleans()) else wide for size, wide in zip(x.shape, own, strict=True)]
    return {"shape": (*front, *given_), "full": (*front, *own)}


def key(draw, x):
    """Slices with steps, numbers, new dimensions and `...`, within open sizes."""
    parts = []
    for size in x.shape:
        kind = draw(st.sampled_from(["all", "part", "part", "number"]))
        begin = draw(st.integers(0, size))
        end = draw(st.integers(begin, size))
        step = draw(st.sampled_from([None, 1, 2, 3]))
        if kind == "number" and size:
            parts.append(draw(st.integers(-size, size - 1)))
        else:
            lasts = [end, None] if end in (0, size) else [end, end - size]
            firsts = [begin, None] if begin == 0 else [begin] if begin == size else [begin, begin - size]
            ends = slice(draw(st.sampled_from(firsts)), draw(st.sampled_from(lasts)), step)
            parts.append(slice(None) if kind == "all" else ends)
        parts += [None] if draw(st.sampled_from([False, False, False, True])) else []
    return {"key": (*parts, ...) if draw(st.booleans()) else tuple(parts)}


#: Types that have a zero, which NumPy pads with.
OF_ZERO = [each for each in ANY if each != E8M0]
MODES = ["constant", "edge", "reflect", "wrap"]


def widths(draw, x):
    mode = draw(st.sampled_from(MODES))

    def width(size):
        most = {"constant": 3, "edge": 3 if size else 0, "reflect": max(size - 1, 0), "wrap": size}[mode]
        return draw(st.integers(0, min(most, 4)))

    return {"width": tuple((width(size), width(size)) for size in x.shape), "mode": mode}


def cuts(draw, x):
    return {"width": tuple((-draw(st.integers(0, size // 2)), draw(st.integers(-(size // 2), 2))) for size in x.shape)}


def pad_by_cuts(x, width):
    x = x[tuple(slice(-a, size + min(b, 0)) for size, (a, b) in zip(x.shape, width, strict=True))]
    return np.pad(x, [(0, max(b, 0)) for _, b in width])


def more_along(draw, x):
    """Another array that has its own size along one dimension."""
    axis = axis_of(draw, x)
    shape = list(x.shape)
    shape[axis] = draw(st.integers(0, 4))
    return {"axis": axis, "y": like(draw, x, shape)}


def diagonal(draw, x):
    return {"k": draw(st.integers(-9, 9))}


def diagonal_of_rows(draw, x):
    dims = draw(st.permutations(range(-x.ndim - 1, 0)))[:2]
    return {"offset": draw(st.integers(-3, 3)), "dims": tuple(dims)}


def build_diagonals(b, x, offset, dims):
    return b._program.op("diag_embed", (x,), {"offset": offset, "dims": list(dims)})


def diagonals(x, offset, dims):
    size = x.shape[-1] + abs(offset)
    result = np.zeros((*x.shape[:-1], size, size), x.dtype)
    places = np.arange(x.shape[-1])
    result[..., places + max(-offset, 0), places + max(offset, 0)] = x
    return np.moveaxis(result, (-2, -1), dims)


def broadcast(draw, x):
    return {"y": broadcast_like(draw, x)}


def neighbours(draw, x):
    start, end = sorted(axis_of(draw, x) % x.ndim for _ in range(2))
    return {"start": start - x.ndim * draw(st.booleans()), "end": end}


def flatten(x, start, end):
    start %= x.ndim
    return x.reshape(*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :])


def has_one(x):
    return 1 in x.shape


def is_matrix(x):
    return x.ndim >= 2


def ones(draw, x):
    return {
        "axis": tuple(
            draw(
                st.lists(
                    st.sampled_from([dim for dim, size in enumerate(x.shape) if size == 1]), unique=True, min_size=1
                )
            )
        )
    }


def parts(draw, x):
    return {"chunks": draw(st.integers(1, 5)), "axis": axis_of(draw, x)}


def first_and_all(b, x, chunks, axis):
    """The first part, and all of them together: of an open size there may be more, and empty ones."""
    each = b.chunk(x, chunks, axis)
    return each[0], b.concat(each, axis)


MOVES = [
    move("flip", lambda b, x, axis: b.flip(x, axis), np.flip, some_axes, has_dimension),
    move("flip all", lambda b, x: b.flip(x), np.flip),
    move("roll", lambda b, x, shift, axis: b.roll(x, shift, axis), np.roll, shifts, has_dimension),
    move("roll all", lambda b, x, shift: b.roll(x, shift), np.roll, lambda draw, x: {"shift": draw(st.integers(-50, 50))}),
    move("chunk", first_and_all, lambda x, chunks, axis: (x.take(range(-(-x.shape[axis] // chunks)), axis), x), parts, has_dimension),
    move("tile", lambda b, x, counts: b.tile(x, counts), np.tile, repeats),
    move("repeat", lambda b, x, counts: b._program.op("repeat", (x,), {"repeats": counts}), np.tile, all_repeats),
    move("repeat_interleave", lambda b, x, count, axis: b.repeat(x, count, axis), np.repeat, repeat),
    move("permute", lambda b, x, axes: b.permute_dims(x, axes), np.transpose, order),
    move("swapaxes", lambda b, x, one, other: b.swapaxes(x, one, other), np.swapaxes, two_axes, has_dimension),
    move("moveaxis", lambda b, x, one, other: b.moveaxis(x, one, other), np.moveaxis, two_axes, has_dimension),
    move("permute matrix_transpose", lambda b, x: b.matrix_transpose(x), lambda x: np.swapaxes(x, -1, -2), takes=is_matrix),
    move("reshape", lambda b, x, shape: b.reshape(x, shape), np.reshape, shape_of),
    move("broadcast", lambda b, x, axis: b.expand_dims(x, axis), np.expand_dims, places),
    move("broadcast by flags", lambda b, x: b._program.op("broadcast", (x,), {"is_new": [1, *[0] * x.ndim, 1]}), lambda x: x[None, ..., None], takes=lambda x: x.ndim < 4),
    move("flatten", lambda b, x, start, end: b._program.op("flatten", (x,), {"start": start, "end": end}), flatten, neighbours, has_dimension),
    move("squeeze", lambda b, x, axis: b.squeeze(x, axis), np.squeeze, ones, has_one),
    move("expand", lambda b, x, shape, full: b.broadcast_to(x, shape), lambda x, shape, full: np.broadcast_to(x, full), wider),
    move("broadcast_tensors", lambda b, x, y: b.broadcast_arrays(x, y), lambda x, y: tuple(np.broadcast_arrays(x, y)), broadcast),
    move("slice,select", lambda b, x, key: x[key], lambda x, key: x[key], key),
    move("pad", lambda b, x, width, mode: b.pad(x, width, mode), np.pad, widths, has_dimension, OF_ZERO),
    move("pad less", lambda b, x, width: b.pad(x, width), pad_by_cuts, cuts, has_dimension, OF_ZERO),
    move("pad value", lambda b, x, n: b.pad(x, n, constant_values=1), lambda x, n: np.pad(x, n, constant_values=1), lambda draw, x: {"n": draw(st.integers(0, 2))}, has_dimension, [each for each in OF_ZERO if each.kind != "c"]),
    move("cat", lambda b, x, axis, y: b.concat([x, y, x], axis), lambda x, axis, y: np.concatenate([x, y, x], axis), more_along, has_dimension),
    move("cat all", lambda b, x, y: b.concat([x, y], None), lambda x, y: np.concatenate([x, y], None), broadcast, has_elements),
    move("stack", lambda b, x, axis, y: b.stack([x, y], axis), lambda x, axis, y: np.stack([x, y], axis), lambda draw, x: one_axis(draw, x) | {"y": like(draw, x)}, has_dimension),
    move("diag_embed", build_diagonals, diagonals, diagonal_of_rows, has_dimension, REAL + BOOL),
    move("triu", lambda b, x, k: b.triu(x, k), np.triu, diagonal, is_matrix),
    move("tril", lambda b, x, k: b.tril(x, k), np.tril, diagonal, is_matrix),
    move("size", lambda b, x, axis: b.full((2,), b.size(x, axis), "int64"), lambda x, axis: np.full(2, x.shape[axis]), one_axis, has_dimension),
    move("meshgrid", lambda b, x, y: b.meshgrid(x, y), lambda x, y: tuple(np.meshgrid(x, y)), lambda draw, x: {"y": like(draw, x, [draw(st.integers(0, 5))])}, lambda x: x.ndim == 1 and x.size < 40),
    move("broadcast_in_dim", lambda b, x, n: b._program.op("broadcast_in_dim", (x,), {"shape": [n, *[-1] * x.ndim], "dims": list(range(1, x.ndim + 1))}), lambda x, n: np.broadcast_to(x, (n, *x.shape)), lambda draw, x: {"n": draw(st.integers(0, 3))}, lambda x: x.ndim < 4),
]  # fmt: skip


# Numbers, of which the array has sizes


def make(name, build, expect, options, types=SIGNED[:1]):
    return Op(name, build, expect, types, options, has_dimension, units=0)


def numbers(dtypes):
    return lambda draw, x: {
        "dtype": draw(st.sampled_from(dtypes)),
        "start": draw(st.integers(-5, 5)),
        "step": draw(st.integers(-3, 3)),
    }


def unsigned_too(function):
    """As numbers become unsigned: by their bits."""
    return lambda x, dtype, *numbers: Typed(np.asarray(function(x, *numbers)).astype(dtype), dtype)


def lines(draw, x):
    return {"stop": draw(st.integers(-9, 9)) / 2, "endpoint": draw(st.booleans())}


def random_state(draw, x):
    return {"seed": draw(st.integers(0, 2**62)), "offset": draw(st.integers(0, 2**40))}


def bits(x, seed, offset):
    return philox(seed, offset, x.size).reshape(x.shape)


def unit(x, seed, offset):
    """What uniform numbers of float32 are made of, as test_uniform has it."""
    return (bits(x, seed, offset) >> 8).astype(np.float32) * np.float32(2**-24)


def normal(x, seed, offset):
    words = philox(seed, offset, 2 * x.size).reshape(-1, 2).astype(np.float64)
    a, angle = (words[:, 0] + 1) * 2.0**-32, words[:, 1] * (2 * np.pi * 2.0**-32)
    return Typed((np.sqrt(-2 * np.log(a)) * np.cos(angle)).reshape(x.shape), np.float32)


def drop(x, rate, seed, offset):
    keep = np.float32(1 - rate)
    mask = unit(x, seed, offset) < keep
    return np.where(mask, x * np.float32(1 / (1 - rate)), 0), mask


def sizes(b, x):
    return [b.size(x, dim) for dim in range(x.ndim)]


SMALL = [*FLOATS, *INTEGERS]
NUMBERS = [
    make("full", lambda b, x, dtype, start, step: b.full(sizes(b, x), start, dtype), unsigned_too(lambda x, start, step: np.full(x.shape, start)), numbers(SMALL)),
    make("full full_like", lambda b, x, start: b.full_like(x, start), lambda x, start: np.full_like(x, start), lambda draw, x: {"start": draw(st.integers(0, 9))}, SMALL),
    make("iota", lambda b, x, dtype, start, step: b.iota(sizes(b, x), -1, dtype, start=start, step=step), unsigned_too(lambda x, start, step: np.broadcast_to(start + step * np.arange(x.shape[-1]), x.shape)), numbers(SMALL)),
    make("arange", lambda b, x, dtype, start, step: b.arange(start, b.size(x, 0), abs(step) + 1, dtype), unsigned_too(lambda x, start, step: np.arange(start, x.shape[0], abs(step) + 1)), numbers(SMALL)),
    make("linspace", lambda b, x, stop, endpoint: b.linspace(-2, stop, b.size(x, 0), "float64", endpoint), lambda x, stop, endpoint: Typed(np.linspace(-2, stop, x.shape[0], endpoint), "float64"), lines)._replace(units=2),
    make("eye", lambda b, x, k: b.eye(b.size(x, 0), b.size(x, -1), k, "int32"), lambda x, k: np.eye(x.shape[0], x.shape[-1], k, np.int32), diagonal),
    make("constant", lambda b, x, values: b.constant(values, (len(values),), "float64"), lambda x, values: Typed(np.array(values), "float64"), lambda draw, x: {"values": draw(st.lists(st.floats(-9, 9), min_size=1, max_size=8))}),
    make("random_bits", lambda b, x, *state: b.random_bits(sizes(b, x), *state, "uint32"), bits, random_state),
    make("uniform", lambda b, x, *state: b.uniform(sizes(b, x), *state), lambda *a: Typed(unit(*a), np.float32), random_state),
    make("uniform between", lambda b, x, *state: b.uniform(sizes(b, x), *state, bounds=(-1, 3)), lambda *a: Typed(unit(*a) * 4 - 1, np.float32), random_state),
    make("normal", lambda b, x, *state: b.normal(sizes(b, x), *state), normal, random_state)._replace(units=16, is_sum=True),
    Op("dropout", lambda b, x, *a: b.dropout(x, *a), drop, [each for each in FLOATS if each != np.float64], lambda draw, x: {"rate": draw(st.sampled_from([0.0, 0.25, 0.9]))} | random_state(draw, x), units=2),
]  # fmt: skip

FAMILIES = {"moves": MOVES, "numbers": NUMBERS}


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_shapes(table, data):
    check_ops(data.draw, TABLES[table], opened=BROADCAST)


@examples(5)
@given(st.data())
def test_random_numbers_lie_in_their_range(data):
    """Of each type; the same ones whatever the shape, and others with another seed."""
    dtype = np.dtype(data.draw(st.sampled_from([*FLOATS])))
    low, width = data.draw(st.sampled_from([(0, 1), (-3, 0.5), (2, 8)]))
    state = random_state(data.draw, None)

    def build(b, x):
        one = {"dtype": dtype, "bounds": (low, low + width)}
        return (
            b.uniform((6, 50), *state.values(), **one),
            b.uniform((300,), *state.values(), **one),
            b.uniform((300,), state["seed"] + 1, state["offset"], **one),
            b.normal((300,), *state.values(), dtype),
        )

    got, flat, others, normals = (each.astype(np.float64) for each in run(build, np.zeros(1, np.float32)))
    np.testing.assert_array_equal(got.reshape(-1), flat)
    assert (low <= flat).all() and (flat <= low + width).all() and (flat != others).any()
    assert abs(flat.mean() - low - width / 2) < width / 8 and np.isfinite(normals).all() and abs(normals.mean()) < 0.3
