# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function has of objects under names of other functions, which these are handed to, is what they have when it is called."""

import array
import collections
import contextlib
import functools
import operator
import types

import fuser
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
THREE = 3.0
# A number, and an array in its place.
VALUES = [(1.0, 3.0), (np.ones(4, np.float32), np.full(4, 3, np.float32))]
both = pytest.mark.parametrize("values", VALUES, ids=["number", "array"])


def scale(c, a):
    return a * c.k


def apply(layers, a):
    for layer in layers:
        a = layer.body(a)
    return a


def wrap(function):
    @functools.wraps(function)
    def call(*args):
        return function(*args)

    return call


@contextlib.contextmanager
def scope(c):
    yield c.k


class Described:
    """A descriptor."""

    def __get__(self, instance, owner):
        return instance.hidden


class Base:
    kept = None

    def __init__(self, k):
        self.k = k

    def f(self, a):
        return a * self.k

    def body(self, a):
        return a * self.k


class Derived(Base):
    described = Described()

    def f(self, a):
        return super().f(a)

    @property
    def hidden(self):
        return self.k

    @classmethod
    def of_class(cls, a):
        return a * cls.kept

    @wrap
    def wrapped(self, a):
        return a * self.k

    def __getitem__(self, key):
        return self.k


def check(function, set_value, values):
    """That calls of a function which multiplies by a value see another one."""
    jitted = fuser.jit(function)
    for value in (*values, values[0]):
        set_value(value)
        for _ in range(2):
            np.testing.assert_array_equal(jitted(X), X * value)


def within(a, c):
    with scope(c) as k:
        return a * k


OBJECTS = {
    "object": lambda c: lambda a: scale(c, a),
    "list": lambda c: lambda a, layers=[c]: apply(layers, a),  # noqa: B006
    "tuple": lambda c: lambda a, pair=(c, c): scale(pair[1], a),
    "partial": lambda c: functools.partial(scale, c),
    "super": lambda c: c.f,
    "super of another": lambda c: lambda a: c.f(a),
    "wrapped": lambda c: c.wrapped,
    "wrapped function": lambda c: lambda a: wrap(scale)(c, a),
    "context": lambda c: lambda a: within(a, c),
    "descriptor": lambda c: lambda a: a * c.described,
    "item": lambda c: lambda a: a * c["k"],
    "attrgetter": lambda c: lambda a, get=operator.attrgetter("k"): a * get(c),
    "attrgetter of a text": lambda c: lambda a: a * operator.attrgetter("inner.k")(types.SimpleNamespace(inner=c)),
    "text": lambda c: lambda a: a * get(c, "k"),
    "cached": lambda c: lambda a: cached(a.ndim)(c, a),
    "new": lambda c: lambda a: Holder(c)(a),
}


def get(c, name):
    return getattr(c, name)


@functools.lru_cache
def cached(number):
    return scale


class Holder:
    def __init__(self, c):
        self.c = c

    def __call__(self, a):
        return a * self.c.k


@both
@pytest.mark.parametrize("kind", OBJECTS)
def test_objects(kind, values):
    c = Derived(values[0])
    check(OBJECTS[kind](c), functools.partial(setattr, c, "k"), values)


@both
def test_an_object_as_an_argument(values):
    c, function = Derived(values[0]), fuser.jit(lambda c, a: scale(c, a))
    for c.k in values:
        np.testing.assert_array_equal(function(c, X), X * c.k)


@both
def test_self_that_is_handed_on(values):
    class Layer:
        @fuser.jit
        def forward(self, a):
            return scale(self, a)

    layer = Layer()
    for layer.k in values:
        np.testing.assert_array_equal(layer.forward(X), X * layer.k)


@both
def test_classes(values, monkeypatch):
    change = functools.partial(monkeypatch.setattr, Derived, "kept")
    check(lambda a: Derived.of_class(a), change, values)
    check(Derived.of_class, change, values)
    check(Derived(1).of_class, change, values)


