# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a traced function has the arrays and numbers from that it uses beside its arguments, so that a call sees when there are others.

What a function does is not looked at, but which objects it can name: variables of its module and of functions around it, and attributes, elements and
methods of these and of its arguments; so do functions that it names. An object may be handed on, so it is looked at under the names of all of them.
A place where nothing is taken from costs one more trace when it changes.

Beside the arrays a call sees whether a number or a text is another one, whether what was None is something else, and whether lists and dicts have other lengths
and keys. Of arrays that the program does not take it sees other types and sizes, and other elements of small ones of NumPy's, which Python may have read.
"""

import collections
import enum
import functools
import gc
import inspect
import itertools
import numbers
import operator
import sys
import types
import weakref
from array import array as ArrayOfPython
from typing import Any, NamedTuple

from .. import _fuser
from .._frameworks import is_of
from .._program import Operand
from ._names import CodeNames, Names, get_code, is_foreign, is_foreign_package, is_installed, read_code, split_text
from ._random import is_generator

#: Values that lead to no array.
_PLAIN = (type, str, bytes, int, float)
_PLAIN_OF_MANY = (*_PLAIN, complex, type(None))
#: Those that the program knows: with another one it is another program.
_KNOWN = (str, bytes, int, float, complex)
#: What is another one if it is another object: functions, types and the like; and the same of packages that may not have been imported.
_BY_IDENTITY = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum)
_BY_IDENTITY_OF = (("numpy", "ufunc"), ("numpy", "dtype"), ("torch", "dtype"), ("torch", "device"))
#: Containers beside lists, tuples and dicts, of which numbers and texts are looked at, but no arrays.
_OTHER_CONTAINERS = (set, frozenset, collections.deque, types.MappingProxyType)
_OF_BYTES = (ArrayOfPython, bytearray)
#: Classes of Python's that have their elements in attributes, and these.
_WRAPPERS = (collections.UserDict, collections.UserList, collections.UserString, collections.ChainMap)
_OF_WRAPPERS = {"data", "maps"}
#: Where callables, and what decorators and descriptors of Python's make, have their functions.
_FUNCTIONS = ("fget", "fset", "func", "_function", "__wrapped__")
#: Methods that are called without being named; and those of classes.
_IMPLIED = {"forward"} | {
    f"__{name}__"
    for name in (
        "call get set getitem iter next len contains missing bool enter exit getattr getattribute float int index array lt le gt ge neg pos abs invert"
        " add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul iadd isub imul itruediv imatmul and or xor"
    ).split()
}
_OF_CLASSES = _IMPLIED | {"__init__", "__new__", "__post_init__"}
#: The same of what an installed package has.
_IMPLIED_OF_OTHERS = {"__call__", "forward"}
_FUNCTIONS_OF_OTHERS = ("fget", "_function")
#: More is not looked at.
_MAX_OBJECTS, _MAX_ELEMENTS, _MAX_DEPTH = 10_000, 1_000, 8
_MAX_FUNCTIONS = 500  # Of those that are looked at under each other's names.
_MAX_NAMES = 4  # Of one message.
#: Where a module of PyTorch's has its arrays and parts.
_PARTS = ("_parameters", "_buffers", "_modules")


class Source(NamedTuple):
    """A place of which `value` was taken: get(where, key)."""

    get: Any
    where: Any
    key: Any
    value: Any


#: In the path to what is not looked at in each call.
_UNWATCHED = Source(None, None, None, None)


#: Sources of a program that is to be traced again.
NOWHERE = (Source(operator.getitem, (), 0, None),)


class _Kind(NamedTuple):
    """What a program may know of an array that it does not take."""

    type: type
    dtype: Any
    shape: tuple
    #: The elements of a small one of NumPy's, else None. Those of PyTorch's tensors cannot be read while a function is traced.
    elements: bytes | None


def _read_kind(array):
    shape = getattr(array, "shape", None)
    is_small = is_of(type(array), "numpy", "ndarray") and array.size <= _MAX_ELEMENTS and not array.dtype.hasobject
    return _Kind(type(array), getattr(array, "dtype", None), shape, array.tobytes() if is_small else None)


def _keep_kind(where, _):
    """The kind of a pair of a source and a kind, if it still is that of the array there."""
    source, kind = where
    array = source.get(source.where, source.key)
    # Each call asks this: without a new kind it is a third of the time.
    is_kept = (
        type(array) is kind.type
        and getattr(array, "dtype", None) == kind.dtype
        and getattr(array, "shape", None) == kind.shape
        and (kind.elements is None or array.tobytes() == kind.elements)
    )
    return kind if is_kept else None


def _get_slot(where, name):
    return getattr(where, name, None)


def _list_elements(value):
    return (*value, *value.values()) if isinstance(value, (dict, types.MappingProxyType)) else tuple(value)


def _keep_elements(where, elements):
    """These, if they still are those of a list or dict of numbers and texts."""
    own = _list_elements(where)
    if len(own) != len(elements):
        return None
    is_same = all(map(operator.is_, own, elements)) or not any(map(differs, own, elements))
    return elements if is_same else None


def _keep_bytes(where, found):
    return found if memoryview(where).tobytes() == found else None


def _keep_missing(where, texts):
    """These pairs of names that a dict might have and of those of them that it has, if it still is so."""
    names, present = texts
    return texts if names.intersection(where) == present else None


#: What looks at a container as a whole.
_OF_WHOLE = (_keep_elements, _keep_bytes, _fuser._keep_keys, _fuser._keep_length, _keep_missing)


def _get_of_class(where, name):
    return vars(where)[name]


def differs(value, other):
    """Whether a value is another one than before. A number or text that is made anew is the same; 0.0 is not -0.0, and NaN is NaN."""
    if value is other:
        return False
    if type(value) is not type(other):
        return True
    if isinstance(value, tuple):
        return len(value) != len(other) or any(map(differs, value, other))
    return not isinstance(value, (*_KNOWN, numbers.Number)) or repr(value) != repr(other)


def has_changed(sources):
    """Whether there is something else in one of the places."""
    return _fuser._has_changed(sources, differs)


def let_go(sources, objects):
    """The sources, without references to objects that a program is for alone: it is not asked about others, nor when these are gone."""
    known = {id(each) for each in objects}

    def replace(source):
        if source.get is _keep_kind:
            last, kind = source.where
            return source._replace(where=(replace(last), kind))
        return source._replace(where=weakref.proxy(source.where)) if id(source.where) in known else source

    return tuple(map(replace, sources)) if known else sources


def _get_place(source):
    """What sources of one place have in common; where elements or their number are looked at, the list or dict."""
    return id(source.where), None if source.get in _OF_WHOLE else source.key


def _is_of_numbers(source):
    return source.get in (_keep_elements, _keep_bytes) or isinstance(source.value, _KNOWN) or _is_whole(source.value)


def _is_whole(value):
    """Whether nothing in a value changes: it is the same as long as it is there."""
    return isinstance(value, (*_BY_IDENTITY, numbers.Number)) or any(
        is_of(type(value), *each) for each in _BY_IDENTITY_OF
    )


def _watch_kind(path):
    """The sources of a path to an array of which the program knows this much."""
    *steps, last = path
    kind = _read_kind(last.value)
    return (*steps, Source(_keep_kind, (last, kind), None, kind))


def is_scalar(value):
    """True for numbers of NumPy's types."""
    # An attribute of an object may be computed, or an error.
    return hasattr(type(value), "dtype") and getattr(value, "shape", None) == () and not hasattr(value, "__dlpack__")


