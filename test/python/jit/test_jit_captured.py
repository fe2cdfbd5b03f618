# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that a function uses beside its arguments are those that its names refer to when it is called."""

import functools
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
ONES, TWOS = np.ones(4, np.float32), np.full(4, 2, np.float32)
WEIGHT = ONES
HOLDER = types.SimpleNamespace(weight=ONES, inner=types.SimpleNamespace(weights={"a": [ONES, ONES]}))


class Layer:
    shared = ONES

    def __init__(self):
        self.w = ONES
        self.parts = [ONES, ONES]
        self.factor = 3

    @fuser.jit
    def scale(self, x):
        return x * self.w

    @fuser.jit
    def add(self, x):
        return self.helper(x) + self.doubled

    @fuser.jit
    def share(self, x):
        return x * self.shared

    def helper(self, x):
        for part in self.parts:
            x = x * part
        return x

    @property
    def doubled(self):
        return self.w * np.float32(2) if self.factor == 2 else self.w

    def __call__(self, x):
        return x - self.w


class Slots:
    __slots__ = ("w",)

    @fuser.jit
    def scale(self, x):
        return x * self.w


def helper(x):
    return x * WEIGHT


def check(function, expected, *arguments):
    np.testing.assert_array_equal(function(*arguments), expected)


def test_attributes():
    layer = Layer()
    for w in (ONES, TWOS, TWOS * 3, ONES):
        layer.w = w
        for _ in range(2):
            check(layer.scale, X * w, X)
    other = Layer()
    other.w = TWOS
    check(other.scale, X * 2, X)
    check(layer.scale, X, X)


def test_the_same_types_are_compiled_once():
    layer = Layer()
    executable = layer.scale.__func__.compile(layer, X)
    layer.w = TWOS
    assert layer.scale.__func__.compile(layer, X) is executable
    check(layer.scale, X * 2, X)
    layer.w = TWOS[:1]
    assert layer.scale.__func__.compile(layer, X) is not executable
    check(layer.scale, X * 2, X)
    layer.w = TWOS.astype(np.float64)
    result = layer.scale(X)
    check(lambda: result, X * 2)
    assert result.dtype == np.float64


def test_what_is_traced_again():
    """A name that has another array; nothing else is."""
    calls = []
    weight = ONES

    @fuser.jit
    def function(x):
        calls.append(0)
        return x * weight

    for _ in range(3):
        check(function, X, X)
    assert len(calls) == 1
    weight = TWOS
    for _ in range(3):
        check(function, X * 2, X)
    assert len(calls) == 2 and function.num_programs == 1
    weight[:] = 3  # In its place.
    check(function, X * 3, X)
    weight[:] = 2
    assert len(calls) == 2


def test_globals(monkeypatch):
    direct, through, nested = fuser.jit(lambda x: x * WEIGHT), fuser.jit(lambda x: helper(x)), fuser.jit(helper)
    outer = fuser.jit(lambda x: nested(x) + 1)
    for weight in (ONES, TWOS):
        monkeypatch.setitem(globals(), "WEIGHT", weight)
        for function in (direct, through, nested):
            check(function, X * weight, X)
        check(outer, X * weight + 1, X)


def test_methods_properties_and_classes(monkeypatch):
    layer = Layer()
    check(layer.add, X + 1, X)
    layer.parts[1] = TWOS
    check(layer.add, X * 2 + 1, X)
    layer.parts = [TWOS, TWOS, TWOS]
    check(layer.add, X * 8 + 1, X)
    layer.w = TWOS
    check(layer.add, X * 8 + 2, X)
    check(layer.share, X, X)
    monkeypatch.setattr(Layer, "shared", TWOS)
    check(layer.share, X * 2, X)
    layer.shared = TWOS * 2
    check(layer.share, X * 4, X)
    slots = Slots()
    for slots.w in (ONES, TWOS):
        check(slots.scale, X * slots.w, X)


def test_callables():
    layer = Layer()
    for function in (fuser.jit(layer), fuser.jit(layer.__call__), fuser.jit(lambda x: layer(x))):
        layer.w = ONES
        check(function, X - 1, X)
        layer.w = TWOS
        check(function, X - 2, X)
    bound = fuser.jit(functools.partial(lambda holder, x: x * holder["w"], holder := {"w": ONES}))
    for holder["w"] in (ONES, TWOS):
        check(bound, X * holder["w"], X)


def test_objects_in_others():
    function = fuser.jit(lambda x: x * HOLDER.weight + HOLDER.inner.weights["a"][1])
    HOLDER.weight = HOLDER.inner.weights["a"][1] = ONES
    check(function, X + 1, X)
    # The same array had two names, of which one now has another.
    HOLDER.inner.weights["a"][1] = TWOS
    check(function, X + 2, X)
    HOLDER.inner.weights["a"] = [ONES, TWOS * 2]
    check(function, X + 4, X)
    HOLDER.inner = types.SimpleNamespace(weights={"a": [ONES, TWOS]})
    HOLDER.weight = TWOS
    check(function, X * 2 + 2, X)


def test_what_ends_is_an_error_of_the_function():
    layer = Layer()
    check(layer.scale, X, X)
    del layer.w
    with pytest.raises(AttributeError, match="'Layer' object has no attribute 'w'"):
        layer.scale(X)
    layer.w = TWOS
    check(layer.scale, X * 2, X)
    layer.w = 3  # A number is known to the program.
    check(layer.scale, X * 3, X)


def test_lists_that_hold_each_other():
    """A walk through what a function names ends."""
    parts = [ONES]
    parts.append(parts)
    chain = types.SimpleNamespace(next=None)
    for _ in range(5000):
        chain = types.SimpleNamespace(next=chain)
    function = fuser.jit(lambda x: x * parts[1][1][0] if chain.next else x)
    check(function, X, X)
    parts[0] = TWOS
    check(function, X * 2, X)


def test_an_array_that_nothing_names():
    arrays = iter([ONES])
    function = fuser.jit(lambda x: fnp.add(x, next(arrays)))
    for _ in range(2):
        check(function, X + 1, X)
