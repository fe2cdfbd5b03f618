# ===- programs.py - Small programs that are hard on kernels --------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Every op with every element type, and compositions at odd shapes, through fuser-run --check.

programs.py --target cpu|cuda [--only PATTERN] [--without PATTERN] [--shard I/N] [--write FOLDER] [--arch ARCH] [--guard SIDE] [--every]

--every takes every element type with every shape, not only those that differ in what they do to a kernel.
--guard is that of fuser-run. --write writes the programs as files instead, with the command line in the first comment. Prints one line a
failure; the exit status is 1 if there is one.
"""

import argparse
import concurrent.futures
import fnmatch
import itertools
import pathlib
import subprocess
import sys
import tempfile

from element_programs import add_element_programs, elementwise_ops
from fibre_programs import add_fibre_programs
from gather_programs import add_gather_programs
from reduction_programs import add_reduction_programs

FLOATS = ["f64", "f32", "f16", "bf16"]
INTS = elementwise_ops.INTS
NUMBERS = [*FLOATS, *INTS]
ALL = [*NUMBERS, "i1"]

programs = {}  # name: (text, inputs, scalars)
every = False  # Every element type with every shape.


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def spec(sizes, element, fill):
    return "".join(f"{size}x" for size in sizes) + f"{element}={fill}"


def add(name, arguments, body, results, inputs, scalars=()):
    """One program: `arguments` and `results` are (name, type), `body` lines, `inputs` specs."""
    head = ", ".join(f"%{n}: {t}" for n, t in arguments)
    types = ", ".join(t for _, t in results)
    values = ", ".join(f"%{n}" for n, _ in results)
    lines = "\n".join(f"  {line}" for line in body)
    assert name not in programs, name
    text = f"func.func @f({head}) -> ({types}) {{\n{lines}\n  return {values} : {types}\n}}\n"
    programs[name] = (text, list(inputs), list(scalars))


# ===- Elementwise ---------------------------------------------------------===#

# Sizes a kernel may stumble over: nothing, one, less and more than a vector, tails, several blocks.
SIZES = [0, 1, 3, 17, 4099]


def elementwise():
    for element in NUMBERS:
        kind = tensor("?", element)
        binary = ["add", "sub", "mul", "max", "min"] + (["div"] if element in FLOATS else [])
        unary = ["neg", "abs"]
        if element in FLOATS:
            unary += ["exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "silu"]
        body = [f"%b_{op} = fusion.{op} %x, %y : {kind}" for op in binary]
        body += [f"%u_{op} = fusion.{op} %x : {kind}" for op in unary]
        results = [(f"b_{op}", kind) for op in binary] + [(f"u_{op}", kind) for op in unary]
        # A log or a square root of its own, away from negative numbers.
        if element in FLOATS:
            body += [f"%s = fusion.mul %x, %x : {kind}"]
            body += [f"%p_{op} = fusion.{op} %s : {kind}" for op in ("log", "sqrt", "rsqrt")]
            results += [(f"p_{op}", kind) for op in ("log", "sqrt", "rsqrt")]
        for size in SIZES:
            inputs = [spec([size], element, elementwise_ops.fill(element, seed)) for seed in (1, 2)]
            add(f"elementwise-{element}-{size}", [("x", kind), ("y", kind)], body, results, inputs)
        if element not in FLOATS:
            add(
                f"elementwise-div-{element}",
                [("x", kind), ("y", kind)],
                [f"%r = fusion.div %x, %y : {kind}"],
                [("r", kind)],
                [spec([4099], element, elementwise_ops.fill(element, seed)) for seed in (1, 2)],
            )


def integer_quotients():
    """By zero, and the least number by -1: no trap."""
    for element in INTS:
        if element.startswith("u"):
            continue
        least = -(2 ** (int(element[1:]) - 1))
        kind = tensor("?", element)
        body = [f"%r = fusion.div %x, %y : {kind}", f"%s = fusion.div %y, %x : {kind}"]
        for x, y in ((least, -1), (least, 0), (0, 0)):
            inputs = [spec([67], element, f"value:{v}") for v in (x, y)]
            add(f"quotient-{element}-{x}-{y}", [("x", kind), ("y", kind)], body, [("r", kind), ("s", kind)], inputs)


def compare_and_select():
    for element in ALL:
        kind, flag = tensor("?", element), tensor("?", "i1")
        kinds = ["eq", "ne", "lt", "le", "gt", "ge"] if element != "i1" else []
        body = [f"%c_{k} = fusion.cmp <{k}> %x, %y : {kind}" for k in kinds]
        body += [f"%w_{k} = fusion.where %c_{k}, %x, %y : {kind}" for k in kinds]
        body += [f"%w = fusion.where %m, %x, %y : {kind}"]
        results = [(f"c_{k}", flag) for k in kinds] + [(f"w_{k}", kind) for k in kinds] + [("w", kind)]
        for size in (1, 33, 4099) if every else (33,):
            inputs = [spec([size], element, elementwise_ops.fill(element, n)) for n in (1, 2)]
            inputs.append(spec([size], "i1", "random:3"))
            add(f"where-{element}-{size}", [("x", kind), ("y", kind), ("m", flag)], body, results, inputs)


def bits():
    """Elements as the bits of other types, and those with another sign."""
    for source in [*FLOATS, "f8E8M0FNU"]:
        width = {"bf16": 16}.get(source) or int(source[1:].split("E")[0])
        kind = tensor("?", source)
        whole = [f"i{width}", f"ui{width}"]
        body = [f"%b_{t} = fusion.bitcast %x : {kind} to {t}" for t in whole]
        body += [f"%s_{t} = fusion.xor %b_{t}, 1 : {tensor('?', t)}" for t in whole]
        body += [f"%d_{t} = fusion.bitcast %s_{t} : {tensor('?', t)} to {source}" for t in whole]
        results = [(f"b_{t}", tensor("?", t)) for t in whole] + [(f"d_{t}", kind) for t in whole]
        for size in (1, 33, 4099):
            add(f"bitcast-{source}-{size}", [("x", kind)], body, results, [spec([size], source, "random:1")])


def casts():
    types = [*ALL, "f8E8M0FNU"]
    for source in types:
        kind = tensor("?", source)
        body = [f"%c_{t} = fusion.cast %x : {kind} to {tensor('?', t)}" for t in types]
        body += [f"%d_{t} = fusion.cast %c_{t} : {tensor('?', t)} to {kind}" for t in types]
        results = [(f"c_{t}", tensor("?", t)) for t in types] + [(f"d_{t}", kind) for t in types]
        for size in (1, 33, 4099) if every else (4099,):
            add(
                f"cast-{source}-{size}",
                [("x", kind)],
                body,
                results,
                [spec([size], source, elementwise_ops.fill(source, 1))],
            )
        if source in FLOATS:
            values = ("nan", "inf", "-inf", "3e9", "-3e9", "1e-40", "65519") if every else ("nan", "3e9")
            for value in values:
                if source == "f16" and value.endswith("3e9"):
                    continue  # No f16 is so large.
                add(f"cast-{source}-of-{value}", [("x", kind)], body, results, [spec([33], source, f"value:{value}")])


def special_values():
    """NaN and infinities where the documentation says what becomes of them."""
    for element in FLOATS:
        kind = tensor([5, 70], element)
        row = tensor([5], element)
        for value in ("nan", "inf", "-inf", "-0.0") if every or element == "f32" else ("nan",):
            body = [f"%{op} = fusion.{op} %x, %y : {kind}" for op in ("add", "mul", "max", "min", "div")]
            body += [
                f"%{op} = fusion.{op} %x : {kind}" for op in ("abs", "exp", "log", "sqrt", "tanh", "sigmoid", "silu")
            ]
            body += [f"%r_{op} = fusion.reduce <{op}> %x dims [1] : {kind} to {row}" for op in ("sum", "max", "min")]
            body += [f"%c = fusion.cmp <le> %x, %y : {kind}"]
            names = ["add", "mul", "max", "min", "div", "abs", "exp", "log", "sqrt", "tanh", "sigmoid", "silu"]
            results = [(n, kind) for n in names] + [(f"r_{op}", row) for op in ("sum", "max", "min")]
            results += [("c", tensor([5, 70], "i1"))]
            inputs = [spec([5, 70], element, f"value:{value}"), spec([5, 70], element, "random:2")]
            add(f"special-{element}-{value}", [("x", kind), ("y", kind)], body, results, inputs)


# ===- Index maps ----------------------------------------------------------===#


def index_map(name, op, source, target, sizes, scalars=()):
    """`op` with {s} and {t} for the types, and %s0.. for index arguments, for each element type."""
    for element in ALL if every else ["f64", "bf16", "i1", "i8", "ui16"]:
        s, t = tensor(source, element), tensor(target, element)
        arguments = [("x", s)] + [(f"s{i}", "index") for i in range(len(scalars))]
        line = op.replace("{s}", s).replace("{t}", t)
        inputs = [spec(sizes, element, "random:1")]
        add(f"{name}-{element}", arguments, [f"%r = {line}"], [("r", t)], inputs, scalars)
        if element == "bf16" or (every and element == "f32"):
            # The same between ops that read and write it.
            body = [f"%a = fusion.tanh %x : {s}", f"%b = {line.replace('%x', '%a')}", f"%r = fusion.add %b, %b : {t}"]
            add(f"{name}-{element}-fused", arguments, body, [("r", t)], inputs, scalars)


def index_maps():
    index_map("broadcast", "fusion.broadcast %x dims [0, 2] : {s} to {t}", "?5", "1?15", [3, 5])
    index_map("broadcast-scalar", "fusion.broadcast %x dims [0, 1] : {s} to {t}", "", "11", [])
    index_map("expand", "fusion.expand %x sizes(%s0) : {s} to {t}", "1?1", ["?", "?", 33], [1, 4, 1], [6])
    index_map("expand-none", "fusion.expand %x sizes(%s0) : {s} to {t}", "1?", "??", [1, 4], [0])
    for number, order in enumerate(([0, 2, 1], [2, 0, 1], [2, 1, 0], [1, 0, 2])):
        index_map(f"permute-{number}", f"fusion.permute %x {order} : {{s}} to {{t}}", "???", "???", [5, 3, 34])
    index_map("permute-5d", "fusion.permute %x [3, 0, 4, 1, 2] : {s} to {t}", "?2?3?", "3??2?", [3, 2, 4, 3, 5])
    index_map("reshape-split", "fusion.reshape %x : {s} to {t}", ["?", 12], ["?", 3, 4], [5, 12])
    index_map("reshape-merge", "fusion.reshape %x : {s} to {t}", ["?", 3, 4], ["?", 12], [5, 3, 4])
    index_map("reshape-odd", "fusion.reshape %x sizes(%s0, %s1) : {s} to {t}", "??", "??", [6, 35], [14, 15])
    index_map("reshape-scalar", "fusion.reshape %x : {s} to {t}", "1", "", [1])
    index_map("slice", "fusion.slice %x offsets [1, 3] sizes [4, 9] steps [1, 1] : {s} to {t}", "??", "49", [6, 35])
    index_map(
        "slice-step", "fusion.slice %x offsets [1, 3] sizes [2, 11] steps [4, 3] : {s} to {t}", "??", [2, 11], [6, 35]
    )
    index_map(
        "slice-dynamic",
        "fusion.slice %x offsets [%s0, 0] sizes [%s1, 33] steps [%s2, 1] : {s} to {t}",
        "??",
        ["?", 33],
        [9, 35],
        [1, 3, 3],
    )
    index_map("slice-none", "fusion.slice %x offsets [6, 0] sizes [0, 3] steps [1, 1] : {s} to {t}", "??", "03", [6, 5])


def transposes():
    """Tensors that lie in memory along different dimensions, in squares that are whole and that are cut."""
    for element in ALL if every else ["f64", "f32", "bf16", "i1", "ui8", "i16"]:
        kind, op = tensor("??", element), "where %t, %t, %y" if element == "i1" else "sub %t, %y"
        for sizes in ((64, 128), (70, 131), (1, 33), (3, 0)):
            body = [f"%t = fusion.permute %x [1, 0] : {kind} to {kind}", f"%r = fusion.{op} : {kind}"]
            inputs = [spec(s, element, f"random:{i}") for i, s in enumerate((sizes, sizes[::-1]))]
            arguments = [("x", kind), ("y", kind)]
            add(f"transpose-{element}-{sizes[0]}x{sizes[1]}", arguments, body, [("r", kind)], inputs)
    # A tensor, and itself across.
    kind = tensor("??", "f32")
    body = [f"%t = fusion.permute %x [1, 0] : {kind} to {kind}", f"%r = fusion.sub %x, %t : {kind}"]
    add("transpose-itself", [("x", kind)], body, [("r", kind)], [spec([77, 77], "f32", "random:1")])
    # A dimension that has smaller squares.
    body = ["%r = fusion.permute %x [1, 0] : tensor<?x9xf32> to tensor<9x?xf32>"]
    add("transpose-narrow-70x9", [("x", "tensor<?x9xf32>")], body, [("r", "tensor<9x?xf32>")], ["70x9xf32=random:1"])
    # More than squares hold: some are read where they are.
    kind = tensor("??", "f64")
    body = [f"%s{i} = fusion.add %{f's{i - 1}' if i > 1 else 'x0'}, %x{i} : {kind}" for i in range(1, 24)]
    body += [f"%r = fusion.permute %s23 [1, 0] : {kind} to {kind}"]
    inputs = [spec([70, 45], "f64", f"random:{i}") for i in range(24)]
    add("transpose-many-70x45", [(f"x{i}", kind) for i in range(24)], body, [("r", kind)], inputs)


def cats():
    for element in ALL:
        for dim, sizes in (
            (0, [(3, 5), (0, 5), (4, 5)]),
            (1, [(3, 5), (3, 33), (3, 0)]),
            (1, [(2, 8), (2, 8), (2, 16)]),
        ):
            kind = tensor("??", element)
            total = [sum(s[0] for s in sizes) if dim == 0 else sizes[0][0], sizes[0][1]]
            name = f"cat-{element}-{dim}-{total[0]}-{sizes[1][1]}"
            arguments = [("x", kind), ("y", kind), ("z", kind)]
            kinds = f"{kind}, {kind}, {kind} to {kind}"
            inputs = [spec(s, element, f"random:{i}") for i, s in enumerate(sizes)]
            add(name, arguments, [f"%r = fusion.cat %x, %y, %z dim {dim} : {kinds}"], [("r", kind)], inputs)
    a, b, r = tensor("?8", "f32"), tensor("?4", "f32"), tensor(["?", 12], "f32")
    body = [f"%p = fusion.exp %x : {a}", f"%r = fusion.cat %p, %y dim 1 : {a}, {b} to {r}", f"%s = fusion.neg %r : {r}"]
    body += [f"%m = fusion.reduce <sum> %s dims [1] : {r} to tensor<?xf32>"]
    inputs = [spec([9, 8], "f32", "random:1"), spec([9, 4], "f32", "random:2")]
    add("cat-then-reduce", [("x", a), ("y", b)], body, [("s", r), ("m", "tensor<?xf32>")], inputs)


def factories():
    for element in ALL:
        number = "1099511627777" if element == "i64" else "-7" if element in INTS else "1.5"
        value = "true" if element == "i1" else f"{number} : {element.removeprefix('u')}"
        kind = tensor(["?", 33], element)
        body = [f"%v = arith.constant {value}", f"%r = fusion.full %v sizes(%n) : {kind}"]
        for size in (0, 1, 5) if every else (5,):
            add(f"full-{element}-{size}", [("n", "index")], body, [("r", kind)], [], [size])
        flat = tensor("", element)
        body = [f"%v = arith.constant {value}", f"%r = fusion.full %v : {flat}"]
        add(f"full-0d-{element}", [], body, [("r", flat)], [])


# ===- Compositions --------------------------------------------------------===#

COMPOSITIONS = {
    # Sums of rows and of columns of one tensor, and of everything.
    "row-column-all": (
        """
