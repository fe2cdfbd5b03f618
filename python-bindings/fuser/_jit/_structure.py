# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of a function as a structure, which programs are told apart by, and the arrays in it."""

import collections
import sys

from ._captured import is_scalar


class _Leaf:
    """The place of an array or of a scalar in a structure of arguments or results."""

    def __repr__(self):
        return "array"


ARRAY = _Leaf()
_DICTS = (dict, collections.OrderedDict)
_PLAIN = (str, int, bool, type(None))  # Most values; the rest takes longer.


def _get_fields(value):
    """The values of an object that its class compares; None if its class says itself what is equal."""
    dataclasses = sys.modules.get("dataclasses")
    if dataclasses and dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in dataclasses.fields(value) if each.compare]
    attributes = getattr(type(value), "__attrs_attrs__", None)
    return None if attributes is None else [getattr(value, each.name) for each in attributes if each.eq]


def _make_key(value):
    """What equal values of equal types have in common. Floats are equal if their bits are: 0.0 is not -0.0, and NaN is NaN."""
    if type(value) in _PLAIN:
        return type(value), value
    if isinstance(value, float):
        return type(value), value.hex()
    if isinstance(value, complex):
        return type(value), value.real.hex(), value.imag.hex()
    if isinstance(value, tuple):
        return type(value), tuple(map(_make_key, value))
    if isinstance(value, range):
        return range, value.start, value.stop, value.step
    if hasattr(type(value), "as_tuple"):  # Of a Decimal, of which 0.0, -0.0 and 0.00 are equal.
        return type(value), value.as_tuple()
    if isinstance(value, frozenset):
        return type(value), frozenset(map(_make_key, value))
    fields = _get_fields(value)
    if fields is not None and type(value).__hash__ is not object.__hash__:
        return type(value), tuple(map(_make_key, fields))
    return type(value), value


class Static:
    """A value that the program knows."""

    def __init__(self, value):
        self.value = value
        self._key = _make_key(value)

    def __eq__(self, other):
        return isinstance(other, Static) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def is_array(value):
    return hasattr(value, "__dlpack__")


def is_leaf(value):
    """True for arrays, and for numbers of NumPy's types: they may change from call to call."""
    return is_array(value) or is_scalar(value)


def flatten(value, leaves, is_leaf):
    """The structure around leaves, which are appended to `leaves`; it can be compared and is hashable."""
    if is_leaf(value):
        leaves.append(value)
        return ARRAY
    if isinstance(value, (tuple, list)):
        return type(value), tuple(flatten(each, leaves, is_leaf) for each in value)
    if isinstance(value, dict):
        if type(value) not in _DICTS:
            raise TypeError(f"expected a dict, got a {type(value).__name__}: write dict(value)")
        return type(value), tuple((Static(name), flatten(each, leaves, is_leaf)) for name, each in value.items())
    return Static(value)


def unflatten(structure, leaves):
    """The value of a structure, with the leaves of an iterator."""
    if structure is ARRAY:
        return next(leaves)
    if isinstance(structure, Static):
        return structure.value
    kind, parts = structure
    if kind in _DICTS:
        return kind((name.value, unflatten(each, leaves)) for name, each in parts)
    parts = [unflatten(each, leaves) for each in parts]
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def count_leaves(structure):
    """The number of leaves of a structure, or of a tuple or dict of structures."""
    if structure is ARRAY:
        return 1
    if isinstance(structure, dict):
        return sum(map(count_leaves, structure.values()))
    return sum(map(count_leaves, structure)) if isinstance(structure, tuple) else 0


def find_unhashable(structure):
    """A value in a structure, or in a tuple or dict of structures, that cannot be hashed, or None."""
    if isinstance(structure, dict):
        structure = (*structure.values(),)
    if isinstance(structure, tuple):
        return next(filter(None, map(find_unhashable, structure)), None)
    try:
        hash(structure)
    except TypeError:
        return structure
    return None


def refuse_transformed(name, arrays):
    """Raises a TypeError for tensors of PyTorch's that stand for others, or have no elements. name: of the function."""
    torch = sys.modules.get("torch")
    for each in arrays if torch else ():
        if not isinstance(each, torch.Tensor):
            continue
        if torch._C._functorch.is_functorch_wrapped_tensor(each):
            raise TypeError(
                f"{name}: expected tensors of elements, got one of torch.vmap, torch.func.grad or another transform of PyTorch's, which do not see what"
                " fuser.jit computes: call it outside of these, with all dimensions; gradients are those of torch.compile(function, backend='fuser')"
            )
        if each.is_meta or type(each).__name__ == "FakeTensor":
            raise TypeError(
                f"{name}: expected tensors of elements, got a {type(each).__name__} on {each.device}, which has none"
            )
