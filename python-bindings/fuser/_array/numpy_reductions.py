# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of NumPy that the array API standard has not, and that are a few others of a builder."""

from .._program import Operand, find_near, get_dim, normalize_axis
from .names import name_calls

#: Norms of matrices that are sums along one dimension, and how these are reduced.
_NORMS_OF_SUMS = {1: (-2, "max"), -1: (-2, "min"), float("inf"): (-1, "max"), float("-inf"): (-1, "min")}

#: By which function a place between two elements becomes that of one of them, of methods of `quantile` that give an element.
_ROUNDED = {"lower": "floor", "higher": "ceil", "nearest": "round"}
_METHODS = ("linear", *_ROUNDED, "midpoint")


def _is_float(x):
    return x._program.type(x)[0].startswith(("f", "bf"))


@name_calls
class NumpyReductions:
    """What a builder has of NumPy's reductions, made of its other functions. `axis`: one dimension or several, by default all."""

    def _widen(self, x):
        """x in a type of floats that sums and positions are computed in."""
        element = x._program.type(x)[0]
        return x if element in ("f32", "f64") or element.startswith("complex") else self.astype(x, "float32")

    def _narrow(self, result, x):
        """The result in the type of x, if that is one of floats."""
        element = x._program.type(x)[0]
        return self.astype(result, element) if _is_float(x) and result._program.type(result)[0] != element else result

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
        wide = self._widen(x)
        is_number = self.logical_not(self.isnan(wide))
        mean = self.nanmean(wide, axis, keepdims=True)
        squares = self.sum(self.where(is_number, self.square(self.subtract(wide, mean)), 0), axis, keepdims=keepdims)
        return self._narrow(self.divide(squares, self.sum(is_number, axis, keepdims=keepdims) - correction), x)

    def nanstd(self, x, axis=None, correction=0, keepdims=False):
        """The square root of `nanvar`."""
        return self._narrow(self.sqrt(self.nanvar(self._widen(x), axis, correction, keepdims)), x)

    # Elements by their place in order

    def _sort_all(self, x, axis):
        """(the elements in order along one dimension, which is the last one, that of NaN if one is)."""
        if isinstance(axis, (list, tuple)):
            axes = [normalize_axis(each, x.ndim) for each in axis]
            kept = [dim for dim in range(x.ndim) if dim not in axes]
            sizes = self._get_sizes(x)
            x = self.reshape(self.permute_dims(x, kept + axes), (*(sizes[dim] for dim in kept), -1))
            axis = -1
        value, dim = get_dim(x, axis)
        return self.sort(self.moveaxis(value, dim, -1), -1)[0]

    def _keep(self, result, x, axis, keepdims):
        """The result of a reduction over `axis`, with dimensions of size 1 in place of these if they are kept."""
        if not keepdims:
            return result
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
        return self.expand_dims(result, sorted(normalize_axis(each, x.ndim) for each in axes)) if x.ndim else result

    def _find_place(self, ordered, fraction, element):
        """The number of the element, and what is behind the point, at a fraction of the way through elements along the last dimension."""
        return self.multiply(self.full((), self._get_sizes(ordered)[-1], element) - 1, fraction)

    def _pick(self, ordered, place, method):
        """The element at a place that is rounded to one; NaN if there is one."""
        result = self.take(ordered, self.astype(getattr(self, _ROUNDED[method])(place), "int64"), -1)
        if not _is_float(ordered):
            return result
        last = self.take(ordered, self.full((), self._get_sizes(ordered)[-1], "int64") - 1, -1)
        return self.where(self.isnan(last), last, result)

    def _interpolate(self, ordered, place, method):
        """What is at a place between two elements: by how near it is, or their midpoint."""
        size = self._get_sizes(ordered)[-1]
        first = self.floor(place)
        rest = self.astype(place - first, ordered._program.type(ordered)[0])
        rest = self.where(self.equal(rest, 0), rest, 0.5) if method == "midpoint" else rest
        first = self.astype(first, "int64")
        low, high, last = (
            self.take(ordered, each, -1)
            for each in (first, self.minimum(first + 1, size - 1), self.full((), size, "int64") - 1)
        )
        result = self.where(self.equal(rest, 0), low, self.lerp(low, high, rest))
        return self.where(self.isnan(last), last, result)

    def quantile(self, x, q, axis=None, keepdims=False, method="linear"):
        """What a fraction `q`, a number from 0 to 1 or a list of these, of the elements is not above; between two of them it is interpolated, as by default in NumPy.

        method: "linear", or of the two "lower", "higher", "nearest", which is the even one halfway, or "midpoint". Of a list the results are along a new first
        dimension. NaN if one of the elements is.
        """
        if method not in _METHODS:
            near = find_near(str(method), _METHODS, cutoff=0.6)
            raise ValueError(f"expected {', '.join(map(repr, _METHODS))} as method, got {method!r}{near}")
        fractions = [float(each) for each in (q if hasattr(q, "__len__") and not isinstance(q, Operand) else [q])]
        if not all(0 <= each <= 1 for each in fractions):
            raise ValueError(f"expected fractions from 0 to 1 as q, got {q}")
        is_list, wide = hasattr(q, "__len__"), self._widen(x)
        ordered = self._sort_all(x if method in _ROUNDED else wide, axis)
        # As in NumPy the place of one fraction is in the type of floats that x has: it may be whole there alone.
        is_wide = method == "linear" or is_list or not _is_float(x)
        element = "float64" if is_wide else wide._program.type(wide)[0]
        find = self._pick if method in _ROUNDED else self._interpolate
        results = [find(ordered, self._find_place(ordered, each, element), method) for each in fractions]
        results = [self._keep(self._narrow(each, x), x, axis, keepdims) for each in results]
        return self.stack(results) if is_list else results[0]

    def percentile(self, x, q, axis=None, keepdims=False, method="linear"):
        """The `quantile` of q / 100."""
        fractions = [float(each) / 100 for each in q] if hasattr(q, "__len__") else float(q) / 100
        return self.quantile(x, fractions, axis, keepdims, method)

    def median(self, x, axis=None, keepdims=False):
        """The element in the middle, or the mean of both; NaN if one of the elements is."""
        ordered = self._sort_all(self._widen(x), axis)
        size = self.full((), self._get_sizes(ordered)[-1], "int64")
        low, high, last = (self.take(ordered, each, -1) for each in ((size - 1) // 2, size // 2, size - 1))
        middle = self.where(self.equal(low, high), low, self.divide(self.add(low, high), 2))
        return self._keep(self._narrow(self.where(self.isnan(last), last, middle), x), x, axis, keepdims)

    def _linalg_norm(self, x, ord=None, axis=None, keepdims=False):
        """NumPy's `linalg.norm`: of vectors, or of matrices where there are two dimensions and an order."""
        if ord is None:
            return self.vector_norm(x, 2, axis, keepdims)
        axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if len(axes) == 1:
            return self.vector_norm(x, ord, axes, keepdims)
        if len(axes) == 2 and ord == "fro":
            return self.vector_norm(x, 2, axes, keepdims)
        if len(axes) != 2 or ord not in _NORMS_OF_SUMS:
            raise TypeError(
                f"expected 'fro', 1, -1, inf or -inf as the order of a norm of matrices, got {ord!r}: fuser.numpy.vector_norm(x, ord, axis) is one of vectors"
            )
        dim, kind = _NORMS_OF_SUMS[ord]
        sums = self.sum(self.abs(x), axes[dim], keepdims=True)
        result = getattr(self, kind)(sums, axes[-1 if dim == -2 else -2], keepdims=True)
        return result if keepdims else self.squeeze(result, axes)