func.func @f(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>) {
  %e = fusion.exp %x : tensor<?x?xf32>
  %r = fusion.reduce <sum> %e dims [1] : tensor<?x?xf32> to tensor<?xf32>
  %c = fusion.reduce <max> %e dims [0] : tensor<?x?xf32> to tensor<?xf32>
  %a = fusion.reduce <mean> %e dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  return %r, %c, %a : tensor<?xf32>, tensor<?xf32>, tensor<f32>
}
""",
        ["37x211xf32=random:1"],
        [],
    ),
    # Normalised by columns, then by rows.
    "column-then-row": (
        """
func.func @f(%x: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x96xbf16>
  %h = fusion.cast %x : tensor<?x96xbf16> to tensor<?x96xf32>
  %m = fusion.reduce <max> %h dims [0] keep : tensor<?x96xf32> to tensor<1x96xf32>
  %mb = fusion.expand %m sizes(%n) : tensor<1x96xf32> to tensor<?x96xf32>
  %d = fusion.sub %h, %mb : tensor<?x96xf32>
  %s = fusion.reduce <sum> %d dims [1] keep : tensor<?x96xf32> to tensor<?x1xf32>
  %sb = fusion.expand %s : tensor<?x1xf32> to tensor<?x96xf32>
  %q = fusion.div %d, %sb : tensor<?x96xf32>
  %y = fusion.cast %q : tensor<?x96xf32> to tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}
