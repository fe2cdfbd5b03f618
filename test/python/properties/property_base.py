# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of properties share: arrays of any shape, strides and element type; a table's row; and the property.

The property: some ops of a table, in one program with known or open sizes, give what NumPy makes of the array in float64, within the
roundings that a row allows, and of a contiguous copy the same bits. Numbers are quarters, of which sums are exact.
"""

import itertools
import os
import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import fuser
import fuser.numpy as fnp
import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT
from fuser._program import Results

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

# The references of other tests.
sys.path += [str(ROOT / "test/python" / folder) for folder in ("builder", "nvfuser", "frameworks")]
from test_complex import assert_near  # noqa: E402

BF16, E4M3, E5M2, E8M0 = (
    ml_dtypes.bfloat16,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e8m0fnu,
)


def _list(*dtypes):
    return [np.dtype(each) for each in dtypes]


FLOATS = _list("float32", "float64", "float16", BF16)
NARROW = _list(E4M3, E5M2)
SIGNED = _list("int32", "int64", "int8", "int16")
UNSIGNED = _list("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
BOOL = _list("bool")
COMPLEX = _list("complex64", "complex128")
REAL = FLOATS + NARROW + INTEGERS
#: What elements can be that are moved and not computed.
ANY = REAL + BOOL + COMPLEX + _list(E8M0)

#: How many times as many examples there are where all tests run.
TIMES = 10 if os.environ.get("FUSER_FULL_TESTS") else 1
#: None is rare, as arrays without elements say little.
SIZES = [0, 1, 2, 3, 5, 8, 17, 33, 1, 2, 3, 5, 8, 17]
MOST_ELEMENTS = 2048
#: Which sizes a program leaves open. One that is open is never repeated.
OPENED = {
    "none": lambda size: False,
    "even": lambda size: size % 2 == 0,
    "all but 1": lambda size: size != 1,
    "all": lambda size: True,
}
#: Of programs that broadcast.
BROADCAST = ("none", "even", "all but 1")


def examples(count):
    """The same ones each time: a failure is one of the code, and not of the day."""
    return settings(
        max_examples=count * TIMES,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )


class Op(NamedTuple):
    """A row of a table. Its name begins with that of an op of the registry, or with several, joined by commas."""

    name: str
    #: Of a builder, the value and the options, in which arrays are inputs of the program.
    build: Callable
    #: Of NumPy: the array and the options, where floats are float64.
    expect: Callable
    types: list = FLOATS
    #: Of `draw` and the array.
    options: Callable = lambda draw, x: {}
    #: Which arrays it takes.
    takes: Callable = lambda x: True
    #: How many roundings of the result's type it may be away; 0: none but the last one. Narrow types have no more than one.
    units: float = 8
    #: Between which numbers it is tested; whether NaN and infinities are among them.
    domain: tuple = (-4, 4)
    is_total: bool = False
    #: Whether the bound is of the greatest element, as of sums of terms that cancel out.
    is_sum: bool = False

    def __repr__(self):
        return self.name


def shapes(least=0, most=4):
    """Sizes of not too many elements."""

    @st.composite
    def draw_shape(draw):
        shape, count = [], 1
        for _ in range(draw(st.integers(least, most))):
            shape.append(draw(st.sampled_from([size for size in SIZES if size * count <= MOST_ELEMENTS])))
            count *= max(shape[-1], 1)
        return tuple(shape)

    return draw_shape()


def make_numbers(count, dtype, draw, domain=(-4, 4), has_special=False):
    """Quarters in the domain; of integers whole numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind = "f" if dtype in NARROW + FLOATS else dtype.kind
    low, high = (np.ceil(domain[0] * 4), np.floor(domain[1] * 4)) if kind in "fc" else domain
    low = max(low, 0) if kind in "ub" else low
    numbers = rng.integers(int(low), int(high) + 1, (2, count)) / (4 if kind in "fc" else 1)
    if kind == "c":
        return (numbers[0] + 1j * numbers[1]).astype(dtype)
    if dtype == E8M0:
        return (2.0 ** np.round(numbers[0])).astype(dtype)
    numbers = (numbers[0] % 2 == 0) if kind == "b" else numbers[0]
    if has_special and kind == "f":
        places = rng.integers(0, 12, count)
        numbers = np.select([places == n for n in range(4)], [np.nan, np.inf, -np.inf, -0.0], numbers)
    return numbers.astype(dtype)


