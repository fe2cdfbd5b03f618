# ===- random_programs.py - Random programs against the reference ----------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""random_programs.py FIRST LAST FOLDER [TARGET]: runs `fuser-run --check` on the programs of these seeds.

A seed always gives the same program. Those that fail stay in FOLDER, with their command in the first line.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

ELEMENTS = ["f32", "f32", "bf16", "f16", "f64", "i32", "i64"]


class Dim:
    """A size, which the program knows (static) or finds out (`?`)."""

    def __init__(self, size, dynamic=False):
        self.size = size
        self.text = "?" if dynamic else str(size)
        self.value = None if dynamic else str(size)  # What stands for it in the program.


ONE = Dim(1)


class Program:
    """Grows op by op; every tensor so far is there to be used."""

    elements = ELEMENTS
    row_counts = [0, 1, 2, 3, 7, 17]
    constants = ["0.5"]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.element = self.random.choice(self.elements)
        self.is_int = self.element.startswith("i")
        self.lines, self.tensors, self.arguments, self.inputs, self.scalars = [], [], [], [], []
        self.count = 0
        self.add_inputs(seed)
        value = "2" if self.is_int else self.constants[seed % len(self.constants)]
        self.lines.append(f"%constant = arith.constant {value} : {self.element}")
        for _ in range(self.random.randint(2, 22)):
            self.add_op()
        results = [self.random.choice(self.tensors) for _ in range(self.random.randint(1, 4))]
        self.results = [(*result, self.element) for result in [*results, self.tensors[-1]]]

    # Types and names.

    def type(self, dims, element=None):
        return f"tensor<{''.join(d.text + 'x' for d in dims)}{element or self.element}>"

    def emit(self, text):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return name

    def add(self, dims, text):
        self.tensors.append((self.emit(text), dims))
        return self.tensors[-1]

    def sizes(self, dims):
        values = ", ".join(d.value for d in dims if d.text == "?")
        return f" sizes({values})" if values else ""

    # Inputs and results.

    def add_inputs(self, seed):
        pick = self.random.choice
        rows, middle, other = Dim(pick(self.row_counts), True), Dim(pick([2, 5]), True), Dim(pick([3, 16]), True)
        columns = Dim(pick([1, 4, 8, 9, 33, 64, 130]))
        shapes = [[rows, columns], [rows, columns], [rows, middle, columns], [rows, other], [columns]]
        for number in range(pick([1, 2, 3])):
            dims = pick(shapes)
            attributes, strides = self.permute_input(dims)
            name = f"%x{number}"
            self.arguments.append(f"{name}: {self.type(dims)}{attributes}")
            shape = "".join(f"{d.size}x" for d in dims)
            self.inputs.append(f"{shape}{self.element}=random:{seed + number}{strides}")
            self.tensors.append((name, dims))
            for index, dim in enumerate(dims):
                if not dim.value:
                    constant = self.emit(f"arith.constant {index} : index")
                    dim.value = self.emit(f"tensor.dim {name}, {constant} : {self.type(dims)}")

    def permute_input(self, dims):
        if len(dims) == 1 or self.random.random() < 0.75:
            return "", ""
        order = self.random.sample(range(len(dims)), len(dims))
        strides, stride = [0] * len(dims), 1
        for dim in reversed(order):
            strides[dim] = stride
            stride *= max(1, dims[dim].size)
        attribute = f" {{fusion.stride_order = array<i64: {', '.join(map(str, order))}>}}"
        return attribute, f",strides={'x'.join(map(str, strides))}"

    def result_attribute(self, dims, element, reused):
        """A stride order, or an input whose memory the result takes."""
        choice = self.random.random()
        if choice < 0.2 and len(dims) > 1:
            order = self.random.sample(range(len(dims)), len(dims))
            return f" {{fusion.stride_order = array<i64: {', '.join(map(str, order))}>}}"
        if choice < 0.4 and element == self.element:
            for number in range(len(self.inputs)):
                if self.tensors[number][1] == dims and number not in reused:
                    reused.add(number)
                    return f" {{fusion.alias = #fusion.alias<reuse, {number}>}}"
        return ""

    # Ops.

    def add_op(self):
        recent = self.random.random() < 0.7
        name, dims = self.random.choice(self.tensors[-6:] if recent else self.tensors)
        kinds = {
            self.add_unary: 4,
            self.add_binary: 3,
            self.add_where: 1,
            self.add_reduction: 4,
            self.add_boundary: 1,
            self.add_permute: 1,
            self.add_rotation: 1,
            self.add_full: 2,
            self.add_cast: 1,
            self.add_product: 1,
        }
        self.random.choices(list(kinds), list(kinds.values()))[0](name, dims)

    def add_unary(self, name, dims):
        op = self.random.choice(["neg", "abs"] if self.is_int else ["neg", "abs", "tanh", "sigmoid"])
        self.add(dims, f"fusion.{op} {name} : {self.type(dims)}")

    def pick_same(self, dims):
        return self.random.choice([n for n, d in self.tensors if d == dims])

    def add_binary(self, name, dims):
        op = self.random.choice(["add", "sub", "mul", "max", "min"])
        self.add(dims, f"fusion.{op} {name}, {self.pick_same(dims)} : {self.type(dims)}")

    def add_where(self, name, dims):
        other = self.pick_same(dims)
        condition = self.emit(f"fusion.cmp <lt> {name}, {other} : {self.type(dims)}")
        if self.random.random() < 0.3:
            condition = self.emit(f"fusion.segment_set {condition} : {self.type(dims, 'i1')}")
        self.add(dims, f"fusion.where {condition}, {other}, {name} : {self.type(dims)}")

    def add_reduction(self, name, dims):
        """Of some dimensions; most of the time the result meets what was reduced again."""
        if not dims:
            return
        reduced = [len(dims) - 1]
        if self.random.random() < 0.4:
            reduced = sorted(self.random.sample(range(len(dims)), self.random.randint(1, len(dims))))
        kinds = ["sum", "max", "min"] + ([] if self.is_int else ["mean"])
        kind = "sum" if any(dims[d].size == 0 for d in reduced) else self.random.choice(kinds)
        kept = [ONE if d in reduced else dim for d, dim in enumerate(dims)]
        gone = [dim for d, dim in enumerate(dims) if d not in reduced]
        text = f"fusion.reduce <{kind}> {name} dims {reduced}"
        if self.random.random() < 0.7:
            small, _ = self.add(kept, f"{text} keep : {self.type(dims)} to {self.type(kept)}")
        else:
            small, _ = self.add(gone, f"{text} : {self.type(dims)} to {self.type(gone)}")
            small, _ = self.add(
                kept, f"fusion.broadcast {small} dims {reduced} : {self.type(gone)} to {self.type(kept)}"
            )
        if self.random.random() < 0.7:
            grown = [dim for before, dim in zip(kept, dims, strict=True) if before is not dim]
            sizes = self.sizes(grown)
            large, _ = self.add(dims, f"fusion.expand {small}{sizes} : {self.type(kept)} to {self.type(dims)}")
            op = self.random.choice(["add", "sub", "mul"])
            self.add(dims, f"fusion.{op} {name}, {large} : {self.type(dims)}")

    def add_boundary(self, name, dims):
        op = self.random.choice(["segment_set", "segment_set", "set"])
        self.add(dims, f"fusion.{op} {name} : {self.type(dims)}")

    def add_permute(self, name, dims):
        order = self.random.sample(range(len(dims)), len(dims))
        permuted = [dims[d] for d in order]
        self.add(permuted, f"fusion.permute {name} {order} : {self.type(dims)} to {self.type(permuted)}")

    def add_rotation(self, name, dims):
        """Both halves of the last dimension, and the two changed round."""
        if not dims or dims[-1].text == "?" or dims[-1].size < 2:
            return
        half = dims[-1].size // 2
        parts = []
        for offset, size in ((0, half), (half, dims[-1].size - half)):
            part = [*dims[:-1], Dim(size)]
            offsets = [0] * (len(dims) - 1) + [offset]
            sizes = ", ".join(d.value for d in part)
            slice_text = f"fusion.slice {name} offsets {offsets} sizes [{sizes}] steps {[1] * len(dims)}"
            parts.append(self.add(part, f"{slice_text} : {self.type(dims)} to {self.type(part)}"))
        (low, low_dims), (high, high_dims) = parts
        types = f"{self.type(high_dims)}, {self.type(low_dims)} to {self.type(dims)}"
        self.add(dims, f"fusion.cat {high}, {low} dim {len(dims) - 1} : {types}")

    def add_full(self, name, dims):
        full, _ = self.add(dims, f"fusion.full %constant{self.sizes(dims)} : {self.type(dims)}")
        self.add(dims, f"fusion.{self.random.choice(['add', 'mul'])} {name}, {full} : {self.type(dims)}")

    def add_cast(self, name, dims):
        if self.is_int:
            return
        other = self.random.choice([e for e in ("f32", "bf16", "f16", "f64") if e != self.element])
        there = self.emit(f"fusion.cast {name} : {self.type(dims)} to {self.type(dims, other)}")
        tanh = self.emit(f"fusion.tanh {there} : {self.type(dims, other)}")
        self.add(dims, f"fusion.cast {tanh} : {self.type(dims, other)} to {self.type(dims)}")

    def add_product(self, name, dims):
        """With a tensor of the same shape, transposed, and most of the time with one more."""
        if self.is_int or len(dims) < 2:
            return
        batch, rows, columns = dims[:-2], dims[-2], dims[-1]
        square = [*batch, rows, rows]
        other = self.pick_same(dims)
        if not batch and self.random.random() < 0.5:
            text = f"fusion.linear {name}, {other} : {self.type(dims)}, {self.type(dims)}"
        else:
            flipped = [*batch, columns, rows]
            order = [*range(len(batch)), len(dims) - 1, len(dims) - 2]
            types = f"{self.type(dims)} to {self.type(flipped)}"
            turned, _ = self.add(flipped, f"fusion.permute {other} {order} : {types}")
            text = f"fusion.matmul {name}, {turned} : {self.type(dims)}, {self.type(flipped)}"
        product, _ = self.add(square, f"{text} to {self.type(square)}")
        if self.random.random() < 0.7:
            product = self.emit(f"fusion.tanh {product} : {self.type(square)}")
            types = f"{self.type(square)}, {self.type(dims)} to {self.type(dims)}"
            self.add(dims, f"fusion.matmul {product}, {self.pick_same(dims)} : {types}")

    def print(self):
        reused = set()
        types = ", ".join(self.type(dims, element) for _, dims, element in self.results)
        results = ", ".join(self.type(d, e) + self.result_attribute(d, e, reused) for _, d, e in self.results)
        names = ", ".join(name for name, _, _ in self.results)
        body = "".join(f"  {line}\n" for line in self.lines)
        head = f"func.func @f({', '.join(self.arguments)}) -> ({results})"
        return f"{head} {{\n{body}  return {names} : {types}\n}}\n"