""",
        ["53x96xbf16=random:1"],
        [],
    ),
    # A reshape between reductions: rows, then groups of rows.
    "reshape-between": (
        """
func.func @f(%x: tensor<?x4x32xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %a = fusion.reduce <sum> %x dims [2] : tensor<?x4x32xf32> to tensor<?x4xf32>
  %e = fusion.tanh %a : tensor<?x4xf32>
  %r = fusion.reshape %e : tensor<?x4xf32> to tensor<?x2x2xf32>
  %m = fusion.reduce <max> %r dims [1, 2] : tensor<?x2x2xf32> to tensor<?xf32>
  return %e, %m : tensor<?x4xf32>, tensor<?xf32>
}
""",
        ["19x4x32xf32=normal:1"],
        [],
    ),
    # Group normalisation: a reshape into groups, normalised, and back.
    "group-norm": (
        """
func.func @f(%x: tensor<?x256xf16>) -> tensor<?x256xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xf16>
  %eps = arith.constant 1.0e-5 : f32
  %h = fusion.cast %x : tensor<?x256xf16> to tensor<?x256xf32>
  %g = fusion.reshape %h : tensor<?x256xf32> to tensor<?x8x32xf32>
  %m = fusion.reduce <mean> %g dims [2] keep : tensor<?x8x32xf32> to tensor<?x8x1xf32>
  %mb = fusion.expand %m : tensor<?x8x1xf32> to tensor<?x8x32xf32>
  %d = fusion.sub %g, %mb : tensor<?x8x32xf32>
  %q = fusion.mul %d, %d : tensor<?x8x32xf32>
  %v = fusion.reduce <mean> %q dims [2] keep : tensor<?x8x32xf32> to tensor<?x8x1xf32>
  %e = fusion.full %eps sizes(%n) : tensor<?x8x1xf32>
  %ve = fusion.add %v, %e : tensor<?x8x1xf32>
  %r = fusion.rsqrt %ve : tensor<?x8x1xf32>
  %rb = fusion.expand %r : tensor<?x8x1xf32> to tensor<?x8x32xf32>
  %o = fusion.mul %d, %rb : tensor<?x8x32xf32>
  %b = fusion.reshape %o : tensor<?x8x32xf32> to tensor<?x256xf32>
  %y = fusion.cast %b : tensor<?x256xf32> to tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}
