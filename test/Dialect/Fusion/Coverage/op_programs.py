# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For each op of the fusion dialect the lines that use it, for any element type that its record admits and any form.

An op that is added is a line in a table of test/tools/elementwise_ops.py, or a function here. EXEMPT says what has no lines, and why.
"""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))
import elementwise_ops  # noqa: E402

FLOATS, INTS = elementwise_ops.FLOATS, elementwise_ops.INTS
REAL = [*FLOATS, *INTS, "i1", "f8E8M0FNU"]
COMPLEX = {"complex<f32>": "f32", "complex<f64>": "f64"}
PACKED = "f4E2M1FN"
PACKED_SOURCES = ["f32", "f16", "bf16"]
# (op, element type, form), each a name or "*": why no program is run.
EXEMPT = {
    ("reduce", "f8E8M0FNU", "*"): "the verifier refuses it: scales are not computed with (`reduce_c3`)",
    ("constant", "*", "dynamic"): "the op has all of its elements in its text, so its type has no open size",
}
PROGRAMS = {}


def lines_of(*names):
    """Of the ops of these names: the function gets a program to add lines to, and the name of the op."""

    def register(function):
        for name in names:
            PROGRAMS[name] = function
        return function

    return register


def count_bits(element):
    return int(re.search(r"\d+", element).group())


# Element by element


@lines_of("neg", "abs", "exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "silu", "conj", "set", "segment_set")
@lines_of(*elementwise_ops.UNARY)
def unary(program, op):
    x, kind = program.tensor("x")
    program.add(f"fusion.{op} {x} : {kind}", kind)


@lines_of(*elementwise_ops.TESTS)
def test(program, op):
    x, kind = program.tensor("x")
    program.add(f"fusion.{op} {x} : {kind}", program.type("RC", "i1"))


@lines_of("real", "imag", "modulus", "angle")
def part(program, op):
    x, kind = program.tensor("x")
    program.add(f"fusion.{op} {x} : {kind}", program.type("RC", COMPLEX[program.element]))


@lines_of("add", "sub", "mul", "div", "max", "min")
@lines_of(*elementwise_ops.BINARY)
def binary(program, op):
    (x, kind), (y, _) = program.tensor("x"), program.tensor("y")
    program.add(f"fusion.{op} {x}, {y} : {kind}", kind)


@lines_of("complex")
def complex_of_parts(program, op):
    (x, kind), (y, _) = program.tensor("x"), program.tensor("y")
    program.add(f"fusion.complex {x}, {y} : {kind}", program.type("RC", f"complex<{program.element}>"))


@lines_of("cmp")
def compare(program, op):
    (x, kind), (y, _) = program.tensor("x"), program.tensor("y")
    for predicate in ("eq", "ne") if program.element in COMPLEX else ("eq", "ne", "lt", "le", "gt", "ge"):
        program.add(f"fusion.cmp <{predicate}> {x}, {y} : {kind}", program.type("RC", "i1"))


@lines_of("where")
def where(program, op):
    (c, _), (x, kind), (y, _) = program.tensor("c", "RC", "i1"), program.tensor("x"), program.tensor("y")
    program.add(f"fusion.where {c}, {x}, {y} : {kind}", kind)


@lines_of("cast")
def cast(program, op):
    element = program.element
    if element == PACKED:
        targets = PACKED_SOURCES
    elif element in COMPLEX:
        targets = [*COMPLEX, "i1"]
    else:
        targets = [*REAL, *COMPLEX, *([PACKED] if element in PACKED_SOURCES else [])]
    x, kind = program.tensor("x")
    for target in targets:
        program.add(f"fusion.cast {x} : {kind} to {target}", program.type("RC", target))


@lines_of("bitcast")
def bitcast(program, op):
    x, kind = program.tensor("x")
    for target in REAL:
        if count_bits(target) == count_bits(program.element):
            program.add(f"fusion.bitcast {x} : {kind} to {target}", program.type("RC", target))


# Index maps


@lines_of("broadcast")
def broadcast(program, op):
    x, kind = program.tensor("x")
    result = program.type("1R1C")
    program.add(f"fusion.broadcast {x} dims [0, 2] : {kind} to {result}", result)


@lines_of("broadcast_in_dim")
def broadcast_in_dim(program, op):
    v, kind = program.tensor("v", "C")
    result = program.type("RC")
    program.add(f"fusion.broadcast_in_dim {v} dims [1]{program.sizes('R')} : {kind} to {result}", result)


@lines_of("expand")
def expand(program, op):
    row, kind = program.tensor("row", "1C")
    result = program.type("RC")
    program.add(f"fusion.expand {row}{program.sizes('R')} : {kind} to {result}", result)


@lines_of("permute")
def permute(program, op):
    x, kind = program.tensor("x")
    program.add(f"fusion.permute {x} [1, 0] : {kind} to {program.type('CR')}", program.type("CR"))


@lines_of("reshape")
def reshape(program, op):
    x, kind = program.tensor("x")
    program.add(f"fusion.reshape {x}{program.sizes('CR')} : {kind} to {program.type('CR')}", program.type("CR"))
    flat = program.type([program.rows * program.columns])
    program.add(f"fusion.reshape {x} : {kind} to {flat}", flat)


@lines_of("slice")
def slice_of(program, op):
    x, kind = program.tensor("x")
    sizes = [max(program.rows - 1, 0), program.columns // 2]
    result = program.type(sizes)
    first = program.index(min(program.rows, 1))
    values = ", ".join(program.index(size) for size in sizes)
    program.add(f"fusion.slice {x} offsets [{first}, 0] sizes [{values}] steps [1, 2] : {kind} to {result}", result)


@lines_of("cat")
def cat(program, op):
    (x, kind), (y, _) = program.tensor("x"), program.tensor("y")
    for dim, sizes in enumerate(([3 * program.rows, program.columns], [program.rows, 3 * program.columns])):
        result = program.type(sizes)
        program.add(f"fusion.cat {x}, {y}, {x} dim {dim} : {kind}, {kind}, {kind} to {result}", result)


@lines_of("pad")
def pad(program, op):
    x, kind = program.tensor("x")
    for mode in ("constant", "replicate", "reflect", "circular"):
        # Modes that repeat elements need some along the dimension.
        low = [1 if mode == "constant" or size else 0 for size in (program.rows, program.columns)]
        result = program.type([program.rows + low[0], program.columns + 3 * low[1]])
        text = f"fusion.pad <{mode}> {x} low {low} high [0, {2 * low[1]}] : {kind} to {result}"
        program.add(text, result)


# Gathers and scatters. Some indices are beyond the end of what they are of; both index types.


@lines_of("take")
def take(program, op):
    x, kind = program.tensor("x")
    for dim, (index, result) in enumerate((("i64", "IC"), ("i32", "RI"))):
        i, indices = program.tensor(f"i{dim}", "I", index, below=2 + (program.rows, program.columns)[dim])
        result = program.type(result)
        program.add(f"fusion.take {x}, {i} dim {dim} : {kind}, {indices} to {result}", result)


@lines_of("take_along_axis")
def take_along_axis(program, op):
    x, kind = program.tensor("x")
    for dim, (index, shape) in enumerate((("i64", "IC"), ("i32", "RI"))):
        i, indices = program.tensor(f"j{dim}", shape, index, below=2 + (program.rows, program.columns)[dim])
        result = program.type(shape)
        program.add(f"fusion.take_along_axis {x}, {i} dim {dim} : {kind}, {indices} to {result}", result)


def get_combinations(element):
    if element in COMPLEX:
        return ["", "sum"]
    if element in FLOATS and count_bits(element) < 32:
        return ["", "max", "min"]
    return ["", "sum", "prod", "max", "min"] if element in (*FLOATS, *INTS) else [""]


@lines_of("scatter", "scatter_along_axis")
def scatter(program, op):
    (x, kind), (u, updates) = program.tensor("x"), program.tensor("u", "IC")
    shape, name = ("I", "i") if op == "scatter" else ("IC", "j")
    for combination, index in [("", "i32"), *((word, "i64") for word in get_combinations(program.element))]:
        i, indices = program.tensor(f"{name}_{index}", shape, index, below=2 + program.rows)
        combine = f" combine <{combination}>" if combination else ""
        program.add(f"fusion.{op} {x}, {i}, {u} dim 0{combine} : {kind}, {indices}, {updates}", kind)


# Reductions and fibres


def get_reductions(element):
    if element == "i1":
        return ["any", "all"]
    if element in COMPLEX:
        return ["sum", "prod", "mean"]
    if element in FLOATS:
        return ["sum", "prod", "max", "min", "mean"]
    return ["sum", "prod", "max", "min"] if element in INTS else []


@lines_of("reduce")
def reduce(program, op):
    for kind in get_reductions(program.element):
        x, source = program.tensor("x")
        row, column = program.type("1C"), program.type("R")
        program.add(f"fusion.reduce <{kind}> {x} dims [0] keep : {source} to {row}", row)
        program.add(f"fusion.reduce <{kind}> {x} dims [1] : {source} to {column}", column)


@lines_of("argmax", "argmin")
def position(program, op):
    x, kind = program.tensor("x")
    for dim, shape in enumerate(("1C", "R")):
        if program.is_open or (program.rows, program.columns)[dim]:  # position_c3
            result = program.type(shape, "i64")
            program.add(f"fusion.{op} {x} dims [{dim}] {'' if dim else 'keep '}: {kind} to {result}", result)


@lines_of("scan")
def scan(program, op):
    x, source = program.tensor("x")
    for kind in ["sum", "prod"] if program.element in COMPLEX else ["sum", "prod", "max", "min"]:
        for dim in (0, 1):
            program.add(f"fusion.scan <{kind}> {x} dim {dim} : {source}", source)


@lines_of("argsort")
def argsort(program, op):
    (x, kind), result = program.tensor("x"), program.type("RC", "i64")
    program.add(f"fusion.argsort {x} dim 0 descending : {kind} to {result}", result)
    program.add(f"fusion.argsort {x} dim 1 : {kind} to {result}", result)


@lines_of("argtopk")
def argtopk(program, op):
    x, kind = program.tensor("x")
    for dim, size in enumerate((program.rows, program.columns)):
        # As many are there as are asked for.
        count = min(size, 3)
        result = program.type([str(count), program.columns] if dim == 0 else [program.rows, str(count)], "i64")
        word = "" if dim else "descending "
        program.add(f"fusion.argtopk {count} {x} dim {dim} {word}: {kind} to {result}", result)


# Contractions


@lines_of("matmul")
def matmul(program, op):
    (a, left), (b, right) = program.tensor("x"), program.tensor("b", "CI")
    for element in get_products(program.element):
        result = program.type("RI", element)
        program.add(f"fusion.matmul {a}, {b} : {left}, {right} to {result}", result)


@lines_of("linear")
def linear(program, op):
    (x, left), (w, right) = program.tensor("x"), program.tensor("w", "IC")
    for element in get_products(program.element):
        result = program.type("RI", element)
        program.add(f"fusion.linear {x}, {w} : {left}, {right} to {result}", result)


def get_products(element):
    wide = {
        "f16": "f32",
        "bf16": "f32",
        "i8": "i32",
        "ui8": "i32",
        "i16": "i64",
        "ui16": "i32",
        "i32": "i64",
        "ui32": "i64",
    }
    return [element, wide[element]] if element in wide else [element]


# Factories


def literal(element, number=3):
    if element in COMPLEX:
        return f"({number}.0, -2.5)"
    return "true" if element == "i1" else str(number) if element in INTS else f"{number}.0"


def scalar(program, element, number=3):
    """A number of the type of scalars for an element, which has no sign."""
    kind = element.removeprefix("u")
    return program.let(f"arith.constant {literal(element, number)}" + ("" if kind == "i1" else f" : {kind}"))


@lines_of("full")
def full(program, op):
    kind = program.type("RC")
    program.add(f"fusion.full {scalar(program, program.element)}{program.sizes('RC')} : {kind}", kind)


@lines_of("iota")
def iota(program, op):
    kind = program.type("RC")
    program.add(f"fusion.iota dim 0{program.sizes('RC')} : {kind}", kind)
    first, step = (scalar(program, program.element, number) for number in (3, -2))
    program.add(f"fusion.iota dim 1 from({first}, {step}){program.sizes('RC')} : {kind}", kind)


@lines_of("constant")
def constant(program, op):
    if program.is_open:
        return
    kind, small = program.type("RC"), program.type([program.rows and 2, 3])
    row = f"[{', '.join(literal(program.element, number) for number in (1, 2, 4))}]"
    program.add(f"fusion.constant dense<{literal(program.element)}> : {kind}", kind)
    program.add(f"fusion.constant dense<{f'[{row}, {row}]' if program.rows else ''}> : {small}", small)


@lines_of("random_bits", "uniform")
def random(program, op):
    kind = program.type("RC")
    seed, offset = (program.let(f"arith.constant {number} : i64") for number in (11, 7))
    program.add(f"fusion.{op} seed {seed} offset {offset}{program.sizes('RC')} : {kind}", kind)


# What is around other ops


@lines_of("segment", "yield")
def segment(program, op):
    """By hand, as passes make it of all other programs; a region of it ends with the other op."""
    x, kind = program.tensor("x")
    body = f"{{\n    %s = fusion.set %a : {kind}\n    fusion.yield %s : {kind}\n  }}"
    program.add(f'fusion.segment "pointwise" (%a = {x} : {kind}) -> ({kind}) {body}', kind)


@lines_of("composite")
def composite(program, op):
    """One that every element type has."""
    x, kind = program.tensor("x")
    if program.element == PACKED:
        result = program.type("RC", "f32")
        program.add(f'fusion.composite "cast"({x}) {{type = f32}} : ({kind}) -> {result}', result)
    else:
        program.add(f'fusion.composite "set"({x}) : ({kind}) -> {kind}', kind)