@both
def test_modules(values, monkeypatch):
    module = types.ModuleType("settings")
    check(lambda a: scale(module, a), functools.partial(setattr, module, "k"), values)
    monkeypatch.setitem(__import__("sys").modules, "settings", module)

    def function(a):
        import settings

        return a * settings.k

    check(function, functools.partial(setattr, module, "k"), values)


@both
@pytest.mark.parametrize("make", [collections.UserDict, collections.ChainMap, dict])
def test_dicts(make, values):
    holder = make({"k": values[0]})
    check(lambda a: a * holder["k"], functools.partial(operator.setitem, holder, "k"), values)


@both
def test_user_lists(values):
    holder = collections.UserList([values[0]])
    check(lambda a: a * holder[0], functools.partial(operator.setitem, holder, 0), values)


@pytest.mark.parametrize("make", [lambda n: array.array("d", [1] * n), lambda n: bytearray(b"\1" * n)])
@pytest.mark.parametrize("count", [2, 2000])
def test_bytes(make, count):
    holder = make(count)
    check(lambda a: a * holder[1], lambda value: operator.setitem(holder, 1, type(holder[0])(value)), VALUES[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: [0.5] * 2000,
        lambda: [None, (1, "a")] + [0.5] * 2000,
        lambda: dict.fromkeys(range(2000), 0.5),
        lambda: [[]] + [0.5] * 2000,
        lambda: collections.deque([0.5] * 2000),
    ],
)
def test_many_numbers(make):
    holder = make()
    check(lambda a: a * holder[1500], functools.partial(operator.setitem, holder, 1500), VALUES[0])
    function = fuser.jit(lambda a: a * len(holder))
    size = len(holder)
    np.testing.assert_array_equal(function(X), X * size)
    operator.setitem(holder, size, 1) if isinstance(holder, dict) else holder.append(1)
    np.testing.assert_array_equal(function(X), X * (size + 1))


@both
def test_shorter_ways(values):
    """An object that a way of many steps leads to first."""
    end = types.SimpleNamespace(inner=types.SimpleNamespace(more=types.SimpleNamespace(k=values[0])))
    chain = end
    for _ in range(5):
        chain = types.SimpleNamespace(k0=chain)
    holder = types.SimpleNamespace(k0=chain, end=end)

    def function(a):
        return scale(holder.end.inner.more, a) + 0 * (holder.k0 is None)

    check(function, functools.partial(setattr, end.inner.more, "k"), values)


def test_steady_calls_trace_nothing():
    calls, c = [], Derived(2.0)

    def function(a):
        calls.append(0)
        c.calls = getattr(c, "calls", 0) + 1
        return scale(c, a)

    jitted = fuser.jit(function)
    for _ in range(4):
        jitted(X)
    assert len(calls) == 1


@both
def test_a_compiled_method_under_a_name(values):
    class Layer:
        @fuser.jit
        def forward(self, a):
            return scale(self, a)

    layer = Layer()
    layer.k = values[0]
    forward = layer.forward
    check(lambda a: forward(a), functools.partial(setattr, layer, "k"), values)


@both
def test_many_functions(values, monkeypatch):
    """More than are looked at under each other's names: each under its own."""
    space = {"c": (c := types.SimpleNamespace(k=values[0]))}
    for number in range(600):
        exec(f"def f{number}(a): return a * c.k + {number}", space)
    functions = tuple(space[f"f{number}"] for number in range(600))
    check(lambda a: functions[0](a), functools.partial(setattr, c, "k"), values)


def test_attributes_that_are_errors():
    """Objects are asked for nothing that the function does not ask for."""

    class Wrong:
        def __getattr__(self, name):
            raise RuntimeError(name)

        k = property(lambda self: 1 / 0)

    class Outer:
        part = Wrong()

        def __init__(self):
            self.other = Wrong()

    outer, wrong = Outer(), Wrong()

    def function(a):
        if a is None:
            return scale(wrong, a) + outer.part + outer.other
        return a * 2

    np.testing.assert_array_equal(fuser.jit(function)(X), X * 2)
