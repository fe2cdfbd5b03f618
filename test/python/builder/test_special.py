# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python of zeros, booleans, large integers, complex constants and all kinds of floats, against NumPy."""

import cmath
import math

import fuser
import ml_dtypes
import numpy as np
import pytest
from test_builder import run

#: Functions that keep the sign of a zero.
ODD = "neg sin tan asin atan sinh tanh asinh atanh erf expm1 log1p sqrt ceil floor trunc round silu copy".split()


@pytest.mark.parametrize("target", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_functions_of_zeros(dtype, target):
    """In vectors and behind the last one."""
    x = np.repeat(np.array([-0.0, 0.0], dtype), 35)

    def build(b, x):
        return tuple(getattr(b, {"neg": "negative"}.get(name, name))(x) for name in ODD)

    for name, result in zip(ODD, run(build, x, target=target), strict=True):
        np.testing.assert_array_equal(np.signbit(result), np.signbit(-x if name == "neg" else x), name)


@pytest.mark.parametrize("name", "add multiply maximum minimum fmax fmin".split())
def test_booleans(name):
    x, y = np.array([[False], [True]]), np.array([False, True])
    got, scalar = run(lambda b, x, y: (getattr(b, name)(x, y), getattr(b, name)(x, True)), x, y)
    np.testing.assert_array_equal(got, getattr(np, name)(x, y))
    np.testing.assert_array_equal(scalar, getattr(np, name)(x, True))
    assert got.dtype == scalar.dtype == bool


def test_powers_of_booleans():
    """Integers, as the exponent is one."""
    x = np.array([False, True])
    for exponent in (1, 2, 3):
        got = run(lambda b, x, exponent=exponent: b.pow(x, exponent), x)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, [0, 1])
    narrow = run(lambda b, x: b.pow(x, 2), x.astype(np.int8))
    assert narrow.dtype == np.int8


def test_sign_of_booleans():
    x = np.array([False, True])
    np.testing.assert_array_equal(run(lambda b, x: b.sign(x), x), x)


def test_large_integers_are_not_made_floats():
    x = np.array([2**53 + 1, -(2**53) - 1])
    got = run(lambda b, x: (b.fmax(x, x - 1), b.fmin(x, x + 1)), x)
    np.testing.assert_array_equal(got, [x, x])


@pytest.mark.parametrize("values", [[1, 2, -3], [0.5, 2.5, -1.0], [1 + 2j, 3, -0.5j]])
def test_complex_constants(values):
    x = np.zeros(3, np.complex64)
    got = run(lambda b, x: x + b.constant(values, (3,), "complex64"), x)
    np.testing.assert_array_equal(got, np.array(values, np.complex64))


@pytest.mark.parametrize("name", ["erfinv", "erfcinv"])
def test_inverse_errors_are_of_no_complex_numbers(name):
    with pytest.raises(fuser.Error, match="expected a tensor of numbers that are not complex"):
        run(lambda b, x: getattr(b, name)(x), np.zeros(3, np.complex64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse_of_the_error_function(dtype):
    """Up to the ends: within 2 units in the last place of f32, and of f64 as far as a step of Newton's from each result says, of erfc where that has the digits."""
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.uniform(-1, 1, 20000), 1 - 10 ** -rng.uniform(0, 7, 2000), 10 ** -rng.uniform(0, 30, 100)])
    if dtype == np.float64:
        y = np.concatenate([y, 1 - 10 ** -rng.uniform(7, 15.9, 200), [1 - 2.0**-53]])
    y = y.astype(dtype)
    y = y[np.abs(y) < 1]
    got = run(lambda b, x: b.erfinv(x), y)
    bounds = 2 * np.spacing(np.abs(got)) if dtype == np.float32 else 6e-16 * np.abs(got)
    for each, x, bound in zip(y.astype(np.float64), got.astype(np.float64), bounds, strict=True):
        size = abs(x)
        rest = math.erf(size) - abs(each) if size < 0.5 else (1 - abs(each)) - math.erfc(size)
        error = rest / (2 / math.sqrt(math.pi) * math.exp(-size * size))
        assert abs(error) <= bound, (each, x)
        assert (x < 0) == (each < 0)
    ends = np.array([0, -0.0, 1, -1, 1.5, np.nan], dtype)
    got = run(lambda b, x: b.erfinv(x), ends)
    np.testing.assert_array_equal(got, [0, 0, np.inf, -np.inf, np.nan, np.nan])
    assert [*np.signbit(got[:4])] == [False, True, False, True]


