# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a traced function has the arrays from that it uses beside its arguments, so that a call sees when there are others.

What a function does is not looked at, but which objects it can name: variables of its module and of functions around it, and attributes, elements and
methods of these and of its arguments; so do functions that it names. A place where nothing is taken from costs one more trace when it changes.
"""

import functools
import operator
import sys
import types
from typing import Any, NamedTuple

from .._frameworks import is_of

#: Packages whose functions are not looked into.
_FOREIGN = {"fuser", "numpy", "torch", "builtins"}
#: More is not looked at.
_MAX_OBJECTS, _MAX_ELEMENTS, _MAX_DEPTH = 10_000, 1_000, 8
_MAX_NAMES = 4  # Of one message.
#: Where a module of PyTorch's has its arrays and parts.
_PARTS = ("_parameters", "_buffers", "_modules")


class Source(NamedTuple):
    """A place of which `value` was taken: get(where, key)."""

    get: Any
    where: Any
    key: Any
    value: Any


def has_changed(sources):
    """Whether there is something else in one of the places."""
    for get, where, key, value in sources:
        try:
            if get(where, key) is not value:
                return True
        except (AttributeError, LookupError, ValueError):
            return True
    return False


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


class Places:
    """What a function can name. arguments: values that it is called with."""

    def __init__(self, function, arguments):
        search = _Search()
        search.enter(function, (), frozenset())
        for each in arguments:
            search.enter(each, (), _get_names(function))
        #: Each array with the sources that lead to it.
        self.arrays = search.arrays
        self._fixed = search.fixed
        self._own = search.scalars | {id(array): array for array, _ in search.arrays}

    def find_sources(self, captured):
        """The places that lead to these arrays, or to those whose memory they are a part of, and to values that are known to the program."""
        found = list(self._fixed)
        if captured:
            wanted = {id(each) for each in captured}
            views = [each for each in captured if id(each) not in self._own]
            for array, path in self.arrays:
                if id(array) in wanted or any(_is_view(each, array) for each in views):
                    found.extend(path)
        return tuple({(id(each.where), each.key): each for each in found}.values())

    def check(self, used):
        """Raises a TypeError for an array or number that may have been computed of an array that the function names: it would stay as it is.

        used: each with the (file, line) that it is used in, without what PyTorch made of numbers.
        """
        for value, (file, line) in used:
            # What PyTorch computes of its tensors is traced, and NumPy computes nothing of them.
            arrays = [(array, path) for array, path in self.arrays if _is_of_torch(value) or not _is_of_torch(array)]
            if not arrays or id(value) in self._own or any(_is_view(value, array) for array, _ in arrays):
                continue
            advice = "; of numbers alone Python makes it: float(n), math.sqrt(n)" if is_scalar(value) else ""
            raise TypeError(
                f"{file}:{line}: expected an array that the function names, or one that fuser.numpy makes, got {'a number' if advice else 'one'} that"
                f" {'PyTorch' if _is_of_torch(value) else 'NumPy'} made while the function was traced, which may have been computed of"
                f" {_describe(path for _, path in arrays)}: it would stay as it is when that changes; make it with fuser.numpy (fnp.arange, fnp.exp(w), ...),"
                f" make it outside, or pass it as an argument{advice}"
            )


def _get_code(function):
    """The code of a function of Python's, also if it is wrapped; None of anything else."""
    function = getattr(function, "__func__", function)
    return function.__code__ if isinstance(function, types.FunctionType) else None


def _find_names(code):
    nested = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(code.co_names).union(*map(_find_names, nested))


def _get_names(function):
    code = _get_code(getattr(function, "_function", function))
    return _find_names(code) if code else frozenset()


def _is_foreign(value):
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in _FOREIGN


def _get_depth(path):
    """The number of steps; those to the parts of a module are one, as these are as deep as a model is."""
    return sum(each.key not in _PARTS for each in path) if len(path) > _MAX_DEPTH else 0


class _Search:
    def __init__(self):
        self._seen = {}
        self.arrays, self.fixed, self.scalars = [], [], {}

    def enter(self, value, path, names):
        """Looks at a value that `path` leads to, and at what it has under these names."""
        if hasattr(type(value), "__dlpack__"):
            if path:
                self.arrays.append((value, path))
            return
        if path and is_scalar(value):
            # It cannot change in its place: whatever is computed of it is right as long as it is there.
            self.scalars[id(value)] = value
            self.fixed.extend(path)
            return
        if (id(value), names) in self._seen or len(self._seen) > _MAX_OBJECTS or _get_depth(path) > _MAX_DEPTH:
            return
        self._seen[id(value), names] = value  # Not to be freed: another one would have its number.
        if isinstance(value, (list, tuple, dict)):
            self._enter_elements(value, path, names)
        elif isinstance(value, (types.FunctionType, types.MethodType)):
            self._enter_function(value, path)
        elif isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self._take(getattr, value, name, path, names)
        elif not isinstance(value, (type, str, bytes, int, float)):
            self._enter_object(value, path, names)

    def _take(self, get, where, key, path, names):
        value = get(where, key)
        self.enter(value, (*path, Source(get, where, key, value)), names)

    def _enter_elements(self, value, path, names):
        if len(value) > _MAX_ELEMENTS:
            return
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            self._take(operator.getitem, value, key, path, names)

    def _enter_function(self, function, path):
        if _is_foreign(function):
            return
        names, owner = _get_names(function), getattr(function, "__self__", None)
        function = getattr(function, "__func__", function)
        for name in names & function.__globals__.keys():
            self._take(operator.getitem, function.__globals__, name, path, names)
        for cell in function.__closure__ or ():
            try:
                self._take(getattr, cell, "cell_contents", path, names)
            except ValueError:
                continue  # It is empty yet.
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name):
                self._take(getattr, function, name, path, names)
        self.enter(owner, path, names)

    def _enter_object(self, value, path, names):
        if isinstance(value, types.ModuleType) and _is_foreign(value):
            return
        own = getattr(value, "__dict__", {})
        if own.keys() >= {"training", *_PARTS}:
            # Modules of PyTorch's do something else in training.
            self.fixed.extend((*path, Source(operator.getitem, own, "training", own["training"])))
        # What jit has around a function, and where callables have theirs.
        for name in names.union(("_function", *_PARTS)) & own.keys():
            self._take(operator.getitem, own, name, path, names)
        for name in names.union(("__call__", "forward")) - own.keys():
            self._enter_class(value, name, path, names)

    def _enter_class(self, value, name, path, names):
        """An attribute that the class of a value has: a method, or a value of all of its objects."""
        for each in type(value).__mro__:
            attribute = vars(each).get(name)
            if attribute is None or _is_foreign(each):
                continue
            function = getattr(attribute, "fget", None) or getattr(attribute, "_function", attribute)
            function = getattr(function, "__func__", function)
            if isinstance(function, types.FunctionType):
                self._enter_function(types.MethodType(function, value), path)
            elif not hasattr(attribute, "__get__") or isinstance(attribute, types.MemberDescriptorType):
                self._take(getattr, value, name, path, names)
            return
