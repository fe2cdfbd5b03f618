# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NumPy that the array API standard has not, and that are a few others of a builder."""

import itertools

from .._program import Operand, normalize_axis, read_integer
from .einsum import contract, read_subscripts, write_subscripts


def _is_list(value):
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


def _read_count(sections):
    count = read_integer(sections, "a number of parts, or a list of indices")
    if count < 1:
        raise ValueError(f"expected at least 1 part, got {count}")
    return count


class NumpyFunctions:
    """What a builder has of NumPy beside the array API standard, made of its other functions."""

    # Parts

    def _cut(self, x, bounds, axis):
        """The parts between bounds, of which None is the end."""
        keys = [slice(None)] * x.ndim
        parts = []
        for start, stop in itertools.pairwise(bounds):
            keys[axis] = slice(start, stop)
            parts.append(x[tuple(keys)])
        return tuple(parts)

    def split(self, x, indices_or_sections, axis=0):
        """The parts of x along `axis` as a tuple: so many of one length, or of a list of indices those that begin at each, and what is before."""
        axis = normalize_axis(axis, x.ndim)
        if _is_list(indices_or_sections):
            inner = (
                each if isinstance(each, Operand) else read_integer(each, "integers as indices")
                for each in indices_or_sections
            )
            return self._cut(x, [0, *inner, None], axis)
        count, sizes = _read_count(indices_or_sections), self._get_sizes(x)
        if isinstance(sizes[axis], Operand):
            # A size that has another shape is a multiple, which the program checks.
            return self.unstack(self.reshape(x, (*sizes[:axis], count, -1, *sizes[axis + 1 :])), axis)
        length, rest = divmod(sizes[axis], count)
        if rest:
            raise self._program.make_error(
                f"'split': expected a number of parts that divides the {sizes[axis]} elements of dimension {axis}, got {count}: array_split takes others"
            )
        return self._cut(x, [length * number for number in range(count + 1)], axis)

    def array_split(self, x, indices_or_sections, axis=0):
        """As `split`, but the first parts have one element more where their number does not divide the size."""
        axis = normalize_axis(axis, x.ndim)
        if _is_list(indices_or_sections):
            return self.split(x, indices_or_sections, axis)
        count, size = _read_count(indices_or_sections), self._get_sizes(x)[axis]
        lengths = ((size + (count - 1 - number)) // count for number in range(count - 1))
        return self._cut(x, [0, *itertools.accumulate(lengths), None], axis)

    # Arrays one behind the other

    def _add_dimensions(self, x, shape):
        """A number, or an array of fewer dimensions than there are sizes, in this shape."""
        if not isinstance(x, Operand):
            return self.full((1,) * len(shape), x)
        return self.reshape(x, shape) if x.ndim < len(shape) else x

    def vstack(self, arrays):
        """Arrays one below the other, along dimension 0; one of one dimension is a row."""
        return self.concat([self._add_dimensions(each, (1, -1)) for each in arrays], 0)

    def hstack(self, arrays):
        """Arrays one beside the other, along dimension 1, or of one dimension along that."""
        arrays = [self._add_dimensions(each, (1,)) for each in arrays]
        return self.concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1)

    def column_stack(self, arrays):
        """Arrays one beside the other, along dimension 1; one of one dimension is a column."""
        return self.concat([self._add_dimensions(each, (-1, 1)) for each in arrays], 1)

    # Products and quotients

    def outer(self, x1, x2):
        """The products of each element of x1, in row-major order, and each one of x2."""
        return self.multiply(self.reshape(self._add_dimensions(x1, (1,)), (-1, 1)), self._flatten(x2))

    def _flatten(self, x):
        return self.reshape(x, (-1,)) if isinstance(x, Operand) else x

    def einsum(self, subscripts, *operands):
        """Sums of products, as `subscripts` say: "ij,jk->ik" is the product of matrices. A letter is there once in an operand, and has one size; "..." are the dimensions before.

        Lists of numbers behind the operands are the same: einsum(x, [0, 1], y, [1, 2], [0, 2]).
        """
        if isinstance(subscripts, Operand):
            subscripts, operands = write_subscripts((subscripts, *operands))
        ranks = [each.ndim if isinstance(each, Operand) else 0 for each in operands]
        return contract(self, operands, *read_subscripts(subscripts, ranks))

    def divmod(self, x1, x2):
        """(floor_divide, remainder) of two operands."""
        return self.floor_divide(x1, x2), self.remainder(x1, x2)
