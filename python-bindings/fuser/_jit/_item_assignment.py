# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments to parts of an array that a traced function has made: `h[key] = value`. It becomes another value, as `h += value` makes it (see _in_place.py).

Parts between bounds are those where the number of an element is within them: a `where` of the value, with elements around it, and of the array.
"""

import sys
from typing import Any, NamedTuple

from .._array.indexing import _check_order, _is_tensor, _turn, expand_keys, take
from .._frameworks import is_of
from .._program import Operand, is_bool, is_integer, read_integer
from ._elements import cast

_ALL = slice(None)


def set_items(array, key, value):
    """`array[key] = value` of integers, slices and `...`, of one array of booleans, or of arrays of integers.

    A TypeError for an array of the caller's, and for a key or a value that another number of elements belongs to; a fuser.Error for sizes that do not fit.
    """
    program = array._program
    builder, changes = program.builder, program.changes
    changes.check_own(array, "'[...] ='", "fuser.numpy.where or fuser.numpy.index_put in its place")
    value = builder.capture(value)
    keys = key if isinstance(key, tuple) else (key,)
    if (
        isinstance(value, Operand)
        and value._value == array._value
        and all(each is ... or _is_all(each) for each in keys)
    ):
        return  # Of `h[:] += 1`, whose part is all of it.
    if program.type(array)[1] is None:
        raise TypeError(f"expected an array, got a number, {array!r}, which has no elements to change")
    kept = changes.settle(array, value)
    element = program.type(array)[0]
    # A number is held by the type, or an error.
    is_array = isinstance(value, Operand) and program.type(value)[1] is not None
    value = cast(builder, value, element) if is_array else builder.full((), value, element)
    keys = [*map(builder.capture, keys)]
    part = None
    if len(keys) == 1 and _is_mask(keys[0]):
        result = _set_where(builder, array, keys[0], value)
    else:
        keys = _read_keys(array, keys)
        if any(map(_is_tensor, keys)):
            result = _set_indices(builder, array, keys, value)
        else:
            first = program.tape.count()
            part = take(array, keys)
            if not fits(keys, part, value):
                program.tape.let_cut(first)
            result = set_part(builder, array, keys, part, value)
    changes.finish(array, part, kept)
    changes.assign(array, result, "'[...] ='", "y = fuser.numpy.copy(y) before", part)


def _is_all(key):
    return isinstance(key, slice) and key.start is None and key.stop is None and key.step is None


def _is_mask(key):
    return isinstance(key, Operand) and is_bool(key._program.type(key)[0])


def _read_keys(array, keys):
    """A key for each dimension."""
    if any(each is None for each in keys):
        raise TypeError(
            "expected integers, slices, ... or arrays of integers as indices of what is assigned to, got None"
        )
    if any(map(_is_mask, keys)):
        raise TypeError(
            "expected an array of booleans as the only index of what is assigned to, got other ones beside it: h[:] = fuser.numpy.where(mask, value, h)"
        )
    return expand_keys(array, tuple(keys), array.ndim)


def _set_where(b, x, mask, value):
    """x with a value where a mask of its first dimensions is true."""
    missing = x.ndim - mask.ndim
    if missing < 0 or value.ndim > missing:
        raise TypeError(
            f"expected one value{' for all' if not missing else ', or an array of the dimensions behind the mask,'} where the booleans {mask!r} are true, got"
            f" {value!r}: of other arrays the number of elements would not be known; fuser.numpy.where(mask, y, x) has y of the shape of x"
        )
    return b.where(b.expand_dims(mask, list(range(mask.ndim, x.ndim))) if missing else mask, value, x)


def _set_indices(b, x, keys, value):
    """x with values where arrays of indices say, of all of it or of a part between bounds."""
    others = [_ALL if _is_tensor(key) else key for key in keys]
    left = [key for key in keys if isinstance(key, slice) or _is_tensor(key)]
    axes = [dim for dim, key in enumerate(left) if _is_tensor(key)]
    _check_order(keys)
    is_whole = all(map(_is_all, others))
    part = x if is_whole else take(x, others)
    part_of_it = b.index_put(part, [left[dim] for dim in axes], value, axes)
    return part_of_it if is_whole else set_part(b, x, others, part, part_of_it)


class _Span(NamedTuple):
    """Elements of a dimension in ascending order: integers, or scalars where the program computes them."""

    start: Any
    stop: Any
    step: Any
    is_backward: bool

    def count(self):
        """How many there are."""
        return self.stop - self.start if self.step == 1 else (self.stop - self.start + self.step - 1) // self.step


def set_part(b, x, keys, part, value):
    """x with a value, which is broadcast, in place of the part of it that the keys of all dimensions say. part: of which the sizes that are known are taken.

    Bounds of slices are cut at the size of their dimension, as NumPy does, unless the value has as many elements as there are between them: of fewer it
    would not fit.
    """
    rank, sizes = x.ndim, b._get_sizes(x)
    is_exact = fits(keys, part, value)
    slices = [(dim, key) for dim, key in enumerate(keys) if isinstance(key, slice)]
    spans = {dim: _read_span(b, key, sizes[dim], is_exact) for dim, key in slices}
    if value.ndim:
        own, counts = b._get_sizes(part), [spans[dim].count() for dim, _ in slices]
        wanted = [own[at] if is_exact or _is_all(key) else counts[at] for at, (_, key) in enumerate(slices)]
        value = _fit(b, value, [*wanted, *own[len(slices) :]])
        dropped = [dim for dim in range(rank) if dim not in spans]
        value = b.expand_dims(value, dropped) if dropped else value
    where = None
    for dim, key in enumerate(keys):
        if _is_all(key):
            continue
        numbers = b.iota([sizes[dim]])
        if dim in spans:
            value, own = _place(b, (x, value), dim, spans[dim], numbers)
        else:
            own = _find(b, x, dim, key, numbers)
        own = b.expand_dims(own, list(range(1, rank - dim))) if dim < rank - 1 else own
        where = own if where is None else where & own
    return b.broadcast_to(value, sizes) if where is None else b.where(where, value, x)


def fits(keys, part, value):
    """Whether a value has between the bounds of slices the sizes of the part, which are known and not 0, or 1, and not 1 alone."""
    left = [key for key in keys if isinstance(key, slice)]
    wanted, own = (each._program.type(each)[1] for each in (part, value))
    pairs = zip(reversed(left), reversed(own), reversed(wanted), strict=False)
    sizes = [(size, each) for key, size, each in pairs if size != 1 and not _is_all(key)]
    return bool(sizes) and all(size and size == each for size, each in sizes)


def _fit(b, value, sizes):
    """A value with as many dimensions as there are sizes, and these where its own are not 1."""
    rank = len(sizes)
    extra = value.ndim - rank
    if extra > 0 and value._program.type(value)[1][:extra] == (1,) * extra:
        value = value.squeeze(list(range(extra)))
    own = value._program.type(value)[1]
    sizes = sizes[rank - len(own) :] if len(own) <= rank else sizes
    value = b.broadcast_to(value, [1 if size == 1 else wanted for size, wanted in zip(own, sizes, strict=False)])
    return b.expand_dims(value, list(range(rank - len(own)))) if rank > len(own) else value


def _find(b, x, dim, key, numbers):
    """Which elements of a dimension of x an index is. numbers: those of the elements."""
    if isinstance(key, Operand) and key._program.type(key)[1] is not None:
        return b.equal(numbers, x._read_index(x, key, dim))
    # To read it is an error if there is no such element.
    return b.equal(numbers, take(numbers, [key]))


def _place(b, arrays, dim, span, numbers):
    """(the value with all elements of a dimension of x, which of them are its own). arrays: x and the value. numbers: those of the elements of x."""
    x, value = arrays
    start, stop, step, is_backward = span
    where = b.logical_and(b.greater_equal(numbers, start), b.less(numbers, stop))
    if step != 1:
        where = b.logical_and(where, b.equal((numbers - start) % step, 0))
    if not value.ndim or value._program.type(value)[1][dim] == 1:
        return value, where
    value = b.flip(value, dim) if is_backward else value
    if step != 1:
        return b.take(value, (numbers - start) // step, dim), where
    widths = [(0, 0)] * value.ndim
    rest = b._get_sizes(x)[dim] - stop
    # A bound beyond an open size is an error when the program runs: the sizes are others.
    widths[dim] = (start, b.maximum(rest, 0) if isinstance(rest, Operand) else rest)
    return b.pad(value, widths), where


def _read_span(b, key, size, is_exact):
    """The elements of a dimension that a slice is of. size: of the dimension, a scalar if it is open. is_exact: whether it ends within that."""
    step = 1 if key.step is None else read_integer(key.step, "a step")
    if not any(isinstance(each, Operand) for each in (size, key.start, key.stop)):
        places = range(*slice(key.start, key.stop, step).indices(size))
        if not places:
            return _Span(0, 0, 1, False)
        return _Span(min(places), max(places) + 1, abs(step), step < 0)
    ends = key.start, key.stop
    if step < 0:
        if step != -1:
            raise TypeError(
                f"expected a step of at least -1 where the size is open, got {step}: assign to h[::{-step}] with bounds, or fuser.jit(dynamic=False)"
            )
        ends = _turn(ends, None, step)
    start, stop = (
        default if each is None else _count(b, each, size, is_exact)
        for each, default in zip(ends, (0, size), strict=True)
    )
    if isinstance(start, int) and isinstance(stop, int):
        stop = max(start, stop)
    elif not is_exact and ends[1] is not None and not _ascend(*ends):
        stop = b.maximum(start, stop)
    return _Span(start, stop, abs(step), step < 0)


def _ascend(start, stop):
    """Whether a slice has no bound that is below the one before it, whatever the size is."""
    if not isinstance(start, (int, type(None))) or not isinstance(stop, int):
        return start is None or (isinstance(start, int) and start == 0)
    return start is None or ((start < 0) == (stop < 0) and start <= stop)


def _count(b, bound, size, is_exact):
    """Where a bound is: a negative one counts from the end. It is within the elements, if nothing says that it is."""
    if not isinstance(bound, Operand):
        place = bound if bound >= 0 else size + bound
        if is_exact or bound == 0:
            return place
        if not isinstance(size, Operand):
            return min(max(place, 0), size)
        return b.minimum(size, place) if bound > 0 else b.maximum(place, 0)
    place = b.where(bound < 0, bound + size, bound)
    return place if is_exact else b.minimum(b.maximum(place, 0), size)


def _find_ends(array):
    """The least and the greatest element of an array of integers of NumPy's or a tensor of PyTorch's; none of others, nor of no elements."""
    if is_of(type(array), "numpy", "ndarray"):
        return (int(array.min()), int(array.max())) if array.size else ()
    if not is_of(type(array), "torch", "Tensor"):
        return ()
    with sys.modules["torch"]._C.DisableTorchFunction():
        return (int(array.min()), int(array.max())) if array.numel() else ()


def _check_numbers(program, x, indices, dim, least=None):
    """Raises an IndexError for a number in an array beside the arguments that no element of a dimension has, in this call where its size is open.

    least: the least index, by default that of the first element from the end.
    """
    sizes = program.shapes.get(x._value, program.type(x)[1]) or ()
    size = sizes[dim] if -len(sizes) <= dim < len(sizes) else None
    if size is None:
        return
    least = -size if least is None else least
    wrong = next((each for each in _find_ends(program.find_captured(indices)) if not least <= each < size), None)
    if wrong is not None:
        expected = f"indices of {least} to {size - 1}" if size else "no index of no elements"
        raise program.make_error(f"expected {expected} in dimension {dim} of {x!r}, got {wrong}")


def check_indices(program, name, operands, attributes):
    """The same for ops of PyTorch's, whose indices do not count from the end."""
    if name not in ("gather", "index_select") or not all(isinstance(each, Operand) for each in operands):
        return
    x, indices = operands
    if isinstance(attributes["dim"], int) and is_integer(program.type(indices)[0]):
        _check_numbers(program, x, indices, attributes["dim"], 0)


def read_indices(builder, x, indices, dim):
    """Indices along a dimension of x as NumPy has them: negative ones count from the end. What is no integer is an error of the op."""
    indices = builder._program.capture(indices)
    if not isinstance(indices, Operand):
        if not hasattr(indices, "__index__") or isinstance(indices, bool):
            return indices
        return indices + builder.size(x, dim) if indices < 0 else indices
    if not is_integer(builder._program.type(indices)[0]):
        return indices
    _check_numbers(builder._program, x, indices, dim)
    index = builder.astype(indices, "int64")
    return builder.where(index < 0, index + builder.size(x, dim), index)