def _is_of_torch(value):
    return is_of(type(value), "torch", "Tensor")


def _is_view(value, array):
    """Whether elements of both may be the same ones in memory; False of what is not NumPy's."""
    numpy = sys.modules.get("numpy")
    is_numpy = numpy is not None and isinstance(value, numpy.ndarray) and isinstance(array, numpy.ndarray)
    return is_numpy and numpy.may_share_memory(value, array)


def _describe(paths):
    """The names that lead to arrays, for a message; a variable of a function around has none here."""
    keys = {next((each.key for each in reversed(path) if isinstance(each.key, str)), "?") for path in paths}
    names = ["an outer variable" if key == "cell_contents" else f"'{key}'" for key in sorted(keys)]
    return ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")


def _is_watched(path):
    return all(each is not _UNWATCHED for each in path)


def _find_parts(value):
    """What is in lists, tuples and dicts that hold arguments: these are new in each call."""
    if isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _find_parts(each)
    else:
        yield value


def _count_references(values):
    """How many there are to each of the values of a list."""
    own = sys.getrefcount([object()][0])  # That of the call.
    return [count - own for count in map(sys.getrefcount, values)]


def _find_root(array):
    """The array that has the memory of a view; None if something else has."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return array if hasattr(array, "__dlpack__") else None


def _find_held(used, captured):
    """The ids of those of these arrays that were there before the function was traced: others refer to them, or to what they are views of."""
    arrays = [value for value, _ in used]
    roots = [_find_root(each) for each in arrays]
    # What tracing itself has, once in `used` as well as in `arrays`; and views have what they show.
    known = collections.Counter(map(id, itertools.chain(arrays, arrays, captured, roots)))
    known.update(id(root) for each, root in zip(arrays, roots, strict=True) if root is not each)
    counts = zip(arrays, roots, _count_references(arrays), _count_references(roots), strict=True)
    return {
        id(array)
        for array, root, count, count_of_root in counts
        if count > known[id(array)] or (root is not None and count_of_root > known[id(root)])
    }


class Places:
    """What a function can name. arguments: values that it is called with."""

    def __init__(self, function, arguments):
        search = next(filter(None, (_search(function, arguments, own) for own in _OWN)))
        #: Each array with the sources that lead to it.
        self.arrays = [(array, path) for array, path in search.arrays if _is_watched(path)]
        #: What is not looked at in each call: arrays, and what may have some.
        self._unwatched = [(array, path) for array, path in search.arrays if not _is_watched(path)]
        self._fixed = search.fixed
        #: Whether a function reads elements of arrays.
        self._reads = search.reads
        #: What random numbers may be drawn from.
        self.generators = search.generators
        self._own = search.scalars | {id(array): array for array, _ in self.arrays}

    def find_sources(self, captured, before):
        """The places that lead to these arrays, or to those whose memory they are a part of, and to what else the program depends on.

        before: the places before the function was traced. Numbers that it changes itself, such as that of its calls, are not looked at.
        """
        own = {_get_place(each) for each in before._fixed if has_changed((each,))}
        found = [each for each in self._fixed if not (_is_of_numbers(each) and _get_place(each) in own)]
        wanted = {id(each) for each in captured}
        views = [each for each in captured if id(each) not in self._own]
        for array, path in self.arrays:
            is_taken = id(array) in wanted or any(_is_view(each, array) for each in views)
            if is_taken:
                found.extend(path)
            if not is_taken or (self._reads and not _is_of_torch(array)):
                found.extend(_watch_kind(path))
        return tuple({(each.get, *_get_place(each)): each for each in found}.values())

    def check(self, used, captured):
        """Raises a TypeError for an array or number that would stay as it is when the function has another one, or when one that it names changes.

        used: each with the (file, line) that it is used in, without what PyTorch made of numbers; captured: the arrays among them.
        """
        used = [
            each
            for each in used
            if id(each[0]) not in self._own and not any(_is_view(each[0], array) for array, _ in self.arrays)
        ]
        if not used:
            return
        self._check_unwatched(used)
        self._check_named([each for each in used if not _is_of_torch(each[0])], captured)
        self._check_computed(used)
        # What PyTorch computes is traced: this one was there before.
        self._check_named([each for each in used if _is_of_torch(each[0])], None)

    def _check_named(self, used, captured):
        """An array that was there before the function was traced. captured: those among which NumPy may have made some; None if none may."""
        used = [each for each in used if not is_scalar(each[0])]
        if captured is not None and used and _find_held(used, captured):
            gc.collect()  # Of what the function made some may refer to itself.
            held = _find_held(used, captured)
            used = [each for each in used if id(each[0]) in held]
        elif captured is not None:
            return
        for _, (file, line) in used:
            raise TypeError(
                f"{file}:{line}: expected an array that names lead to in at most {_MAX_DEPTH} steps (w, self.w, params['w'][0]), got one that none leads"
                " to: it would stay when the function has another one; give it a name, or pass it as an argument"
            )

    def _check_unwatched(self, used):
        """An array of a list that is too long."""
        for value, (file, line) in used:
            paths = [path for array, path in self._unwatched if array is value or _is_view(value, array)]
            if paths:
                raise TypeError(
                    f"{file}:{line}: expected arrays of lists and dicts of at most {_MAX_ELEMENTS} elements, got one of more, {_describe(paths)}: each call"
                    " would look whether it has other ones; pass it as an argument, or stack its arrays to one"
                )

    def _check_computed(self, used):
        """What may have been computed of an array that the function names."""
        for value, (file, line) in used:
            # What PyTorch computes of its tensors is traced, and NumPy computes nothing of them.
            named = self.arrays + self._unwatched
            paths = [path for array, path in named if _is_of_torch(value) or not _is_of_torch(array)]
            if not paths:
                continue
            advice = "; of numbers alone Python makes it: float(n), math.sqrt(n)" if is_scalar(value) else ""
            raise TypeError(
                f"{file}:{line}: expected an array that the function names, or one that fuser.numpy makes, got {'a number' if advice else 'one'} that"
                f" {'PyTorch' if _is_of_torch(value) else 'NumPy'} made while the function was traced, which may have been computed of"
                f" {_describe(paths)}: it would stay as it is when that changes; make it with fuser.numpy (fnp.arange, fnp.exp(w), ...),"
                f" make it outside, or pass it as an argument{advice}"
            )


def _get_package(value):
    function = value.__func__ if isinstance(value, types.MethodType) else value
    if isinstance(function, types.FunctionType):
        name = function.__globals__.get("__name__")
    else:
        name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0]


def _get_depth(path):
    """The number of steps; those to the parts of a module are one, as these are as deep as a model is."""
    return sum(each.key not in _PARTS for each in path)


def _list_values(value):
    return value.values() if isinstance(value, dict) else value


def _may_lead(value):
    """Whether a list or dict may lead to arrays, also one that is empty yet."""
    return not value or not all(isinstance(each, _PLAIN) for each in _list_values(value))


def _is_plain(value):
    """Whether a look at the elements of a container that is not searched sees all of this one."""
    return isinstance(value, _PLAIN_OF_MANY) or (isinstance(value, tuple) and all(map(_is_plain, value)))


_WITH_FUNCTION = (staticmethod, classmethod, types.MethodType)


def _find_functions(attribute, names):
    """The functions of Python's that an attribute of a class stands for: itself, those of a property, that of a decorator, under these names."""
    # What has `__getattr__` may have an error there.
    own = [each for each in names if inspect.getattr_static(attribute, each, None) is not None]
    found = [getattr(attribute, each) for each in own]
    found = [each.__func__ if isinstance(each, _WITH_FUNCTION) else each for each in (attribute, *found)]
    return [each for each in found if isinstance(each, types.FunctionType)]


