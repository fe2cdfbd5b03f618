# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NumPy that the array API standard has not, and that are a few others of a builder."""

import itertools
import math

from .._program import Operand, normalize_axis, read_integer
from .einsum import contract, read_subscripts, write_subscripts
from .names import name_calls
from .numpy_reductions import NumpyReductions


def _is_list(value):
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


def _is_tensor(value):
    return isinstance(value, Operand) and value._program.type(value)[1] is not None


def _read_count(sections):
    count = read_integer(sections, "a number of parts, or a list of indices")
    if count < 1:
        raise ValueError(f"expected at least 1 part, got {count}")
    return count


@name_calls
class NumpyFunctions(NumpyReductions):
    """What a builder has of NumPy beside the array API standard, made of its other functions."""

    # Element by element

    def deg2rad(self, x):
        """Degrees as radians."""
        return self.multiply(x, math.pi / 180)

    def rad2deg(self, x):
        """Radians as degrees."""
        return self.multiply(x, 180 / math.pi)

    def heaviside(self, x1, x2):
        """0 where x1 is negative, 1 where it is positive, x2 where it is 0; NaN where it is NaN."""
        step = self.where(self.greater(x1, 0), 1, self.where(self.less(x1, 0), 0, x1))
        return self.where(self.equal(x1, 0), x2, step)

    def cbrt(self, x):
        """The number whose third power is x, as a power of abs(x)."""
        return self.copysign(self.pow(self.abs(x), 1 / 3), x)

    def around(self, x, decimals=0):
        """x rounded to so many decimals, of two numbers to the one whose last digit is even; of a negative number to tens, hundreds, ..."""
        places = read_integer(decimals, "an integer as decimals")
        if places == 0:
            return self.round(x)
        is_integer = x._program.type(x)[0][0] in "iu"
        if is_integer and places > 0:
            return x
        factor = 10.0 ** abs(places)
        if places > 0:
            return self.divide(self.round(self.multiply(x, factor)), factor)
        result = self.multiply(self.round(self.divide(self.astype(x, "float64") if is_integer else x, factor)), factor)
        return self.astype(result, x._program.type(x)[0])

    def isclose(self, x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
        """Where x1 and x2 differ by at most atol + rtol * abs(x2), or are equal; with equal_nan also where both are NaN."""
        if {self._program.type(each)[0] for each in (x1, x2) if isinstance(each, Operand)} == {"i1"}:
            x1, x2 = (self.astype(each, "float32") if isinstance(each, Operand) else each for each in (x1, x2))
        bound = self.add(self.multiply(self.abs(x2), rtol), atol)
        # What is infinite is near nothing but itself.
        is_near = self.logical_and(self.less_equal(self.abs(self.subtract(x1, x2)), bound), self.isfinite(x2))
        result = self.logical_or(is_near, self.equal(x1, x2))
        return self.logical_or(result, self.logical_and(self.isnan(x1), self.isnan(x2))) if equal_nan else result

    def allclose(self, x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
        """Whether all elements are close, an array without dimensions."""
        return self.all(self.isclose(x1, x2, rtol, atol, equal_nan))

    def select(self, condlist, choicelist, default=0):
        """Of each place the element of the first of the arrays `choicelist` whose condition is true there, else `default`."""
        if len(condlist) != len(choicelist):
            raise ValueError(f"expected as many arrays as conditions, got {len(choicelist)} and {len(condlist)}")
        result = default
        for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
            result = self.where(condition, choice, result)
        return result

    # Shapes

    def fliplr(self, x):
        """x backwards along dimension 1."""
        return self.flip(x, 1)

    def flipud(self, x):
        """x backwards along dimension 0."""
        return self.flip(x, 0)

    def rot90(self, x, k=1, axes=(0, 1)):
        """x turned by `k` right angles, from the first of two dimensions towards the second."""
        first, second = (normalize_axis(each, x.ndim) for each in axes)
        turns = read_integer(k, "an integer as k") % 4
        if turns == 2:
            return self.flip(x, (first, second))
        if turns == 1:
            return self.swapaxes(self.flip(x, second), first, second)
        return self.flip(self.swapaxes(x, first, second), second) if turns else x

    def _add_ones(self, arrays, places):
        """Arrays with new dimensions at the places that are those for their number of dimensions; one, or a tuple of several."""
        arrays = [each if _is_tensor(each) else self.full((), each) for each in arrays]
        results = [self.expand_dims(each, places[each.ndim]) if each.ndim < len(places) else each for each in arrays]
        return results[0] if len(results) == 1 else tuple(results)

    def atleast_1d(self, *arrays):
        """Arrays of one dimension at least; a tuple of several."""
        return self._add_ones(arrays, [[0]])

    def atleast_2d(self, *arrays):
        """Arrays of two dimensions at least, new ones in front; a tuple of several."""
        return self._add_ones(arrays, [[0, 1], [0]])

    def atleast_3d(self, *arrays):
        """Arrays of three dimensions at least: one of one dimension is in the middle, a matrix in front; a tuple of several."""
        return self._add_ones(arrays, [[0, 1, 2], [0, 2], [2]])

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

        def find_fault(size):
            wanted = f"'split': expected a number of parts that divides the {size} elements of dimension {axis}"
            return f"{wanted}, got {count}: array_split takes others" if size % count else None

        self._program.check((sizes[axis],), find_fault)
        if isinstance(sizes[axis], Operand):
            # A size that has another shape is a multiple, which the program checks.
            return self.unstack(self.reshape(x, (*sizes[:axis], count, -1, *sizes[axis + 1 :])), axis)
        length = sizes[axis] // count
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

    def vdot(self, x1, x2):
        """The sum of products of all elements; complex numbers of x1 are conjugated."""
        return self.vecdot(self._flatten(x1), self._flatten(x2))

    def cross(self, x1, x2, axis=-1):
        """The products of vectors of three elements along `axis` that are at right angles to both."""

        def find_fault(size):
            return None if size == 3 else f"'cross': expected 3 elements along dimension {axis}, got {size}"

        x1, x2 = (self.moveaxis(each, axis, -1) for each in (x1, x2))
        for each in (x1, x2):
            self._program.check((self._get_sizes(each)[-1],), find_fault)
        x1, x2 = (self._demand_last(each, 3) for each in (x1, x2))
        turned = [
            (x1[..., (n + 1) % 3] * x2[..., (n + 2) % 3], x1[..., (n + 2) % 3] * x2[..., (n + 1) % 3]) for n in range(3)
        ]
        return self.moveaxis(self.stack([self.subtract(*each) for each in turned], -1), -1, axis)

    def _demand_last(self, x, size):
        """x, whose last dimension has this size: the program checks an open one."""
        *sizes, last = self._get_sizes(x)
        return self.reshape(x, (*sizes, size)) if isinstance(last, Operand) else x

    def kron(self, x1, x2):
        """The products of each element of x1 and the array x2, in place of the element."""
        rank = max(x1.ndim, x2.ndim)
        x1, x2 = (
            self.expand_dims(each, list(range(rank - each.ndim))) if each.ndim < rank else each for each in (x1, x2)
        )
        sizes = [first * second for first, second in zip(self._get_sizes(x1), self._get_sizes(x2), strict=True)]
        inner, outer = [2 * dim + 1 for dim in range(rank)], [2 * dim for dim in range(rank)]
        product = self.multiply(
            self.expand_dims(x1, inner) if rank else x1, self.expand_dims(x2, outer) if rank else x2
        )
        return self.reshape(product, sizes) if rank else product

    def _flatten(self, x):
        return self.reshape(x, (-1,)) if isinstance(x, Operand) else x

    def einsum(self, subscripts, *operands):
        """Sums of products, as `subscripts` say: "ij,jk->ik" is the product of matrices. A letter has one size, and twice in an operand it is the diagonal ("ii" is the trace); "..." are the dimensions before.

        Lists of numbers behind the operands are the same: einsum(x, [0, 1], y, [1, 2], [0, 2]).
        """
        if isinstance(subscripts, Operand):
            subscripts, operands = write_subscripts((subscripts, *operands))
        ranks = [each.ndim if isinstance(each, Operand) else 0 for each in operands]
        return contract(self, operands, *read_subscripts(subscripts, ranks))

    def divmod(self, x1, x2):
        """(floor_divide, remainder) of two operands."""
        return self.floor_divide(x1, x2), self.remainder(x1, x2)
