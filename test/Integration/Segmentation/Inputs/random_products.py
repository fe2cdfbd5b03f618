# ===- random_products.py - Random matrix products against the reference ---===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""random_products.py FIRST LAST FOLDER [TARGET]: runs `fuser-run --check` on one product for each of these seeds.

Sizes of 0 and 1 are frequent, known or not; tensors lie in required orders, or in any strides. A third of the products are segments by hand, for the
library or for kernels of any product.
"""

import random

from random_programs import main

ELEMENTS = ["f32", "bf16", "f16", "f64"]


def get_strides(sizes, order, gap):
    """Of a tensor in this order; as frameworks have it, nothing counts as one."""
    strides, stride = [0] * len(sizes), gap
    for dim in reversed(order):
        strides[dim] = stride
        stride *= max(sizes[dim], 1)
    return "x".join(map(str, strides))


class Product:
    scalars = ()

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random.choice
        element = pick(ELEMENTS)
        batch = [pick([0, 1, 1, 2, 3]) for _ in range(pick([0, 0, 1, 2]))]
        m, k, n = (pick([0, 1, 1, 2, 3, 5, 33]) for _ in range(3))
        self.op = pick(["matmul", "linear"])
        matmul = ([*batch, m, k], [*batch, k, n], [*batch, m, n])
        shapes = matmul if self.op == "matmul" else ([*batch, k], [n, k], [*batch, n])
        wide = "f32" if element in ("bf16", "f16") and self.random.random() < 0.3 else element
        self.types = [self.make_type(shape, e) for shape, e in zip(shapes, (element, element, wide), strict=True)]
        self.attributes, self.inputs = [], []
        for number, shape in enumerate(shapes):
            order = self.random.sample(range(len(shape)), len(shape))
            kind = self.random.random()
            attribute, gap = "", 1
            if kind < 0.4:
                attribute = f" {{fusion.stride_order = array<i64: {', '.join(map(str, order))}>}}"
            elif kind < 0.6 and number < 2:
                attribute, gap = ' {fusion.layout = "any"}', pick([1, 2])
            elif kind < 0.8:
                order = sorted(order)
            self.attributes.append(attribute)
            strides = f",strides={get_strides(shape, order, gap)}" if shape and number < 2 else ""
            self.inputs.append(f"{'x'.join(map(str, shape))}x{element}=random:{seed + number}{strides}")
        self.inputs = self.inputs[:2]
        if not self.attributes[2].startswith(" {fusion.stride_order"):
            self.attributes[2] = ""
        self.scheduler = pick(["", "", "library", "generic"])

    def make_type(self, shape, element):
        sizes = "".join(f"{'?' if self.random.random() < 0.4 else size}x" for size in shape)
        return f"tensor<{sizes}{element}>"

    def print(self):
        a, b, r = self.types
        product = f"fusion.{self.op} %x, %y : {a}, {b} to {r}"
        body = f"  %r = {product}\n"
        if self.scheduler:
            body = (
                f'  %r = fusion.segment "{self.scheduler}" (%x = %a : {a}, %y = %b : {b}) -> ({r}) {{\n'
                f"    %p = {product}\n    fusion.yield %p : {r}\n  }}\n"
            )
        else:
            body = body.replace("%x", "%a").replace("%y", "%b")
        head = f"func.func @f(%a: {a}{self.attributes[0]}, %b: {b}{self.attributes[1]}) -> ({r}{self.attributes[2]})"
        return f"{head} {{\n{body}  return %r : {r}\n}}\n"


if __name__ == "__main__":
    main(Product)
