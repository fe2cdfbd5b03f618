# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on whole tensors that are distributed over ranks, against the reference of the same programs without ranks.

shardings.py FOLDER TARGET [--count N] [--seed N] [--max-ranks N]

Each program has a grid, arguments that are distributed at random, ops of all families, and tensors that are distributed anew in between. Sizes are
static or open. Programs go to FOLDER. Prints how many were right.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

GRIDS = [(1,), (2,), (3,), (4,), (2, 2), (2, 3), (8,), (2, 1, 2), (2, 4)]
FLOATS = ["f32", "f32", "bf16", "f16", "f64"]


class Tensor:
    """A value of the program: its name, sizes and which of them its type has."""

    def __init__(self, name, sizes, open_dims, element):
        self.name, self.sizes, self.open, self.element = name, list(sizes), list(open_dims), element

    @property
    def type(self):
        dims = ["?" if is_open else str(size) for size, is_open in zip(self.sizes, self.open)]
        return "tensor<" + "x".join([*dims, self.element]) + ">"


class Program:
    def __init__(self, rng, max_ranks):
        self.rng = rng
        self.grid = rng.choice([g for g in GRIDS if self.count(g) <= max_ranks])
        self.ranks = self.count(self.grid)
        self.element = rng.choice(FLOATS)
        self.arguments, self.lines, self.values, self.names = [], [], [], 0

    @staticmethod
    def count(sizes):
        product = 1
        for size in sizes:
            product *= size
        return product

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def add(self, text, sizes, open_dims, element=None):
        """Adds the op `text`, in which {r} stands for the result's type."""
        tensor = Tensor(self.name(), sizes, open_dims, element or self.element)
        self.lines.append(f"{tensor.name} = {text.replace('{r}', tensor.type)}")
        self.values.append(tensor)
        return tensor

    def size(self):
        """Many can be cut into parts, some cannot."""
        return self.rng.choice([1, 5, self.ranks, 2 * self.ranks, 3 * self.ranks, 4 * self.ranks])

    def dim(self, tensor, dim):
        """The size of a dimension as a value."""
        index, value = self.name(), self.name()
        self.lines.append(f"{index} = arith.constant {dim} : index")
        self.lines.append(f"{value} = tensor.dim {tensor.name}, {index} : {tensor.type}")
        return value

    def distribution(self, tensor):
        axes = list(range(len(self.grid)))
        self.rng.shuffle(axes)
        split = [[] for _ in tensor.sizes]
        for axis in axes:
            if not split or self.rng.random() < 0.15:
                continue
            dim = self.rng.randrange(len(split))
            if tensor.sizes[dim] % (self.count([self.grid[a] for a in split[dim]]) * self.grid[axis]) == 0:
                split[dim].append(axis)
        while len(split) > 1 and not split[-1]:
            split.pop()
        return split or [[]]

    def shard(self, tensor, for_users=False):
        sharding = self.name()
        self.lines.append(f"{sharding} = shard.sharding @g split_axes = {self.distribution(tensor)} : !shard.sharding")
        users = " annotate_for_users" if for_users else ""
        return self.add(
            f"shard.shard {tensor.name} to {sharding}{users} : {tensor.type}", tensor.sizes, tensor.open, tensor.element
        )

    def argument(self, sizes=None):
        rank = self.rng.choice([1, 2, 2, 3])
        sizes = sizes or [self.size() for _ in range(rank)]
        tensor = Tensor(f"%a{len(self.arguments)}", sizes, [self.rng.random() < 0.3 for _ in sizes], self.element)
        self.arguments.append(tensor)
        self.values.append(tensor)
        return self.shard(tensor, self.rng.random() < 0.2) if self.rng.random() < 0.8 else tensor

    def unary(self, x):
        return self.add(f"fusion.{self.rng.choice(['neg', 'abs', 'neg'])} {x.name} : {{r}}", x.sizes, x.open)

    def binary(self, x):
        """With a tensor of the same type, or an argument that is repeated."""
        same = [v for v in self.values if v.type == x.type and v.sizes == x.sizes]
        y = self.rng.choice(same)
        if self.rng.random() < 0.5 and x.sizes:
            dims = [d for d in range(len(x.sizes)) if self.rng.random() < 0.5]
            kept = [d for d in range(len(x.sizes)) if d not in dims]
            small = self.argument([x.sizes[d] for d in kept]) if kept else None
            if small:
                y = self.repeat(small, x, dims)
        return self.add(f"fusion.{self.rng.choice(['add', 'mul', 'sub'])} {x.name}, {y.name} : {{r}}", x.sizes, x.open)

    def repeat(self, small, x, dims):
        """`small` with the dimensions `dims` of `x`, and of its type."""
        for dim in [d for d in range(len(x.sizes)) if d not in dims]:
            at = [d for d in range(len(x.sizes)) if d not in dims].index(dim)
            if small.open[at] != x.open[dim]:
                return x
        wide = small
        if dims:
            sizes = [1 if d in dims else x.sizes[d] for d in range(len(x.sizes))]
            opens = [d not in dims and x.open[d] for d in range(len(x.sizes))]
            wide = self.add(f"fusion.broadcast {small.name} dims {dims} : {small.type} to {{r}}", sizes, opens)
        if wide.type == x.type:
            return wide
        values = [self.dim(x, d) for d in dims if x.open[d]]
        given = f" sizes({', '.join(values)})" if values else ""
        return self.add(f"fusion.expand {wide.name}{given} : {wide.type} to {{r}}", x.sizes, x.open)

    def reduce(self, x):
        dims = sorted(self.rng.sample(range(len(x.sizes)), self.rng.randint(1, len(x.sizes))))
        keep = self.rng.random() < 0.4
        kind = self.rng.choice(["sum", "max", "min", "mean"])
        left = [
            (1, False) if d in dims else (x.sizes[d], x.open[d]) for d in range(len(x.sizes)) if keep or d not in dims
        ]
        text = f"fusion.reduce <{kind}> {x.name} dims {dims}{' keep' if keep else ''} : {x.type} to {{r}}"
        return self.add(text, [s for s, _ in left], [o for _, o in left])

    def permute(self, x):
        order = list(range(len(x.sizes)))
        self.rng.shuffle(order)
        return self.add(
            f"fusion.permute {x.name} {order} : {x.type} to {{r}}",
            [x.sizes[d] for d in order],
            [x.open[d] for d in order],
        )

    def reshape(self, x):
        """Splits or merges dimensions of known size."""
        dim = self.rng.randrange(len(x.sizes))
        if dim + 1 < len(x.sizes) and not x.open[dim] and not x.open[dim + 1] and self.rng.random() < 0.5:
            sizes = [*x.sizes[:dim], x.sizes[dim] * x.sizes[dim + 1], *x.sizes[dim + 2 :]]
            opens = [*x.open[:dim], False, *x.open[dim + 2 :]]
        elif not x.open[dim]:
            outer = self.rng.choice([p for p in range(1, x.sizes[dim] + 1) if x.sizes[dim] % p == 0])
            sizes = [*x.sizes[:dim], outer, x.sizes[dim] // outer, *x.sizes[dim + 1 :]]
            opens = [*x.open[:dim], False, False, *x.open[dim + 1 :]]
        else:
            return x
        values = [self.dim(x, d) for d in range(len(x.sizes)) if x.open[d]]
        given = f" sizes({', '.join(values)})" if values else ""
        return self.add(f"fusion.reshape {x.name}{given} : {x.type} to {{r}}", sizes, opens)

    def slice(self, x):
        offsets, sizes, texts, steps = [], [], [], []
        for dim, size in enumerate(x.sizes):
            if self.rng.random() < 0.5:
                offsets.append(0), sizes.append(size), steps.append(1)
                texts.append(self.dim(x, dim) if x.open[dim] else str(size))
                continue
            step = self.rng.choice([1, 1, 2])
            first = self.rng.randrange(size)
            count = self.rng.randint(1, (size - first + step - 1) // step)
            offsets.append(first), sizes.append(count), texts.append(str(count)), steps.append(step)
        opens = [text.startswith("%") for text in texts]
        text = f"fusion.slice {x.name} offsets {offsets} sizes [{', '.join(texts)}] steps {steps} : {x.type} to {{r}}"
        return self.add(text, sizes, opens)

    def cat(self, x):
        dim = self.rng.randrange(len(x.sizes))
        sizes = list(x.sizes)
        sizes[dim] *= 2
        return self.add(f"fusion.cat {x.name}, {x.name} dim {dim} : {x.type}, {x.type} to {{r}}", sizes, x.open)

    def linear(self, x):
        weight = self.argument([self.size(), x.sizes[-1]])
        if x.sizes[-1] == 0 or weight.open[1] != x.open[-1]:
            return x
        sizes, opens = [*x.sizes[:-1], weight.sizes[0]], [*x.open[:-1], weight.open[0]]
        return self.add(f"fusion.linear {x.name}, {weight.name} : {x.type}, {weight.type} to {{r}}", sizes, opens)

    def gram(self, x):
        """The products of all rows: a tensor that is taken twice, and differently."""
        if len(x.sizes) != 2:
            return x
        sizes, opens = [x.sizes[0], x.sizes[0]], [x.open[0], x.open[0]]
        return self.add(f"fusion.linear {x.name}, {x.name} : {x.type}, {x.type} to {{r}}", sizes, opens)

    def matmul(self, x):
        if len(x.sizes) < 2:
            return x
        other = self.argument([*x.sizes[:-2], x.sizes[-1], self.size()])
        if [*other.open[:-2], other.open[-2]] != [*x.open[:-2], x.open[-1]]:
            return x
        sizes, opens = [*x.sizes[:-1], other.sizes[-1]], [*x.open[:-1], other.open[-1]]
        return self.add(f"fusion.matmul {x.name}, {other.name} : {x.type}, {other.type} to {{r}}", sizes, opens)

    def select(self, x):
        """Elements by a comparison, which is an i1 tensor of its own."""
        open_type = Tensor("", x.sizes, x.open, "i1").type
        less = self.add(f"fusion.cmp <lt> {x.name}, {x.name} : {x.type}", x.sizes, x.open, "i1")
        self.values.remove(less)
        return self.add(f"fusion.where {less.name}, {x.name}, {x.name} : {open_type}, {{r}}", x.sizes, x.open)

    def full(self, x):
        c = self.name()
        self.lines.append(f"{c} = arith.constant 0.5 : {self.element}")
        values = [self.dim(x, d) for d in range(len(x.sizes)) if x.open[d]]
        given = f" sizes({', '.join(values)})" if values else ""
        y = self.add(f"fusion.full {c}{given} : {{r}}", x.sizes, x.open)
        return self.add(f"fusion.mul {x.name}, {y.name} : {{r}}", x.sizes, x.open)

    def generate(self):
        x = self.argument()
        results = []
        for _ in range(self.rng.randint(2, 10)):
            ops = [self.shard, self.unary, self.binary, self.full]
            if x.sizes:
                ops += [
                    self.shard,
                    self.reduce,
                    self.permute,
                    self.reshape,
                    self.slice,
                    self.cat,
                    self.linear,
                    self.gram,
                    self.matmul,
                ]
            if Program.count(x.sizes) > 1 << 16:
                ops = [self.reduce]
            op = self.rng.choice(ops)
            x = op(x)
            if op in (self.reduce, self.linear) and self.rng.random() < 0.5:
                x = self.shard(x)
            if self.rng.random() < 0.2:
                results.append(x)
        results.append(x)
        if not any("shard.shard" in line for line in self.lines):
            results.append(self.shard(x))
        return results

    def text(self):
        results = self.generate()
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        body = "\n".join("  " + line for line in self.lines)
        return (
            f"shard.grid @g(shape = {'x'.join(map(str, self.grid))})\n\n"
            f"func.func @f({arguments}) -> ({types}) {{\n{body}\n"
            f"  return {', '.join(r.name for r in results)} : {types}\n}}\n"
        )


def run(program, text, target, path):
    path.write_text(text)
    inputs = [
        f"--input={'x'.join([*map(str, a.sizes), a.element])}=random:{number}"
        for number, a in enumerate(program.arguments)
    ]
    command = [
        "fuser-run",
        str(path),
        f"--target={target}",
        f"--ranks={program.ranks}",
        "--timeout=20",
        *inputs,
        "--check",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(" ".join(command), done.stderr, sep="\n")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("target", choices=["cpu", "cuda"])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-ranks", type=int, default=8)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for seed in range(options.seed, options.seed + options.count):
        program = Program(random.Random(seed), options.max_ranks)
        text = program.text()
        wrong += not run(program, text, options.target, options.folder / f"{seed}.mlir")
    print(f"{options.count - wrong} of {options.count} programs right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