""",
        ["13x256xf16=normal:1"],
        [],
    ),
    # A transposed input, reduced along what is contiguous and along what is not.
    "permute-reduce": (
        """
func.func @f(%x: tensor<?x48xf32>) -> (tensor<48xf32>, tensor<48x?xf32>) {
  %t = fusion.permute %x [1, 0] : tensor<?x48xf32> to tensor<48x?xf32>
  %s = fusion.reduce <sum> %t dims [1] : tensor<48x?xf32> to tensor<48xf32>
  %e = fusion.exp %t : tensor<48x?xf32>
  return %s, %e : tensor<48xf32>, tensor<48x?xf32>
}
""",
        ["129x48xf32=normal:1"],
        [],
    ),
    # No op moves elements, but memory lies along one dimension and the other.
    "transpose-memory": (
        """
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf64> {fusion.stride_order = array<i64: 1, 0>})
    -> (tensor<?x?xf32>, tensor<?x?xi1> {fusion.stride_order = array<i64: 1, 0>}, tensor<?x?xf32>) {
  %a = fusion.exp %x : tensor<?x?xf32>
  %b = fusion.cast %y : tensor<?x?xf64> to tensor<?x?xf32>
  %c = fusion.cmp <lt> %x, %b : tensor<?x?xf32>
  return %a, %c, %b : tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x?xf32>
}
""",
        ["45x67xf32=random:1", "45x67xf64=random:2,strides=1x45"],
        [],
    ),
    # Two inputs across, one along, a row and a column that repeat, and a batch.
    "transpose-batch": (
        """
