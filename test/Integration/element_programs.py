# ===- element_programs.py - Programs of ops that are one record ----------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "tools"))
import elementwise_ops  # noqa: E402

FLOATS = elementwise_ops.FLOATS
# Nothing, one, less and more than a vector, tails, several blocks.
SIZES = [0, 1, 3, 17, 4099]


def add_element_programs(add):
    """The ops that are one record, a few in a program; `add` is that of programs.py."""
    for element in (*elementwise_ops.NUMBERS, "i1"):
        kind, truth = f"tensor<?x{element}>", "tensor<?xi1>"
        ops = [(name, "%x", kind) for name, op in elementwise_ops.UNARY.items() if element in op[0]]
        ops += [(name, "%x", truth) for name in elementwise_ops.TESTS if element in elementwise_ops.FLOATS]
        binary = [name for name, op in elementwise_ops.BINARY.items() if element in op[0]]
        ops += [(name, "%x, %y", kind) for name in binary]
        for start in range(0, len(ops), 10):
            part = ops[start : start + 10]
            body = [f"%v_{name} = fusion.{name} {operands} : {kind}" for name, operands, _ in part]
            results = [(f"v_{name}", result) for name, _, result in part]
            for size in SIZES:
                inputs = [f"{size}x{element}={elementwise_ops.fill(element, seed)}" for seed in (1, 2)]
                add(f"elements-{element}-{start}-{size}", [("x", kind), ("y", kind)], body, results, inputs)
        number = "true" if element == "i1" else "3"
        body = [f"%v_{name} = fusion.{name} %x, {number} : {kind}" for name in binary]
        body += [f"%w_{name} = fusion.{name} {number}, %x : {kind}" for name in binary]
        results = [(f"{place}_{name}", kind) for place in "vw" for name in binary]
        add(f"elements-scalar-{element}", [("x", kind)], body, results, [f"77x{element}=random:1"])
    body = [
        "%q = fusion.iota dim 0 sizes(%n) : tensor<?x33xi32>",
        "%k = fusion.iota dim 1 sizes(%n) : tensor<?x33xi32>",
        "%m = fusion.cmp <le> %k, %q : tensor<?x33xi32>",
        "%r = fusion.where %m, %x, -inf : tensor<?x33xf32>",
        "%s = fusion.reduce <max> %r dims [1] : tensor<?x33xf32>",
        "%c = fusion.constant dense<[1.5, -2.0, 3.25]> : tensor<3xf32>",
    ]
    results = [("r", "tensor<?x33xf32>"), ("s", "tensor<?xf32>"), ("c", "tensor<3xf32>")]
    add("causal-mask", [("x", "tensor<?x33xf32>"), ("n", "index")], body, results, ["17x33xf32=random:1"], [17])
