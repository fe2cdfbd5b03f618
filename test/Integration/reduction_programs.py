# ===- reduction_programs.py - Programs that reduce -----------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#

import itertools

from element_programs import FLOATS, elementwise_ops

fill = elementwise_ops.fill

NUMBERS = [*FLOATS, "i32", "i64", "i8", "i16", "ui8", "ui64"]
# Every shape with all of its dimensions, where element types differ in what they do to a kernel.
SHAPES = [(3, 4, 37), (2, 0, 5), (0, 4, 5), (1, 1, 1), (5, 1, 300), (2, 130, 3)]
DIMS = ([0], [1], [2], [0, 2], [1, 2], [0, 1, 2], [])
LONG = (("row", (3, 40001), [1]), ("column", (40001, 3), [0]), ("all", (257, 129), [0, 1]), ("wide", (70, 4100), [0]))


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def spec(sizes, element, fill):
    return "".join(f"{size}x" for size in sizes) + f"{element}={fill}"


def reduced(shape, dims, keep):
    if keep:
        return [1 if d in dims else s for d, s in enumerate(shape)]
    return [s for d, s in enumerate(shape) if d not in dims]


def get_kinds(element):
    """What `reduce` is called with, by programs: a kernel of all kinds at once has more accumulators than registers."""
    if element == "i1":
        return {"": ["any", "all"]}
    return {"": ["sum", "max", "min"] + (["mean"] if element in FLOATS else []), "prod-": ["prod"]}


def add_small(add, every):
    for element, sizes in itertools.product([*NUMBERS, "i1"], SHAPES):
        if not every and element not in ("f32", "bf16") and sizes not in SHAPES[:2]:
            continue
        if not every and element == "bf16" and sizes in SHAPES[2:4]:
            continue
        kind = tensor("???", element)
        few = not every and element not in ("f32", "bf16", "i1")
        all_dims = ([0], [1, 2]) if few else DIMS
        for dims, (group, kinds) in itertools.product(all_dims, get_kinds(element).items()):
            body, results = [], []
            for keep, op in itertools.product((True, False), kinds):
                target = tensor(["1" if s == 1 else "?" for s in reduced("???", dims, keep)], element)
                name = f"{op}{'_keep' if keep else ''}"
                word = "keep " if keep else ""
                body.append(f"%{name} = fusion.reduce <{op}> %x dims {dims} {word}: {kind} to {target}")
                results.append((name, target))
            name = f"reduce-{group}{element}-{'x'.join(map(str, sizes))}-{''.join(map(str, dims))}"
            add(name, [("x", kind)], body, results, [spec(sizes, element, fill(element, 1))])


def add_long(add):
    for element in NUMBERS:
        kinds = ["sum", "max"] + (["mean"] if element in FLOATS else ["min", "prod"])
        for name, sizes, dims in LONG:
            kind = tensor("??", element)
            target = tensor(reduced("??", dims, False), element)
            body = [f"%{k} = fusion.reduce <{k}> %x dims {dims} : {kind} to {target}" for k in kinds]
            results = [(k, target) for k in kinds]
            add(f"long-{name}-{element}", [("x", kind)], body, results, [spec(sizes, element, fill(element, 4))])
    for name, sizes, dims in LONG:
        source, kind = tensor("??", "f32"), tensor("??", "i1")
        target = tensor(reduced("??", dims, False), "i1")
        body = [f"%c = fusion.cmp <gt> %x, 3.99 : {source}", f"%n = fusion.not %c : {kind}"]
        body += [f"%any = fusion.reduce <any> %c dims {dims} : {kind}"]
        body += [f"%all = fusion.reduce <all> %n dims {dims} : {kind}"]
        results = [("any", target), ("all", target)]
        add(f"long-{name}-i1", [("x", source)], body, results, [spec(sizes, "f32", "random:4")])
        # As many factors as there are, near enough to 1 that no part of the product leaves the range.
        target = tensor(reduced("??", dims, False), "f32")
        body = [f"%s = fusion.mul %x, 0.001 : {source}", f"%f = fusion.add %s, 1.0 : {source}"]
        body += [f"%r = fusion.reduce <prod> %f dims {dims} : {source} to {target}"]
        add(f"long-{name}-product", [("x", source)], body, [("r", target)], [spec(sizes, "f32", "random:4")])


