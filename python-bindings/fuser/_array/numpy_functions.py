# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NumPy that the array API standard has not, and that are a few others of a builder."""

import math
from string import ascii_lowercase, ascii_uppercase

from .._program import Operand, is_float, read_arrays, read_axis, read_flag, read_integer, read_integers, split_sizes
from .names import name_calls
from .numpy_reductions import NumpyReductions


def _is_list(value):
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


_LETTERS = ascii_uppercase + ascii_lowercase


def _write_label(label):
    """The letter of a number, as NumPy and PyTorch have them."""
    if label is Ellipsis:
        return "..."
    number = read_integer(label, "numbers of dimensions, or ...")
    if not 0 <= number < len(_LETTERS):
        raise ValueError(f"einsum: expected numbers from 0 to {len(_LETTERS) - 1} of dimensions, got {number}")
    return _LETTERS[number]


def _write_term(labels):
    if not isinstance(labels, (list, tuple)):
        raise TypeError(f"einsum: expected a list of numbers behind each operand, got {labels!r}")
    return "".join(map(_write_label, labels))


def _write_subscripts(given):
    """(the subscripts as a text, the operands) of operands with a list of numbers behind each, and perhaps one for the result behind all."""
    pairs = len(given) // 2 * 2
    text = ",".join(map(_write_term, given[1:pairs:2]))
    if pairs < len(given):
        text += f"->{_write_term(given[-1])}"
    return text, given[:pairs:2]


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
        """0 where x1 is negative, 1 where it is positive, x2 where it is 0; NaN where it is NaN. Of integers and booleans a float32."""
        result = self._program.op("heaviside", (x1, x2))
        return result if is_float(self._program.type(result)[0]) else self.astype(result, "float32")

    def cbrt(self, x):
        """The number whose third power is x, as a power of abs(x)."""
        return self._program.op("cbrt", (x,))

    def around(self, x, decimals=0):
        """x rounded to so many decimals, of two numbers to the one whose last digit is even; of a negative number to tens, hundreds, ..."""
        places = read_integer(decimals, "an integer as decimals")
        return self._program.op("around", (x,), {"decimals": places})

    def isclose(self, x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
        """Where x1 and x2 differ by at most atol + rtol * abs(x2), or are equal; with equal_nan also where both are NaN."""
        flags = {"equal_nan": read_flag(equal_nan, "equal_nan")}
        return self._program.op("isclose", (x1, x2, rtol, atol), flags)

    def allclose(self, x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
        """Whether all elements are close, an array without dimensions."""
        return self.all(self.isclose(x1, x2, rtol, atol, equal_nan))

    def select(self, condlist, choicelist, default=0):
        """Of each place the element of the first of the arrays `choicelist` whose condition is true there, else `default`."""
        condlist, choicelist = read_arrays(condlist), read_arrays(choicelist)
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
        attributes = {"k": read_integer(k, "an integer as k"), "dims": read_integers(axes, "dimensions as axes")}
        return self._program.op("rot90", (x,), attributes)

    def _raise(self, arrays, rank):
        results = [self._program.op("atleast", (each,), {"rank": rank}) for each in arrays]
        return results[0] if len(results) == 1 else tuple(results)

    def atleast_1d(self, *arrays):
        """Arrays of one dimension at least; a tuple of several."""
        return self._raise(arrays, 1)

    def atleast_2d(self, *arrays):
        """Arrays of two dimensions at least, new ones in front; a tuple of several."""
        return self._raise(arrays, 2)

    def atleast_3d(self, *arrays):
        """Arrays of three dimensions at least: one of one dimension is in the middle, a matrix in front; a tuple of several."""
        return self._raise(arrays, 3)

    # Parts

    def _split(self, x, indices_or_sections, axis, uneven):
        attributes = {"dim": read_axis(axis)}
        if _is_list(indices_or_sections):
            (indices,), values = split_sizes(list(indices_or_sections))
            return self._program.ops("split", (x, *values), attributes | {"indices": indices})
        count = read_integer(indices_or_sections, "a number of parts, or a list of indices")
        return self._program.ops("split", (x,), attributes | {"sections": count, "uneven": uneven})

    def split(self, x, indices_or_sections, axis=0):
        """The parts of x along `axis` as a tuple: so many of one length, or of a list of indices those that begin at each, and what is before.

        Where an index or the size is open, indices are in ascending order, up to the size.
        """
        return self._split(x, indices_or_sections, axis, False)

    def array_split(self, x, indices_or_sections, axis=0):
        """As `split`, but the first parts have one element more where their number does not divide the size."""
        return self._split(x, indices_or_sections, axis, True)

    # Arrays one behind the other

    def vstack(self, arrays):
        """Arrays one below the other, along dimension 0; one of one dimension is a row."""
        return self._program.op("vstack", read_arrays(arrays))

    def hstack(self, arrays):
        """Arrays one beside the other, along dimension 1, or of one dimension along that."""
        return self._program.op("hstack", read_arrays(arrays))

    def column_stack(self, arrays):
        """Arrays one beside the other, along dimension 1; one of one dimension is a column."""
        return self._program.op("column_stack", read_arrays(arrays))

    def dstack(self, arrays):
        """Arrays one behind the other, along dimension 2, as `atleast_3d` makes them."""
        return self._program.op("dstack", read_arrays(arrays))

    # Products and quotients

    def outer(self, x1, x2):
        """The products of each element of x1, in row-major order, and each one of x2."""
        return self._program.op("outer", (x1, x2))

    def vdot(self, x1, x2):
        """The sum of products of all elements, of which both have as many; complex numbers of x1 are conjugated."""
        return self._program.op("vdot", (x1, x2))

    def cross(self, x1, x2, axis=-1):
        """The products of vectors of three elements along `axis` that are at right angles to both."""
        return self._program.op("cross", (x1, x2), {"dim": read_axis(axis)})

    def kron(self, x1, x2):
        """The products of each element of x1 and the array x2, in place of the element."""
        return self._program.op("kron", (x1, x2))

    def einsum(self, subscripts, *operands, optimize=False):
        """Sums of products, as `subscripts` say: "ij,jk->ik" is the product of matrices. A letter has one size, or a known 1 that is repeated, and twice in an operand it is the diagonal ("ii" is the trace); "..." are the dimensions before.

        Lists of numbers behind the operands are the same: einsum(x, [0, 1], y, [1, 2], [0, 2]). optimize: NumPy's, of no effect: operands are multiplied from
        left to right.
        """
        if isinstance(subscripts, Operand):
            subscripts, operands = _write_subscripts((subscripts, *operands))
        if not isinstance(subscripts, str):
            raise TypeError(f"einsum: expected a text such as 'ij,jk->ik', got {subscripts!r}")
        return self._program.op("einsum", operands, {"equation": subscripts})

    def divmod(self, x1, x2):
        """(floor_divide, remainder) of two operands."""
        return self.floor_divide(x1, x2), self.remainder(x1, x2)
