# ===- open_programs.py - Random programs with open sizes -----------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""open_programs.py FIRST LAST FOLDER [TARGET]: like random_programs.py, with what its programs lack.

Sizes are those of tensors, scalars, and arithmetic on them, whether types say them or not; element types are mixed;
inputs have any strides; reshapes, slices and cats are of any dimensions.
"""

import random
from math import prod

from random_programs import main

FLOATS = ["f32", "bf16", "f16", "f64"]
ELEMENTS = [*FLOATS, "i32", "i64", "i1"]


class Dim:
    """A size: its number, the value that has it in the program, and whether types say it."""

    def __init__(self, size, value, is_open):
        self.size, self.value, self.is_open = size, value, is_open
        self.text = "?" if is_open else str(size)


def get_type(dims, element):
    return f"tensor<{''.join(d.text + 'x' for d in dims)}{element}>"


class OpenProgram:
    """Grows op by op; a tensor is its name, its dimensions and its element type."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.lines, self.tensors, self.arguments, self.inputs, self.scalars = [], [], [], [], []
        self.numbers = {}  # Scalars of each element type.
        self.dims = [self.make_dim(self.random.choice([0, 1, 2, 3, 5, 7, 8, 17, 33, 64, 130])) for _ in range(4)]
        for _ in range(self.random.randint(1, 3)):
            self.add_input()
        for _ in range(self.random.randint(1, 14)):
            self.add_op()
        count = self.random.randint(1, 4)
        computed = [t for t in self.tensors if not t[0].startswith("%x")] or self.tensors
        self.results = [computed[-1], *self.random.choices(computed, k=count - 1)]

    def chance(self, probability):
        return self.random.random() < probability

    # Sizes.

    def emit(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def get_index(self, number):
        return self.emit(f"arith.constant {number} : index")

    def make_dim(self, size):
        """A static size, or one that a scalar has."""
        if self.chance(0.3):
            return Dim(size, self.get_index(size), False)
        if self.chance(0.5):
            return Dim(size, None, True)  # An input will have it.
        name = f"%n{len(self.arguments)}"
        self.arguments.append(f"{name}: index")
        self.scalars.append(size)
        return Dim(size, name, True)

    def get_value(self, dim):
        if dim.value is None:
            dim.value = self.get_index(dim.size)  # No input has it after all.
        return dim.value

    def compute(self, op, a, b, size):
        """The size that arithmetic gives."""
        value = self.emit(f"arith.{op} {self.get_value(a)}, {self.get_value(b)} : index")
        return Dim(size, value, a.is_open or b.is_open or self.chance(0.2))

    def sizes(self, dims):
        values = ", ".join(self.get_value(d) for d in dims if d.is_open)
        return f" sizes({values})" if values else ""

    # Inputs and results.

    def add_input(self):
        rank = self.random.choice([0, 1, 2, 2, 2, 3, 3, 4])
        dims = [self.random.choice(self.dims) for _ in range(rank)]
        while prod(d.size for d in dims) > 40000:
            dims.pop()
        element = self.random.choice(ELEMENTS)
        number = len(self.inputs)
        name, kind = f"%x{number}", get_type(dims, element)
        attributes, layout = self.get_layout(dims)
        self.arguments.append(f"{name}: {kind}{attributes}")
        shape = "".join(f"{d.size}x" for d in dims)
        self.inputs.append(f"{shape}{element}=random:{self.seed + number}{layout}")
        self.tensors.append((name, dims, element))
        for index, dim in enumerate(dims):
            if dim.value is None:
                dim.value = self.emit(f"tensor.dim {name}, {self.get_index(index)} : {kind}")

    def get_layout(self, dims):
        if not dims or self.chance(0.5):
            return "", self.random.choice(["", "", ",offset=1"])
        order = self.random.sample(range(len(dims)), len(dims))
        is_free = self.chance(0.5)
        strides, stride = [0] * len(dims), self.random.choice([1, 1, 2]) if is_free else 1
        for dim in reversed(order):
            strides[dim] = stride
            stride *= max(1, dims[dim].size)
            stride += self.random.choice([0, 0, 3]) if is_free else 0
        if is_free and self.chance(0.2):
            strides[self.random.randrange(len(dims))] = 0
        text = f",strides={'x'.join(map(str, strides))}{self.random.choice(['', ',offset=3'])}"
        if is_free:
            return ' {fusion.layout = "any"}', text
        return f" {{fusion.stride_order = array<i64: {', '.join(map(str, order))}>}}", text

    def result_attribute(self, dims):
        if len(dims) < 2 or self.chance(0.7):
            return ""
        order = self.random.sample(range(len(dims)), len(dims))
        return f" {{fusion.stride_order = array<i64: {', '.join(map(str, order))}>}}"

    # Ops.

    def add(self, dims, element, text, source=None):
        kind = get_type(dims, element)
        types = f"{source} to {kind}" if source else kind
        self.tensors.append((self.emit(f"{text} : {types}"), dims, element))
        return self.tensors[-1]

    def add_op(self):
        tensor = self.random.choice(self.tensors[-4:] if self.chance(0.7) else self.tensors)
        kinds = {
            self.add_unary: 3,
            self.add_binary: 4,
            self.add_cast: 2,
            self.add_reduction: 4,
            self.add_permute: 1,
            self.add_reshape: 3,
            self.add_slice: 3,
            self.add_cat: 2,
            self.add_expand: 2,
            self.add_full: 2,
            self.add_boundary: 1,
        }
        self.random.choices(list(kinds), list(kinds.values()))[0](*tensor)

    def add_unary(self, name, dims, element):
        if element == "i1":
            return
        op = self.random.choice(["neg", "abs", "tanh", "sigmoid"] if element in FLOATS else ["neg", "abs"])
        self.add(dims, element, f"fusion.{op} {name}")

    def add_binary(self, name, dims, element):
        other = self.random.choice([n for n, d, e in self.tensors if d == dims and e == element])
        if self.chance(0.2) or element == "i1":
            kind = get_type(dims, element)
            condition = self.emit(f"fusion.cmp <lt> {name}, {other} : {kind}")
            self.tensors.append((condition, dims, "i1"))
            self.add(dims, element, f"fusion.where {condition}, {other}, {name}")
        else:
            op = self.random.choice(["add", "sub", "max", "min"])
            self.add(dims, element, f"fusion.{op} {name}, {other}")

    def add_cast(self, name, dims, element):
        to = self.random.choice([e for e in ELEMENTS if e != element])
        self.add(dims, to, f"fusion.cast {name}", get_type(dims, element))

    def add_reduction(self, name, dims, element):
        if not dims or element == "i1":
            return
        reduced = [len(dims) - 1]
        if self.chance(0.5):
            reduced = sorted(self.random.sample(range(len(dims)), self.random.randint(1, len(dims))))
        kinds = ["sum", "max", "min"] + (["mean"] if element in FLOATS else [])
        kind = "sum" if any(dims[d].size == 0 for d in reduced) else self.random.choice(kinds)
        source = get_type(dims, element)
        text = f"fusion.reduce <{kind}> {name} dims {reduced}"
        if self.chance(0.3):
            self.add([d for i, d in enumerate(dims) if i not in reduced], element, text, source)
            return
        ones = [Dim(1, self.get_index(1), False) if i in reduced else d for i, d in enumerate(dims)]
        small, _, _ = self.add(ones, element, f"{text} keep", source)
        if self.chance(0.6):
            sizes = self.sizes([d for i, d in enumerate(dims) if i in reduced])
            large, _, _ = self.add(dims, element, f"fusion.expand {small}{sizes}", get_type(ones, element))
            self.add(dims, element, f"fusion.sub {name}, {large}")

    def add_permute(self, name, dims, element):
        order = self.random.sample(range(len(dims)), len(dims))
        self.add([dims[d] for d in order], element, f"fusion.permute {name} {order}", get_type(dims, element))

    def add_reshape(self, name, dims, element):
        """Neighbouring dimensions as one, one as two, or all of them in other sizes."""
        choice, source = self.random.random(), get_type(dims, element)
        if choice < 0.5 and len(dims) > 1:
            at = self.random.randrange(len(dims) - 1)
            a, b = dims[at : at + 2]
            shape = [*dims[:at], self.compute("muli", a, b, a.size * b.size), *dims[at + 2 :]]
        elif choice < 0.8 and any(d.size > 1 and not d.is_open for d in dims):
            at = self.random.choice([i for i, d in enumerate(dims) if d.size > 1 and not d.is_open])
            size = dims[at].size
            factor = self.random.choice([f for f in range(1, size + 1) if size % f == 0])
            parts = [Dim(s, self.get_index(s), self.chance(0.3)) for s in (factor, size // factor)]
            shape = [*dims[:at], *parts, *dims[at + 1 :]]
        else:
            count = prod(d.size for d in dims)
            factors = [f for f in range(1, min(count, 40) + 1) if count % f == 0] or [1]
            first = self.random.choice(factors)
            shape = [Dim(s, self.get_index(s), self.chance(0.5)) for s in (first, count // first)]
            self.random.shuffle(shape)
        self.add(shape, element, f"fusion.reshape {name}{self.sizes(shape)}", source)

    def add_slice(self, name, dims, element):
        """Of some dimensions, from a number or a scalar on, in steps."""
        if not dims:
            return
        offsets, shape, steps = [], [], []
        for dim in dims:
            if self.chance(0.5):
                offsets.append("0"), shape.append(dim), steps.append(1)
                continue
            step = self.random.choice([1, 1, 2, 3])
            offset = self.random.randint(0, max(0, dim.size - 1))
            size = self.random.randint(0 if self.chance(0.1) else 1, max(1, -(-(dim.size - offset) // step)))
            size = min(size, -(-(dim.size - offset) // step))
            offsets.append(str(offset) if self.chance(0.6) else self.make_scalar(offset))
            value = self.get_index(size) if self.chance(0.7) else self.make_scalar(size)
            shape.append(Dim(size, value, value.startswith("%n") or self.chance(0.2)))
            steps.append(step)
        sizes = ", ".join(self.get_value(d) if d.is_open else d.text for d in shape)
        text = f"fusion.slice {name} offsets [{', '.join(offsets)}] sizes [{sizes}] steps {steps}"
        self.add(shape, element, text, get_type(dims, element))

    def make_scalar(self, number):
        name = f"%n{len(self.arguments)}"
        self.arguments.append(f"{name}: index")
        self.scalars.append(number)
        return name

    def add_cat(self, name, dims, element):
        if not dims:
            return
        at = self.random.randrange(len(dims))
        alike = [
            (n, d)
            for n, d, e in self.tensors
            if e == element and len(d) == len(dims) and all(x is y for i, (x, y) in enumerate(zip(d, dims)) if i != at)
        ]
        parts = [(name, dims), *self.random.choices(alike, k=self.random.randint(1, 2))]
        self.random.shuffle(parts)
        total = parts[0][1][at]
        for _, other in parts[1:]:
            is_open = total.is_open or other[at].is_open
            total = self.compute("addi", total, other[at], total.size + other[at].size)
            total = Dim(total.size, total.value, is_open)
        shape = [*dims[:at], total, *dims[at + 1 :]]
        names, types = ", ".join(n for n, _ in parts), ", ".join(get_type(d, element) for _, d in parts)
        self.add(shape, element, f"fusion.cat {names} dim {at}", types)

    def add_expand(self, name, dims, element):
        if len(dims) > 3:
            return
        at = self.random.randint(0, len(dims))
        one = [*dims[:at], Dim(1, self.get_index(1), False), *dims[at:]]
        small, _, _ = self.add(one, element, f"fusion.broadcast {name} dims [{at}]", get_type(dims, element))
        grown = self.random.choice(self.dims)
        if prod(d.size for d in dims) * grown.size > 40000:
            return
        sizes = self.sizes([grown])
        shape = [*dims[:at], grown, *dims[at:]]
        self.add(shape, element, f"fusion.expand {small}{sizes}", get_type(one, element))

    def add_full(self, name, dims, element):
        if element not in self.numbers or self.chance(0.5):
            number = f"%s{len(self.arguments)}"
            self.arguments.append(f"{number}: {element}")
            self.scalars.append(self.random.choice([0, 1]) if element == "i1" else self.random.choice([1, 3, -2]))
            self.numbers[element] = number
        full, _, _ = self.add(dims, element, f"fusion.full {self.numbers[element]}{self.sizes(dims)}")
        if element != "i1":
            self.add(dims, element, f"fusion.{self.random.choice(['add', 'max'])} {name}, {full}")

    def add_boundary(self, name, dims, element):
        self.add(dims, element, f"fusion.{self.random.choice(['segment_set', 'set'])} {name}")

    def print(self):
        types = ", ".join(get_type(dims, element) for _, dims, element in self.results)
        results = ", ".join(get_type(d, e) + self.result_attribute(d) for _, d, e in self.results)
        names = ", ".join(name for name, _, _ in self.results)
        body = "".join(f"  {line}\n" for line in self.lines)
        head = f"func.func @f({', '.join(self.arguments)}) -> ({results})"
        return f"{head} {{\n{body}  return {names} : {types}\n}}\n"


if __name__ == "__main__":
    main(OpenProgram)
