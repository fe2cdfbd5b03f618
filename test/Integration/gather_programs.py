# ===- gather_programs.py - Programs that read where tensors say ----------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Takes and pads: of inputs and of what is computed, beside reductions, in memory that a result takes over."""

from element_programs import FLOATS

ALL = [*FLOATS, "i32", "i64", "i1", "i8", "i16", "ui32", "f8E8M0FNU"]
MODES = ["constant", "replicate", "reflect", "circular"]


def takes(add):
    # Rows of whole vectors and of a few more; a table that is smaller than some indices.
    for element in ALL:
        for number, width in enumerate((24, 33, 1)):
            index = ("i32", "i64")[number % 2]
            table, at, result = (
                f"tensor<10x{width}x{element}>",
                f"tensor<?x5x{index}>",
                f"tensor<?x5x{width}x{element}>",
            )
            body = [f"%r = fusion.take %x, %i dim 0 : {table}, {at} to {result}"]
            inputs = [f"10x{width}x{element}=random:1", f"3x5x{index}=iota"]
            add(f"take-rows-{element}-{width}", [("x", table), ("i", at)], body, [("r", result)], inputs)
        table, at, result = f"tensor<?x?x7x{element}>", "tensor<?xi64>", f"tensor<?x?x7x{element}>"
        body = [f"%r = fusion.take %x, %i dim 1 : {table}, {at} to {result}"]
        for size, count in ((9, 20), (0, 4), (5, 0)):
            inputs = [f"3x{size}x7x{element}=random:1", f"{count}xi64=iota"]
            add(f"take-open-{element}-{size}-{count}", [("x", table), ("i", at)], body, [("r", result)], inputs)
        x, at = f"tensor<?x40x{element}>", "tensor<?x40xi32>"
        body = [
            f"%r = fusion.take_along_axis %x, %i dim 0 : {x}, {at} to {x}",
            "%k = fusion.remainder %i, 41 : tensor<?x40xi32>",
            f"%s = fusion.take_along_axis %x, %k dim 1 : {x}, {at} to {x}",
        ]
        inputs = [f"13x40x{element}=random:1", "13x40xi32=iota"]
        add(f"take-along-{element}", [("x", x), ("i", at)], body, [("r", x), ("s", x)], inputs)


