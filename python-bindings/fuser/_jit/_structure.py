# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of a function as a structure, which programs are told apart by, and the arrays in it."""

import collections
import enum
import functools
import itertools
import sys
import types
import weakref

from .._frameworks import TRANSFORMED, is_of, is_transformed, to_numpy
from .._program import Results
from ._captured import is_foreign, is_scalar


class _Leaf:
    """The place of an array or of a scalar in a structure of arguments or results."""

    def __repr__(self):
        return "array"


ARRAY = _Leaf()
#: That of a result that is a number of Python's, as sizes are that are known while a function is traced.
NUMBER = _Leaf()
_DICTS = (dict, collections.OrderedDict)
_PLAIN = (str, int, bool, type(None))  # Most values; the rest takes longer.
#: What leads to no array, and how many other values are looked at.
_WITHOUT_ARRAYS = (str, bytes, int, bool, float, complex, type(None), types.ModuleType)
_MAX_OBJECTS = 10_000
_CONTAINERS = (tuple, list, set, frozenset, collections.deque)


@functools.lru_cache(256)
def _find_fields(kind):
    """The names of what a class compares of its objects; None if it says itself what is equal."""
    if kind.__hash__ is object.__hash__:
        return None
    dataclasses = sys.modules.get("dataclasses")
    if dataclasses and dataclasses.is_dataclass(kind):
        return tuple(each.name for each in dataclasses.fields(kind) if each.compare)
    attributes = getattr(kind, "__attrs_attrs__", None)
    return None if attributes is None else tuple(each.name for each in attributes if each.eq)


class _Same:
    """A value that is equal to itself alone, as long as it is there. It is not kept, if it allows that.

    has_equals: whether its class says of others that they are equal to it.
    """

    def __init__(self, value, has_equals):
        self._id, self.has_equals = id(value), has_equals
        try:
            self._get = weakref.ref(value)
        except TypeError:
            self._get = functools.partial(_return, value)

    @property
    def value(self):
        """None if it is gone."""
        return self._get()

    @property
    def is_weak(self):
        return isinstance(self._get, weakref.ref)

    def __eq__(self, other):
        value = self.value
        return self is other or (isinstance(other, _Same) and value is not None and value is other.value)

    def __hash__(self):
        return self._id


def _return(value):
    return value


@functools.lru_cache(256)
def _find_slots(kind):
    """The names of the slots of a class; None if its objects are not looked into, as of other packages only modules of PyTorch's are."""
    if is_foreign(kind) and not hasattr(kind, "named_parameters"):
        return None
    members = [vars(each).items() for each in kind.__mro__]
    return [name for each in members for name, own in each if isinstance(own, types.MemberDescriptorType)]


def _compares_identity(kind):
    """Whether objects of a class are equal to themselves alone."""
    return kind.__eq__ is object.__eq__


@functools.lru_cache(256)
def _may_hold_more(kind):
    """Whether equal objects of a class may hold other arrays: it compares them, but not all that they can have.

    Of other packages no class does, and members of enums are equal to themselves.
    """
    if _compares_identity(kind) or issubclass(kind, enum.Enum) or is_foreign(kind):
        return False
    compared = _find_fields(kind) or ()
    return kind.__dictoffset__ != 0 or not {*(_find_slots(kind) or ())} <= {*compared}


def _get_attributes(value):
    """The attributes of an object by their names."""
    slots = _find_slots(type(value))
    own = {} if slots is None else getattr(value, "__dict__", {})
    return own | {name: getattr(value, name, None) for name in slots} if slots else own


def _find_in_function(function):
    """What a function of Python's has: its cells, defaults and attributes, and arrays among the variables that it names."""
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *function.__dict__.values()]
    for each in function.__closure__ or ():
        try:
            found.append(each.cell_contents)
        except ValueError:
            continue  # It is empty yet.
    named = map(function.__globals__.get, function.__code__.co_names)
    return found + [each for each in named if hasattr(type(each), "__dlpack__")]


def _list_parts(value):
    """What a value has that may hold arrays."""
    if isinstance(value, (dict, types.MappingProxyType)):
        own = [*value.values()]
    elif isinstance(value, _CONTAINERS):
        own = [*value]
    elif isinstance(value, types.FunctionType):
        return _find_in_function(value)
    elif isinstance(value, types.MethodType):
        return [value.__self__, value.__func__]
    elif isinstance(value, functools.partial):
        own = [value.func, value.args, value.keywords]
    elif isinstance(value, type):
        return [] if is_foreign(value) else [each for kind in value.__mro__ for each in _list_of_class(kind)]
    elif isinstance(value, property):
        return [value.fget]
    else:
        own = [getattr(value, "__wrapped__", None)] if "__wrapped__" in getattr(value, "__dict__", ()) else []
        own += [value.__func__] if isinstance(value, (staticmethod, classmethod)) else []
    if isinstance(value, types.SimpleNamespace):
        own.extend(vars(value).values())
    return [*own, *_get_attributes(value).values(), type(value)]


def _list_of_class(kind):
    return () if is_foreign(kind) else vars(kind).values()


