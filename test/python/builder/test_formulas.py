# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, norms of vectors and losses, as a builder's functions, against NumPy in float64: each result is rounded once, of half types too."""

import fuser
import ml_dtypes
import numpy as np
import pytest
from test_builder import run

DTYPES = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16]
RNG = np.random.default_rng(11)
X, Y = RNG.standard_normal((2, 3, 5, 4)) * 4, RNG.standard_normal((2, 3, 5, 4))
GREATEST = 300.0  # Its square is no float16.


def exp(x):
    return np.exp(np.minimum(x, 60))


def softplus(x):
    return np.where(x > 20, x, np.log1p(exp(x)))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def huber(x, y, delta):
    far = np.abs(x - y)
    return np.where(far < delta, far**2 / 2, delta * (far - delta / 2))


def norm(x, axis=None, **kwargs):
    return np.sqrt((x * x).sum(axis, **kwargs))


def binary(x, y):
    return -(y * np.log(logistic(x)) + (1 - y) * np.log(1 - logistic(x)))


#: Operands behind x, and y where it is there, keywords, NumPy.
ONE = {
    "elu": ([0.7], {}, lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    "celu": ([0.7], {}, lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7))),
    "selu": ([], {}, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    "leaky_relu": ([0.25], {}, lambda x: np.where(x > 0, x, 0.25 * x)),
    "softplus": ([2.0, 20.0], {}, lambda x: softplus(2 * x) / 2),
    "mish": ([], {}, lambda x: x * np.tanh(softplus(x))),
    "hardsigmoid": ([], {}, lambda x: np.clip(x + 3, 0, 6) / 6),
    "hardswish": ([], {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "softsign": ([], {}, lambda x: x / (1 + np.abs(x))),
    "tanhshrink": ([], {}, lambda x: x - np.tanh(x)),
    "hardshrink": ([0.5], {}, lambda x: np.where(np.abs(x) <= 0.5, 0, x)),
    "softshrink": ([0.5], {}, lambda x: np.where(np.abs(x) <= 0.5, 0, x - 0.5 * np.sign(x))),
    "log_sigmoid": ([], {}, lambda x: -softplus(-x)),
    "vector_norm": ([], {"axis": (1, 2)}, lambda x: norm(x, (1, 2))),
    "logsumexp": ([], {"axis": -1, "keepdims": True}, lambda x: np.log(np.exp(x).sum(-1, keepdims=True))),
    "normalize": ([], {"axis": 1, "eps": 1e-12}, lambda x: x / norm(x, 1, keepdims=True)),
}
TWO = {
    "xlogy": ([], {}, lambda x, y: x * np.log(y)),
    "addcdiv": ([2.0], {"value": 0.5}, lambda x, y: x + 0.5 * y / 2),
    "mse_loss": ([], {}, lambda x, y: ((x - y) ** 2).mean()),
    "l1_loss": ([], {"reduction": "none"}, lambda x, y: np.abs(x - y)),
    "huber_loss": ([], {"reduction": "none", "delta": 0.7}, lambda x, y: huber(x, y, 0.7)),
    "smooth_l1_loss": ([], {"reduction": "sum", "beta": 0.7}, lambda x, y: (huber(x, y, 0.7) / 0.7).sum()),
    "binary_cross_entropy_with_logits": ([], {}, lambda x, y: binary(x, y).mean()),
    "kl_div": ([], {"reduction": "sum"}, lambda x, y: (y * (np.log(y) - x)).sum()),
    "cosine_similarity": (
        [],
        {"axis": 1, "eps": 1e-8},
        lambda x, y: (x * y).sum(1) / (norm(x, 1) * norm(y, 1)),
    ),
}
dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: np.dtype(each).name)


def check(got, expected, dtype):
    """Within a rounding to the type, and what is computed in f32."""
    epsilon = float(ml_dtypes.finfo(dtype).eps)
    assert got.dtype == dtype and got.shape == np.shape(expected)
    bound = 1e-13 if dtype == np.float64 else 0.51 * epsilon + 4e-7
    greatest = np.abs(expected)[np.isfinite(expected)].max(initial=0)
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=bound, atol=min(bound, 1e-6) * greatest)


@dtypes
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", ONE)
def test_of_one(name, dtype, opened):
    others, options, function = ONE[name]
    x = X.astype(dtype)
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float64))
    check(run(lambda b, x: getattr(b, name)(x, *others, **options), x, opened=opened), expected, dtype)


