# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and texts that a function uses beside its arguments: with another one it is traced once more."""

import types
import warnings

import fuser
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
SCALE, MODE, IS_ON, COUNT = 2.0, "add", True, 3


class Layer:
    base = 1.0

    def __init__(self):
        self.factor = 3
        self.options = {"power": 2, "shifts": [1.0, 2.0]}
        self.calls = 0

    @fuser.jit
    def __call__(self, x):
        self.calls += 1
        return (x * self.factor) ** self.options["power"] + self.base + sum(self.options["shifts"])


def check(function, expected, *arguments):
    for _ in range(2):
        np.testing.assert_allclose(function(*arguments), expected, rtol=1e-6)


def test_globals(monkeypatch):
    def apply(x):
        result = x * SCALE if IS_ON else x
        return result + COUNT if MODE == "add" else result - COUNT

    function = fuser.jit(apply)
    check(function, X * 2 + 3, X)
    for name, value in {"SCALE": 5.0, "COUNT": 4, "MODE": "sub", "IS_ON": False}.items():
        monkeypatch.setitem(globals(), name, value)
        check(function, apply(X), X)
    monkeypatch.undo()
    check(function, X * 2 + 3, X)


def test_closures():
    scale = 2.0
    function = fuser.jit(lambda x: x * scale)
    check(function, X * 2, X)
    scale = 5.0
    check(function, X * 5, X)


def test_attributes(monkeypatch):
    layer = Layer()
    check(layer.__call__, (X * 3) ** 2 + 4, X)
    layer.factor = 2
    check(layer.__call__, (X * 2) ** 2 + 4, X)
    layer.options["power"] = 3
    check(layer.__call__, (X * 2) ** 3 + 4, X)
    layer.options["shifts"][1] = 7.0
    check(layer.__call__, (X * 2) ** 3 + 9, X)
    layer.options["shifts"].append(1.0)
    check(layer.__call__, (X * 2) ** 3 + 10, X)
    monkeypatch.setattr(Layer, "base", 0.0)
    check(layer.__call__, (X * 2) ** 3 + 9, X)


def test_what_the_function_changes_itself_is_not_looked_at():
    layer = Layer()
    for x in (X, X[:, None], X, X[:, None]):
        layer(x)
    assert layer.calls == 2
    layer.calls = 10
    layer(X)
    assert layer.calls == 10


@pytest.mark.parametrize("first, second", [(2, 2.0), (0.0, -0.0), (1, True)])
def test_equal_numbers_of_other_types_are_others(first, second):
    holder, calls = types.SimpleNamespace(number=first, numbers=[first]), []

    @fuser.jit
    def function(x):
        calls.append(0)
        return x * holder.number + holder.numbers[0]

    check(function, X * first + first, X)
    holder.number = second
    check(function, X * first + first, X)
    holder.numbers[0] = second
    check(function, X * first + first, X)
    assert len(calls) == 3


@pytest.mark.parametrize(
    "make", [lambda: float("1.5"), lambda: float("nan"), lambda: int("1" * 30), lambda: (1.5, "a")]
)
def test_the_same_number_made_anew_is_no_other(make):
    holder, calls = types.SimpleNamespace(number=make()), []

    @fuser.jit
    def function(x):
        calls.append(holder.number)
        return x * 2

    for _ in range(3):
        function(X)
        holder.number = make()
    assert len(calls) == 1


def test_programs_of_former_numbers_are_found_again():
    holder = types.SimpleNamespace(number=1.5)
    function = fuser.jit(lambda x: x * holder.number)
    executables = set()
    for number in (1.5, 2.5) * 3:
        holder.number = number
        executables.add(id(function.compile(X)))
    assert len(executables) == 2


def test_arguments_of_many_values():
    """Of an argument of Python's that changes there is one warning, at the line of the call."""
    function = fuser.jit(lambda x, factor, power=1: x * factor**power)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(7):
            function(X, 0.5 + number)
            function(X.astype(np.float64), 0.5 + number, 1)
            function(X, np.float32(number))
    with pytest.warns(
        UserWarning, match=r"'factor' has had 8 values, .*: numpy.float32\(factor\) is an input"
    ) as caught:
        for number in range(20):
            check(function, X * (10.5 + number), X, 10.5 + number)
            function(X, 2.0, number)
    assert [each.filename for each in caught] == [__file__]


def test_integers_of_many_values():
    function = fuser.jit(lambda x, *, step: x * step)
    with pytest.warns(
        UserWarning, match=r"'step' has had 8 .*: numpy.int64\(step\) .* unless the function has to know"
    ):
        for number in range(9):
            function(X, step=number)