def _holds_arrays(value, but):
    """Whether there is an array in an object, or in what it has, beside attributes of these names. Of very many it is taken to be so.

    What its class has is that of all equal ones.
    """
    attributes = _get_attributes(value)
    if attributes.keys() <= {*but}:
        return False
    left = [each for name, each in attributes.items() if name not in but]
    seen = {}  # They stay, as another one would have the number of one that is gone.
    while left:
        each = left.pop()
        if type(each) in _WITHOUT_ARRAYS or id(each) in seen:
            continue
        if (is_array(each) and not isinstance(each, type)) or len(seen) > _MAX_OBJECTS:
            return True
        seen[id(each)] = each
        left.extend(_list_parts(each))
    return False


def _make_key(value):
    """What equal values of equal types have in common. Floats are equal if their bits are: 0.0 is not -0.0, and NaN is NaN.

    An object that its class does not compare, or that holds arrays which it does not, is equal to itself alone.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if _compares_identity(kind):
        return kind, _hash(value), _Same(value, has_equals=False)
    compared = _find_fields(kind)
    is_other = _may_hold_more(kind) and _holds_arrays(value, compared or ())
    if compared is not None:
        key = kind, tuple([_make_key(getattr(value, name)) for name in compared])
    elif is_other:
        key = kind, _hash(value)
    else:
        return _make_key_of_kind(value)
    return (*key, _Same(value, has_equals=True)) if is_other else key


def _hash(value):
    """The value itself, which is kept no longer then, if it has none: that is an error of the call."""
    try:
        return hash(value)
    except (TypeError, ValueError):
        return value


def _make_key_of_kind(value):
    """What equal values have in common that hold nothing else."""
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
    return type(value), value


def _find_same(key):
    """Those in a key that are equal to themselves alone."""
    if isinstance(key, _Same):
        return [key]
    return [each for part in key for each in _find_same(part)] if isinstance(key, (tuple, frozenset)) else []


class Static:
    """A value that the program knows."""

    def __init__(self, value):
        self.value = value
        self._key = _make_key(value)

    @property
    def is_own(self):
        """Whether the program is for this value alone, of equal ones."""
        return any(each.has_equals for each in _find_same(self._key))

    def let_go(self):
        """The same without a value that the program is for alone, which is not to be kept by it."""
        if not any(each.is_weak for each in _find_same(self._key)):
            return self
        result = Static(None)
        result._key = self._key
        return result

    def __eq__(self, other):
        return isinstance(other, Static) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def is_array(value):
    # What `__getattr__` of other objects raises may be anything.
    return hasattr(type(value), "__dlpack__")


def is_leaf(value):
    """True for arrays, and for numbers of NumPy's types: they may change from call to call."""
    return is_array(value) or (hasattr(type(value), "dtype") and is_scalar(value))


def flatten(value, leaves, is_leaf):
    """The structure around leaves, which are appended to `leaves`; it can be compared and is hashable. is_leaf: gives False, or True or the leaf."""
    leaf = is_leaf(value)
    if leaf:
        leaves.append(value)
        return ARRAY if leaf is True else leaf
    if isinstance(value, (tuple, list)):
        kind = tuple if isinstance(value, Results) else type(value)
        return kind, tuple(flatten(each, leaves, is_leaf) for each in value)
    if isinstance(value, dict):
        if type(value) not in _DICTS:
            raise TypeError(f"expected a dict, got a {type(value).__name__}: write dict(value)")
        return type(value), tuple((Static(name), flatten(each, leaves, is_leaf)) for name, each in value.items())
    return Static(value)


def unflatten(structure, leaves):
    """The value of a structure, with the leaves of an iterator."""
    if structure is ARRAY:
        return next(leaves)
    if structure is NUMBER:
        number = next(leaves)
        return (number if hasattr(number, "item") else to_numpy(number)).item()
    if isinstance(structure, Static):
        return structure.value
    kind, parts = structure
    if kind in _DICTS:
        return kind((name.value, unflatten(each, leaves)) for name, each in parts)
    parts = [unflatten(each, leaves) for each in parts]
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def holds_number(structure):
    """Whether there is a number of Python's in a structure."""
    if isinstance(structure, Static):
        return isinstance(structure.value, (int, float))
    return isinstance(structure, tuple) and any(map(holds_number, structure))


def count_leaves(structure):
    """The number of leaves of a structure, or of a tuple or dict of structures."""
    if structure is ARRAY:
        return 1
    if isinstance(structure, dict):
        return sum(map(count_leaves, structure.values()))
    return sum(map(count_leaves, structure)) if isinstance(structure, tuple) else 0


def list_arguments(structure):
    """(structures of a call's arguments in its order, names of the last ones of these, which have some)."""
    _, (positional, named) = structure
    return [*positional[1], *(each for _, each in named[1])], [name.value for name, _ in named[1]]