@dtypes
@pytest.mark.parametrize("name", TWO)
def test_of_two(name, dtype):
    others, options, function = TWO[name]
    x, y = X.astype(dtype), (np.abs(Y) / (1 + np.abs(Y)) * 0.9 + 0.05).astype(dtype)
    expected = function(x.astype(np.float64), y.astype(np.float64))
    check(run(lambda b, x, y: getattr(b, name)(x, y, *others, **options), x, y), expected, dtype)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_no_square_is_too_large_or_too_small(dtype):
    for size in (GREATEST, 1e-4):
        x = np.full((2, 1000), size).astype(dtype)
        wide = x.astype(np.float64)
        got = run(
            lambda b, x: (
                b.vector_norm(x, axis=1),
                b.normalize(x),
                b.cosine_similarity(x, x),
            ),
            x,
        )
        check(got[0], norm(wide, 1), dtype)
        np.testing.assert_allclose(got[1].astype(np.float64), wide / norm(wide, 1, keepdims=True), rtol=4e-3)
        np.testing.assert_allclose(got[2].astype(np.float64), 1, rtol=4e-3)


@pytest.mark.parametrize("order", [0.0, 1.0, 3.0, -1.5, np.inf, -np.inf])
def test_orders_of_norms(order):
    x = np.where(X > 3, 0, X) if order == 0 else X
    got = run(lambda b, x: b.vector_norm(x, order, (0, -1), keepdims=True), x)
    sizes = np.moveaxis(np.abs(x), 0, 2).reshape(3, 5, 8)
    np.testing.assert_allclose(got[0, :, :, 0], np.linalg.norm(sizes, order, axis=-1), rtol=1e-13)


def test_weights_of_losses():
    x, y, w = X, np.abs(Y) % 1, np.abs(Y) + 0.1

    def build(b, x, y, w):
        entropy = b.binary_cross_entropy_with_logits(x, y, 2 * w, "none", w)
        return b.mse_loss(x, y, weight=w), b.huber_loss(x, y, weight=w), entropy

    squares, lines, entropy = run(build, x, y, w)
    np.testing.assert_allclose(squares, ((x - y) ** 2 * w).sum() / w.sum(), rtol=1e-13)
    np.testing.assert_allclose(lines, (huber(x, y, 1.0) * w).mean(), rtol=1e-13)
    expected = -2 * w * (w * y * np.log(logistic(x)) + (1 - y) * np.log(1 - logistic(x)))
    np.testing.assert_allclose(entropy, expected, rtol=1e-9)


def test_prelu_has_a_weight_for_each_channel():
    w = np.array([0.1, 0.2, 0.3])
    got = run(lambda b, x, w: b.prelu(x, w), X, w)
    np.testing.assert_array_equal(got, np.where(X > 0, X, X * w[:, None, None]))


@dtypes
def test_nan_to_num(dtype):
    x = np.array([1.5, np.nan, np.inf, -np.inf]).astype(dtype)
    most = ml_dtypes.finfo(dtype).max
    got, other = run(lambda b, x: (b.nan_to_num(x), b.nan_to_num(x, 7.0, posinf=2.0)), x)
    np.testing.assert_array_equal(got, np.array([1.5, 0, most, -most]).astype(dtype))
    np.testing.assert_array_equal(other, np.array([1.5, 7, 2, -most]).astype(dtype))


def test_what_is_no_number():
    x = np.array([[1.0, np.nan, 3.0], [np.inf, -np.inf, np.nan]])
    got = run(lambda b, x: (b.nansum(x, 1), b.nanmean(x, 1), b.logsumexp(x, 1)), x)
    np.testing.assert_array_equal(got[0], [4, np.nan])
    np.testing.assert_array_equal(got[1], [2, np.nan])
    np.testing.assert_array_equal(got[2], [np.nan, np.nan])
    ends = np.array([[-np.inf, -np.inf], [np.inf, 1.0]])
    (got,) = (run(lambda b, x: b.logsumexp(x, axis=1), ends),)
    np.testing.assert_array_equal(got, [-np.inf, np.inf])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex64])
def test_trace_leaves_out_what_is_not_on_the_diagonal(dtype):
    x = (np.arange(12).reshape(3, 4) + 1).astype(dtype)
    if dtype == np.float32:
        x[0, 1], x[2, 3] = np.inf, np.nan
    got = run(lambda b, x: b.trace(x), x)
    np.testing.assert_array_equal(got, 1 + 6 + 11)