func.func @f(%x: tensor<?x40x?xbf16>, %y: tensor<40x?x?xf32>, %z: tensor<?x?x40xf32>, %w: tensor<40xf32>, %v: tensor<?xf32>)
    -> tensor<?x?x40xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %z, %c0 : tensor<?x?x40xf32>
  %n = tensor.dim %z, %c1 : tensor<?x?x40xf32>
  %p = fusion.permute %x [0, 2, 1] : tensor<?x40x?xbf16> to tensor<?x?x40xbf16>
  %h = fusion.cast %p : tensor<?x?x40xbf16> to tensor<?x?x40xf32>
  %q = fusion.permute %y [1, 2, 0] : tensor<40x?x?xf32> to tensor<?x?x40xf32>
  %w1 = fusion.broadcast %w dims [0, 1] : tensor<40xf32> to tensor<1x1x40xf32>
  %wb = fusion.expand %w1 sizes(%b, %n) : tensor<1x1x40xf32> to tensor<?x?x40xf32>
  %v1 = fusion.broadcast %v dims [0, 2] : tensor<?xf32> to tensor<1x?x1xf32>
  %vb = fusion.expand %v1 sizes(%b) : tensor<1x?x1xf32> to tensor<?x?x40xf32>
  %s = fusion.add %h, %q : tensor<?x?x40xf32>
  %t = fusion.mul %s, %wb : tensor<?x?x40xf32>
  %u = fusion.add %t, %z : tensor<?x?x40xf32>
  %o = fusion.mul %u, %vb : tensor<?x?x40xf32>
  %r = fusion.cast %o : tensor<?x?x40xf32> to tensor<?x?x40xbf16>
  return %r : tensor<?x?x40xbf16>
}
""",
        ["3x40x50xbf16=random:1", "40x3x50xf32=random:2", "3x50x40xf32=random:3", "40xf32=random:4", "50xf32=random:5"],
        [],
    ),
    # Softmax that is causal: a mask from comparisons of positions handed in.
    "masked-softmax": (
        """
func.func @f(%x: tensor<?x?xf32>, %i: tensor<?xi32>, %j: tensor<?xi32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i1 = fusion.broadcast %i dims [1] : tensor<?xi32> to tensor<?x1xi32>
  %ib = fusion.expand %i1 sizes(%c) : tensor<?x1xi32> to tensor<?x?xi32>
  %j1 = fusion.broadcast %j dims [0] : tensor<?xi32> to tensor<1x?xi32>
  %jb = fusion.expand %j1 sizes(%r) : tensor<1x?xi32> to tensor<?x?xi32>
  %k = fusion.cmp <ge> %ib, %jb : tensor<?x?xi32>
  %low = arith.constant -1.0e30 : f32
  %l = fusion.full %low sizes(%r, %c) : tensor<?x?xf32>
  %w = fusion.where %k, %x, %l : tensor<?x?xf32>
  %m = fusion.reduce <max> %w dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %mb = fusion.expand %m sizes(%c) : tensor<?x1xf32> to tensor<?x?xf32>
  %d = fusion.sub %w, %mb : tensor<?x?xf32>
  %e = fusion.exp %d : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %sb = fusion.expand %s sizes(%c) : tensor<?x1xf32> to tensor<?x?xf32>
  %y = fusion.div %e, %sb : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
""",
        ["45x45xf32=normal:1", "45xi32=iota", "45xi32=iota"],
        [],
    ),
    # Any strides: transposed, with gaps, and one element off alignment.
    "strided": (
        """
func.func @f(%x: tensor<?x?xf32> {fusion.layout = "any"}, %y: tensor<?x?xbf16> {fusion.layout = "any"})
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %h = fusion.cast %y : tensor<?x?xbf16> to tensor<?x?xf32>
  %a = fusion.add %x, %h : tensor<?x?xf32>
  %s = fusion.reduce <sum> %a dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %a, %s : tensor<?x?xf32>, tensor<?xf32>
}
""",
        ["33x70xf32=random:1,strides=1x33", "33x70xbf16=random:2,strides=100x1,offset=3"],
        [],
    ),
    "strided-zero": (
        """
func.func @f(%x: tensor<?x?xf32> {fusion.layout = "any"}) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %a = fusion.exp %x : tensor<?x?xf32>
  %s = fusion.reduce <mean> %a dims [0] : tensor<?x?xf32> to tensor<?xf32>
  return %a, %s : tensor<?x?xf32>, tensor<?xf32>
}
""",
        ["33x70xf32=random:1,strides=0x2"],
        [],
    ),
    # 0-d in, 0-d out, with a scalar beside.
    "zero-d": (
        """
func.func @f(%x: tensor<f32>, %v: f32) -> (tensor<f32>, tensor<1x1xf32>) {
  %v0 = fusion.full %v : tensor<f32>
  %a = fusion.mul %x, %v0 : tensor<f32>
  %b = fusion.broadcast %a dims [0, 1] : tensor<f32> to tensor<1x1xf32>
  return %a, %b : tensor<f32>, tensor<1x1xf32>
}
""",
        ["f32=random:1"],
        ["2.5"],
    ),
    # A result that is an argument, and one twice.
    "passed-through": (
        """
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = fusion.neg %x : tensor<?xf32>
  return %a, %a, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
