# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float types and rounding to them, in exact rational arithmetic."""

import math
from fractions import Fraction

import numpy as np

# Bits after the point, least exponent of a normal number, greatest exponent.
FORMATS = {"f64": (52, -1022, 1023), "f32": (23, -126, 127), "f16": (10, -14, 15), "bf16": (7, -126, 127)}
FORMATS |= {"f8E4M3FN": (3, -6, 8), "f8E5M2": (2, -14, 15)}
LARGEST = {element: (2.0 - 2.0**-bits) * 2.0**high for element, (bits, _, high) in FORMATS.items()}
# The number after it is NaN, and there is no infinity.
LARGEST["f8E4M3FN"] = 448.0


# Powers of two alone, which are computed with by none.
SCALE = "f8E8M0FNU"


def round_to_power(value):
    """The power of two nearest to the size, of two as near the greater; below the second one only the least has less on its side."""
    if math.isnan(value) or math.isinf(value):
        return math.nan
    size = abs(Fraction(value))
    if size < Fraction(2) ** -126:
        return 2.0**-127 if size <= Fraction(2) ** -127 else 2.0**-126
    exponent = math.floor(math.log2(size)) - 1
    while size >= Fraction(3, 2) * Fraction(2) ** exponent:
        exponent += 1
    return math.nan if exponent > 127 else 2.0**exponent


def round_to(value, element):
    """The f64 nearest to `value` (a number, exact) among those of a float type; ties go to even."""
    if element == SCALE:
        return round_to_power(value)
    beyond = math.nan if element == "f8E4M3FN" else math.inf
    if isinstance(value, float) and math.isinf(value):
        return math.copysign(beyond, value)
    if isinstance(value, float) and (math.isnan(value) or value == 0):
        return value
    if value == 0:
        return 0.0
    bits, low, high = FORMATS[element]
    exact = Fraction(value)
    exponent = max(math.floor(math.log2(abs(exact))) - 1, low)
    while abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    place = Fraction(2) ** (exponent - bits)
    rounded = round(exact / place) * place  # Python rounds halves to even.
    if abs(rounded) > LARGEST[element]:
        return math.copysign(beyond, exact)
    return math.copysign(float(rounded), exact)


def is_narrow(element):
    """True for floats that are computed in f32."""
    return element in FORMATS and FORMATS[element][0] < 23


def round_array(values, element):
    """What the reference makes of f64 results: rounded to what is narrower than f32, f32 left alone."""
    values = np.asarray(values, dtype=np.float64)
    if element in ("f64", "f32"):
        return values
    return np.array([round_to(float(v), element) for v in values.reshape(-1)], np.float64).reshape(values.shape)


def next_to(value, toward, element):
    """The number of a float type next to one of it, in the direction of another one."""
    value, toward = float(value), float(toward)
    if math.isnan(value) or math.isnan(toward):
        return math.nan
    if value == toward:
        return toward
    sign = 1 if toward > value else -1
    if math.isinf(value):
        return math.copysign(LARGEST[element], value)
    bits, low, _ = FORMATS[element]
    exponent = max(math.frexp(value)[1] - 1, low) if value else low
    # A power of two has nearer numbers on the side of 0.
    is_power = abs(value) == 2.0**exponent and exponent > low
    place = Fraction(2) ** (exponent - bits - (is_power and (value > 0) != (sign > 0)))
    result = Fraction(value) + sign * place
    if abs(result) > LARGEST[element]:
        return math.nan if element == "f8E4M3FN" else sign * math.inf
    return math.copysign(float(result), value or sign)


def encode_byte(value, element):
    """The bits of a number of an 8-bit float type."""
    if element == SCALE:
        return 0xFF if math.isnan(value) else int(math.log2(value)) + 127
    bits, low, high = FORMATS[element]
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    if math.isnan(value):
        return sign | 0x7F
    if math.isinf(value):
        return sign | 0x7C
    exponent = max(math.frexp(value)[1] - 1, low) if value else low
    places = int(abs(value) / 2.0 ** (exponent - bits))
    return sign | ((exponent - low) << bits) + places
