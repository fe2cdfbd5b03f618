# ===- fibre_programs.py - Programs that scan and sort --------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Scans, sorts and scatters: of inputs and of what is computed, along any dimension, in memory of any layout."""

from element_programs import FLOATS, elementwise_ops

fill = elementwise_ops.fill

NUMBERS = [*FLOATS, "i32", "i64", "i8", "ui16", "ui64"]


def scans(add):
    for element in NUMBERS:
        for width in (1, 40, 33):
            x = f"tensor<?x{width}x{element}>"
            results = [(kind + str(dim), x) for kind in ("sum", "prod", "max", "min") for dim in (0, 1)]
            body = [f"%{name} = fusion.scan <{name[:-1]}> %x dim {name[-1]} : {x}" for name, _ in results]
            for rows in (0, 1, 9):
                inputs = [f"{rows}x{width}x{element}={fill(element, 1)}"]
                add(f"scan-{element}-{width}-{rows}", [("x", x)], body, results, inputs)


def orders(add):
    for element in (*NUMBERS, "i1"):
        for width in (1, 40, 33):
            k = min(width, 7)
            x, order, first = f"tensor<?x{width}x{element}>", f"tensor<?x{width}xi64>", f"tensor<?x{k}xi64>"
            body = [
                f"%a = fusion.argsort %x dim 1 : {x} to {order}",
                f"%b = fusion.argsort %x dim 0 descending : {x} to {order}",
                f"%c = fusion.argtopk {k} %x dim 1 descending : {x} to {first}",
            ]
            results = [("a", order), ("b", order), ("c", first)]
            for rows in (0, 1, 9):
                inputs = [f"{rows}x{width}x{element}={fill(element, 1)}"]
                add(f"order-{element}-{width}-{rows}", [("x", x)], body, results, inputs)
            # An open dimension has to have the three that are asked for.
            least = f"tensor<3x{width}xi64>"
            body = [f"%d = fusion.argtopk 3 %x dim 0 : {x} to {least}"]
            for rows in (3, 9):
                inputs = [f"{rows}x{width}x{element}={fill(element, 1)}"]
                add(f"topk-{element}-{width}-{rows}", [("x", x)], body, [("d", least)], inputs)


def scatters(add):
    for element in (*NUMBERS, "i1"):
        narrow = element in FLOATS[2:]
        kinds = ["", "max", "min"] if narrow else ["", "sum", "prod", "max", "min"]
        for width in (1, 40):
            x, u = f"tensor<?x{width}x{element}>", f"tensor<?x{width}x{element}>"
            arguments = [("x", x), ("u", u), ("i", "tensor<?xi64>"), ("j", f"tensor<?x{width}xi32>")]
            body = [
                "%k = fusion.remainder %i, 7 : tensor<?xi64>",
                f"%l = fusion.remainder %j, 9 : tensor<?x{width}xi32>",
            ]
            results = []
            for kind in kinds if element != "i1" else [""]:
                word = f"combine <{kind}>" if kind else ""
                body.append(f"%a{kind} = fusion.scatter %x, %k, %u dim 0 {word} : {x}, tensor<?xi64>, {u}")
                body.append(
                    f"%b{kind} = fusion.scatter_along_axis %x, %l, %u dim 0 {word} : {x}, tensor<?x{width}xi32>, {u}"
                )
                results += [(f"a{kind}", x), (f"b{kind}", x)]
            for rows, updates in ((6, 20), (0, 3), (5, 0)):
                inputs = [f"{rows}x{width}x{element}=random:1", f"{updates}x{width}x{element}=random:2"]
                inputs += [f"{updates}xi64=iota", f"{updates}x{width}xi32=iota"]
                add(f"scatter-{element}-{width}-{rows}-{updates}", arguments, body, results, inputs)


