# ===- elementwise_ops.py - What ops element by element are ---------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The ops that are one record, each with its element types and its meaning in NumPy; tests of all of them take them from here.

An op that is added is one line in UNARY or BINARY.
"""

import ctypes
import math

import numpy as np

FLOATS = ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"]
INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
# Whose inputs are all the bits there are; others have small numbers.
WHOLE = [element for element in INTS if element not in ("i32", "i64")]
NUMBERS = [*FLOATS, *INTS]
BITS = ["i1", *INTS]

LIBM = ctypes.CDLL("libm.so.6")
LIBM.lgamma.restype, LIBM.lgamma.argtypes = ctypes.c_double, [ctypes.c_double]


def get_dtype(element):
    """NumPy's of an integer type."""
    return np.dtype(element.replace("ui", "uint") if element[0] == "u" else element.replace("i", "int"))


def fill(element, seed):
    """What fuser-run fills an input of the type with."""
    return f"{'bits' if element in WHOLE else 'random'}:{seed}"


def vectorize(function):
    """A function of Python's math, NaN where it has a domain error."""

    def one(*operands):
        try:
            return function(*operands)
        except (ValueError, OverflowError):
            return math.nan

    return np.vectorize(one, otypes=[np.float64])


def sign(x):
    return np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(x.dtype)


def extreme(greater):
    """Of a number and NaN the number; -0 is less than +0."""

    def function(a, b):
        first = (a > b) if greater else (a < b)
        first = first | ((a == b) & (np.signbit(a) != greater))
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.where(first, a, b)))

    return function


def integers(function):
    """A function of Python's integers, of which the bits of the type are left."""

    def wrapped(a, b):
        info = np.iinfo(a.dtype)
        span = 1 << info.bits
        values = [(function(int(x), int(y)) - info.min) % span + info.min for x, y in zip(a, b, strict=True)]
        return np.array(values, a.dtype)

    return wrapped


def by_type(of_floats, of_integers):
    return lambda a, b: of_floats(a, b) if a.dtype.kind == "f" else of_integers(a, b)


def fmod_of_integers(x, y):
    return x if y == 0 else int(math.copysign(1, x)) * (abs(x) % abs(y))


def remainder_of_floats(a, b):
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def power_of_integers(x, y):
    if y < 0:
        return x**-y if abs(x) == 1 else 0
    return pow(x, y, 1 << 64)


def lgamma(x):
    """The C library's: Python's has no digits next to its zeros."""
    return LIBM.lgamma(x)


def shift(function, beyond):
    def one(x, places, bits):
        return function(x, places, bits) if 0 <= places < bits else beyond(x)

    return lambda a, b: integers(lambda x, places: one(x, places, np.iinfo(a.dtype).bits))(a, b)


# Name: element types, function, whether it is exact.
UNARY = {
    "ceil": (FLOATS, np.ceil, True),
    "floor": (FLOATS, np.floor, True),
    "trunc": (FLOATS, np.trunc, True),
    "round": (FLOATS, np.rint, True),
    "sign": (NUMBERS, sign, True),
    "not": (BITS, np.invert, True),
    "exp2": (FLOATS, np.exp2, False),
    "expm1": (FLOATS, np.expm1, False),
    "log2": (FLOATS, np.log2, False),
    "log10": (FLOATS, np.log10, False),
    "log1p": (FLOATS, np.log1p, False),
    "sin": (FLOATS, vectorize(math.sin), False),
    "cos": (FLOATS, vectorize(math.cos), False),
    "tan": (FLOATS, vectorize(math.tan), False),
    "asin": (FLOATS, np.arcsin, False),
    "acos": (FLOATS, np.arccos, False),
    "atan": (FLOATS, np.arctan, False),
    "sinh": (FLOATS, np.sinh, False),
    "cosh": (FLOATS, np.cosh, False),
    "asinh": (FLOATS, np.arcsinh, False),
    "acosh": (FLOATS, np.arccosh, False),
    "atanh": (FLOATS, np.arctanh, False),
    "erf": (FLOATS, vectorize(math.erf), False),
    "erfc": (FLOATS, vectorize(math.erfc), False),
    "lgamma": (FLOATS, vectorize(lgamma), False),
}
# The result is i1.
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
BINARY = {
    "pow": (NUMBERS, by_type(np.power, integers(power_of_integers)), False),
    "atan2": (FLOATS, np.arctan2, False),
    "fmax": (FLOATS, extreme(True), True),
    "fmin": (FLOATS, extreme(False), True),
    "fmod": (NUMBERS, by_type(np.fmod, integers(fmod_of_integers)), True),
    "remainder": (NUMBERS, by_type(remainder_of_floats, integers(lambda x, y: x % y if y else x)), True),
    "floor_div": (NUMBERS, by_type(np.floor_divide, integers(lambda x, y: x // y if y else 0)), True),
    "gcd": (INTS, integers(math.gcd), True),
    "nextafter": (FLOATS, np.nextafter, True),  # Of f64; the others have other neighbours.
    "and": (BITS, np.bitwise_and, True),
    "or": (BITS, np.bitwise_or, True),
    "xor": (BITS, np.bitwise_xor, True),
    "shl": (INTS, shift(lambda x, n, bits: x << n, lambda x: 0), True),
    "shr": (INTS, shift(lambda x, n, bits: x >> n, lambda x: -1 if x < 0 else 0), True),
    "shru": (INTS, shift(lambda x, n, bits: (x % (1 << bits)) >> n, lambda x: 0), True),
}