def add_positions(add, every):
    """Random elements, of which many are equal where the type has few; then equal ones and NaN alone."""
    shapes = [*SHAPES, (7, 5, 1025)]
    for element, sizes in itertools.product(NUMBERS, shapes):
        if not every and element not in ("f32", "bf16") and sizes not in (SHAPES[0], SHAPES[1], shapes[-1]):
            continue
        fills = ["random:1"]
        if sizes == SHAPES[0]:
            fills += ["value:1"] + (["value:nan", "value:-inf", "value:inf"] if element in FLOATS else [])
        kind = tensor("???", element)
        for dims, fill in itertools.product(DIMS if every or element == "f32" else DIMS[:5:2], fills):
            body, results = [], []
            for keep, op in itertools.product((True, False), ("argmax", "argmin")):
                target = tensor(["1" if s == 1 else "?" for s in reduced("???", dims, keep)], "i64")
                name = f"{op}{'_keep' if keep else ''}"
                body.append(f"%{name} = fusion.{op} %x dims {dims} {'keep ' if keep else ''}: {kind} to {target}")
                results.append((name, target))
            name = f"position-{element}-{'x'.join(map(str, sizes))}-{''.join(map(str, dims))}-{fill.replace(':', '-')}"
            add(name, [("x", kind)], body, results, [spec(sizes, element, fill)])


def add_long_positions(add):
    for element in ("f64", "bf16", "i32"):
        for name, sizes, dims in (*LONG, ("split", (2, 140001), [1]), ("flat", (3, 70003), [0, 1])):
            kind = tensor("??", element)
            target = tensor(reduced("??", dims, False), "i64")
            body = [f"%{op} = fusion.{op} %x dims {dims} : {kind} to {target}" for op in ("argmax", "argmin")]
            results = [(op, target) for op in ("argmax", "argmin")]
            add(f"position-long-{name}-{element}", [("x", kind)], body, results, [spec(sizes, element, "random:4")])
            if element == "bf16":
                add(f"position-equal-{name}", [("x", kind)], body, results, [spec(sizes, element, "value:0")])


