# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a traced function has the arrays and numbers from that it uses beside its arguments, so that a call sees when there are others.

What a function does is not looked at, but which objects it can name: variables of its module and of functions around it, and attributes, elements and
methods of these and of its arguments; so do functions that it names. A place where nothing is taken from costs one more trace when it changes.

Beside the arrays a call sees whether a number or a text is another one, whether what was None is something else, and whether lists and dicts have other lengths
and keys. Of arrays that the program does not take it sees other types and sizes, and other elements of small ones of NumPy's, which Python may have read.
"""

import collections
import enum
import functools
import gc
import itertools
import numbers
import opcode
import operator
import re
import sys
import types
import weakref
from typing import Any, NamedTuple

from .._frameworks import is_of
from ._random import is_generator

#: Packages whose functions are not looked into.
_FOREIGN = {"fuser", "numpy", "torch", "builtins"} | sys.stdlib_module_names
#: Values that lead to no array.
_PLAIN = (type, str, bytes, int, float)
#: Those that the program knows: with another one it is another program.
_KNOWN = (str, bytes, int, float, complex)
#: What is another one if it is another object: functions, types and the like; and the same of packages that may not have been imported.
_BY_IDENTITY = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum)
_BY_IDENTITY_OF = (("numpy", "ufunc"), ("numpy", "dtype"), ("torch", "dtype"), ("torch", "device"))
#: Containers beside lists, tuples and dicts, of which numbers and texts are looked at, but no arrays.
_OTHER_CONTAINERS = (set, frozenset, collections.deque, types.MappingProxyType)
#: A function that names one of these may have attributes by their text.
_BY_TEXT = {"getattr", "hasattr", "vars", "__dict__", "AttributeError"}
#: More is not looked at.
_MAX_OBJECTS, _MAX_ELEMENTS, _MAX_DEPTH = 10_000, 1_000, 8
_MAX_NAMES = 4  # Of one message.
#: What code names, and the instructions that it has, where elements of arrays may become Python's numbers.
_READERS = {"float", "int", "bool", "complex", "round", "range", "item", "tolist", "math"}
_TESTS = {number for name, number in opcode.opmap.items() if re.search("TRUE|FALSE|COMPARE|CONTAINS|UNARY_NOT", name)}
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


class _Names(NamedTuple):
    """What a function can name."""

    used: frozenset
    #: Texts that attributes may be asked for by; None if none are.
    texts: frozenset | None
    #: Whether elements of arrays may become Python's numbers.
    reads: bool


_NO_NAMES = _Names(frozenset(), None, False)


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
    return kind if _read_kind(source.get(source.where, source.key)) == kind else None


def _keep_length(where, length):
    """This length, if it still is that of a list: two numbers of the same value may be two objects."""
    return length if len(where) == length else None


def _keep_keys(where, keys):
    return keys if tuple(where) == keys else None


def _get_slot(where, name):
    return getattr(where, name, None)


def _list_elements(value):
    return (*value, *value.values()) if isinstance(value, (dict, types.MappingProxyType)) else tuple(value)


def _keep_elements(where, elements):
    """These, if they still are those of a list or dict of numbers and texts."""
    own = _list_elements(where)
    is_same = len(own) == len(elements) and not any(map(_differs, own, elements))
    return elements if is_same else None


def _differs(value, other):
    """Whether a value is another one than before. A number or text that is made anew is the same; 0.0 is not -0.0, and NaN is NaN."""
    if value is other:
        return False
    if type(value) is not type(other):
        return True
    if isinstance(value, tuple):
        return len(value) != len(other) or any(map(_differs, value, other))
    return not isinstance(value, (*_KNOWN, numbers.Number)) or repr(value) != repr(other)


def has_changed(sources):
    """Whether there is something else in one of the places."""
    for get, where, key, value in sources:
        try:
            found = get(where, key)
            if found is not value and _differs(found, value):
                return True
        # The last one is of a dict that another thread changes.
        except (AttributeError, LookupError, ValueError, RuntimeError):
            return True
    return False


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
    return id(source.where), None if source.get in (_keep_elements, _keep_keys, _keep_length) else source.key


def _is_of_numbers(source):
    return source.get is _keep_elements or isinstance(source.value, _KNOWN) or _is_whole(source.value)


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
    return hasattr(value, "dtype") and getattr(value, "shape", None) == () and not hasattr(value, "__dlpack__")


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
        search = _Search()
        search.enter(function, (), _NO_NAMES)
        for each in _find_parts(arguments):
            search.enter(each, (), _get_names(function))
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
        return tuple({(each.get, id(each.where), each.key): each for each in found}.values())

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


def _get_code(function):
    """The code of a function of Python's, also if it is wrapped; None of anything else."""
    function = getattr(function, "__func__", function)
    return function.__code__ if isinstance(function, types.FunctionType) else None


