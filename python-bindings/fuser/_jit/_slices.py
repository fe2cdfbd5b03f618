# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a slice of an open size was beyond it, and where a scatter had fewer indices than elements: their ops are added once more with the sizes of the call
(_replay.py), of which the first elements would count unless this looks."""

from typing import NamedTuple

from .._program import END, Operand

_CUT = ", or fuser.jit(dynamic=False), with which the first ones count"


#: A bound that a program computes and negates: below 0 it counts from the end.
NEGATED = object()


def mark_negated(attributes, bounds, negated):
    """The attributes of a slice with NEGATED for those of `bounds`, which stand for each None in order, that are among the values `negated`."""
    left = iter(bounds)

    def mark(bound):
        return NEGATED if bound is None and getattr(next(left), "_value", None) in negated else bound

    return attributes | {name: [mark(bound) for bound in attributes[name]] for name in ("starts", "stops")}


class Slice(NamedTuple):
    """One op: the sizes of its operand, and its attributes. None is what the program computes, NEGATED the negative of that."""

    sizes: tuple
    attributes: dict

    def get_dim(self, dim):
        """(size, start, stop, step)"""
        return self.sizes[dim], *(self.attributes[name][dim] for name in ("starts", "stops", "steps"))


def _place(bound, number, size):
    """Where a bound lies. bound: as the program of open sizes has it, number: as it is for these sizes."""
    if bound is NEGATED:
        return number if number >= 0 else size + number
    if bound is None:
        return number  # Computed: it does not count from the end.
    if bound == END:
        return size
    return bound if bound >= 0 else size + bound


def _fits(traced, known):
    """Whether the program's slice of a dimension whose size is open lies within a known size."""
    _, *bounds, step = traced
    size, *numbers, _ = known
    start, stop = (_place(bound, number, size) for bound, number in zip(bounds, numbers, strict=True))
    # The length of numbers alone is 0 where they are in the other order; another one would be negative.
    if all(isinstance(bound, int) and 0 <= bound < END for bound in bounds):
        stop = max(start, stop)
    return start >= 0 and stop >= start and (stop == start or start + (stop - start - 1) // step * step < size)


def explain_slice(traced, known):
    """What is wrong with a slice of open sizes for known ones; None if nothing is. traced, known: a Slice of the same op."""
    for dim, size in enumerate(traced.sizes):
        if size is not None or None in known.get_dim(dim):
            continue
        size, *numbers, _ = known.get_dim(dim)
        if not _fits(traced.get_dim(dim), known.get_dim(dim)):
            got = ":".join("" if bound in (0, END) else str(bound) for bound in numbers)
            return f"expected bounds within the {size} elements of dimension {dim}, got {got}"
    return None


class Scatter(NamedTuple):
    """One op: the sizes of what elements are written to, of the indices and of the elements, None of a number, and its dimension."""

    sizes: tuple
    dim: int

    @classmethod
    def make(cls, program, operands, attributes):
        """That of a program's operands, of which some may be numbers."""
        sizes = (program.type(each)[1] if isinstance(each, Operand) else None for each in operands)
        return cls(tuple(sizes), attributes["dim"])


def explain_scatter(traced, known):
    """What is wrong with a scatter whose sizes were open for known ones; None if nothing is. traced, known: a Scatter of the same op."""
    x, indices, updates = traced.sizes
    for dim, (own, given) in enumerate(zip(*known.sizes[:2], strict=True)):
        wanted = given if updates is None else known.sizes[2][dim]
        if wanted != given and None in (updates[dim], indices[dim]):
            return f"expected as many indices as elements in dimension {dim} where sizes are open, got {given} and {wanted}: write src[: index.shape[{dim}]]{_CUT}"
        if dim != traced.dim % len(x) and None in (x[dim], indices[dim]) and own != given:
            return f"expected indices of all {own} elements of dimension {dim} where sizes are open, got {given}: with fuser.jit(dynamic=False) the first elements are changed"
    return None
