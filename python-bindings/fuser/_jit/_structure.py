# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of a function as a structure, which programs are told apart by, and the arrays in it."""

import collections
import functools
import sys
import types

from ._captured import is_foreign, is_scalar


class _Leaf:
    """The place of an array or of a scalar in a structure of arguments or results."""

    def __repr__(self):
        return "array"


ARRAY = _Leaf()
_DICTS = (dict, collections.OrderedDict)
_PLAIN = (str, int, bool, type(None))  # Most values; the rest takes longer.
#: What leads to no array, and how many other values are looked at.
_WITHOUT_ARRAYS = (str, bytes, int, float, complex, type(None), type, types.FunctionType, types.ModuleType)
_MAX_OBJECTS = 10_000
_CONTAINERS = (tuple, list, set, frozenset, collections.deque)


def _get_fields(value):
    """The values of an object that its class compares, by their names; None if its class says itself what is equal."""
    dataclasses = sys.modules.get("dataclasses")
    if dataclasses and dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.compare}
    attributes = getattr(type(value), "__attrs_attrs__", None)
    return None if attributes is None else {each.name: getattr(value, each.name) for each in attributes if each.eq}


class _Same:
    """A value that is equal to itself alone."""

    def __init__(self, value):
        self._value = value

    def __eq__(self, other):
        return isinstance(other, _Same) and self._value is other._value

    def __hash__(self):
        return id(self._value)


def _compares_itself(value):
    """Whether the class of a value says in Python what is equal to it."""
    return isinstance(type(value).__eq__, types.FunctionType)


@functools.lru_cache(256)
def _find_slots(kind):
    """The names of the slots of a class; None if its objects are not looked into, as of other packages only modules of PyTorch's are."""
    if is_foreign(kind) and not hasattr(kind, "named_parameters"):
        return None
    members = [vars(each).items() for each in kind.__mro__]
    return [name for each in members for name, own in each if isinstance(own, types.MemberDescriptorType)]


def _get_parts(value):
    """The attributes of an object by their names."""
    slots = _find_slots(type(value))
    own = {} if slots is None else getattr(value, "__dict__", {})
    return own | {name: getattr(value, name, None) for name in slots} if slots else own


def _holds_arrays(value, but):
    """Whether there is an array in an object, or in lists, dicts and objects that it has, beside attributes of these names. Of very many it is taken to be so."""
    left = [each for name, each in _get_parts(value).items() if name not in but]
    seen = set()
    while left:
        each = left.pop()
        if isinstance(each, _WITHOUT_ARRAYS) or id(each) in seen:
            continue
        if is_array(each) or len(seen) > _MAX_OBJECTS:
            return True
        seen.add(id(each))
        parts = each if isinstance(each, (*_CONTAINERS, dict)) else _get_parts(each)
        left.extend(parts.values() if isinstance(parts, dict) else parts)
    return False


def _make_key(value):
    """What equal values of equal types have in common. Floats are equal if their bits are: 0.0 is not -0.0, and NaN is NaN.

    An object that holds arrays which its class does not compare is equal to itself alone.
    """
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
    fields = None if type(value).__hash__ is object.__hash__ else _get_fields(value)
    key = type(value), value if fields is None else tuple(map(_make_key, fields.values()))
    is_other = _compares_itself(value) and _holds_arrays(value, fields or ())
    return (*key, _Same(value)) if is_other else key


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


def is_compared_by_python(structure):
    """Whether there is a value in a structure whose class says in Python what is equal to it."""
    if isinstance(structure, Static):
        return _compares_itself(structure.value)
    return isinstance(structure, tuple) and any(map(is_compared_by_python, structure))


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