def _find_names(code):
    """(names, texts that may be names) of the code of a function, and of functions in it."""
    names, texts = (
        set(code.co_names),
        {each for each in code.co_consts if isinstance(each, str) and each.isidentifier()},
    )
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            more = _find_names(each)
            names |= more[0]
            texts |= more[1]
    return names, texts


def _get_names(function):
    code = _get_code(getattr(function, "_function", function))
    if code is None:
        return _NO_NAMES
    names, texts = _find_names(code)
    reads = bool(names & _READERS) or _has_tests(code)
    if not names & _BY_TEXT:
        return _Names(frozenset(names), None, reads)
    return _Names(frozenset(names | texts), frozenset(texts | names if "AttributeError" in names else texts), reads)


def _has_tests(code):
    """Whether the code of a function, or of one in it, asks whether something is true."""
    return not _TESTS.isdisjoint(code.co_code[::2]) or any(
        isinstance(each, types.CodeType) and _has_tests(each) for each in code.co_consts
    )


def is_foreign(value):
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in _FOREIGN


def _get_depth(path):
    """The number of steps; those to the parts of a module are one, as these are as deep as a model is."""
    return sum(each.key not in _PARTS for each in path) if len(path) > _MAX_DEPTH else 0


def _may_lead(value):
    """Whether a list or dict may lead to arrays, also one that is empty yet."""
    elements = value.values() if isinstance(value, dict) else value
    return not value or not all(isinstance(each, _PLAIN) for each in elements)


