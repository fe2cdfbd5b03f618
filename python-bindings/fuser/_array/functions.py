# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the array API standard that are a few ops of a builder."""

import numbers

from .._program import (
    Operand,
    get_element,
    normalize_axis,
    read_arrays,
    read_axis,
    read_flag,
    read_integer,
    read_integers,
    take_given,
)
from .names import name_calls
from .numpy_functions import NumpyFunctions


def _is_number(value):
    """Whether it is one, or an array without dimensions."""
    return not value.ndim if isinstance(value, Operand) else not hasattr(value, "__len__")


def _read_number(value):
    """A number of Python's or NumPy's as one of Python's; None of what the program computes, and of others."""
    if isinstance(value, Operand) or not isinstance(value, numbers.Real):
        return None
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def _check_count(program, bounds):
    """Raises an error for an `arange` of too many numbers, with the bounds as they were written."""
    start, stop, step = known = [*map(_read_number, bounds)]
    if None in known or not step or any(isinstance(each, int) and abs(each) >= 2**64 for each in known):
        return  # What is wrong of these the compiler says.
    if not (stop - start) / step <= 2**48:
        text = "'{}': expected bounds with at most 2^48 numbers between them, got {}, {} and {}"
        raise program.make_error(text.format(program.called, *bounds))


@name_calls
class ArrayFunctions(NumpyFunctions):
    """What a builder has of the array API standard that is made of other functions of its."""

    def _get_sizes(self, x):
        """The sizes of x: an int if it is known, else a scalar."""
        sizes = x._program.type(x)[1] or ()
        return tuple(self.size(x, dim) if size is None else size for dim, size in enumerate(sizes))

    # Arrays of numbers

    def arange(self, start, stop=None, step=1, dtype=None):
        """Numbers from `start` on, below `stop`, in steps; of one argument from 0 on. Bounds may be sizes. An array of one dimension, of no element if there is no such number.

        dtype: by default float32 if one of them is a float, else int64.
        """
        start, stop = (0, start) if stop is None else (start, stop)
        _check_count(self._program, (start, stop, step))
        return self._program.op("arange", (start, stop, step), {} if dtype is None else {"type": get_element(dtype)})

    def linspace(self, start, stop, num, dtype="float32", endpoint=True):
        """`num` numbers from `start` to `stop`, which is the last one, or with endpoint=False the one that would follow."""
        attributes = {"type": get_element(dtype), "endpoint": read_flag(endpoint, "endpoint")}
        return self._program.op("linspace", (start, stop, num), attributes)

    def full_like(self, x, fill_value, dtype=None):
        """An array of one number, of the shape of x."""
        return self.full(self._get_sizes(x), fill_value, dtype or x._program.type(x)[0])

    def zeros_like(self, x, dtype=None):
        """Zeros of the shape of x."""
        return self.full_like(x, 0, dtype)

    def ones_like(self, x, dtype=None):
        """Ones of the shape of x."""
        return self.full_like(x, 1, dtype)

    def empty(self, shape, dtype="float32"):
        """An array of zeros: nothing in a program is without a value."""
        return self.full(shape, 0, dtype)

    def empty_like(self, x, dtype=None):
        """Zeros of the shape of x: nothing in a program is without a value."""
        return self.full_like(x, 0, dtype)

    # Shapes

    def stack(self, arrays, axis=0):
        """Arrays of one shape, one after another along a new dimension."""
        return self._program.op("stack", read_arrays(arrays), {"dim": read_axis(axis)})

    def unstack(self, x, axis=0):
        """The parts of x along a dimension whose size is known, as a tuple, without it."""
        return self._program.ops("unstack", (x,), {"dim": read_axis(axis)})

    def swapaxes(self, x, axis1, axis2):
        """x with two of its dimensions exchanged."""
        return self._program.op("swapaxes", (x,), {"dims": read_integers([axis1, axis2], "a dimension")})

    def matrix_transpose(self, x):
        """x with its last two dimensions exchanged."""
        if x.ndim < 2:
            raise self._program.make_error(f"'matrix_transpose': expected at least 2 dimensions, got {x!r}")
        return self.swapaxes(x, -1, -2)

    def moveaxis(self, x, source, destination):
        """x with dimensions, a number or several, at other places; the others stay in their order."""
        source, destination = (read_integers(each, "a dimension, or several") for each in (source, destination))
        return self._program.op("moveaxis", (x,), {"source": source, "destination": destination})

    def broadcast_arrays(self, *arrays):
        """All arrays, each repeated to the shape that they broadcast to, as a tuple."""
        return self._program.ops("broadcast_tensors", arrays)

    def meshgrid(self, *arrays, copy=True, sparse=False, indexing="xy"):
        """Arrays of one dimension, each repeated along those of the others. indexing: "xy" has the first two dimensions exchanged, "ij" not.

        sparse: whether each has a size of 1 in place of those. copy: NumPy's, of no effect, since no op changes an array.
        """
        read_flag(copy, "copy")
        # What is wrong of arrays and of `indexing` is for both kinds the op's to say.
        results = self._program.ops("meshgrid", arrays, {"indexing": indexing})
        if not read_flag(sparse, "sparse"):
            return results
        places = list(range(len(arrays)))
        if indexing == "xy":
            places[:2] = reversed(places[:2])
        others = [[each for each in sorted(places) if each != place] for place in places]
        return tuple(self.expand_dims(self.atleast_1d(x), axes) for x, axes in zip(arrays, others, strict=True))

    # Element by element

    def positive(self, x):
        """x."""
        return +x if isinstance(x, Operand) else x

    def hypot(self, x1, x2):
        """The root of the sum of squares, which does not overflow unless it is too large itself."""
        return self._program.op("hypot", (x1, x2))

    def logaddexp(self, x1, x2):
        """log(exp(x1) + exp(x2))."""
        return self._program.op("logaddexp", (x1, x2))

    def copysign(self, x1, x2):
        """x1 with the sign of x2, of zeros too; that of NaN is not looked at."""
        return self._program.op("copysign", (x1, x2))

    # Reductions, scans and products

    def count_nonzero(self, x, axis=None, keepdims=False):
        """How many elements are not 0, an int64."""
        return self.sum(x != 0, axis, keepdims=keepdims)

    def _accumulate(self, name, x, axis, dtype, first):
        if axis is None and x.ndim > 1:
            raise ValueError(f"{self._program.called}: expected an axis of {x!r}, got none: {name} is of all elements")
        result = getattr(self, name)(x, 0 if axis is None and x.ndim == 1 else axis, dtype)
        if first is None:
            return result
        axis = 0 if axis is None else normalize_axis(axis, x.ndim)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (1, 0)
        return self.pad(result, widths, constant_values=first)

    def cumulative_sum(self, x, axis=None, dtype=None, include_initial=False):
        """As `cumsum`, of one dimension by default along that; with include_initial a 0 comes before the sums."""
        return self._accumulate("cumsum", x, axis, dtype, 0 if include_initial else None)

    def cumulative_prod(self, x, axis=None, dtype=None, include_initial=False):
        """As `cumprod`, of one dimension by default along that; with include_initial a 1 comes before the products."""
        return self._accumulate("cumprod", x, axis, dtype, 1 if include_initial else None)

    def _spread_end(self, x, end, axis):
        """What comes before or behind the elements along `axis`: of a number an array of it, in the type that it has beside x; of a list of numbers one of these."""
        if isinstance(end, (list, tuple)) and x.ndim == 1 and all(map(_is_number, end)):
            return self.concat([self.reshape(self._spread_end(x, each, axis), 1) for each in end]) if end else None
        if end is None or not _is_number(end):
            return end
        self.size(x, axis)  # It says what is wrong of a dimension.
        sizes = [*self._get_sizes(x)]
        sizes[read_axis(axis)] = 1
        return self.full(sizes, end, self._program.type(self.where(True, x, end))[0])

    def diff(self, x, n=1, axis=-1, prepend=None, append=None):
        """The differences of neighbours along `axis`, `n` times; first `prepend` and `append`, arrays, or a number each, come before and behind x."""
        if read_integer(n, "an integer as n") == 0:
            return x  # Itself, as NumPy has it.
        ends = {"prepend": prepend, "append": append}
        others, flags = take_given({name: self._spread_end(x, end, axis) for name, end in ends.items()})
        attributes = {"n": read_integer(n, "an integer as n"), "dim": read_axis(axis)}
        return self._program.op("diff", (x, *others), attributes | flags)

    def vecdot(self, x1, x2, axis=-1):
        """The sum of products along `axis`, counted from the end; complex numbers of x1 are conjugated."""
        return self._program.op("vecdot", (x1, x2), {"dim": read_axis(axis)})

    def dot(self, x1, x2):
        """NumPy's product: of vectors and matrices as `matmul`; of more dimensions the sum of products over the last of x1 and the second-to-last of x2, with
        all others in the result."""
        return self._program.op("dot", (x1, x2))

    def inner(self, x1, x2):
        """The sum of products over the last dimensions of both, with all others in the result."""
        return self._program.op("inner", (x1, x2))

    def tensordot(self, x1, x2, axes=2):
        """The sum of products over the last `axes` dimensions of x1 and the first ones of x2, or over those of the lists (of x1, of x2)."""
        if _is_number(axes):
            number = read_integer(axes, "an integer, or two lists of dimensions, as axes")
            return self._program.op("tensordot", (x1, x2), {"axes": number})
        first, second = (read_integers(each, "a dimension, or several") for each in axes)
        return self._program.op("tensordot", (x1, x2), {"lhs_dims": first, "rhs_dims": second})
