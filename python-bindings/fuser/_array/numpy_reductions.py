# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of NumPy that the array API standard has not, and that are a few others of a builder."""

from .._program import Operand, get_axes, is_float, is_integer, normalize_axis, read_flag, read_integers
from .names import name_calls
from .numpy_elements import NumpyElements

#: Orders of norms of matrices that are sums along one dimension.
_NORMS_OF_SUMS = (1, -1, float("inf"), float("-inf"))


def _read_fractions(q):
    """(whether it is a list, its numbers, or the one that it is), of an array's elements too."""
    is_list = hasattr(q, "__len__") and getattr(q, "ndim", 1) != 0 and not isinstance(q, str)
    try:
        if not isinstance(q, str):
            return is_list, [float(each) for each in (q if is_list else [q])]
    except (TypeError, ValueError):
        pass
    raise TypeError(f"expected a number as q, or an array or a list of numbers, got {q!r}")


def _is_float(x):
    return is_float(x._program.type(x)[0])


@name_calls
class NumpyReductions(NumpyElements):
    """What a builder has of NumPy's reductions, made of its other functions. `axis`: one dimension or several, by default all."""

    def ptp(self, x, axis=None, keepdims=False):
        """The greatest element less the least one."""
        return self.subtract(self.max(x, axis, keepdims), self.min(x, axis, keepdims))

    def _find_number(self, name, x, axis, keepdims, none):
        if not _is_float(x):
            return getattr(self, name)(x, axis, keepdims)
        is_nan = self.isnan(x)
        result = getattr(self, name)(self.where(is_nan, none, x), axis, keepdims)
        return self.where(self.all(is_nan, axis, keepdims), float("nan"), result)

    def nanmax(self, x, axis=None, keepdims=False):
        """The greatest of the elements that are no NaN; NaN if all are."""
        return self._find_number("max", x, axis, keepdims, float("-inf"))

    def nanmin(self, x, axis=None, keepdims=False):
        """The least of the elements that are no NaN; NaN if all are."""
        return self._find_number("min", x, axis, keepdims, float("inf"))

    def nanvar(self, x, axis=None, correction=0, keepdims=False):
        """The variance of the elements that are no NaN: squares of differences from their mean, divided by their number less `correction`."""
        if is_integer(x._program.type(x)[0]):
            return self.var(x, axis, correction, keepdims)
        wide = self._widen(x)
        is_number = self.logical_not(self.isnan(wide))
        mean = self.nanmean(wide, axis, keepdims=True)
        squares = self.sum(self.where(is_number, self.square(self.subtract(wide, mean)), 0), axis, keepdims=keepdims)
        return self._narrow(self.divide(squares, self.sum(is_number, axis, keepdims=keepdims) - correction), x)

    def nanstd(self, x, axis=None, correction=0, keepdims=False):
        """The square root of `nanvar`."""
        if is_integer(x._program.type(x)[0]):
            return self.std(x, axis, correction, keepdims)
        return self._narrow(self.sqrt(self.nanvar(self._widen(x), axis, correction, keepdims)), x)

    # Elements by their place in order

    def quantile(self, x, q, axis=None, keepdims=False, method="linear"):
        """What a fraction `q`, a number from 0 to 1 or an array or a list of these, of the elements is not above; between two of them it is interpolated, as by default in NumPy.

        method: "linear", or of the two "lower", "higher", "nearest", which is the even one halfway, or "midpoint". The dimensions of q are
        the first ones of the result. NaN if one of the elements is. Where an array that the program computes or is called with has a number that is not from
        0 to 1 the result is NaN, or the least integer.
        """
        attributes = {"keep": read_flag(keepdims, "keepdims"), "method": method} | get_axes(axis)
        if isinstance(q, Operand):
            return self._program.op("quantile", (x, q), attributes)
        is_list, fractions = _read_fractions(q)
        return self._program.op("quantile", (x,), attributes | {"fractions": fractions, "stack": is_list})

    def percentile(self, x, q, axis=None, keepdims=False, method="linear"):
        """The `quantile` of q / 100."""
        if isinstance(q, Operand):
            return self.quantile(x, self.divide(q, 100), axis, keepdims, method)
        is_list, parts = _read_fractions(q)
        fractions = [each / 100 for each in parts]
        return self.quantile(x, fractions if is_list else fractions[0], axis, keepdims, method)

    def median(self, x, axis=None, keepdims=False):
        """The element in the middle, or the mean of both; NaN if one of the elements is."""
        return self._program.op("median", (x,), {"keep": read_flag(keepdims, "keepdims")} | get_axes(axis))

    def _flatten(self, x, axes):
        """x with these dimensions as one, which is the last."""
        rest, sizes = [dim for dim in range(x.ndim) if dim not in axes], self._get_sizes(x)
        return self.reshape(self.permute_dims(x, (*rest, *axes)), (*(sizes[dim] for dim in rest), -1))

    def nanmedian(self, x, axis=None, keepdims=False):
        """The `median` of the elements that are no NaN; NaN if all are."""
        if not _is_float(x):
            return self.median(x, axis, keepdims)
        given = range(x.ndim) if axis is None else read_integers(axis, "dimensions as axis")
        axes = sorted({normalize_axis(each, x.ndim) for each in given})
        rows, dim = (x, axes[0]) if len(axes) == 1 else (self._flatten(x, axes), -1)
        # NaN are behind all others.
        order, count = self.sort(rows, dim)[0], self.sum(self.logical_not(self.isnan(rows)), dim, keepdims=True)
        places = self.maximum(count - 1, 0) // 2, count // 2
        low, high = (self._widen(self.take_along_axis(order, place, dim)) for place in places)
        middle = self.where(self.equal(*places), low, (low + high) * 0.5)
        result = self.squeeze(self._narrow(middle, x), dim)
        return self.expand_dims(result, axes) if read_flag(keepdims, "keepdims") and axes else result

    def _linalg_norm(self, x, ord=None, axis=None, keepdims=False):
        """NumPy's `linalg.norm`: of vectors, or of matrices where there are two dimensions and an order."""
        if ord is None:
            return self.vector_norm(x, 2, axis, keepdims)
        axes = list(range(x.ndim)) if axis is None else read_integers(axis, "dimensions as axis")
        if len(axes) == 1:
            return self.vector_norm(x, ord, axes, keepdims)
        if len(axes) == 2 and ord == "fro":
            return self.vector_norm(x, 2, axes, keepdims)
        if len(axes) != 2 or ord not in _NORMS_OF_SUMS:
            raise TypeError(
                f"expected 'fro', 1, -1, inf or -inf as the order of a norm of matrices, got {ord!r}: fuser.numpy.vector_norm(x, ord, axis) is one of vectors"
            )
        return self._program.op(
            "matrix_norm", (x,), {"order": [float(ord)], "dims": axes, "keep": read_flag(keepdims, "keepdims")}
        )
