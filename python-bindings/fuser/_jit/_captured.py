# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a traced function has the arrays from that it uses beside its arguments, so that a call sees when there are others.

What a function does is not looked at, but which objects it can name: variables of its module and of functions around it, and attributes, elements and
methods of these and of its arguments; so do functions that it names. A place where nothing is taken from costs one more trace when it changes.
"""

import functools
import operator
import types
from typing import Any, NamedTuple

#: Packages whose functions are not looked into.
_FOREIGN = {"fuser", "numpy", "torch", "builtins"}
#: More is not looked at.
_MAX_OBJECTS, _MAX_ELEMENTS, _MAX_DEPTH = 10_000, 1_000, 8
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


def find_sources(function, arguments, captured):
    """The places that lead to arrays of `captured`. arguments: values that the function is called with."""
    if not captured:
        return ()
    search = _Search(captured)
    search.enter(function, (), frozenset())
    for each in arguments:
        search.enter(each, (), _get_names(function))
    return tuple({(id(each.where), each.key): each for each in search.found}.values())


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


class _Search:
    def __init__(self, captured):
        self._wanted = {id(each) for each in captured}
        self._seen = set()
        self.found = []

    def enter(self, value, path, names):
        """Looks at a value that `path` leads to, and at what it has under these names."""
        if id(value) in self._wanted:
            self.found.extend(path)
            return
        if (id(value), names) in self._seen or len(self._seen) > _MAX_OBJECTS or len(path) > _MAX_DEPTH:
            return
        self._seen.add((id(value), names))
        if isinstance(value, (list, tuple, dict)):
            self._enter_elements(value, path, names)
        elif isinstance(value, (types.FunctionType, types.MethodType)):
            self._enter_function(value, path)
        elif isinstance(value, functools.partial):
            self.enter((value.func, value.args, value.keywords), path, names)
        elif not isinstance(value, (type, str, bytes, int, float)) and not hasattr(type(value), "__dlpack__"):
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
        self.enter(owner, path, names)

    def _enter_object(self, value, path, names):
        if isinstance(value, types.ModuleType) and _is_foreign(value):
            return
        own = getattr(value, "__dict__", {})
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