COMPOSITIONS = {
    # Positions of what has errors, beside sums of the same rows; more than one accumulator, of different types.
    "position-softmax": (
        """
func.func @f(%x: tensor<?x1000xbf16>) -> (tensor<?x1000xbf16>, tensor<?xi64>, tensor<?x1xf32>) {
  %h = fusion.cast %x : tensor<?x1000xbf16> to f32
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?x1000xf32>
  %n = fusion.expand %m : tensor<?x1xf32> to tensor<?x1000xf32>
  %d = fusion.sub %h, %n : tensor<?x1000xf32>
  %e = fusion.exp %d : tensor<?x1000xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1000xf32>
  %t = fusion.expand %s : tensor<?x1xf32> to tensor<?x1000xf32>
  %p = fusion.div %e, %t : tensor<?x1000xf32>
  %r = fusion.cast %p : tensor<?x1000xf32> to bf16
  %a = fusion.argmax %p dims [1] : tensor<?x1000xf32>
  return %r, %a, %s : tensor<?x1000xbf16>, tensor<?xi64>, tensor<?x1xf32>
}
""",
        ["13x1000xbf16=random:1"],
        [],
    ),
    # Positions that are used: a mask of the greatest element of each row.
    "position-used": (
        """
func.func @f(%x: tensor<?x129xf32>, %n: index) -> (tensor<?x129xi1>, tensor<?xi1>) {
  %a = fusion.argmax %x dims [1] keep : tensor<?x129xf32>
  %b = fusion.expand %a : tensor<?x1xi64> to tensor<?x129xi64>
  %i = fusion.iota dim 1 sizes(%n) : tensor<?x129xi64>
  %r = fusion.cmp <eq> %i, %b : tensor<?x129xi64>
  %s = fusion.reduce <any> %r dims [1] : tensor<?x129xi1>
  return %r, %s : tensor<?x129xi1>, tensor<?xi1>
}
""",
        ["9x129xf32=random:1"],
        ["9"],
    ),
    # Nowhere, among elements that have errors.
    "position-nowhere": (
        """
func.func @f(%x: tensor<?x?xf32>) -> (tensor<i64>, tensor<?xi64>, tensor<?xi64>) {
  %e = fusion.exp %x : tensor<?x?xf32>
  %a = fusion.argmax %e dims [0, 1] : tensor<?x?xf32>
  %b = fusion.argmin %e dims [1] : tensor<?x?xf32>
  %c = fusion.argmax %e dims [0] : tensor<?x?xf32>
  return %a, %b, %c : tensor<i64>, tensor<?xi64>, tensor<?xi64>
}
""",
        ["7x0xf32=random:1"],
        [],
    ),
    # What is reduced is not as it lies in memory.
    "position-permuted": (
        """
func.func @f(%x: tensor<?x48xf32>, %y: tensor<?x7xi32>) -> (tensor<48xi64>, tensor<?xi64>, tensor<?x1xi64>) {
  %t = fusion.permute %x [1, 0] : tensor<?x48xf32> to tensor<48x?xf32>
  %a = fusion.argmin %t dims [1] : tensor<48x?xf32>
  %b = fusion.argmax %t dims [0] : tensor<48x?xf32>
  %c = fusion.argmin %y dims [1] keep : tensor<?x7xi32>
  return %a, %b, %c : tensor<48xi64>, tensor<?xi64>, tensor<?x1xi64>
}
""",
        ["67x48xf32=random:1,strides=100x2", "33x7xi32=random:2,strides=1x40,offset=3"],
        [],
    ),
    # Reductions of a slice and of two tensors side by side.
    "position-slice": (
        """
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %n: index, %m: index) -> (tensor<?xi64>, tensor<?xi64>) {
  %s = fusion.slice %x offsets [1, 3] sizes [%n, %m] steps [2, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %a = fusion.argmax %s dims [0] : tensor<?x?xf32>
  %c = fusion.cat %x, %y dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  %b = fusion.argmin %c dims [1] : tensor<?x?xf32>
  return %a, %b : tensor<?xi64>, tensor<?xi64>
}
""",
        ["65x33xf32=random:1", "65x18xf32=random:2"],
        ["31", "29"],
    ),
    # Rows and columns of one tensor, of positions and of sums.
    "position-both": (
        """
func.func @f(%x: tensor<?x768xbf16>) -> (tensor<?xi64>, tensor<768xi64>, tensor<768xf32>, tensor<?x768xbf16>) {
  %h = fusion.cast %x : tensor<?x768xbf16> to f32
  %a = fusion.argmax %h dims [1] : tensor<?x768xf32>
  %b = fusion.argmin %h dims [0] : tensor<?x768xf32>
  %s = fusion.reduce <sum> %h dims [0] : tensor<?x768xf32>
  %e = fusion.neg %x : tensor<?x768xbf16>
  return %a, %b, %s, %e : tensor<?xi64>, tensor<768xi64>, tensor<768xf32>, tensor<?x768xbf16>
}
""",
        ["301x768xbf16=random:1"],
        [],
    ),
    # One element and no dimensions.
    "reduce-0d": (
        """
func.func @f(%x: tensor<f16>, %c: tensor<i1>) -> (tensor<i64>, tensor<f16>, tensor<i1>, tensor<i1>) {
  %a = fusion.argmax %x dims [] : tensor<f16>
  %p = fusion.reduce <prod> %x dims [] : tensor<f16>
  %o = fusion.reduce <any> %c dims [] : tensor<i1>
  %l = fusion.reduce <all> %c dims [] keep : tensor<i1>
  return %a, %p, %o, %l : tensor<i64>, tensor<f16>, tensor<i1>, tensor<i1>
}
""",
        ["f16=random:1", "i1=random:2"],
        [],
    ),
    # i1 of columns and in a shape that is no row's: lanes through memory.
    "logical-shapes": (
        """
func.func @f(%x: tensor<?x?x?xi1>) -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?xi1>, tensor<?x?x?xi1>) {
  %a = fusion.reduce <any> %x dims [1] : tensor<?x?x?xi1>
  %b = fusion.reduce <all> %x dims [2] : tensor<?x?x?xi1>
  %t = fusion.permute %b [1, 0] : tensor<?x?xi1> to tensor<?x?xi1>
  %c = fusion.reduce <all> %t dims [1] : tensor<?x?xi1>
  %k = fusion.reduce <any> %x dims [0] keep : tensor<?x?x?xi1> to tensor<1x?x?xi1>
  %n = fusion.not %x : tensor<?x?x?xi1>
  return %a, %t, %c, %n : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?xi1>, tensor<?x?x?xi1>
}
""",
        ["5x3x19xi1=random:1"],
        [],
    ),
}


def add_reduction_programs(programs, add, every):
    """`programs` and `add` are those of programs.py; `every`: every element type with every shape."""
    add_small(add, every)
    add_long(add)
    add_positions(add, every)
    add_long_positions(add)
    programs.update(COMPOSITIONS)