TEXTS = {
    # Each row's distance of one logit from the logarithm of the sum of exponentials.
    "cross-entropy": (
        """
func.func @f(%l: tensor<?x{n}xbf16>, %t: tensor<?x1xi64>) -> tensor<?xf32> {{
  %c1 = arith.constant 1 : index
  %n = tensor.dim %l, %c1 : tensor<?x{n}xbf16>
  %x = fusion.cast %l : tensor<?x{n}xbf16> to tensor<?x{n}xf32>
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x{n}xf32> to tensor<?x1xf32>
  %b = fusion.expand %m {sizes}: tensor<?x1xf32> to tensor<?x{n}xf32>
  %d = fusion.sub %x, %b : tensor<?x{n}xf32>
  %e = fusion.exp %d : tensor<?x{n}xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x{n}xf32> to tensor<?x1xf32>
  %g = fusion.log %s : tensor<?x1xf32>
  %a = fusion.add %g, %m : tensor<?x1xf32>
  %p = fusion.take_along_axis %x, %t dim 1 : tensor<?x{n}xf32>, tensor<?x1xi64> to tensor<?x1xf32>
  %q = fusion.sub %a, %p : tensor<?x1xf32>
  %r = fusion.reshape %q : tensor<?x1xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}}
""",
        ["9x{size}xbf16=normal:1", "9x1xi64=iota"],
    ),
    # Indices that are computed, of a tensor that is computed, some of them beyond either end.
    "take-computed": (
        """
func.func @f(%x: tensor<?x{n}xf32>, %i: tensor<?xi32>) -> (tensor<?x{n}xf32>, tensor<?xf32>) {{
  %k = fusion.remainder %i, 9 : tensor<?xi32>
  %j = fusion.sub %k, 1 : tensor<?xi32>
  %e = fusion.exp %x : tensor<?x{n}xf32>
  %t = fusion.take %e, %j dim 0 : tensor<?x{n}xf32>, tensor<?xi32> to tensor<?x{n}xf32>
  %u = fusion.mul %t, %t : tensor<?x{n}xf32>
  %s = fusion.reduce <sum> %u dims [1] : tensor<?x{n}xf32> to tensor<?xf32>
  return %u, %s : tensor<?x{n}xf32>, tensor<?xf32>
}}
""",
        ["6x{size}xf32=random:1", "31xi32=iota"],
    ),
    # The largest element of each row says which row is read.
    "take-of-reduction": (
        """
func.func @f(%x: tensor<?x{n}xi32>, %y: tensor<11x{n}xf32>) -> tensor<?x{n}xf32> {{
  %m = fusion.reduce <max> %x dims [1] : tensor<?x{n}xi32> to tensor<?xi32>
  %t = fusion.take %y, %m dim 0 : tensor<11x{n}xf32>, tensor<?xi32> to tensor<?x{n}xf32>
  return %t : tensor<?x{n}xf32>
}}
""",
        ["17x{size}xi32=random:1", "11x{size}xf32=random:2"],
    ),
    # Of the sums of rows, and of what is divided by them.
    "take-from-reduction": (
        """
func.func @f(%x: tensor<?x{n}xf32>, %i: tensor<?xi64>) -> (tensor<?xf32>, tensor<?x{n}xf32>) {{
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x{n}xf32> to tensor<?xf32>
  %t = fusion.take %s, %i dim 0 : tensor<?xf32>, tensor<?xi64> to tensor<?xf32>
  %u = fusion.take %x, %i dim 0 : tensor<?x{n}xf32>, tensor<?xi64> to tensor<?x{n}xf32>
  return %t, %u : tensor<?xf32>, tensor<?x{n}xf32>
}}
""",
        ["10x{size}xf32=random:1", "21xi64=iota"],
    ),
    "pad-rows": (
        """
func.func @f(%x: tensor<?x{n}xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {{
  %e = fusion.exp %x : tensor<?x{n}xf32>
  %p = fusion.pad <reflect> %e low [0, 2] high [0, 2] : tensor<?x{n}xf32>{p4}
  %s = fusion.reduce <sum> %p dims [1] : tensor<?x{n4}xf32> to tensor<?xf32>
  %q = fusion.pad <constant> %s low [3] high [1] : tensor<?xf32> to tensor<?xf32>
  %o = fusion.pad <circular> %s low [1] high [1] : tensor<?xf32> to tensor<?xf32>
  return %s, %q, %o : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}}
""",
        ["9x{size}xf32=random:1"],
    ),
    # A pad that ends where its input does is no plain read of it.
    "pad-then-transpose": (
        """
func.func @f(%x: tensor<?x{n}xf32>) -> tensor<{n}x?xf32> {{
  %p = fusion.pad <constant> %x low [0, 0] high [5, 0] : tensor<?x{n}xf32> to tensor<?x{n}xf32>
  %t = fusion.permute %p [1, 0] : tensor<?x{n}xf32> to tensor<{n}x?xf32>
  %e = fusion.neg %t : tensor<{n}x?xf32>
  return %e : tensor<{n}x?xf32>
}}
""",
        ["70x{size}xf32=random:1"],
    ),
}


