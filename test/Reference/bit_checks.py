# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of as many bits, for numpy_check.py."""

import itertools

import numpy as np

TYPES = {
    8: ["i8", "ui8", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"],
    16: ["i16", "ui16", "f16", "bf16"],
    32: ["f32", "i32", "ui32"],
    64: ["f64", "i64", "ui64"],
}
# The greatest bits, without a sign, that are a number.
GREATEST = {"f8E4M3FN": 0x7E, "f8E5M2": 0x7C, "f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF << 52}


def whole(element):
    """The unsigned integer of as many bits."""
    return next(f"ui{bits}" for bits, names in TYPES.items() if element in names)


def pairs(special_values, encode):
    """All pairs of types of as many bits, with numbers of both and their bits: a NaN may become another."""
    for width, names in TYPES.items():
        for source, target in itertools.product(names, names):
            values = special_values(source)
            values = values[~np.isnan(values.astype(np.float64))]
            bits = encode(values, source).view(f"u{width // 8}")
            if target == "f8E8M0FNU":
                is_number = bits != 0xFF
            else:
                is_number = bits & ((1 << (width - 1)) - 1) <= GREATEST.get(target, 1 << 63)
            yield source, target, values[is_number], bits[is_number]


def make(func, tensor, source, target, values):
    """A program that has the bits of the second type, and its inputs and number of outputs."""
    kinds = tensor("?", source), tensor("?", target), tensor("?", whole(source))
    ops = [f"%b = fusion.bitcast %a : {kinds[0]} to {kinds[1]}", f"%c = fusion.bitcast %b : {kinds[1]} to {kinds[2]}"]
    return func([("a", kinds[0])], ops, [("c", kinds[2])]), [(source, values)], 1