def test_other_functions():
    x = np.array([1.5, -2.25, np.inf, -np.inf, np.nan, 0.25])
    got = run(
        lambda b, x: (
            *(b.frac(x), b.isposinf(x), b.isneginf(x), b.threshold(x, 1.0, 7.0)),
            *(b.addcmul(x, x, 2.0, value=3), b.logit(x, eps=0.25), b.sign(x)),
            b.smooth_l1_loss(x, 1.0, "none", beta=0),
        ),
        x,
    )
    np.testing.assert_array_equal(got[0][[0, 1, 5]], [0.5, -0.25, 0.25])
    np.testing.assert_array_equal(got[1], np.isposinf(x))
    np.testing.assert_array_equal(got[2], np.isneginf(x))
    np.testing.assert_array_equal(got[3], [1.5, 7, np.inf, 7, np.nan, 7])
    np.testing.assert_array_equal(got[4], 7 * x)
    np.testing.assert_allclose(got[5], np.log(3) * np.array([1, -1, 1, -1, np.nan, -1]), rtol=1e-15)
    np.testing.assert_array_equal(got[6], np.sign(x))
    np.testing.assert_array_equal(got[7], np.abs(x - 1))


def test_batchmean_is_over_the_size_of_dimension_0():
    x, y = X, np.abs(Y) + 0.1
    got = run(lambda b, x, y: b.kl_div(x, y, "batchmean"), x, y, opened=True)
    np.testing.assert_allclose(got, (y * (np.log(y) - x)).sum() / len(x), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("opened", [True, False])
def test_batchmean_rounds_once(dtype, opened):
    """The sum is more than float16 has numbers for."""
    x, y = (np.abs(np.random.default_rng(3).standard_normal((2, 4096, 64))) + 0.5).astype(dtype)
    wide, target = x.astype(np.float64), y.astype(np.float64)
    expected = np.float32((target * (np.log(target) - wide)).sum() / len(x)).astype(dtype)
    got = run(lambda b, x, y: b.kl_div(x, y, "batchmean"), x, y, opened=opened)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(np.float64), expected.astype(np.float64))
    mixed = run(lambda b, x, y: b.kl_div(x, y, "batchmean"), x, y.astype(np.float32), opened=opened)
    assert mixed.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.bool_])
def test_sign_keeps_nan(dtype):
    x = np.array([-2, 0, 3]).astype(dtype)
    if dtype not in (np.int32, np.bool_):
        x = np.concatenate([x, np.array([np.nan, -0.0]).astype(dtype)])
    expected = np.sign(x.astype(np.float64)).astype(dtype)
    got = run(lambda b, x: b.sign(x), x)
    np.testing.assert_array_equal(got.astype(np.float64), expected.astype(np.float64))


def test_they_are_functions_of_numpy_too():
    import fuser.numpy as fnp

    def build(x):
        return (
            np.nan_to_num(x, posinf=2.0),
            np.nansum(x, axis=0),
            np.linalg.vector_norm(x, ord=1),
            np.sign(x),
            np.trace(x),
        )

    x = np.array([[1.0, np.inf], [-2.0, np.nan]])
    for got, expected in zip(fuser.jit(build)(x), build(x), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(fuser.jit(lambda x: fnp.hardswish(x))(np.float32([3.0, -3.0])), [3, 0])


# Numbers beside half types

ARITHMETIC = {
    "add": lambda x, number: x + number,
    "sub": lambda x, number: number - x,
    "mul": lambda x, number: x * number,
    "true_divide": lambda x, number: x / number,
    "floor_div": lambda x, number: x // number,
}


@pytest.mark.parametrize("number", [0.1, 2, 1e-9, 70001])
@pytest.mark.parametrize("function", ARITHMETIC.values(), ids=ARITHMETIC)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_numbers_are_not_rounded_to_half_types_first(dtype, function, number):
    x = X.astype(dtype)
    got = run(lambda b, x: function(x, number), x)
    with np.errstate(over="ignore"):
        expected = function(x.astype(np.float32), np.float32(number)).astype(dtype)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_other_functions_round_numbers_first(dtype):
    x, number = X.astype(dtype), np.float32(dtype(0.1))
    got, isless = run(lambda b, x: (b.fmod(x, 0.1), x < 0.1), x)
    np.testing.assert_array_equal(got, np.fmod(x.astype(np.float32), number).astype(dtype))
    np.testing.assert_array_equal(isless, x < dtype(0.1))


def test_scalars_that_are_not_known_are_not_rounded_first():
    x = X.astype(np.float16)
    b = fuser.Builder()
    b.output(b.input(x.shape, x.dtype) * b.scalar("f32"))
    for number in (0.1, 2):
        got = b.compile()(x, number)
        np.testing.assert_array_equal(got, (x.astype(np.float32) * np.float32(number)).astype(np.float16))