def make_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("first", type=int, metavar="FIRST")
    parser.add_argument("last", type=int, metavar="LAST")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where those that fail stay")
    parser.add_argument("target", nargs="?", default="cpu", choices=["cpu", "cuda"], metavar="TARGET")
    return parser


def parse_arguments(parser):
    options = parser.parse_args()
    if options.first < 0:
        parser.error(f"expected FIRST to be 0 or more, got {options.first}")
    if options.last <= options.first:
        parser.error(f"expected LAST to be more than FIRST, {options.first}, got {options.last}")
    return options


def get_command(path, program, target, seed):
    """On a CPU no access may leave its tensor; at most ends, which vectors run over."""
    command = ["fuser-run", str(path), "--target", target, "--check"]
    if target == "cpu":
        command.append("--guard=end" if seed % 4 else "--guard=begin")
    for spec in program.inputs:
        command += ["--input", spec]
    return command + [f"--scalar={value}" for value in program.scalars]


def main(make_program):
    options = parse_arguments(make_parser("Runs `fuser-run --check` on the programs of the seeds FIRST to LAST - 1."))
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for seed in range(options.first, options.last):
        program = make_program(seed)
        path = options.folder / f"{seed}.mlir"
        command = get_command(path, program, options.target, seed)
        path.write_text(f"// {' '.join(command)}\n{program.print()}")
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode == 0:
            path.unlink()
            continue
        failed.append(seed)
        print(f"seed {seed}: exit code {done.returncode}\n{path.read_text()}{done.stderr}{done.stdout}")
    print(f"{options.last - options.first} programs, {len(failed)} failed: {failed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(Program)