@st.composite
def views(draw, dtype, shape, **numbers):
    """A view of a larger array: dimensions in any order in memory, with steps, backwards, expanded, or from an odd element on."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2])) for _ in shape]
    offset = draw(st.sampled_from([0, 0, 1, 3]))
    expanded = [size > 1 and draw(st.sampled_from([False, False, False, True])) for size in shape]
    stored = [1 if each else size * abs(step) for size, step, each in zip(shape, steps, expanded, strict=True)]
    inside = [stored[dim] for dim in order]
    count = int(np.prod(inside, dtype=int))
    flat = make_numbers(count + offset, np.dtype(dtype), draw, **numbers)
    view = flat[offset:].reshape(inside).transpose(np.argsort(order))
    view = view[tuple(slice(None, None, 1 if each else step) for step, each in zip(steps, expanded, strict=True))]
    return np.broadcast_to(view, shape)


def like(draw, x, shape=None, dtype=None, **numbers):
    """Another array of the type of x, by default of its shape."""
    return draw(views(dtype or x.dtype, x.shape if shape is None else shape, **numbers))


def broadcast_like(draw, x, **numbers):
    """The same, of a shape that broadcasts with that of x: fewer dimensions, some of size 1, and more where x has size 1."""
    shape = [
        draw(st.sampled_from([size, size, 1])) if size != 1 else draw(st.sampled_from([1, 1, 2])) for size in x.shape
    ]
    if np.prod(np.maximum(shape, x.shape), dtype=int) > 2 * MOST_ELEMENTS:
        shape = list(x.shape)
    return like(draw, x, shape[draw(st.integers(0, len(shape))) :], **numbers)


def axes_of(draw, x, least=1):
    """Some dimensions of x, some counted from the end."""
    chosen = draw(st.lists(st.sampled_from(range(x.ndim)), unique=True, min_size=least)) if x.ndim else []
    return tuple(axis - x.ndim if draw(st.booleans()) else axis for axis in chosen)


def axis_of(draw, x):
    return draw(st.integers(-x.ndim, x.ndim - 1))


def has_dimension(x):
    return x.ndim > 0


def has_elements(x):
    return x.size > 0


def widen(value):
    """Floats as float64, complex numbers as complex128; powers of two, of which none is 0, as they are."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(widen, value))
    if not isinstance(value, np.ndarray) or value.dtype.kind in "biu" or value.dtype == E8M0:
        return value
    return np.array(value, np.complex128 if value.dtype.kind == "c" else np.float64)


def _find_type(expected, given):
    """The type of a result of these arrays: integers are exact, floats as wide as the array, or float32."""
    if expected.dtype.kind in "biu":
        return expected.dtype
    width = given.dtype.itemsize // 2 if given.dtype.kind == "c" else given.dtype.itemsize
    if expected.dtype.kind == "c":
        return np.dtype("complex128" if width == 8 and given.dtype.kind not in "biu" else "complex64")
    if given.dtype.kind == "c":
        return np.dtype(f"float{8 * width}")
    return np.dtype(np.float32) if given.dtype.kind in "biu" else given.dtype


class Typed(NamedTuple):
    """A result that is of another type than the array."""

    value: np.ndarray
    dtype: object


def agree(got, expected, op, given):
    """Within the roundings of the row, in shape and type."""
    if isinstance(expected, Typed):
        expected, dtype = np.asarray(expected.value), np.dtype(expected.dtype)
    else:
        expected = np.asarray(expected)
        dtype = _find_type(expected, given)
    assert (got.dtype, got.shape) == (dtype, expected.shape)
    if dtype.kind in "biu" or (dtype.kind == "c" and op.units == 0):
        np.testing.assert_array_equal(got, expected)
    elif dtype.kind == "c":
        limit = float(max(1, np.abs(expected[np.isfinite(expected)]).max(initial=0)))
        assert_near(got / limit, (expected / limit).astype(dtype), op.units)
    else:
        rounded, units = expected.astype(dtype).astype(np.float64), op.units if dtype.itemsize >= 4 else 1
        if op.units == 0:
            np.testing.assert_array_equal(got.astype(np.float64), rounded)
        elif op.is_sum:
            greatest = np.abs(rounded[np.isfinite(rounded)]).max(initial=1)
            limit = units * float(ml_dtypes.finfo(dtype).eps) * greatest
            np.testing.assert_allclose(got.astype(np.float64), rounded, rtol=0, atol=limit)
        else:
            # Next to zero, what operands are rounded by counts.
            epsilon = float(ml_dtypes.finfo(dtype).eps)
            np.testing.assert_allclose(got.astype(np.float64), rounded, rtol=units * epsilon, atol=epsilon)