def _is_leaf_of_module(value):
    """Whether a variable of a module is looked at also where a module is handed on: functions and classes there may be very many."""
    return isinstance(value, (*_KNOWN, type(None), list, tuple, dict)) or hasattr(type(value), "__dlpack__")


class _Seen(NamedTuple):
    """What is known of a value that was looked at."""

    value: Any
    #: Whether it leads to something that calls look at.
    leads: bool
    depth: int
    #: Whether there is more behind it than the steps that are gone.
    is_cut: bool


#: Which packages are the user's own, as many as can be looked into: all that are not installed and that of the function, that one, and none.
_OWN = (
    lambda package, first: package == first or not is_installed(package),
    lambda package, first: package == first or is_foreign_package(package),
    lambda package, _: is_foreign_package(package),
)


def _search(function, arguments, own):
    """The _Search from a function and its arguments; None if very many functions can be reached."""
    names, count = Names(), None
    # Functions that are found under some names have more.
    while names.count != count:
        count, search = names.count, _Search(names, _get_package(function), own)
        try:
            search.enter(function, ())
            for each in _find_parts(arguments):
                search.enter(each, ())
        except _TooManyFunctionsError:
            return None
    return search


class _TooManyFunctionsError(Exception):
    """There are more than can be looked at under each other's names."""