def name_leaves(structure, bind):
    """The parameter's name for each leaf of a call, with a number where it has several. bind: gives what a parameter has, by its name, of things that stand for
    the arguments of the call, which may be in another order than parameters are."""
    arguments, _ = list_arguments(structure)
    owners, numbers = {}, {}
    for parameter, places in bind(range(len(arguments))).items():
        for place in [places] if isinstance(places, int) else places.values() if isinstance(places, dict) else places:
            owners[place] = parameter
            # Of one array alone the name is the parameter's.
            is_one = isinstance(places, int) and arguments[place] is ARRAY
            numbers[parameter] = None if is_one else itertools.count()
    for place, each in enumerate(arguments):
        parameter = owners[place]
        own = numbers[parameter]
        yield from [parameter] if own is None else [f"{parameter}{next(own)}" for _ in range(count_leaves(each))]


def may_hold_more(structure):
    """Whether there is a value in a structure to which one may be equal that holds other arrays."""
    if isinstance(structure, Static):
        return _may_hold_more(type(structure.value))
    return isinstance(structure, tuple) and any(map(may_hold_more, structure))


def find_own(structure):
    """The objects in a structure that a program is for alone, and that it does not keep."""
    if isinstance(structure, Static):
        return [each.value for each in _find_same(structure._key) if each.is_weak]
    return [each for part in structure for each in find_own(part)] if isinstance(structure, tuple) else []


def let_go(structure):
    """The same structure without the values that a program is for alone."""
    if isinstance(structure, Static):
        return structure.let_go()
    return tuple(map(let_go, structure)) if isinstance(structure, tuple) else structure


def find_unhashable(structure):
    """A value in a structure, or in a tuple or dict of structures, that cannot be hashed, or None."""
    if isinstance(structure, dict):
        structure = (*structure.values(),)
    if isinstance(structure, tuple):
        return next(filter(None, map(find_unhashable, structure)), None)
    try:
        hash(structure)
    except (TypeError, ValueError):  # A memoryview has the latter.
        return structure
    return None


def explain_unhashable(name, arguments, error):
    """The error of a call of which an argument cannot be hashed. arguments: their structures by parameters' names."""
    for parameter, value in arguments.items():
        wrong = find_unhashable(value)
        if wrong is None:
            continue
        got = f"a {type(wrong.value).__name__} {'as' if wrong is value else 'in'} '{parameter}'"
        advice = "numpy.asarray(value)" if isinstance(wrong.value, memoryview) else "a tuple or a frozenset"
        if hasattr(wrong.value, "__dict__"):
            advice = "its arrays, or a dict of them (vars(value)); a value without arrays can be a @dataclass"
        reason = f"got {got}, which is none ({error}): pass {advice}"
        return TypeError(f"{name}: expected arrays and hashable values as arguments, {reason}")
    return TypeError(f"{name}: expected arrays and hashable values as arguments: {error}")


def refuse_matrix(array):
    """Raises a TypeError for an array whose `*` and `**` are products of matrices, and whose parts have two dimensions."""
    if is_of(type(array), "numpy", "matrix"):
        raise TypeError(
            "expected an array whose operators go element by element, got a numpy.matrix: pass numpy.asarray(matrix), of which `@` is the product"
        )


def refuse_negated(name, structure, leaves, bind):
    """Raises a ValueError for a tensor of PyTorch's whose elements are those in memory with the other sign. name: of the function; bind: gives its parameters."""
    place = next((place for place, leaf in enumerate(leaves) if getattr(leaf, "is_neg", bool)()), None)
    if place is not None:
        names = name_leaves(structure, functools.partial(bind, structure))
        raise ValueError(
            f"{name}: expected arrays without the negative bit, got a tensor with it as '{[*names][place]}': pass tensor.resolve_neg()"
        )


def refuse_transformed(name, arrays):
    """Raises a TypeError for tensors of PyTorch's that stand for others, or have no elements. name: of the function."""
    torch = sys.modules.get("torch")
    for each in arrays if torch else ():
        if not isinstance(each, torch.Tensor):
            continue
        if is_transformed(each):
            raise TypeError(f"{name}: {TRANSFORMED}")
        if is_of(type(each), "torch.masked", "MaskedTensor"):
            raise TypeError(
                f"{name}: expected tensors without a mask, got a {type(each).__name__}: pass tensor.to_tensor(value)"
            )
        if each.is_nested:
            raise TypeError(
                f"{name}: expected tensors of elements in rows of one length, got a nested one: pass tensor.to_padded_tensor(0), or its parts (tensor.unbind())"
            )
        if each.is_meta or type(each).__name__ == "FakeTensor":
            raise TypeError(
                f"{name}: expected tensors of elements, got a {type(each).__name__} on {each.device}, which has none"
            )


def describe(leaf, dynamic):
    """What a program depends on of an argument: its type, and which sizes are 1, or all sizes."""
    if not is_array(leaf):
        return str(leaf.dtype), None
    refuse_matrix(leaf)
    return leaf.dtype, tuple(size == 1 if dynamic else size for size in leaf.shape)


def get_device(leaves):
    """(kind, number) of the device of the first array, as DLPack has it; that of the CPU without one."""
    kind, number = next((leaf.__dlpack_device__() for leaf in leaves if is_array(leaf)), (1, 0))
    return int(kind), number
