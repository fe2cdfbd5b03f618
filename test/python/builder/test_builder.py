# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python, against NumPy."""

import math
import re
import warnings
from pathlib import Path

import fuser
import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT

RNG = np.random.default_rng(0)


def random(*shape, dtype=np.float32):
    return (RNG.standard_normal(shape) * 2).astype(dtype)


def run(build, *arrays, target="cpu", opened=True):
    """What the program that `build(b, *inputs)` returns computes of the arrays; with `opened` all sizes but 1 are open."""
    b = fuser.Builder()
    inputs = []
    for array in arrays:
        shape = [None if opened and size != 1 else size for size in array.shape]
        inputs.append(b.input(shape, array.dtype))
    results = build(b, *inputs)
    for result in results if isinstance(results, tuple) else (results,):
        b.output(result)
    return b.compile(target)(*arrays)


# Element by element

UNARY = {
    "abs": np.abs,
    "negative": np.negative,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "round": np.round,
    "sign": np.sign,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "erf": np.vectorize(math.erf, otypes=[np.float32]),
    "erfc": np.vectorize(math.erfc, otypes=[np.float32]),
    "reciprocal": np.reciprocal,
    "square": np.square,
    "signbit": np.signbit,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": np.logical_not,
    "copy": np.copy,
    "segment_set": np.copy,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
}
POSITIVE = {
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "acosh": lambda x: np.arccosh(x + 1),
}
SMALL = {"asin": np.arcsin, "acos": np.arccos, "atanh": np.arctanh}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = random(3, 5)
    np.testing.assert_allclose(run(lambda b, x: getattr(b, name)(x), x), UNARY[name](x), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", POSITIVE)
def test_unary_of_positive(name):
    x = np.abs(random(3, 5)) + 0.1
    got = run(lambda b, x: getattr(b, name)(x + 1 if name == "acosh" else x), x)
    np.testing.assert_allclose(got, POSITIVE[name](x), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_unary_of_small(name):
    x = random(3, 5) / 20
    np.testing.assert_allclose(run(lambda b, x: getattr(b, name)(x), x), SMALL[name](x), rtol=2e-6, atol=1e-6)


def test_signs_of_zeros():
    x = np.array([0.0, -0.0, -np.inf, np.inf, -1e-45], np.float32)
    np.testing.assert_array_equal(run(lambda b, x: b.signbit(x), x), np.signbit(x))


BINARY = "add subtract multiply divide maximum minimum fmax fmin fmod remainder".split()
COMPARE = "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor".split()
OF_INTEGERS = "add subtract multiply floor_divide remainder fmod maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor".split()


@pytest.mark.parametrize("name", [*BINARY, *COMPARE, "atan2"])
def test_binary(name):
    x, y = random(4, 1, 5), random(3, 1)
    x[0, 0, :2] = 0
    function = np.arctan2 if name == "atan2" else getattr(np, name)
    got = run(lambda b, x, y: getattr(b, name)(x, y), x, y)
    np.testing.assert_allclose(got, function(x, y), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers(name, dtype):
    x = RNG.integers(-20, 20, (4, 5)).astype(dtype)
    y = RNG.integers(1, 9, (5,)).astype(dtype)
    got = run(lambda b, x, y: getattr(b, name)(x, y), x, y)
    np.testing.assert_array_equal(got, getattr(np, name)(x, y))
    assert got.dtype == dtype


# What PyTorch gives in float32: dividend, divisor, quotient rounded down, remainder.
FLOOR_QUOTIENTS = [
    (1.0, 0.1, 9.0, 0.09999998658895493),
    (1.0, -0.1, -10.0, -1.4901161193847656e-08),
    (-1.0, 0.1, -10.0, 1.4901161193847656e-08),
    (-1.0, 0.3, -4.0, 0.20000004768371582),
    (0.3, 0.1, 3.0, 7.450580596923828e-09),
    (0.9, 0.3, 2.0, 0.2999999523162842),
    (7.0, -2.0, -4.0, -1.0),
    (-7.0, -2.0, 3.0, -1.0),
    (-6.0, 3.0, -2.0, -0.0),
    (0.0, 2.0, 0.0, 0.0),
    (-0.0, 2.0, -0.0, -0.0),
    (0.0, 0.0, math.nan, math.nan),
    (1.0, 0.0, math.inf, math.nan),
    (-1.0, 0.0, -math.inf, math.nan),
    (math.inf, 2.0, math.nan, math.nan),
    (1.0, math.inf, 0.0, 1.0),
    (-1.0, math.inf, -1.0, math.inf),
    (1.0, -math.inf, -1.0, -math.inf),
    (-1.0, -math.inf, 0.0, -1.0),
    (math.nan, 1.0, math.nan, math.nan),
    (3e38, 1.5, 1.9999999360571385e38, 0.5),
    (1e-45, 2.0, 0.0, 1.401298464324817e-45),
    (-0.5, 2.0, -1.0, 1.5),
]


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_floor_quotients(target):
    x, y, quotients, rests = np.array(FLOOR_QUOTIENTS, np.float32).T
    got = run(lambda b, x, y: (x // y, x % y), x, y, target=target)
    for result, expected in zip(got, (quotients, rests), strict=True):
        np.testing.assert_array_equal(result, expected)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("target", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_floor_quotients_of_many(dtype, target):
    def make(greatest):
        return (RNG.standard_normal(3000) * 10.0 ** RNG.integers(-2, greatest, 3000)).astype(dtype)

    # In float16 quotients of these are numbers.
    x, y = make(2), make(3)
    y = np.where(np.abs(y) < 0.01, dtype(0.01), y)
    wide = np.promote_types(dtype, np.float32)
    quotient, rest = run(lambda b, x, y: (x // y, b.fmod(x, y)), x, y, target=target)
    np.testing.assert_array_equal(quotient, np.floor_divide(x.astype(wide), y.astype(wide)).astype(dtype))
    np.testing.assert_array_equal(rest, np.fmod(x.astype(wide), y.astype(wide)).astype(dtype))


def test_quotients_of_negative_integers():
    x, y = (each.reshape(-1).astype(np.int32) for each in np.meshgrid(range(-9, 10), [-3, -1, 1, 4]))
    quotient, rest, floor_less = run(lambda b, x, y: (x // y, x % y, b.fmod(x, y)), x, y)
    np.testing.assert_array_equal(quotient, x // y)
    np.testing.assert_array_equal(rest, x % y)
    np.testing.assert_array_equal(floor_less, np.fmod(x, y))


def test_shifts():
    x = RNG.integers(-(2**30), 2**30, (4, 5)).astype(np.int32)
    y = RNG.integers(0, 9, (5,)).astype(np.int32)
    left, right = run(lambda b, x, y: (x << y, x >> y), x, y)
    np.testing.assert_array_equal(left, x << y)
    np.testing.assert_array_equal(right, x >> y)


def test_pow():
    x, y = np.abs(random(3, 4)) + 0.1, random(3, 4)
    powers = run(lambda b, x, y: (x**y, x**2, x**3, 2**y, x**0.5), x, y)
    for got, expected in zip(powers, (x**y, x**2, x**3, 2**y, np.sqrt(x)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5)
    integers = np.arange(-3, 3)
    zero, third = run(lambda b, x: (x**0, x**3), integers)
    np.testing.assert_array_equal(zero, integers**0)
    np.testing.assert_array_equal(third, integers**3)
    with pytest.raises(fuser.Error, match="'pow': expected an exponent of at least 0 for integers, got -1"):
        run(lambda b, x: x**-1, integers)


def test_operators():
    x, y = random(3, 4), random(3, 4)
    got = run(lambda b, x, y: (-x + 2 * y - y / 3, abs(x) // 1, 5 % abs(y), 1 - x, x >= y, +x), x, y)
    expected = (-x + 2 * y - y / 3, abs(x) // 1, 5 % abs(y), 1 - x, x >= y, x)
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_allclose(result, reference, rtol=1e-5, atol=1e-5)
    flags = run(lambda b, x, y: (~((x > 0) & (y > 0)) ^ (x < y)) | (x == y), x, y)
    np.testing.assert_array_equal(flags, (~((x > 0) & (y > 0)) ^ (x < y)) | (x == y))


def test_where_clip_lerp():
    x, y = random(3, 4), random(4)
    where, low, both, lerp = run(
        lambda b, x, y: (b.where(x > 0, x, 2.5), b.clip(x, min=-1), b.clip(x, -1, 1), b.lerp(x, y, 0.25)), x, y
    )
    np.testing.assert_array_equal(where, np.where(x > 0, x, np.float32(2.5)))
    np.testing.assert_array_equal(low, np.clip(x, -1, None))
    np.testing.assert_array_equal(both, np.clip(x, -1, 1))
    np.testing.assert_allclose(lerp, x + 0.25 * (y - x), rtol=1e-5, atol=1e-6)


# Reductions and shapes


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (1, -1)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("opened", [False, True])
def test_reductions(axis, keepdims, opened):
    x = random(3, 4, 5)
    got = run(
        lambda b, x: tuple(
            getattr(x, name)(axis=axis, keepdims=keepdims) for name in ("sum", "mean", "max", "min", "var")
        ),
        x,
        opened=opened,
    )
    for result, name in zip(got, ("sum", "mean", "max", "min", "var"), strict=True):
        expected = getattr(x, name)(axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
        assert result.shape == expected.shape


def test_reductions_of_other_types():
    x = RNG.integers(-5, 5, (3, 4)).astype(np.int32)
    total, mean, greatest = run(lambda b, x: (x.sum(), x.mean(), (x > 4).max(axis=1)), x)
    assert total == x.sum() and total.dtype == np.int64
    assert mean == pytest.approx(x.mean()) and mean.dtype == np.float32
    np.testing.assert_array_equal(greatest, (x > 4).max(axis=1))
    assert run(lambda b, x: x.sum(dtype="float64"), x).dtype == np.float64


def test_functions_are_methods():
    def build(b, x):
        return (
            b.sum(x, 1) + b.mean(x, axis=1) * b.max(x, 1) - b.min(x, axis=1) + b.var(x, 1, correction=1),
            b.squeeze(b.expand_dims(b.permute_dims(b.reshape(x, 2, 6), (1, 0)), 0), 0),
        )

    x = random(3, 4)
    reduced, moved = run(build, x, opened=False)
    np.testing.assert_allclose(
        reduced, x.sum(1) + x.mean(1) * x.max(1) - x.min(1) + x.var(1, ddof=1), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_array_equal(moved, x.reshape(2, 6).T)


def test_variance_without_enough_elements():
    x = random(3, 1)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        np.testing.assert_array_equal(run(lambda b, x: x.var(axis=1, correction=1), x), x.var(1, ddof=1))


def test_shapes():
    x = random(2, 3, 4)
    got = run(
        lambda b, x: (
            x.reshape(6, 4),
            x.reshape(-1),
            x.reshape(b.size(x, 0), 1, -1),
            x.T,
            x.permute_dims((1, 0, 2)),
            x.expand_dims((0, -1)),
            x.expand_dims(1).squeeze(1),
            b.broadcast_to(x.sum(axis=2, keepdims=True), (5, -1, 3, 7)),
            b.concat([x, x * 2, x], axis=-1),
        ),
        x,
    )
    expected = (
        x.reshape(6, 4),
        x.reshape(-1),
        x.reshape(2, 1, -1),
        x.T,
        x.transpose(1, 0, 2),
        x[None, ..., None],
        x,
        np.broadcast_to(x.sum(axis=2, keepdims=True), (5, 2, 3, 7)),
        np.concatenate([x, x * 2, x], axis=-1),
    )
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_allclose(result, reference, rtol=1e-5)


def test_a_size_of_nothing_leaves_others_open():
    """The number of elements, 0, says nothing about them."""
    b = fuser.Builder()
    x = b.input([None, None], name="x")
    rows = b.size(x, 0)
    b.output(b.concat([b.broadcast_to(x[:, rows:rows], (-1, 0)), x], axis=1))
    array = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(b.compile()(array), array)


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize(
    "key",
    [
        np.s_[1],
        np.s_[-1],
        np.s_[1:3],
        np.s_[:, 2:],
        np.s_[:, -2:, 0],
        np.s_[..., 1::2],
        np.s_[:, None, 1, :-1],
        np.s_[..., None, 1],
        np.s_[0, ..., None],
        np.s_[None],
    ],
    ids=str,
)
def test_parts(key, opened):
    x = random(3, 4, 6)
    got = run(lambda b, x: x[key], x, opened=opened)
    np.testing.assert_array_equal(got, x[key])
    assert got.shape == x[key].shape


def test_parts_are_clamped():
    x = random(3, 4)
    np.testing.assert_array_equal(run(lambda b, x: x[1:9, -9:2], x, opened=False), x[1:9, -9:2])
    assert run(lambda b, x: x[3:2], x, opened=False).shape == (0, 4)
    # Where a size is open, a bound beyond it is an error.
    with pytest.raises(fuser.Error, match="expected a slice of the 3 elements"):
        run(lambda b, x: x[1:9], x)


def test_parts_by_values():
    b = fuser.Builder()
    x, i = b.input((None, None)), b.scalar("int64", name="i")
    b.output(x[i])
    b.output(x[i : b.size(x, 0)])
    array = random(4, 5)
    row, rest = b.compile()(array, 2)
    np.testing.assert_array_equal(row, array[2])
    np.testing.assert_array_equal(rest, array[2:])


def test_factories():
    b = fuser.Builder()
    x = b.input((None, 4), "float64")
    n = b.size(x, 0)
    b.output(b.full((n, 2), 2.5))
    b.output(b.zeros((2,), bool))
    b.output(b.iota((3, n), axis=1, start=5, step=-2))
    b.output(b.iota((4,), dtype="float32", start=0.5, step=0.25))
    b.output(b.constant([1, 2, 3, 4.5], (2, 2)))
    b.output(b.triu(x, 1))
    b.output(x + b.ones((4,)))
    array = random(3, 4, dtype=np.float64)
    got = b.compile()(array)
    expected = (
        np.full((3, 2), 2.5),
        np.zeros(2, bool),
        np.broadcast_to([5, 3, 1], (3, 3)),
        [0.5, 0.75, 1, 1.25],
        [[1, 2], [3, 4.5]],
        np.triu(array, 1),
        array + 1,
    )
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_array_equal(result, reference)


MATMULS = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (6, 4, 5)),
    ((2, 6, 3, 4), (1, 6, 4, 5)),
]


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("shapes", MATMULS, ids=str)
def test_matmul(shapes, opened):
    x, y = (random(*shape) for shape in shapes)
    np.testing.assert_allclose(run(lambda b, x, y: x @ y, x, y, opened=opened), x @ y, rtol=1e-5, atol=1e-5)


def test_linear():
    x, w, bias = random(2, 3, 4), random(5, 4), random(5)
    plain, biased = run(lambda b, x, w, c: (b.linear(x, w), b.linear(x, w, c)), x, w, bias)
    np.testing.assert_allclose(plain, x @ w.T, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(biased, x @ w.T + bias, rtol=1e-5, atol=1e-5)


# Types

PROMOTIONS = [
    # Of tensors the greater type, of tensors and tensors of rank 0 that of the category, of numbers the least.
    (("float32", 1), ("float64", 1), "float64"),
    (("float32", 1), ("float64", 0), "float32"),
    (("int32", 1), ("int64", 0), "int32"),
    (("int32", 1), ("float64", 0), "float64"),
    (("bool", 1), ("int32", 1), "int32"),
    (("int64", 1), ("float16", 1), "float16"),
    (("float16", 1), ("bfloat16", 1), "float32"),
    (("bfloat16", 1), ("float32", 1), "float32"),
    (("float16", 1), 2.5, "float16"),
    (("int32", 1), 2, "int32"),
    (("int32", 1), 2.5, "float32"),
    (("bool", 1), 2, "int64"),
    (("bool", 1), True, "bool"),
]


@pytest.mark.parametrize("lhs, rhs, expected", PROMOTIONS, ids=str)
def test_promotion(lhs, rhs, expected):
    b = fuser.Builder()
    operands = [b.input((3,) * each[1], each[0]) if isinstance(each, tuple) else each for each in (lhs, rhs)]
    assert b.maximum(*operands).dtype == expected if expected != "bool" else b.logical_or(*operands).dtype == "bool"


def test_promotion_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    names = ("float64", "float32", "float16", "bfloat16", "bool", "int32", "int64")
    operands = [(name, rank) for name in names for rank in (0, 1)] + [True, 2, 2.5]
    b = fuser.Builder()

    def make(operand):
        if not isinstance(operand, tuple):
            return operand, operand
        name, rank = operand
        return b.input((3,) * rank, name), torch.ones((3,) * rank, dtype=getattr(torch, name))

    for lhs in operands:
        for rhs in operands:
            if not isinstance(lhs, tuple) and not isinstance(rhs, tuple):
                continue
            (x, left), (y, right) = make(lhs), make(rhs)
            expected = str(torch.result_type(left, right)).removeprefix("torch.")
            assert b.where(b.constant([1, 0, 1], (3,), bool), x, y).dtype == expected, (lhs, rhs)


def test_shapes_are_those_of_pytorch():
    """Products of matrices and vectors, broadcast."""
    torch = pytest.importorskip("torch")
    shapes = [(4,), (3, 4), (4, 4), (2, 3, 4), (1, 4, 4), (5, 1, 4, 4)]
    b = fuser.Builder()
    for lhs in shapes:
        for rhs in shapes:
            x, y = b.input(lhs), b.input(rhs)
            try:
                expected = tuple(torch.matmul(torch.ones(lhs), torch.ones(rhs)).shape)
            except RuntimeError:
                with pytest.raises(
                    fuser.Error, match="of the right operand to be 4, as dimension . of the left operand is, got 3"
                ):
                    x @ y
            else:
                assert (x @ y).shape == expected, (lhs, rhs)


def test_functions_of_integers_are_floats():
    b = fuser.Builder()
    x = b.input((3,), "int64")
    assert (b.exp(x).dtype, (x / x).dtype, (x // x).dtype, b.floor(x).dtype) == ("float32", "float32", "int64", "int64")


def test_casts():
    x = random(5) * 10
    narrow = run(lambda b, x: (x.astype("bfloat16"), x.astype(np.int32), b.astype(x, "float16"), x.astype(bool)), x)
    for got, dtype in zip(narrow, (ml_dtypes.bfloat16, np.int32, np.float16, bool), strict=True):
        np.testing.assert_array_equal(got, x.astype(dtype))


def test_each_op_rounds():
    """Nothing is computed with more precision than types have: 1 + 2**-9 is 1 in bfloat16."""
    x = np.ones(4, ml_dtypes.bfloat16)
    plain, wide = run(lambda b, x: ((x + 2**-9) - 1, (x.astype("float32") + 2**-9) - 1), x)
    np.testing.assert_array_equal(plain, np.zeros(4))
    np.testing.assert_array_equal(wide, np.full(4, 2**-9))


# Scalars


def test_scalars():
    b = fuser.Builder()
    x = b.input((None,))
    s, n, flag = b.scalar(name="s"), b.scalar("int32"), b.scalar("bool")
    b.output(x * s + n)
    b.output(b.where(flag, x, -x))
    b.output(b.where(n > 3, s, s * 2))  # A scalar becomes a tensor of rank 0.
    b.output(x * b.exp(s))
    b.output((n * n + 1) // 2 % 5)
    b.output(s.astype("int32") + n)
    array = random(5)
    got = b.compile()(array, 1.5, 3, False)
    expected = (array * 1.5 + 3, -array, 3.0, array * np.exp(np.float32(1.5)), 0, 4)
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_allclose(result, reference, rtol=1e-6)


def test_sizes_are_scalars():
    x = random(3, 5)
    mean = run(lambda b, x: x.sum() / (b.size(x, 0) * b.size(x, 1)), x)
    assert mean == pytest.approx(x.mean(), rel=1e-5)


# Open sizes


def test_one_executable_for_all_sizes():
    b = fuser.Builder()
    x = b.input((None, None), name="x")
    b.output(x - x.mean(axis=1, keepdims=True))
    center = b.compile()
    for shape in ((1, 1), (3, 700), (50, 2)):
        array = random(*shape)
        np.testing.assert_allclose(center(array), array - array.mean(1, keepdims=True), rtol=1e-4, atol=1e-5)


def test_open_size_becomes_known():
    b = fuser.Builder()
    x = b.input((None, -1), name="x")
    y = b.exp(x)
    assert y.shape == (None, None)
    b.output(y + b.input((3, 1)))
    # What is added says how many rows there are; columns are open.
    assert y.shape == (3, None) and x.shape == (3, None)
    add = b.compile()
    array = random(3, 4)
    np.testing.assert_allclose(add(array, np.ones((3, 1), np.float32)), np.exp(array) + 1, rtol=1e-5)
    with pytest.raises(fuser.Error, match="input 0 'x': expected dimension 0 to be 3, got 2"):
        add(array[:2], np.ones((3, 1), np.float32))


def test_computed_size_becomes_known():
    b = fuser.Builder()
    x, y = b.input((None, None)), b.input((3, None))
    b.output(b.input((8,)) + x.reshape(-1))
    b.output(b.concat([y, y], axis=1) + b.input((3, 8)))
    add = b.compile()
    x, y, row, matrix = random(2, 4), random(3, 4), random(8), random(3, 8)
    flat, wide = add(x, y, row, matrix)
    np.testing.assert_allclose(flat, row + x.reshape(-1))
    np.testing.assert_allclose(wide, matrix + np.concatenate([y, y], 1))
    with pytest.raises(fuser.Error, match="'add': expected size 8 in dimension 0 of an operand, got 4$"):
        add(x[:1], y, row, matrix)
    with pytest.raises(fuser.Error, match="'add': expected size 8 in dimension 1 of an operand, got 6$"):
        add(x, y[:, :3], row, matrix)
    b = fuser.Builder()
    x = b.input((None, None))
    b.output(b.concat([b.concat([x, x], axis=1)] * 2, axis=0) + b.input((8, 8)))
    add = b.compile()
    x, square = random(4, 4), random(8, 8)
    np.testing.assert_allclose(add(x, square), square + np.tile(x, (2, 2)))
    for shape in ((2, 8), (4, 3), (0, 4)):
        with pytest.raises(fuser.Error, match="'add': expected size 8 in dimension [01] of an operand, got"):
            add(random(*shape), square)


# Inputs and outputs


def test_names():
    b = fuser.Builder("scale")
    b.output(b.input((None,), name="x") * b.scalar(name="factor"), name="scaled")
    scale = b.compile()
    assert (scale.name, scale.input_names, scale.scalar_names, scale.output_names) == (
        "scale",
        ("x",),
        ("factor",),
        ("scaled",),
    )


def test_layouts():
    b = fuser.Builder()
    x = b.input((None, None), stride_order=(1, 0))
    b.output(x + 1, stride_order=(1, 0))
    array = np.asfortranarray(random(3, 4))
    got = b.compile()(array)
    np.testing.assert_array_equal(got, array + 1)
    assert got.strides == (4, 12)


def test_alias():
    b = fuser.Builder()
    x = b.input((None,), name="x")
    b.output(x.astype("float64") * 2, alias=x)  # Cast to the type of the input.
    array = random(5)
    before = array.copy()
    assert b.compile()(array) is array
    np.testing.assert_array_equal(array, before * 2)


def test_compile_again():
    b = fuser.Builder()
    x = b.input((None, 64))
    b.output(x.sum(axis=1))
    array = random(3, 64)
    for target in ("cpu", "sim"):
        np.testing.assert_allclose(b.compile(target)(array), array.sum(1), rtol=1e-5, atol=1e-5)
    loaded = fuser.load(b.compile_to_bytes())
    np.testing.assert_allclose(loaded(array), array.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(fuser.compile(b.text())(array), array.sum(1), rtol=1e-5, atol=1e-5)
    assert "fusion.reduce <sum>" in b.text()


@pytest.mark.cuda
def test_cuda():
    torch = pytest.importorskip("torch")
    b = fuser.Builder()
    x = b.input((None, None))
    b.output(x - x.mean(axis=1, keepdims=True))
    tensor = torch.randn(8, 1000, device="cuda")
    torch.testing.assert_close(b.compile("cuda")(tensor), tensor - tensor.mean(1, keepdim=True))


# Errors


def line_of(text):
    """Where in this file `text` stands first."""
    return next(i for i, line in enumerate(Path(__file__).read_text().splitlines(), 1) if text in line)


def test_errors_name_the_line():
    b = fuser.Builder()
    x, y = b.input((3, 4)), b.input((2, 4))
    with pytest.raises(fuser.Error) as info:
        x + y  # The line that is wrong.
    line = line_of("x + y  # The line that is wrong.")
    expected = (
        f"{__file__}:{line}: error: 'add': expected shapes that broadcast, got size 3 in dimension 0 of 'tensor<3x4xf32>' and 2"
        " in dimension 0 of 'tensor<2x4xf32>'"
    )
    assert str(info.value) == expected


def test_errors_of_the_whole_program_name_a_line():
    b = fuser.Builder()
    x = b.input((3,))
    b.output(x + 1, alias=x)
    b.output(x + 2, alias=x)  # Written over twice.
    with pytest.raises(fuser.Error) as info:
        b.compile()
    assert str(info.value).startswith(f"{__file__}:{line_of('b.output(x + 2, alias=x)')}: error: ")
    assert "expected each input to be reused once, got input 0 for results 0 and 1" in str(info.value)


def test_errors():
    b, other = fuser.Builder(), fuser.Builder()
    x, short = b.input((3, 4), name="x"), b.input((3,), name="short")
    for wrong, message in [
        (
            lambda: x + other.input((3, 4)),
            "expected operand 1 of 'add' to be a value of this builder, got one of another",
        ),
        (lambda: b.input((3,), "float8"), "expected an element type .*, got 'float8'"),
        (lambda: x.astype(np.longdouble), "expected an element type .*, got 'longdouble'"),
        (lambda: x.sum(axis=2), "'sum': expected a dimension of -2 to 1, of a tensor of 2 dimensions, got 2"),
        (lambda: x.sum(axis=(0, -2)), "expected each dimension once, got dimension 0 twice"),
        (lambda: x.reshape(5, -1), r"as 'tensor<3x4xf32>' has, got \[5, -1\], whose other sizes do not divide them"),
        (lambda: x.reshape(-1, -1), "expected sizes that are not negative, and one -1 at most"),
        (lambda: x.permute_dims((0, 0)), r"once in the permutation, got \[0, 0\]"),
        (lambda: x.squeeze(0), "expected size 1 in dimension 0, got 'tensor<3x4xf32>'"),
        (lambda: x[5], r"'\[...]': expected an index of -3 to 2, got 5"),
        (lambda: x[::0], r"'\[...]': expected"),
        (lambda: x @ x, "expected dimension 0 of the right operand to be 4"),
        (lambda: x & x, "'&': expected booleans or integers as operand 0, got 'tensor<3x4xf32>'"),
        (lambda: b.concat([x, short]), "expected tensors of as many dimensions, got .* and, as operand 1, "),
        (lambda: b.constant([1, 2, 3], (2, 2)), "a value for each"),
        (lambda: x.astype("int32") + 2**40, "expected a number that 'i32' holds"),
        (lambda: b.full((-2,), 1), "expected sizes that are not negative, got -2"),
        (lambda: b.input((2**40, 2**20)), "expected a tensor of at most 2\\^48 elements"),
        (lambda: fuser.Builder().compile(), "expected a program with at least one output"),
    ]:
        with pytest.raises(fuser.Error, match=message):
            wrong()
    b.output(x + 1)  # It goes on after all that.
    np.testing.assert_array_equal(b.compile()(np.ones((3, 4), np.float32), np.ones(3, np.float32)), np.full((3, 4), 2))
    with pytest.raises(fuser.Error, match="expected a builder whose program is not finished"):
        b.exp(x)


def test_type_errors():
    b = fuser.Builder()
    x = b.input((3, 4))
    for wrong, message in [
        (lambda: b.exp("x"), "exp: expected a value of the program or a number as x, got 'x'"),
        (lambda: x + np.ones((3, 4)), "got ndarray: an array is an input of the program, and given"),
        (lambda: bool(x > 0), "expected a value that is known while the program is built"),
        (lambda: list(x), "expected a sequence, got a value"),
        (lambda: np.asarray(x), "expected an array, got a value"),
        (lambda: b.output(3), "expected a value of the program as an output, got int"),
        (lambda: x.reshape(1.5), "expected an integer as a size or a bound, got 1.5"),
        (lambda: b.input((3, 1.5)), "expected a size, or None for an open one, got 1.5"),
        (lambda: b.input((3, x)), "expected a size, or None for an open one, got <fuser.Value tensor<3x4xf32>>"),
    ]:
        with pytest.raises(TypeError, match=message):
            wrong()
    with pytest.raises(
        OverflowError, match=r"add: expected integers of -2\*\*63 to 2\*\*63 - 1, or floats, got 1180591620717411303424"
    ):
        x + 2**70
    with pytest.raises(OverflowError, match="reshape: expected integers"):
        x.reshape(2**63, -1)
    with pytest.raises(ValueError, match="expected a stride order of 2 dimensions, got 1"):
        b.input((3, 4), stride_order=(0,))


def test_earlier_ops_do_not_admit_a_size():
    """An op that needs another size than ops before it have: the error is at the op, with a note at the other."""
    b = fuser.Builder()
    x = b.input((None, 6))
    x.reshape(2, -1, 4)  # x has an even number of rows.
    with pytest.raises(fuser.Error) as info:
        x + b.input((3, 6))  # It has three.
    text = str(info.value)
    assert (
        f":{line_of('x + b.input((3, 6))  # It has three.')}: error: 'add': expected sizes that ops before it admit"
        in text
    )
    assert f":{line_of('x.reshape(2, -1, 4)  # x has')}: note: 'reshape': expected a shape of as many elements" in text
    assert x.shape == (None, 6)


def test_page_of_ops():
    """docs/spec/builder-ops.md has every op, and none that is not there."""
    page = (ROOT / "docs/spec/builder-ops.md").read_text()
    # The first column, without attributes.
    rows = [re.sub(r"\(.*?\)", "", row) for row in re.findall(r"^\| (`.*?) \|", page, re.M)]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    with pytest.raises(fuser.Error) as info:
        fuser.Builder()._program.op("?", ())
    known = set(re.search(r"the names are (.*)", str(info.value)).group(1).split(", "))
    assert len(known) > 80 and known == listed


def test_more_results_than_eight():
    b = fuser.Builder()
    values = [b.input((None,), "float32") for _ in range(20)]
    for each in b.broadcast_arrays(*values):
        b.output(each)
    arrays = [np.full(3, number, np.float32) for number in range(20)]
    for got, array in zip(b.compile()(*arrays), arrays, strict=True):
        np.testing.assert_array_equal(got, array)


def test_dimensions_of_broadcasts_from_the_end():
    def build(b, dims):
        return b._program.op("broadcast_in_dim", (b.input((3, 3)),), {"shape": [3, 3], "dims": dims})

    b = fuser.Builder()
    assert build(b, [0, -1]).shape == (3, 3)
    with pytest.raises(fuser.Error, match=r"expected ascending dimensions of the result, .* got \[-1, 0\]"):
        build(fuser.Builder(), [-1, 0])


def test_complex_scalars_of_numpy():
    x = np.array([1 + 2j], np.complex64)
    np.testing.assert_array_equal(run(lambda b, x: x * np.complex64(1j), x), x * np.complex64(1j))
    b = fuser.Builder()
    b.output(b.input((None,), "float32") * b.scalar("float32"))
    program = b.compile()
    with pytest.raises(TypeError, match="scalar 0 'arg1': expected a real number, got"):
        program(np.ones(3, np.float32), np.complex64(3 + 1j))