class _Scope(NamedTuple):
    """The code that a value was found by."""

    code: CodeNames
    is_own: bool


class _Search:
    """names: what attributes are looked for under, which takes the names of functions that are found; own: which packages are the user's, as is `package`."""

    def __init__(self, names, package, own):
        self._names, self._texts = names, names.texts
        self._package, self._own = package, own
        self._seen = {}
        #: Of classes, the attributes that their objects are looked at for, and the texts that they have no attributes for.
        self._attributes, self._missing = {}, {}
        #: Arrays with their paths; places of other values that the program depends on; numbers of NumPy's.
        self.arrays, self.fixed, self.scalars = [], [], {}
        self.generators = []
        self.reads = False
        self._cuts = 0

    def _is_own(self, value):
        package = _get_package(value)
        has_package = package != "None" or isinstance(value, types.FunctionType)
        return not has_package or self._own(package, self._package)

    def _fix(self, path, *more):
        if _is_watched(path):
            self.fixed.extend((*path, *more))

    def enter(self, value, path, scope=None):
        """Looks at a value that `path` leads to."""
        if isinstance(value, Operand):
            return  # The function has kept it there itself.
        if hasattr(type(value), "__dlpack__"):
            if path:
                self.arrays.append((value, path))
        elif value is None or (path and isinstance(value, _KNOWN)):
            self._fix(path)
        elif path and is_scalar(value):
            # It cannot change in its place: whatever is computed of it is right as long as it is there.
            if _is_watched(path):
                self.scalars[id(value)] = value
            self._fix(path)
        elif isinstance(value, type) or not isinstance(value, _PLAIN):
            if path and _is_whole(value):
                self._fix(path)
            self._enter_once(value, path, scope)

    def _enter_once(self, value, path, scope):
        is_function = isinstance(value, (types.FunctionType, types.MethodType))
        if is_function or (self._is_own(value) and not isinstance(value, types.ModuleType)):
            self._enter_under(None, value, path)
            if is_function or scope is None or scope.is_own:
                return
        self._enter_under(scope, value, path)

    def _enter_under(self, scope, value, path):
        """Looks at what a value has under the names of some code; of all functions if there is none."""
        seen, depth = self._seen.get((id(value), scope)), _get_depth(path)
        if seen and not (seen.is_cut and depth < seen.depth):
            if seen.leads:
                self._fix(path)  # Another way to it, where there may be something else later.
            return
        if depth > _MAX_DEPTH or (not seen and len(self._seen) > _MAX_OBJECTS):
            self._cuts += 1
            if not is_foreign(value):
                self.arrays.append((value, (*path, _UNWATCHED)))
            return
        # The value is not to be freed: another one would have its number.
        self._seen[id(value), scope] = _Seen(value, True, depth, False)
        count, cuts = len(self.arrays) + len(self.fixed), self._cuts
        self._enter_kind(value, path, scope)
        leads = len(self.arrays) + len(self.fixed) > count or (seen is not None and seen.leads)
        self._seen[id(value), scope] = _Seen(value, leads, depth, self._cuts > cuts)

    def _enter_kind(self, value, path, scope):
        # Also of a method that has a name of its own: `draw = rng.normal`.
        owner = value.__self__ if isinstance(value, (types.MethodType, types.BuiltinFunctionType)) else value
        if is_generator(owner):
            self.generators.append(owner)
        elif isinstance(value, type):
            self._enter_type(value, path, scope)
        elif isinstance(value, (list, tuple, dict)):
            self._enter_container(value, path, scope)
            if type(value) not in (list, tuple, dict):
                self._enter_object(value, path, scope)
        elif isinstance(value, _OF_BYTES):
            self._fix(path, Source(_keep_bytes, value, found := memoryview(value).tobytes(), found))
        elif isinstance(value, _OTHER_CONTAINERS):
            if all(map(_is_plain, elements := _list_elements(value))):
                self._fix(path, Source(_keep_elements, value, elements, elements))
        elif isinstance(value, types.FunctionType):
            self._enter_function(value, path)
        elif isinstance(value, types.MethodType):
            self._enter_method(value, path)
        elif isinstance(value, (operator.attrgetter, operator.methodcaller)):
            texts = [each for each in value.__reduce__()[1] if isinstance(each, str)]
            self._names.attributes.update(itertools.chain.from_iterable(map(split_text, texts)))
        elif isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self._take(getattr, value, name, path, scope)
        elif isinstance(value, types.ModuleType):
            self._enter_variables(value, path, scope)
        else:
            self._enter_object(value, path, scope)

    def _take(self, get, where, key, path, scope):
        value = get(where, key)
        self.enter(value, (*path, Source(get, where, key, value)), scope)

    def _enter_container(self, value, path, scope):
        # A length that the function itself changes is none that it depends on.
        is_own = any(isinstance(each, Operand) for each in _list_values(value))
        if len(value) > _MAX_ELEMENTS or not _may_lead(value):
            # One look at all of them; what a tuple has stays.
            elements = _list_elements(value)
            more = () if is_own or isinstance(value, tuple) else (Source(_keep_elements, value, elements, elements),)
            self._fix(path, *more)
            if all(map(_is_plain, elements)):
                return
            path = (*path, _UNWATCHED)
        elif is_own or isinstance(value, tuple):
            pass
        elif isinstance(value, dict):
            self._fix(path, Source(_fuser._keep_keys, value, keys := tuple(value), keys))
        else:
            self._fix(path, Source(_fuser._keep_length, value, length := len(value), length))
        self._enter_elements(value, path, scope)

    def _enter_elements(self, value, path, scope):
        for key in itertools.islice(list(value) if isinstance(value, dict) else range(len(value)), _MAX_OBJECTS):
            self._take(operator.getitem, value, key, path, scope)

    def _enter_method(self, method, path):
        """A function with the object that it is a method of."""
        if not is_foreign(method):
            function = getattr(method.__func__, "_function", method.__func__)
            self._enter_under(None, function, path)
            if get_code(function) is not None:
                self.enter(method.__self__, path, self._make_scope(function))

    def _make_scope(self, function):
        return _Scope(read_code(get_code(function)), self._is_own(function))

    def _enter_function(self, function, path):
        """What a function names, and has in cells and default values."""
        if is_foreign(function):
            return
        scope = self._make_scope(function)
        code = scope.code
        self._names.add(*scope)
        if self._names.num_own > _MAX_FUNCTIONS and self._own is not _OWN[-1]:
            raise _TooManyFunctionsError
        self.reads |= code.reads
        for name in code.find_variables() & function.__globals__.keys():
            self._take(operator.getitem, function.__globals__, name, path, scope)
        for name in code.imports & sys.modules.keys() if scope.is_own else ():
            self._take(operator.getitem, sys.modules, name, path, scope)
        for cell in function.__closure__ or ():
            try:
                self._take(getattr, cell, "cell_contents", path, scope)
            except ValueError:
                continue  # It is empty yet.
        for name, defaults in (("__defaults__", function.__defaults__), ("__kwdefaults__", function.__kwdefaults__)):
            values = defaults.values() if isinstance(defaults, dict) else defaults
            # Arguments that are None by default are no places.
            if values and not all(each is None or isinstance(each, _PLAIN) for each in values):
                self._take(getattr, function, name, path, scope)

    def _enter_variables(self, module, path, scope):
        """Those of a module that the code at hand names, and those of other names that are no functions and classes."""
        if is_foreign(module):
            return
        own, used = vars(module), self._get_used(module)
        named = used if scope is None else scope.code.named
        wanted = named & own.keys()
        if self._is_own(module):
            wanted |= {name for name in own.keys() & used if _is_leaf_of_module(own[name])}
        for name in wanted:
            self._take(operator.getitem, own, name, path, scope)

    def _get_used(self, value):
        """The names that a value may have attributes under."""
        return self._names.attributes if self._is_own(value) else self._names.own

    def _enter_object(self, value, path, scope):
        own = getattr(value, "__dict__", {})
        used = self._get_used(value) if scope is None else scope.code.named
        # Texts may be made of others.
        missing = self._find_missing(value, scope)
        more = {
            *(_FUNCTIONS if self._is_own(value) else _FUNCTIONS_OF_OTHERS),
            *(_OF_WRAPPERS if isinstance(value, _WRAPPERS) else ()),
        }
        if missing is not None:
            more |= {name for name, each in own.items() if hasattr(type(each), "__dlpack__")}
            if missing and hasattr(value, "__dict__"):
                texts = missing, missing.intersection(own)
                self._fix(path, Source(_keep_missing, own, texts, texts))
        parts = ()
        if own.keys() >= {"training", *_PARTS}:
            self._enter_module(value, own, path, scope)
            parts = _PARTS
        for name in list(own):
            if (name in used or name in more) and name not in parts:
                self._take(operator.getitem, own, name, path, scope)
        for attribute in self._find_attributes(type(value), scope, _IMPLIED):
            name, _, of_class, is_behind = attribute
            if is_behind or name not in own or hasattr(type(of_class), "__set__"):
                self._enter_attribute(value, attribute, path, scope)

    def _find_missing(self, value, scope):
        """The texts that a value may be asked for by and its class has no attributes for; None if it is not asked."""
        kind = type(value)
        if (kind, scope) not in self._missing:
            texts = scope.code.asked if scope else self._texts if self._is_own(value) else None
            self._missing[kind, scope] = texts.difference(*map(vars, kind.__mro__)) if texts else None
        return self._missing[kind, scope]

    def _find_attributes(self, kind, scope, implied):
        """(name, class, attribute, whether another class has it first) of those that a class and the ones that it inherits from have under names that are used."""
        key = kind, scope, implied is _IMPLIED
        if key not in self._attributes:
            found, names = [], set()
            for each in kind.__mro__:
                own = {} if is_foreign(each) else dict(vars(each))
                used = self._get_used(each) if scope is None else scope.code.named
                is_own = scope is None and self._is_own(each)
                more = implied if is_own else implied & _IMPLIED_OF_OTHERS
                has_super = is_own and self._names.has_super
                for name, attribute in own.items():
                    # super() leads to those that are behind.
                    if (name in used or name in more) and (name not in names or has_super):
                        found.append((name, each, attribute, name in names))
                names |= own.keys()
            self._attributes[key] = found
        return self._attributes[key]

    def _enter_module(self, value, own, path, scope):
        """The arrays and parts of a module of PyTorch's."""
        # Modules do something else in training.
        self._fix(path, Source(operator.getitem, own, "training", own["training"]))
        is_list = hasattr(type(value), "__iter__")
        of_list = "_parameters" if "Parameter" in type(value).__name__ else "_modules"
        for name in _PARTS:
            if is_foreign(value) and not (is_list and name == of_list):
                # PyTorch's own ones look for nothing that they did not have, but lists go through their elements.
                self._enter_elements(own[name], (*path, Source(operator.getitem, own, name, own[name])), scope)
            else:
                self._take(operator.getitem, own, name, path, scope)

    def _enter_attribute(self, value, attribute, path, scope):
        """An attribute that the class of a value has: a method, or a value of all of its objects."""
        name, owner, attribute, is_behind = attribute
        is_type, is_own = isinstance(value, type), self._is_own(owner)
        names = _FUNCTIONS if is_own else () if is_type else _FUNCTIONS_OF_OTHERS
        functions = _find_functions(attribute, names)
        for each in functions:
            of_class = isinstance(attribute, classmethod) and not is_type
            has_owner = is_own or not is_type
            if has_owner:
                self._enter_method(types.MethodType(each, type(value) if of_class else value), path)
            else:
                self._enter_under(None, each, path)
        if functions:
            return
        if hasattr(type(attribute), "__get__") and not isinstance(attribute, types.MemberDescriptorType):
            if is_own and not is_foreign(type(attribute)):
                self._take(_get_of_class, owner, name, path, scope)  # Its `__get__` is a method of it.
        elif is_behind:
            self._take(_get_of_class, owner, name, path, scope)
        else:
            try:
                self._take(getattr, value, name, path, scope)
            except AttributeError:
                self._fix(path, Source(_get_slot, value, name, None))  # It is empty yet.

    def _enter_type(self, value, path, scope):
        """Attributes of a class that functions name: `Config.w`; and methods of the objects that they may make of it."""
        for attribute in self._find_attributes(value, scope, _OF_CLASSES):
            if not isinstance(attribute[2], types.MemberDescriptorType):
                self._enter_attribute(value, attribute, path, scope)