""",
        ["1001xf32=random:1"],
        [],
    ),
    # Integers: sums that wrap, comparisons of sums.
    "integers": (
        """
func.func @f(%x: tensor<?x65xi32>, %y: tensor<?x65xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xi1>) {
  %q = fusion.mul %x, %x : tensor<?x65xi32>
  %c = fusion.mul %q, %q : tensor<?x65xi32>
  %p = fusion.mul %c, %c : tensor<?x65xi32>
  %o = fusion.mul %p, %p : tensor<?x65xi32>
  %s = fusion.reduce <sum> %o dims [1] : tensor<?x65xi32> to tensor<?xi32>
  %t = fusion.reduce <sum> %y dims [1] : tensor<?x65xi64> to tensor<?xi64>
  %u = fusion.cast %s : tensor<?xi32> to tensor<?xi64>
  %b = fusion.cmp <lt> %u, %t : tensor<?xi64>
  return %s, %t, %b : tensor<?xi32>, tensor<?xi64>, tensor<?xi1>
}
""",
        ["31x65xi32=random:1", "31x65xi64=random:2"],
        [],
    ),
    # How many elements are above their row's mean.
    "count-above-mean": (
        """
func.func @f(%x: tensor<?x100xf64>) -> tensor<?xi64> {
  %m = fusion.reduce <mean> %x dims [1] keep : tensor<?x100xf64> to tensor<?x1xf64>
  %b = fusion.expand %m : tensor<?x1xf64> to tensor<?x100xf64>
  %c = fusion.cmp <gt> %x, %b : tensor<?x100xf64>
  %i = fusion.cast %c : tensor<?x100xi1> to tensor<?x100xi64>
  %s = fusion.reduce <sum> %i dims [1] : tensor<?x100xi64> to tensor<?xi64>
  return %s : tensor<?xi64>
}
""",
        ["77x100xf64=normal:1"],
        [],
    ),
    # A chain of reductions, each of the one before, over a batch of 5 dimensions.
    "five-dims": (
        """
func.func @f(%x: tensor<?x3x?x5x17xf32>) -> (tensor<?x3x?x5xf32>, tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<5xf32>) {
  %a = fusion.reduce <sum> %x dims [4] : tensor<?x3x?x5x17xf32> to tensor<?x3x?x5xf32>
  %b = fusion.reduce <max> %a dims [1] : tensor<?x3x?x5xf32> to tensor<?x?x5xf32>
  %c = fusion.reduce <mean> %b dims [0] : tensor<?x?x5xf32> to tensor<?x5xf32>
  %d = fusion.reduce <min> %c dims [0] : tensor<?x5xf32> to tensor<5xf32>
  return %a, %b, %c, %d : tensor<?x3x?x5xf32>, tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<5xf32>
}
""",
        ["2x3x4x5x17xf32=normal:1"],
        [],
    ),
    # A required order of strides, of a result that is also reduced.
    "stride-order": (
        """
