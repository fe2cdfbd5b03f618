"""Numbers of 16 bits, and whether a * b + c of them was rounded once: multiply-adds.py make TYPE FILE, or check TYPE NUMBERS RESULTS."""

import math
import random
import struct
import sys
from fractions import Fraction

import numpy

# Digits, and the least and the greatest exponent.
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127)}
COUNT = 1024


def decode(kind, bits):
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def make(kind):
    source = random.Random(kind)
    one = 0x3C00 if kind == "f16" else 0x3F80
    fraction = (1 << FORMATS[kind][0] - 1) - 1
    rows = []
    for i in range(COUNT):
        row = [source.getrandbits(16) for _ in range(3)]
        if i % 2:  # Of products near 1, many are halfway between two numbers.
            row[:2] = [one | bits & (0x8000 | fraction) for bits in row[:2]]
        rows.append(row)
    # A tie of bf16 (3 * 87) and one of f16 (3 * 683), with what decides it.
    rows[0] = [0x4040, 0x42AE, 0x0D80] if kind == "bf16" else [0x4200, 0x6156, 0x0001]
    # Sums of 0 have signs: 1 - 1, -0 * 1 - 0, and what is too small for a number.
    rows[2] = [one, one, one | 0x8000]
    rows[4] = [0x8000, one, 0x8000]
    rows[6] = [0x8001, 0x0001, 0x8000]
    return numpy.array(rows, numpy.uint16).view(numpy.int16)


def round_once(kind, a, b, c):
    digits, least, greatest = FORMATS[kind]
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    exponent = least
    while Fraction(2) ** (exponent + 1) <= abs(exact):
        exponent += 1
    unit = Fraction(2) ** (exponent - digits + 1)
    rounded = round(exact / unit) * unit
    if abs(rounded) >= Fraction(2) ** (greatest + 1):
        return math.copysign(math.inf, exact)
    return math.copysign(float(rounded), exact)


def check(kind, numbers, results):
    wrong = 0
    for row, result in zip(numbers.view(numpy.uint16), results.view(numpy.uint16)):
        a, b, c = (decode(kind, int(bits)) for bits in row)
        got = decode(kind, int(result))
        if all(map(math.isfinite, (a, b, c))):
            expected = round_once(kind, a, b, c)
            same = (got, math.copysign(1, got)) == (expected, math.copysign(1, expected))
        else:
            expected = a * b + c
            same = got == expected or math.isnan(got) and math.isnan(expected)
        if not same:
            print(f"{kind}: {a} * {b} + {c}: expected {expected}, got {got}")
            wrong += 1
    print(f"{kind}: {wrong} of {len(results)} wrong")


if sys.argv[1] == "make":
    numpy.save(sys.argv[3], make(sys.argv[2]))
else:
    check(sys.argv[2], *map(numpy.load, sys.argv[3:]))