def same_bits(got, again):
    assert (got.dtype, got.shape) == (again.dtype, again.shape)
    np.testing.assert_array_equal(*(np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (got, again)))


def _replace(value, make):
    """An option, in which `make` has something in place of arrays."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replace(each, make) for each in value)
    return make(value) if isinstance(value, np.ndarray) else value


def _as_tuple(results):
    # Values of functions that are traced are tuples of a type of their own.
    return tuple(results) if type(results) in (tuple, list, Results) else (results,)


def _apply(calls, functions, x, make):
    """Results of each op with its options, where `make` has values of the program for arrays."""
    value = make(x)
    return [_as_tuple(op.build(functions, value, *_replace(list(options.values()), make))) for op, options in calls]


def build(calls, x, is_open):
    """A program of a builder, which has no more sizes open than is_open says."""
    b = fuser.Builder()
    results = _apply(calls, b, x, lambda each: b.input([None if is_open(n) else n for n in each.shape], each.dtype))
    for each in sum(results, ()):
        b.output(each)
    return b.compile()


def trace(calls, x):
    """The same, of functions of fuser.numpy."""

    def function(*arrays):
        given = iter(arrays)
        return sum(_apply(calls, fnp, x, lambda each: next(given)), ())

    return fuser.jit(function)


def split(families, most=6):
    """Tables of a few ops that take the same arrays, by a name, so that each op is in many of the examples."""

    def get_key(op):
        return str(op.types), op.domain

    tables = {}
    for name, ops in families.items():
        groups = [list(group) for _, group in itertools.groupby(sorted(ops, key=get_key), get_key)]
        parts = [group[n : n + most] for group in groups for n in range(0, len(group), most)]
        tables |= {f"{name}-{n}": part for n, part in enumerate(parts)}
    return tables


@st.composite
def calls_of(draw, ops, least):
    """An array that one of the ops takes, and with it most of those that take it, with their options."""
    first = draw(st.sampled_from(ops))
    dtype = draw(st.sampled_from(first.types))
    shape = draw(shapes(least).filter(lambda shape: first.takes(np.broadcast_to(np.zeros((), dtype), shape))))
    has_special = first.is_total and draw(st.sampled_from([False, False, True]))
    x = draw(views(dtype, shape, domain=first.domain, has_special=has_special))
    low, high = first.domain
    fitting = [
        op
        for op in ops
        if op is not first and dtype in op.types and op.domain[0] <= low and high <= op.domain[1] and op.takes(x)
        if op.is_total or not has_special
    ]
    chosen = [first, *(op for op in fitting if draw(st.integers(0, 3)))]
    return x, [(op, op.options(draw, x)) for op in chosen]


def check_ops(draw, ops, least=0, opened=tuple(OPENED)):
    """The property, of an array of at least so many dimensions. opened: which programs are made, by the names of OPENED, or "traced"."""
    x, calls = draw(calls_of(ops, least))
    inputs = []
    _apply([(op._replace(build=lambda *a: ()), options) for op, options in calls], None, x, inputs.append)
    kind = draw(st.sampled_from(opened))
    program = trace(calls, x) if kind == "traced" else build(calls, x, OPENED[kind])
    got, again = _as_tuple(program(*inputs)), _as_tuple(program(*(each.copy() for each in inputs)))
    for first, second in zip(got, again, strict=True):
        same_bits(first, second)
    results = iter(got)
    for op, options in calls:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            expected = _as_tuple(op.expect(widen(x), *map(widen, options.values())))
        for wanted in expected:
            try:
                agree(next(results), wanted, op, x)
            except AssertionError as error:
                raise AssertionError(f"{op}: {error}") from error
    assert next(results, None) is None
