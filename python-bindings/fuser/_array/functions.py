# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the array API standard that are a few ops of a builder."""

from .._program import Operand, get_element, normalize_axis, read_integer
from .einsum import contract
from .names import name_calls
from .numpy_functions import NumpyFunctions


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
        return self._program.op("arange", (start, stop, step), {} if dtype is None else {"type": get_element(dtype)})

    def linspace(self, start, stop, num, dtype="float32", endpoint=True):
        """`num` numbers from `start` to `stop`, which is the last one, or with endpoint=False the one that would follow."""
        attributes = {"type": get_element(dtype), "endpoint": int(endpoint)}
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
        return self.concat([self.expand_dims(each, axis) for each in arrays], axis)

    def unstack(self, x, axis=0):
        """The parts of x along a dimension whose size is known, as a tuple, without it."""
        axis = normalize_axis(axis, x.ndim)
        size = x._program.type(x)[1][axis]
        if size is None:
            raise TypeError(
                f"expected a dimension whose size is known, got dimension {axis} of {x!r}: x[:, 0] takes a part of it"
            )
        keys = [slice(None)] * x.ndim
        parts = []
        for number in range(size):
            keys[axis] = number
            parts.append(x[tuple(keys)])
        return tuple(parts)

    def swapaxes(self, x, axis1, axis2):
        """x with two of its dimensions exchanged."""
        axes = list(range(x.ndim))
        axis1, axis2 = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
        return self.permute_dims(x, axes)

    def matrix_transpose(self, x):
        """x with its last two dimensions exchanged."""
        if x.ndim < 2:
            raise self._program.make_error(f"'matrix_transpose': expected at least 2 dimensions, got {x!r}")
        return self.swapaxes(x, -1, -2)

    def moveaxis(self, x, source, destination):
        """x with dimensions, a number or several, at other places; the others stay in their order."""
        sources, places = ([normalize_axis(n, x.ndim) for n in _as_list(axes)] for axes in (source, destination))
        if len(sources) != len(places) or len(set(sources)) != len(sources) or len(set(places)) != len(places):
            raise ValueError(f"expected as many different places as dimensions, got {source} and {destination}")
        axes = [axis for axis in range(x.ndim) if axis not in sources]
        for place, axis in sorted(zip(places, sources, strict=True)):
            axes.insert(place, axis)
        return self.permute_dims(x, axes)

    def broadcast_arrays(self, *arrays):
        """All arrays, each repeated to the shape that they broadcast to, as a tuple."""
        results = self._program.op("broadcast_tensors", arrays)
        return results if isinstance(results, tuple) else (results,)

    def meshgrid(self, *arrays, indexing="xy"):
        """Arrays of one dimension, each repeated along those of the others. indexing: "xy" has the first two dimensions exchanged, "ij" not."""
        if indexing not in ("xy", "ij"):
            raise ValueError(f"expected 'xy' or 'ij' as indexing, got {indexing!r}")
        wrong = next((each for each in arrays if each.ndim > 1), None)
        if wrong is not None:
            raise ValueError(f"expected arrays of one dimension, got one of {wrong.ndim}")
        arrays = tuple(each if each.ndim else self.reshape(each, (1,)) for each in arrays)
        count = len(arrays)
        if count == 1:
            return arrays
        order = list(range(count))
        if indexing == "xy":
            order[:2] = [1, 0]
        own = zip(arrays, order, strict=True)
        return self.broadcast_arrays(
            *(self.expand_dims(each, [dim for dim in range(count) if dim != place]) for each, place in own)
        )

    # Element by element

    def positive(self, x):
        """x."""
        return x

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
        result = getattr(self, name)(x, 0 if axis is None and x.ndim == 1 else axis, dtype)
        if first is None:
            return result
        axis = 0 if axis is None else normalize_axis(axis, x.ndim)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (1, 0)
        return self.pad(result, widths, constant_values=first)

    def cumulative_sum(self, x, axis=None, dtype=None, include_initial=False):
        """As `cumsum`; with include_initial a 0 comes before the sums."""
        return self._accumulate("cumsum", x, axis, dtype, 0 if include_initial else None)

    def cumulative_prod(self, x, axis=None, dtype=None, include_initial=False):
        """As `cumprod`; with include_initial a 1 comes before the products."""
        return self._accumulate("cumprod", x, axis, dtype, 1 if include_initial else None)

    def diff(self, x, axis=-1, n=1, prepend=None, append=None):
        """The differences of neighbours along `axis`, `n` times; first `prepend` and `append`, arrays, come before and behind x."""
        axis = normalize_axis(axis, x.ndim)
        ends = [each for each in (prepend, x, append) if each is not None]
        result = self.concat(ends, axis) if len(ends) > 1 else x
        first, last = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        first[axis], last[axis] = slice(1, None), slice(None, -1)
        count = read_integer(n, "an integer as n")
        if count < 0:
            raise ValueError(f"expected n to be at least 0, got {count}")
        for _ in range(count):
            after, before = result[tuple(first)], result[tuple(last)]
            result = after != before if result._program.type(result)[0] == "i1" else after - before
        return result

    def vecdot(self, x1, x2, axis=-1):
        """The sum of products along `axis`, counted from the end; complex numbers of x1 are conjugated."""
        is_complex = x1._program.type(x1)[0].startswith("complex")
        products = self.conj(x1) * x2 if is_complex else x1 * x2
        # Of integers in their own type, as matmul has it, where a sum is int64.
        return self.sum(products, axis).astype(products.dtype)

    def dot(self, x1, x2):
        """NumPy's product: of vectors and matrices as `matmul`; of more dimensions the sum of products over the last of x1 and the second-to-last of x2, with
        all others in the result."""
        if not (_get_rank(x1) and _get_rank(x2)):
            return self.multiply(x1, x2)
        return self.matmul(x1, x2) if x2.ndim <= 2 else self.tensordot(x1, x2, ([-1], [-2]))

    def inner(self, x1, x2):
        """The sum of products over the last dimensions of both, with all others in the result."""
        if not (_get_rank(x1) and _get_rank(x2)):
            return self.multiply(x1, x2)
        if x2.ndim <= 2:
            return self.matmul(x1, x2.T)
        return self.tensordot(x1, x2, ([-1], [-1]))

    def tensordot(self, x1, x2, axes=2):
        """The sum of products over the last `axes` dimensions of x1 and the first ones of x2, or over those of the lists (of x1, of x2)."""
        if isinstance(axes, int):
            if not 0 <= axes <= min(x1.ndim, x2.ndim):
                raise self._program.make_error(
                    f"'tensordot': expected 0 to {min(x1.ndim, x2.ndim)} as axes, got {axes}"
                )
            axes = range(x1.ndim - axes, x1.ndim), range(axes)
        first, second = (
            [normalize_axis(n, x.ndim) for n in _as_list(each)] for x, each in zip((x1, x2), axes, strict=True)
        )
        if len(first) != len(second):
            raise ValueError(f"expected as many dimensions of both, got {first} and {second}")
        labels = [f"dimension {n}" for n in range(x1.ndim)], [f"dimension {n} of x2" for n in range(x2.ndim)]
        for own, other in zip(first, second, strict=True):
            labels[1][other] = labels[0][own]
        result = [label for n, label in enumerate(labels[0]) if n not in first]
        result += [label for n, label in enumerate(labels[1]) if n not in second]
        return contract(self, (x1, x2), labels, result, "tensordot")


def _get_rank(x):
    """The number of dimensions; a number has none."""
    return x.ndim if isinstance(x, Operand) else 0


def _as_list(axes):
    return list(axes) if isinstance(axes, (list, tuple, range)) else [axes]