TEXTS = {
    # Of what is computed, and used again.
    "scan-computed": (
        """
func.func @f(%x: tensor<?x?xbf16>) -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %e = fusion.exp %c : tensor<?x?xf32>
  %s = fusion.scan <sum> %e dim 1 : tensor<?x?xf32>
  %q = fusion.mul %s, %e : tensor<?x?xf32>
  %m = fusion.reduce <max> %q dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  return %q, %m : tensor<?x?xf32>, tensor<?x1xf32>
}
""",
        ["7x70xbf16=normal:1"],
    ),
    "scan-of-scan": (
        """
func.func @f(%x: tensor<3x?x5xf32>) -> tensor<3x?x5xf32> {
  %a = fusion.scan <sum> %x dim 1 : tensor<3x?x5xf32>
  %b = fusion.scan <max> %a dim 2 : tensor<3x?x5xf32>
  %c = fusion.scan <prod> %b dim 0 : tensor<3x?x5xf32>
  return %c : tensor<3x?x5xf32>
}
""",
        ["3x20x5xf32=normal:1"],
    ),
    # What is sorted, and the classes of a mixture of experts.
    "sort-values": (
        """
func.func @f(%x: tensor<?x40xf32>) -> (tensor<?x40xf32>, tensor<?x4xf32>) {
  %i = fusion.argsort %x dim 1 : tensor<?x40xf32> to tensor<?x40xi64>
  %v = fusion.take_along_axis %x, %i dim 1 : tensor<?x40xf32>, tensor<?x40xi64> to tensor<?x40xf32>
  %k = fusion.argtopk 4 %x dim 1 descending : tensor<?x40xf32> to tensor<?x4xi64>
  %t = fusion.take_along_axis %x, %k dim 1 : tensor<?x40xf32>, tensor<?x4xi64> to tensor<?x4xf32>
  %e = fusion.exp %t : tensor<?x4xf32>
  return %v, %e : tensor<?x40xf32>, tensor<?x4xf32>
}
""",
        ["13x40xf32=normal:1"],
    ),
    "order-of-iota": (
        """
func.func @f() -> (tensor<33xi64>, tensor<33xi32>) {
  %n = fusion.iota dim 0 : tensor<33xi32>
  %m = fusion.remainder %n, 5 : tensor<33xi32>
  %i = fusion.argsort %m dim 0 descending : tensor<33xi32> to tensor<33xi64>
  %s = fusion.scan <sum> %n dim 0 : tensor<33xi32>
  return %i, %s : tensor<33xi64>, tensor<33xi32>
}
""",
        [],
    ),
    "fibres-strided": (
        """
func.func @f(%x: tensor<?x?xf32> {fusion.layout = "any"}) -> (tensor<?x?xf32> {fusion.stride_order = array<i64: 1, 0>}, tensor<?x?xi64>) {
  %s = fusion.scan <sum> %x dim 1 : tensor<?x?xf32>
  %i = fusion.argsort %x dim 0 : tensor<?x?xf32> to tensor<?x?xi64>
  return %s, %i : tensor<?x?xf32>, tensor<?x?xi64>
}
""",
        ["9x20xf32=random:1,strides=1x9"],
    ),
    "fibres-broadcast": (
        """
func.func @f(%x: tensor<?x?xf32> {fusion.layout = "any"}) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %s = fusion.scan <sum> %x dim 1 : tensor<?x?xf32>
  %i = fusion.argsort %x dim 1 descending : tensor<?x?xf32> to tensor<?x?xi64>
  return %s, %i : tensor<?x?xf32>, tensor<?x?xi64>
}
""",
        ["9x20xf32=random:1,strides=1x0"],
    ),
    # The rows of a table, and what is added to them.
    "scatter-gradient": (
        """
func.func @f(%t: tensor<10x24xf32>, %i: tensor<?xi64>, %g: tensor<?x24xbf16>) -> tensor<10x24xbf16> {
  %c = fusion.cast %g : tensor<?x24xbf16> to tensor<?x24xf32>
  %e = fusion.exp %c : tensor<?x24xf32>
  %k = fusion.remainder %i, 11 : tensor<?xi64>
  %s = fusion.scatter %t, %k, %e dim 0 combine <sum> : tensor<10x24xf32>, tensor<?xi64>, tensor<?x24xf32>
  %r = fusion.cast %s : tensor<10x24xf32> to tensor<10x24xbf16>
  return %r : tensor<10x24xbf16>
}
""",
        ["10x24xf32=normal:1", "31xi64=iota", "31x24xbf16=normal:2"],
    ),
    # The first four of each row, and zeros.
    "scatter-of-topk": (
        """
func.func @f(%x: tensor<?x40xf32>, %z: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %k = fusion.argtopk 4 %x dim 1 descending : tensor<?x40xf32> to tensor<?x4xi64>
  %t = fusion.take_along_axis %x, %k dim 1 : tensor<?x40xf32>, tensor<?x4xi64> to tensor<?x4xf32>
  %r = fusion.scatter_along_axis %z, %k, %t dim 1 : tensor<?x40xf32>, tensor<?x4xi64>, tensor<?x4xf32>
  return %r : tensor<?x40xf32>
}
""",
        ["9x40xf32=normal:1", "9x40xf32=value:0"],
    ),
    "scatter-in-place": (
        """
func.func @f(%x: tensor<6x40xf32>, %i: tensor<3xi32>, %u: tensor<6x3xf32>) -> (tensor<6x40xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %r = fusion.scatter %x, %i, %u dim 1 : tensor<6x40xf32>, tensor<3xi32>, tensor<6x3xf32>
  return %r : tensor<6x40xf32>
}
""",
        ["6x40xf32=random:1", "3xi32=iota", "6x3xf32=random:2"],
    ),
    # Where the operand is, which is read again when some of the result is there.
    "order-in-place": (
        """
func.func @f(%x: tensor<?x40xi64>) -> (tensor<?x40xi64> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %r = fusion.argsort %x dim 1 : tensor<?x40xi64> to tensor<?x40xi64>
  return %r : tensor<?x40xi64>
}
""",
        ["6x40xi64=random:1"],
    ),
    "scan-in-place": (
        """
func.func @f(%x: tensor<6x40xf32>) -> (tensor<6x40xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %s = fusion.scan <sum> %x dim 0 : tensor<6x40xf32>
  %r = fusion.add %s, %x : tensor<6x40xf32>
  return %r : tensor<6x40xf32>
}
""",
        ["6x40xf32=random:1"],
    ),
}


def add_fibre_programs(add, programs):
    """`add` and `programs` are those of programs.py."""
    scans(add)
    orders(add)
    scatters(add)
    for name, (text, inputs) in TEXTS.items():
        programs[name] = (text, inputs, [])