#: Parts of complex numbers: at the ends, so near to them that squares are less than the least number, and so far that squares overflow.
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-20, 1e30, -1e30, math.inf, -math.inf]


@pytest.mark.parametrize("name", "asin acos asinh acosh atan atanh".split())
@pytest.mark.parametrize(("dtype", "bound"), [(np.complex64, 2e-6), (np.complex128, 1e-14)])
def test_inverse_functions_as_c_has_them(name, dtype, bound):
    z = np.array([complex(x, y) for x in PARTS for y in PARTS] + [complex(-1, 1e-160)])[:, None]
    with np.errstate(all="ignore"):
        z = z.astype(dtype)
    if name == "atanh":
        z = z[(z.imag != 0) | (np.abs(z.real) != 1)]  # Infinite, which cmath does not give.
    elif name == "atan":
        z = z[(z.real != 0) | (np.abs(z.imag) != 1)]
    with np.errstate(all="ignore"):
        expected = np.array([getattr(cmath, name)(complex(each)) for each in z.ravel()]).astype(dtype)
    got = run(lambda b, z: getattr(b, name)(z), z.ravel())
    for part in ("real", "imag"):
        np.testing.assert_allclose(getattr(got, part), getattr(expected, part), rtol=bound, atol=0)


@pytest.mark.parametrize("target", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_of_what_has_no_logarithm(dtype, target):
    """Exponents that are odd, even, no integers, and subnormal."""
    tiny = np.finfo(dtype).tiny
    exponents = [-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 4.5, tiny, tiny / 2, -tiny / 2, np.inf, -np.inf, np.nan]
    x, y = (each.ravel() for each in np.meshgrid([0, -0.0, np.inf, -np.inf, -1, -2, np.nan], exponents))
    x, y = x.astype(dtype), y.astype(dtype)
    got = run(lambda b, x, y: b.pow(x, y), x, y, target=target)
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(expected[zeros]))


#: How far functions of f32 are off on a CPU and on a GPU in units in the last place, as docs/spec/fusion.md says.
UNITS = {
    "exp": (0.85, 1),
    "log": (1, 1),
    "sqrt": (0.5, 0.5),
    "rsqrt": (1.5, 1),
    "tanh": (1.5, 1),
    "sigmoid": (1.75, 1.9),
    "silu": (1.75, 1.9),
}


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("name", UNITS)
def test_errors_of_functions(name, target):
    """Of every 487th float, where the result is a normal number; silu of what is below -88.7 is 0, as PyTorch's."""
    x = np.arange(0, 1 << 32, 487, np.uint64).astype(np.uint32).view(np.float32)
    b = fuser.Builder()
    b.output(getattr(b, name)(b.input((None,), "float32")))
    if target == "cuda":
        torch = pytest.importorskip("torch")
        got = b.compile(target)(torch.from_numpy(x).cuda()).cpu().numpy()
    else:
        got = b.compile(target)(x)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        exact = {
            "rsqrt": lambda: 1 / np.sqrt(wide),
            "sigmoid": lambda: 1 / (1 + np.exp(-wide)),
            "silu": lambda: wide / (1 + np.exp(-wide)),
        }.get(name, lambda: getattr(np, name)(wide))()
        unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
        error = np.abs(got.astype(np.float64) - exact) / unit
    info = np.finfo(np.float32)
    is_normal = (np.abs(exact) >= info.tiny) & (np.abs(exact) <= info.max)
    if name == "silu":
        is_normal &= wide > -88.7
    assert is_normal.sum() > 1000
    assert error[is_normal].max() <= UNITS[name][target == "cuda"]


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
)
def test_signs_of_zeros(dtype):
    """Also of a type without infinity, of which 1 / -0 says nothing."""
    x = np.asarray([0.0, -0.0, 1.0, -1.0, 2**-6, -(2**-6)]).astype(dtype)
    signs = [False, True, False, True, False, True]
    np.testing.assert_array_equal(run(lambda b, x: b.signbit(x), x), signs)
    ones = np.ones(6, dtype)
    np.testing.assert_array_equal(
        run(lambda b, x, y: b.copysign(x, y), ones, x).astype(np.float32), np.where(signs, -1, 1)
    )