def texts(programs):
    for name, (text, inputs) in TEXTS.items():
        for size in (40, 33, 2500):
            for is_open in (False, True):
                n = "?" if is_open else size
                n4 = "?" if is_open else size + 4
                sizes = "sizes(%n) " if is_open else ""
                filled = text.format(n=n, n4=n4, p4=f" to tensor<?x{n4}xf32>", sizes=sizes)
                shown = f"{name}-{size}{'-open' if is_open else ''}"
                programs[shown] = (filled, [i.format(size=size) for i in inputs], [])
    programs["take-strided"] = (
        """
func.func @f(%x: tensor<?x?xf32> {fusion.layout = "any"}, %i: tensor<?x3xi64> {fusion.layout = "any"}) -> (tensor<?x3x?xf32>, tensor<?x?x3xf32>) {
  %r = fusion.take %x, %i dim 0 : tensor<?x?xf32>, tensor<?x3xi64> to tensor<?x3x?xf32>
  %s = fusion.take %x, %i dim 1 : tensor<?x?xf32>, tensor<?x3xi64> to tensor<?x?x3xf32>
  return %r, %s : tensor<?x3x?xf32>, tensor<?x?x3xf32>
}
""",
        ["9x20xf32=random:1,strides=1x9", "4x3xi64=iota,strides=1x4,offset=1"],
        [],
    )
    # The result goes where its input is, which is read elsewhere too.
    programs["take-in-place"] = (
        """
func.func @f(%x: tensor<64x40xf32>, %i: tensor<64xi64>) -> (tensor<64x40xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %t = fusion.take %x, %i dim 0 : tensor<64x40xf32>, tensor<64xi64> to tensor<64x40xf32>
  %r = fusion.add %x, %t : tensor<64x40xf32>
  return %r : tensor<64x40xf32>
}
""",
        ["64x40xf32=random:1", "64xi64=value:0"],
        [],
    )
    # Where the indices are, whose elements are read where the result's are written.
    programs["take-in-place-of-indices"] = (
        """
func.func @f(%x: tensor<?x40xi64>, %i: tensor<?x40xi64>) -> (tensor<?x40xi64> {fusion.alias = #fusion.alias<reuse, 1>}) {
  %r = fusion.take_along_axis %x, %i dim 0 : tensor<?x40xi64>, tensor<?x40xi64> to tensor<?x40xi64>
  return %r : tensor<?x40xi64>
}
""",
        ["64x40xi64=random:1", "64x40xi64=random:2"],
        [],
    )
    programs["pad-in-place"] = (
        """
func.func @f(%x: tensor<64x40xf32>) -> (tensor<64x40xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %p = fusion.pad <replicate> %x low [1, 0] high [0, 0] : tensor<64x40xf32> to tensor<65x40xf32>
  %q = fusion.slice %p offsets [0, 0] sizes [64, 40] steps [1, 1] : tensor<65x40xf32> to tensor<64x40xf32>
  %r = fusion.add %x, %q : tensor<64x40xf32>
  return %r : tensor<64x40xf32>
}
""",
        ["64x40xf32=random:1"],
        [],
    )


def pads(add):
    for element in ALL:
        for mode in MODES:
            for width in (16, 17):
                x, kind = f"tensor<?x{width}x{element}>", f"tensor<?x{width + 16}x{element}>"
                body = [
                    f"%y = fusion.where %c, %x, %z : {x}",
                    f"%r = fusion.pad <{mode}> %x low [%n, 8] high [2, 8] : {x} to {kind}",
                    f"%s = fusion.pad <{mode}> %y low [0, 3] high [0, 13] : {x} to {kind}",
                ]
                arguments = [("x", x), ("z", x), ("c", f"tensor<?x{width}xi1>"), ("n", "index")]
                results = [("r", kind), ("s", kind)]
                for rows in (5,) if mode != "constant" else (5, 0):
                    inputs = [f"{rows}x{width}x{e}=random:{n}" for n, e in enumerate((element, element, "i1"))]
                    add(f"pad-{mode}-{element}-{width}-{rows}", arguments, body, results, inputs, [3])


def add_gather_programs(add, programs):
    """`add` and `programs` are those of programs.py."""
    takes(add)
    texts(programs)
    pads(add)