class _Search:
    def __init__(self):
        #: What was looked at under which names, and whether it leads to something that calls look at.
        self._seen = {}
        #: Arrays with their paths; places of other values that the program depends on; numbers of NumPy's.
        self.arrays, self.fixed, self.scalars = [], [], {}
        self.generators = []
        self.reads = False

    def _fix(self, path, *more):
        if _is_watched(path):
            self.fixed.extend((*path, *more))

    def enter(self, value, path, names):
        """Looks at a value that `path` leads to, and at what it has under these names."""
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
            self._enter_once(value, path, names)

    def _enter_once(self, value, path, names):
        if (id(value), names) in self._seen:
            if self._seen[id(value), names][1]:
                self._fix(path)  # Another way to it, where there may be something else later.
            return
        if len(self._seen) > _MAX_OBJECTS or _get_depth(path) > _MAX_DEPTH:
            if not is_foreign(value):
                self.arrays.append((value, (*path, _UNWATCHED)))
            return
        # The value is not to be freed: another one would have its number.
        self._seen[id(value), names] = value, True
        count = len(self.arrays) + len(self.fixed)
        # Also of a method that has a name of its own: `draw = rng.normal`.
        owner = value.__self__ if isinstance(value, (types.MethodType, types.BuiltinFunctionType)) else value
        if is_generator(owner):
            self.generators.append(owner)
        elif isinstance(value, type):
            self._enter_type(value, path, names)
        elif isinstance(value, (list, tuple, dict)):
            self._enter_container(value, path, names)
        elif isinstance(value, _OTHER_CONTAINERS):
            if len(value) <= _MAX_ELEMENTS and all(isinstance(each, _PLAIN) for each in _list_elements(value)):
                self._fix(path, Source(_keep_elements, value, elements := _list_elements(value), elements))
        elif isinstance(value, (types.FunctionType, types.MethodType)):
            self._enter_function(value, path)
        elif isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self._take(getattr, value, name, path, names)
        else:
            self._enter_object(value, path, names)
        self._seen[id(value), names] = value, len(self.arrays) + len(self.fixed) > count

    def _take(self, get, where, key, path, names):
        value = get(where, key)
        self.enter(value, (*path, Source(get, where, key, value)), names)

    def _enter_container(self, value, path, names):
        if len(value) > _MAX_ELEMENTS:
            path = (*path, _UNWATCHED)
        elif not _may_lead(value):
            # One look at all of them; what a tuple has stays.
            elements = _list_elements(value)
            more = () if isinstance(value, tuple) else (Source(_keep_elements, value, elements, elements),)
            self._fix(path, *more)
            return
        elif isinstance(value, tuple):
            pass
        elif isinstance(value, dict):
            self._fix(path, Source(_keep_keys, value, keys := tuple(value), keys))
        else:
            self._fix(path, Source(_keep_length, value, length := len(value), length))
        self._enter_elements(value, path, names)

    def _enter_elements(self, value, path, names):
        for key in itertools.islice(list(value) if isinstance(value, dict) else range(len(value)), _MAX_OBJECTS):
            self._take(operator.getitem, value, key, path, names)

    def _enter_function(self, function, path):
        if is_foreign(function):
            return
        names, owner = _get_names(function), getattr(function, "__self__", None)
        self.reads |= names.reads
        function = getattr(function, "__func__", function)
        for name in names.used & function.__globals__.keys():
            self._take(operator.getitem, function.__globals__, name, path, names)
        for cell in function.__closure__ or ():
            try:
                self._take(getattr, cell, "cell_contents", path, names)
            except ValueError:
                continue  # It is empty yet.
        for name, defaults in (("__defaults__", function.__defaults__), ("__kwdefaults__", function.__kwdefaults__)):
            values = defaults.values() if isinstance(defaults, dict) else defaults
            # Arguments that are None by default are no places.
            if values and not all(each is None or isinstance(each, _PLAIN) for each in values):
                self._take(getattr, function, name, path, names)
        if owner is not None:
            self.enter(owner, path, names)

    def _enter_object(self, value, path, names):
        if isinstance(value, types.ModuleType) and is_foreign(value):
            return
        own = getattr(value, "__dict__", {})
        # What jit has around a function, and where callables have theirs.
        wanted = names.used | {"_function"}
        if own.keys() >= {"training", *_PARTS}:
            self._enter_module(value, own, path, names)
            wanted -= set(_PARTS)
        if names.texts is not None and not isinstance(value, types.ModuleType):
            # Texts may be made of others.
            wanted |= {name for name, each in own.items() if hasattr(type(each), "__dlpack__")}
            missing = {each for each in names.texts - own.keys() if not hasattr(type(value), each)}
            if missing:
                self._fix(path, *(Source(dict.get, own, each, None) for each in missing))
        for name in wanted & own.keys():
            self._take(operator.getitem, own, name, path, names)
        for name in names.used.union(("__call__", "forward")) - own.keys():
            self._enter_class(value, name, path, names)

    def _enter_module(self, value, own, path, names):
        """The arrays and parts of a module of PyTorch's."""
        # Modules do something else in training.
        self._fix(path, Source(operator.getitem, own, "training", own["training"]))
        is_list = hasattr(type(value), "__iter__")
        of_list = "_parameters" if "Parameter" in type(value).__name__ else "_modules"
        for name in _PARTS:
            if is_foreign(value) and not (is_list and name == of_list):
                # PyTorch's own ones look for nothing that they did not have, but lists go through their elements.
                part = (*path, Source(operator.getitem, own, name, own[name]))
                self._enter_elements(own[name], part, names)
            else:
                self._take(operator.getitem, own, name, path, names)

    def _enter_class(self, value, name, path, names):
        """An attribute that the class of a value has: a method, or a value of all of its objects."""
        for each in type(value).__mro__:
            if name not in vars(each) or is_foreign(each):
                continue
            attribute = vars(each)[name]
            function = getattr(attribute, "fget", None) or getattr(attribute, "_function", attribute)
            function = getattr(function, "__func__", function)
            if isinstance(function, types.FunctionType):
                self._enter_function(types.MethodType(function, value), path)
            elif not hasattr(attribute, "__get__") or isinstance(attribute, types.MemberDescriptorType):
                try:
                    self._take(getattr, value, name, path, names)
                except AttributeError:
                    self._fix(path, Source(_get_slot, value, name, None))  # It is empty yet.
            return

    def _enter_type(self, value, path, names):
        """Attributes of a class that the function names: `Config.w`."""
        for name in names.used:
            owner = next((each for each in value.__mro__ if name in vars(each) and not is_foreign(each)), None)
            attribute = vars(owner)[name] if owner else None
            function = getattr(attribute, "__func__", attribute)
            if isinstance(function, types.FunctionType):
                self._enter_function(function, path)
            elif owner and not hasattr(attribute, "__get__"):
                self._take(getattr, value, name, path, names)