func.func @f(%x: tensor<?x6x40xf32>)
    -> (tensor<?x6x40xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, tensor<?x6xf32>) {
  %e = fusion.sigmoid %x : tensor<?x6x40xf32>
  %s = fusion.reduce <sum> %e dims [2] : tensor<?x6x40xf32> to tensor<?x6xf32>
  return %e, %s : tensor<?x6x40xf32>, tensor<?x6xf32>
}
""",
        ["7x6x40xf32=normal:1"],
        [],
    ),
}


# ===- Products -----------------------------------------------------------===#


def add_product(name, arguments, op, types, result, inputs):
    kinds = ", ".join(types)
    lines = [f"%r = fusion.{op} : {kinds} to {result}"]
    add(f"product-{name}", arguments, lines, [("r", result)], inputs)


def products():
    cases = [(1, 1, 1), (3, 5, 7), (65, 33, 17), (1, 300, 9), (64, 1, 64), (0, 4, 5), (4, 0, 5), (4, 5, 0)]
    for element in FLOATS:
        for m, k, n in cases if every or element in ("f32", "bf16") else cases[:3]:
            a, b, r = tensor("??", element), tensor("??", element), tensor("??", element)
            inputs = [spec((m, k), element, "random:1"), spec((k, n), element, "random:2")]
            add_product(f"{element}-{m}-{k}-{n}", [("a", a), ("b", b)], "matmul %a, %b", [a, b], r, inputs)
            x, w, r = tensor(("?", "?", k), element), tensor((n, k), element), tensor(("?", "?", n), element)
            inputs = [spec((m, 2, k), element, "random:1"), spec((n, k), element, "random:2")]
            add_product(f"linear-{element}-{m}-{k}-{n}", [("x", x), ("w", w)], "linear %x, %w", [x, w], r, inputs)
    # Batches, and results that are wider than the operands.
    for element in ("bf16", "f16"):
        a, b, r = tensor("???4", element), tensor("??4?", element), tensor("????", "f32")
        inputs = [spec((2, 3, 5, 4), element, "random:1"), spec((2, 3, 4, 6), element, "random:2")]
        add_product(f"wide-{element}", [("a", a), ("b", b)], "matmul %a, %b", [a, b], r, inputs)
    # Inputs as they may lie: padded, transposed, neither rows nor columns contiguous, repeated, batches inside.
    strides = [
        "strides=480x40x2",
        "strides=100x1x5",
        "strides=40x8x1",
        "strides=1x8x1",
        "strides=0x8x1",
        "strides=1x24x3",
    ]
    for number, left in enumerate(strides):
        a, b = tensor("???", "f32"), tensor(("?", 8, 9), "f32")
        inputs = [spec((3, 5, 8), "f32", f"random:1,{left}"), spec((3, 8, 9), "f32", "random:2,strides=1x3x24")]
        add_product(f"strided-{number}", [("a", a), ("b", b)], "matmul %a, %b", [a, b], tensor("???", "f32"), inputs)
    # Rows in dimensions that turn out to have size 1, with any strides.
    for number, (shape, left) in enumerate(
        [((8, 8, 1, 1), "strides=8x1x64x8"), ((5, 1, 1, 8), "strides=8x3x7x1"), ((1, 4, 1, 8), "strides=2x8x9x1")]
    ):
        x, w = tensor("????", "f32"), tensor("??", "f32")
        inputs = [spec(shape, "f32", f"random:1,{left}"), spec((9, shape[-1]), "f32", "random:2")]
        add_product(f"one-{number}", [("x", x), ("w", w)], "linear %x, %w", [x, w], tensor("????", "f32"), inputs)
    # What the program requires of inputs and of the result, which the library may not take.
    orders = list(itertools.permutations(range(3)))
    for a, b, r in (
        itertools.product(orders, orders, orders) if every else zip(orders, orders[3:] + orders[:3], orders[::-1])
    ):
        kinds = [tensor(("?", 5, 8), "f32"), tensor("???", "f32"), tensor("???", "f32")]
        order = [f"{{fusion.stride_order = array<i64: {', '.join(map(str, o))}>}}" for o in (a, b, r)]
        sizes = [(3, 5, 8), (3, 8, 9)]
        inputs = []
        for dims, permutation, seed in zip(sizes, (a, b), (1, 2)):
            steps, step = [0] * 3, 1
            for dim in reversed(permutation):
                steps[dim], step = step, step * dims[dim]
            inputs.append(spec(dims, "f32", f"random:{seed},strides={'x'.join(map(str, steps))}"))
        text = (
            f"func.func @f(%a: {kinds[0]} {order[0]}, %b: {kinds[1]} {order[1]}) -> ({kinds[2]} {order[2]}) {{\n"
            f"  %r = fusion.matmul %a, %b : {kinds[0]}, {kinds[1]} to {kinds[2]}\n  return %r : {kinds[2]}\n}}\n"
        )
        programs["product-order-" + "-".join("".join(map(str, o)) for o in (a, b, r))] = (text, inputs, [])
    programs.update(PRODUCTS)


PRODUCTS = {
    # Attention: what is between the products is one kernel, or some; nothing that the library reads is computed again in it.
    "product-attention": (
        """
func.func @f(%q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>, %v: tensor<?x?x16xbf16>, %scale: f32) -> tensor<?x?x16xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x16xbf16>
  %n = tensor.dim %q, %c1 : tensor<?x?x16xbf16>
  %m = tensor.dim %k, %c1 : tensor<?x?x16xbf16>
  %t = fusion.permute %k [0, 2, 1] : tensor<?x?x16xbf16> to tensor<?x16x?xbf16>
  %x = fusion.matmul %q, %t : tensor<?x?x16xbf16>, tensor<?x16x?xbf16> to tensor<?x?x?xf32>
  %f = fusion.full %scale sizes(%b, %n, %m) : tensor<?x?x?xf32>
  %s = fusion.mul %x, %f : tensor<?x?x?xf32>
  %g = fusion.reduce <max> %s dims [2] keep : tensor<?x?x?xf32> to tensor<?x?x1xf32>
  %ge = fusion.expand %g sizes(%m) : tensor<?x?x1xf32> to tensor<?x?x?xf32>
  %d = fusion.sub %s, %ge : tensor<?x?x?xf32>
  %e = fusion.exp %d : tensor<?x?x?xf32>
  %z = fusion.reduce <sum> %e dims [2] keep : tensor<?x?x?xf32> to tensor<?x?x1xf32>
  %ze = fusion.expand %z sizes(%m) : tensor<?x?x1xf32> to tensor<?x?x?xf32>
  %p = fusion.div %e, %ze : tensor<?x?x?xf32>
  %h = fusion.cast %p : tensor<?x?x?xf32> to tensor<?x?x?xbf16>
  %o = fusion.matmul %h, %v : tensor<?x?x?xbf16>, tensor<?x?x16xbf16> to tensor<?x?x16xbf16>
  return %o : tensor<?x?x16xbf16>
}
""",
        ["3x20x16xbf16=normal:1", "3x33x16xbf16=normal:2", "3x33x16xbf16=normal:3"],
        ["0.25"],
    ),
    # Operands that are cheap to compute: a constant, a cast that others read too, a repeated row, a slice; one tensor twice.
    "product-cheap-operands": (
        """
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xbf16>, %n: index)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %half = arith.constant 0.5 : bf16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = fusion.cast %x : tensor<?x?xf32> to tensor<?x?xbf16>
  %f = fusion.full %half sizes(%k, %n) : tensor<?x?xbf16>
  %a = fusion.matmul %h, %f : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xbf16>
  %y1 = fusion.broadcast %y dims [0] : tensor<?xbf16> to tensor<1x?xbf16>
  %ye = fusion.expand %y1 sizes(%n) : tensor<1x?xbf16> to tensor<?x?xbf16>
  %b = fusion.linear %h, %ye : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xbf16>
  %w = fusion.neg %h : tensor<?x?xbf16>
  %c = fusion.linear %h, %w : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xf32>
  %d = fusion.linear %x, %x : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %a, %b, %c, %d : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>, tensor<?x?xf32>
}
""",
        ["13x24xf32=normal:1", "24xbf16=normal:2"],
        ["7"],
    ),
    # Orders in which dimensions of size 1 lie anywhere, and batches that are one dimension in memory.
    "product-unit-dims": (
        """
