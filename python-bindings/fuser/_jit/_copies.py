# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What arrays beside a function's arguments have while it is traced, when it may change them in their place.

Those that it makes are constants of the program: it takes a copy where one is used first, and another one where it has changed since. Those that it names are
the ones of each call, in which the function does not run: a change of one that the program takes is an error.
"""

import sys
import zlib

from .._frameworks import is_of
from .._program import find_caller

#: Of arrays of more bytes some elements are looked at.
_MAX_BYTES, _NUM_SAMPLES = 1 << 26, 4096


def _is_of_numpy(array):
    return is_of(type(array), "numpy", "ndarray") and not array.dtype.hasobject


def _get_bits(array):
    """The bytes of all elements of an array of NumPy's or a tensor of PyTorch's."""
    if _is_of_numpy(array):
        numpy = sys.modules["numpy"]
        return numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)
    torch = sys.modules["torch"]
    return array.detach().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)


def _hash(array):
    numpy = sys.modules["numpy"]
    if array.nbytes > _MAX_BYTES:
        array = numpy.asarray(array).flat[:: array.size // _NUM_SAMPLES]
    return zlib.crc32(_get_bits(array))


def _copy(array):
    if _is_of_numpy(array):
        return sys.modules["numpy"].array(array)
    with sys.modules["torch"]._C.DisableTorchFunction():
        return array.clone()


def _are_equal(array, copy):
    """Whether both have the same bits."""
    if _is_of_numpy(array):
        return sys.modules["numpy"].array_equal(_get_bits(array), _get_bits(copy))
    torch = sys.modules["torch"]
    with torch._C.DisableTorchFunction():
        return torch.equal(_get_bits(array), _get_bits(copy))


def _share(array, other):
    """Whether arrays of NumPy's may have the same memory."""
    return array is other or (_is_of_numpy(array) and sys.modules["numpy"].may_share_memory(array, other))


class Copies:
    """Of each array that a program takes beside its arguments what it had then. named: arrays that the function can name before it is traced.

    Nothing here refers to arrays that the function has made: references to these are counted (see _captured.py).
    """

    def __init__(self, named=()):
        self._named = [(each, _hash(each)) for each in named if _is_of_numpy(each)]
        #: For each array a copy, or None where its elements are those of each call; and where it is used.
        self._copies, self._used = [], []
        #: By the id of an array the number of the last copy.
        self._numbers = {}

    def add(self, array, is_constant):
        """An array that the program takes. is_constant: whether PyTorch made it of numbers alone."""
        named = [(each, before) for each, before in self._named if _share(array, each)]
        where = find_caller()
        if any(_hash(each) != before for each, before in named):
            raise _explain(where)
        is_made = is_constant or (_is_of_numpy(array) and not named)
        self._numbers[id(array)] = len(self._copies)
        self._copies.append(_copy(array) if is_made else None)
        self._used.append(where)

    def has_changed(self, array):
        """Whether an array that was taken has other elements than its copy."""
        copy = self._copies[self._numbers[id(array)]]
        return copy is not None and not _are_equal(array, copy)

    def finish(self, captured, named):
        """What the program is called with for the arrays that it took, in order. named: arrays that the function can name after it was traced."""
        result = []
        for array, copy, where in zip(captured, self._copies, self._used, strict=True):
            if copy is not None and not any(_share(array, each) for each in named):
                result.append(copy)
                continue
            before = [mark for each, mark in self._named if _share(array, each) and _hash(each) != mark]
            if before or (copy is not None and not _are_equal(array, copy)):
                raise _explain(where)
            result.append(array)
        return result


def _explain(where):
    file, line = where
    return TypeError(
        f"{file}:{line}: expected arrays that stay as they are while the function is traced, got one that a name leads to, and that the function changes in its"
        " place: the program has the elements that it has at each call; change it outside of the function, or make another one with fuser.numpy"
        " (h = fnp.copy(w), h[0] = 1)"
    )
