# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that a program knows: what makes another program, and what cannot be known."""

import collections
import dataclasses
from typing import Any, NamedTuple

import fuser
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
INTEGERS = np.arange(1, 5)


@dataclasses.dataclass(frozen=True)
class Config:
    scale: Any
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass
class Changeable:
    scale: Any


class Pair(NamedTuple):
    first: Any
    second: Any


class Plain:
    def __init__(self, scale):
        self.scale = scale


class Names(dict):
    pass


class Adder:
    def __call__(self, x):
        return x + 1


# Equal for Python, and hashed alike.
@pytest.mark.parametrize(
    "first, second",
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        (1.0, 1 + 0j),
        (complex(0.0, 0.0), complex(0.0, -0.0)),
        (Config(1), Config(1.0)),
        (Config(0.0), Config(-0.0)),
        (Config((1, Config(1))), Config((1, Config(1.0)))),
        (frozenset([1]), frozenset([1.0])),
        (frozenset([(0.0,)]), frozenset([(-0.0,)])),
        ((1, 2), [1, 2]),
        (Pair(1, 2), (1, 2)),
        (Pair(1, 2), Pair(1, 2.0)),
        ({"a": 1}, {"a": True}),
        ({1: 2}, {1.0: 2}),
        ({"a": 1}, collections.OrderedDict(a=1)),
    ],
    ids=repr,
)
def test_types_within_values_make_programs(first, second):
    given = []

    @fuser.jit
    def function(x, value):
        given.append(repr(value))
        return x + len(given)

    for _ in range(2):
        np.testing.assert_array_equal(function(X, first), X + 1)
        np.testing.assert_array_equal(function(X, second), X + 2)
    assert given == [repr(first), repr(second)] and function.num_programs == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Config(1),
        lambda: Config(float("nan")),
        lambda: frozenset([1, (2, 3.5)]),
        lambda: Pair("a", [None, {"b": 1}]),
        lambda: collections.OrderedDict(a=1),
        lambda: Plain,
    ],
)
def test_equal_values_make_one_program(make):
    function = fuser.jit(lambda x, value: x + 1)
    for _ in range(2):
        np.testing.assert_array_equal(function(X, make()), X + 1)
    assert function.num_programs == 1


def test_what_is_not_compared_makes_no_program():
    function = fuser.jit(lambda x, value: x * value.scale)
    for note in ("a", "b"):
        np.testing.assert_array_equal(function(X, Config(2, note)), X * 2)
    assert function.num_programs == 1


def test_the_results_are_of_the_types():
    function = fuser.jit(lambda x, config: x * config.scale)
    assert function(INTEGERS, Config(2)).dtype.kind == "i"
    assert function(INTEGERS, Config(2.0)).dtype.kind == "f"


def test_objects_that_change():
    """What they have at the call counts."""
    config, function = Changeable(2), fuser.jit(lambda x, config: x * config.scale)
    for config.scale in (2, 3, 2):
        np.testing.assert_array_equal(function(INTEGERS, config), INTEGERS * config.scale)
    assert function.num_programs == 2


def test_fields_of_attrs():
    attrs = pytest.importorskip("attrs")

    @attrs.frozen
    class Fields:
        scale: Any
        note: str = attrs.field(default="", eq=False)

    function = fuser.jit(lambda x, config: x * config.scale)
    assert function(INTEGERS, Fields(2)).dtype.kind == "i"
    assert function(INTEGERS, Fields(2.0)).dtype.kind == "f"
    function(INTEGERS, Fields(2, "another"))
    assert function.num_programs == 2


def test_objects_that_are_themselves():
    """An object whose class does not compare it is known by what it is."""
    function, plain = fuser.jit(lambda x, plain: x * plain.scale), Plain(2)
    for each in (plain, plain, Plain(2)):
        np.testing.assert_array_equal(function(X, each), X * 2)
    assert function.num_programs == 2


def test_ordered_dicts():
    function = fuser.jit(lambda arrays: collections.OrderedDict((name, each * 2) for name, each in arrays.items()))
    given = collections.OrderedDict(b=X, a=X + 1)
    result = function(given)
    assert type(result) is collections.OrderedDict and list(result) == ["b", "a"]
    np.testing.assert_array_equal(result["a"], (X + 1) * 2)
    given.move_to_end("b")
    assert list(function(given)) == ["a", "b"] and function.num_programs == 2


# What is no argument


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1, {2}],), "got a set in 'value', which is none (unhashable type: 'set'): pass a tuple or a frozenset"),
        (({1},), "got a set as 'value', which is none (unhashable type: 'set'): pass a tuple or a frozenset"),
        (
            (Changeable([1]),),
            "got a Changeable as 'value', which is none (unhashable type: 'list'): pass its arrays, or a dict of them (vars(value)); a value"
            " without arrays can be a @dataclass",
        ),
        (
            (Config(X),),
            "got a Config as 'value', which is none (unhashable type: 'numpy.ndarray'): pass its arrays, or a dict of them (vars(value)); a value"
            " without arrays can be a @dataclass",
        ),
    ],
)
def test_what_cannot_be_hashed(arguments, message):
    def function(x, value):
        return x

    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(X, *arguments)
    assert str(caught.value) == f"function: expected arrays and hashable values as arguments, {message}"


def test_what_cannot_be_hashed_by_a_name():
    def function(x, **options):
        return x

    with pytest.raises(
        TypeError, match=r"got a set in 'options', which is none \(unhashable type: 'set'\): pass a tuple"
    ):
        fuser.jit(function)(X, option={1})


@pytest.mark.parametrize("value", [collections.defaultdict(list, a=X), collections.Counter("a"), Names(a=X)])
def test_other_dicts(value):
    message = f"^expected a dict, got a {type(value).__name__}: write dict\\(value\\)$"
    with pytest.raises(TypeError, match=message):
        fuser.jit(lambda x, value: x)(X, value)
    with pytest.raises(TypeError, match=message):
        fuser.jit(lambda x: (x, value))(X)
    assert fuser.jit(lambda x, value: (x, value))(X, dict(value))[1].keys() == value.keys()


# What a function says of itself


def test_names():
    @fuser.jit
    def function(x):
        return x

    assert function.__name__ == "function" and function.__qualname__ == "test_names.<locals>.function"
    assert fuser.jit(Adder()).__name__ == "Adder"