func.func @f(%x: tensor<?x1x8xf32> {fusion.stride_order = array<i64: 1, 0, 2>}, %w: tensor<6x8xf32>,
             %y: tensor<?x?x?x8xf32> {fusion.stride_order = array<i64: 2, 0, 1, 3>}, %z: tensor<?x?x8x2xf32>)
    -> (tensor<?x1x6xf32> {fusion.stride_order = array<i64: 1, 2, 0>}, tensor<?x?x?x2xf32>) {
  %a = fusion.linear %x, %w : tensor<?x1x8xf32>, tensor<6x8xf32> to tensor<?x1x6xf32>
  %b = fusion.matmul %y, %z : tensor<?x?x?x8xf32>, tensor<?x?x8x2xf32> to tensor<?x?x?x2xf32>
  return %a, %b : tensor<?x1x6xf32>, tensor<?x?x?x2xf32>
}
""",
        [
            "5x1x8xf32=normal:1,strides=8x40x1",
            "6x8xf32=normal:2",
            "2x3x4x8xf32=normal:3,strides=24x8x48x1",
            "2x3x8x2xf32=normal:4",
        ],
        [],
    ),
    "product-empty-batch": (
        """
func.func @f(%y: tensor<?x?x?x8xf32> {fusion.stride_order = array<i64: 2, 0, 1, 3>}, %z: tensor<?x?x8x2xf32>) -> tensor<?x?x?x2xf32> {
  %b = fusion.matmul %y, %z : tensor<?x?x?x8xf32>, tensor<?x?x8x2xf32> to tensor<?x?x?x2xf32>
  return %b : tensor<?x?x?x2xf32>
}
""",
        ["2x0x4x8xf32=normal:3,strides=8x8x16x1", "2x0x8x2xf32=normal:4"],
        [],
    ),
    # A result that is written into an input, and one that is read again.
    "product-reuse": (
        """
func.func @f(%x: tensor<5x6xf32>, %w: tensor<6x6xf32>, %o: tensor<5x6xf32>)
    -> (tensor<5x6xf32> {fusion.alias = #fusion.alias<reuse, 2>}, tensor<5x6xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %a = fusion.matmul %x, %w : tensor<5x6xf32>, tensor<6x6xf32> to tensor<5x6xf32>
  %b = fusion.matmul %a, %w : tensor<5x6xf32>, tensor<6x6xf32> to tensor<5x6xf32>
  return %a, %b : tensor<5x6xf32>, tensor<5x6xf32>
}
""",
        ["5x6xf32=normal:1", "6x6xf32=normal:2", "5x6xf32=normal:3"],
        [],
    ),
}


def compositions():
    programs.update(COMPOSITIONS)


def run(path, program, options):
    text, inputs, scalars = program
    path.write_text(text)
    command = ["fuser-run", str(path), "--target", options.target, "--check"]
    command += ["--sim-check"] if options.sim_check else []
    command += [f"--guard={options.guard}"] if options.guard else []
    if options.exact:
        command.append("--exact")
        inputs = [i.replace("=random:", "=bits:").replace("=normal:", "=bits:") for i in inputs]
    command += [f"--input={i}" for i in inputs] + [f"--scalar={s}" for s in scalars]
    command += [f"--arch={options.arch}"] if options.arch else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return "no end after 600 s"
    return (done.stdout + done.stderr).strip() if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--arch", default="")
    parser.add_argument("--guard", default="")
    parser.add_argument("--sim-check", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--without", default="")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--write")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    global every
    every = options.every
    groups = (
        products,
        elementwise,
        lambda: add_element_programs(add),
        integer_quotients,
        compare_and_select,
        casts,
        bits,
        special_values,
        index_maps,
        cats,
        lambda: add_gather_programs(add, programs),
        lambda: add_fibre_programs(add, programs),
    )
    for group in (*groups, factories, transposes, lambda: add_reduction_programs(programs, add, every), compositions):
        group()
    shard, shards = map(int, options.shard.split("/"))
    names = [name for name in programs if fnmatch.fnmatch(name, options.only)]
    names = [name for name in names if not fnmatch.fnmatch(name, options.without)][shard::shards]
    if options.write:
        for name in names:
            text, inputs, scalars = programs[name]
            line = " ".join([f"--input={i}" for i in inputs] + [f"--scalar={s}" for s in scalars])
            pathlib.Path(options.write, f"{name}.mlir").write_text(f"// {line}\n{text}")
        return 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        paths = [pathlib.Path(folder, f"{name}.mlir") for name in names]
        messages = pool.map(lambda path: run(path, programs[path.stem], options), paths)
        for name, message in zip(names, messages, strict=True):
            if message:
                failures += 1
                print(f"{name} on {options.target}: {message}")
    print(f"{len(names) - failures} of {len(names)} programs right")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
