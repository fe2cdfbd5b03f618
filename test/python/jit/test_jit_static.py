# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that a program knows: what makes another program, and what cannot be known."""

import collections
import dataclasses
import decimal
import enum
import functools
import gc
import operator
import pathlib
import sys
import types
import warnings
import weakref
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


@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    w: Any = dataclasses.field(default=None, compare=False)


class Named:
    """Equal to another one of the same name."""

    def __init__(self, name, w=None):
        self.name, self.w = name, w

    def __eq__(self, other):
        return isinstance(other, Named) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


class Slotted(Named):
    __slots__ = ("name", "w")


class Comparison:
    """What functools.lru_cache and other wrappers make of a function of Python's: something else that is called."""

    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self.function, instance)


class Wrapped(Named):
    __eq__ = Comparison(Named.__eq__)
    __hash__ = Named.__hash__


class Text(str):
    __slots__ = ()


class Strange(enum.Enum):
    FIRST = 1


@dataclasses.dataclass(frozen=True)
class Options:
    size: int
    name: str = "a"
    rest: tuple = (1, 2.0, None)


class Plain:
    def __init__(self, scale):
        self.scale = scale


class Names(dict):
    pass


class Holder:
    def __init__(self, w):
        self.w = w

    def add(self, x):
        return x + self.w


def add(x, other):
    return x + other


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


# What equal objects hold


@pytest.mark.parametrize("kind", [Layer, Named, Slotted, Wrapped])
@pytest.mark.parametrize("others", [[X * 5, X[:1] * 0], [X.astype(np.float64)], [X[:, None]]])
def test_equal_objects_that_hold_other_arrays(kind, others):
    """Each computes with its own, also if there is a program for one that is equal."""
    function = fuser.jit(lambda x, layer: x + layer.w)
    layers = [kind("a", w) for w in (X, *others)]
    for layer in (*layers, *layers):
        got = function(X, layer)
        assert got.dtype == (X + layer.w).dtype
        np.testing.assert_array_equal(got, X + layer.w)
    assert function.num_programs == len(layers) and len(set(layers)) == 1


@pytest.mark.parametrize(
    ("hold", "function"),
    [
        (lambda w: [1, {"w": w}], lambda x, layer: x + layer.w[1]["w"]),
        (lambda w: Plain((w,)), lambda x, layer: x + layer.w.scale[0]),
        (lambda w: Layer("b", w), lambda x, layer: x + layer.w.w),
        (lambda w: types.SimpleNamespace(w=w), lambda x, layer: x + layer.w.w),
        (lambda w: lambda x: x + w, lambda x, layer: layer.w(x)),
        (lambda w: lambda x, w=w: x + w, lambda x, layer: layer.w(x)),
        (lambda w: functools.partial(np.add, w), lambda x, layer: layer.w(x)),
        (lambda w: functools.partial(add, other=w), lambda x, layer: layer.w(x)),
        (lambda w: Holder(w).add, lambda x, layer: layer.w(x)),
        (lambda w: type("Kind", (), {"w": w}), lambda x, layer: x + layer.w.w),
        (lambda w: type("Kind", (), {"w": w})(), lambda x, layer: x + layer.w.w),
    ],
    ids="list object dataclass namespace cell default partial keyword method class attribute_of_class".split(),
)
def test_equal_objects_that_hold_arrays_further_down(hold, function):
    jitted = fuser.jit(function)
    for w in (X, X * 5):
        for kind in (Layer, Named):
            np.testing.assert_array_equal(jitted(X, kind("a", hold(w))), X + w)


def test_an_equal_object_that_holds_an_array_later():
    function = fuser.jit(lambda x, layer: x if layer.w is None else x + layer.w)
    for w in (None, X, None, X * 5):
        np.testing.assert_array_equal(function(X, Named("a", w)), X if w is None else X + w)
    layer = Named("a")
    for layer.w in (None, X, X * 5):
        np.testing.assert_array_equal(function(X, layer), X if layer.w is None else X + layer.w)


def test_an_object_that_gets_other_arrays_has_one_program():
    for kind in (Changeable, Named):
        layer, function = kind("a"), fuser.jit(lambda x, layer: x + layer.held)
        for number in range(4):
            layer.held = X * number
            np.testing.assert_array_equal(function(X, layer), X + layer.held)
        assert function.num_programs == 1


def test_equal_objects_without_arrays_have_one_program():
    """What else an object's class leaves out is that of the first one."""
    function = fuser.jit(lambda x, layer: x * layer.w)
    for number in (2, 3):
        for kind in (Layer, Named):
            np.testing.assert_array_equal(function(X, kind("a", number)), X * 2)
    assert function.num_programs == 2


class Watched(np.ndarray):
    """An array that weak references go to."""


class Bare:
    """Without a dict."""

    __slots__ = ("__weakref__", "name", "w")
    __init__, __eq__, __hash__ = Named.__init__, Named.__eq__, Named.__hash__


class Itself:
    """Equal to itself alone."""

    __init__ = Named.__init__


class Hashed(Itself):
    __hash__ = Named.__hash__


class Fixed:
    """That no weak reference goes to."""

    __slots__ = ("name", "w")
    __init__ = Named.__init__


@pytest.mark.parametrize("kind", [Layer, Named, Slotted, Bare, Itself, Hashed])
def test_programs_of_objects_that_are_gone(kind):
    """They go with these; at the eighth object that is equal to others there is a warning."""
    function, arrays = fuser.jit(lambda x, layer: x + layer.w), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(10):
            w = (X * number).view(Watched)
            arrays.append(weakref.ref(w))
            layer = kind("a", w)
            for _ in range(2):
                np.testing.assert_array_equal(function(X, layer), X + w)
            assert len(caught) == (number >= 7 and not issubclass(kind, Itself)) and function.num_programs >= 1
            del layer, w
    gc.collect()
    assert [each() for each in arrays] == [None] * 10 and function.num_programs == 0
    for each in caught:
        assert "'layer' has had 8 values" in str(each.message) and "holds arrays" in str(each.message)


def make_function(w):
    return lambda x: x + w


class Adding(Holder):
    @fuser.jit
    def __call__(self, x):
        return x + self.w


@pytest.mark.parametrize(
    "make",
    [
        make_function,
        lambda w: functools.partial(add, other=w),
        lambda w: type("Kind", (), {"add": make_function(w)}).add,
    ],
    ids="function partial class".split(),
)
def test_programs_of_functions_that_are_gone(make):
    function, arrays = fuser.jit(lambda x, other: other(x)), []
    for number in range(3):
        w = (X * number).view(Watched)
        arrays.append(weakref.ref(w))
        other = make(w)
        for _ in range(2):
            np.testing.assert_array_equal(function(X, other), X + w)
        del other, w
    gc.collect()
    assert [each() for each in arrays] == [None] * 3 and function.num_programs == 0


def test_programs_of_methods_whose_objects_are_gone():
    arrays, before = [], Adding.__call__.num_programs
    for number in range(3):
        w = (X * number).view(Watched)
        arrays.append(weakref.ref(w))
        layer = Adding(w)
        for _ in range(2):
            np.testing.assert_array_equal(layer(X), X + w)
        del layer, w
    gc.collect()
    assert [each() for each in arrays] == [None] * 3 and Adding.__call__.num_programs == before


def test_an_object_that_no_weak_reference_goes_to():
    """It stays with its program, so that there is no other one of its number."""
    function = fuser.jit(lambda x, layer: x + layer.w)
    for number in range(3):
        np.testing.assert_array_equal(function(X, Fixed("a", X * number)), X * (number + 1))
    assert function.num_programs == 3


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
    function = fuser.jit(lambda x, config: x + config.note)
    for w in (X, X * 5):
        np.testing.assert_array_equal(function(X, Fields(2, w)), X + w)


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


# What the extension module says of a call, so that the next one runs no Python


def describe(*args, detail=0, **kwargs):
    """What a program is found by, or None."""
    program, key = fuser._fuser._call_known({}, detail, operator.is_not, args, kwargs)
    assert program is None
    return key


MATRIX = X.reshape(2, 2)
PLAIN = Plain(1)
#: Calls that have programs of their own. Of most values Python says that they are equal to another one here.
DIFFERENT = [
    [(MATRIX,), (MATRIX, MATRIX), (MATRIX[:1],), (MATRIX[:, :1],), (X,), (X.astype(np.float64),), (X > 0,)],
    [(X, each) for each in (0, False, 0.0, -0.0, None, "0", np.float32(0), np.float64(0), np.int64(0), np.False_)],
    [(X, each) for each in (1, True, 1.0, "1", PLAIN, Plain(1), int, np.float32, np.dtype("float32"), X)],
    [(X, each) for each in ((), [], {}, (X,), [X], {"x": X}, {"y": X}, (X, X), ((X,), X), (X, (X,)), ([X], [X]))],
    [(X, each) for each in ((1, 2), [1, 2], (1, (2,)), ((1,), 2), (1,), {"x": 1, "y": 2}, {"y": 2, "x": 1}, {"x": 2})],
]


@pytest.mark.parametrize("calls", DIFFERENT)
def test_what_calls_are_told_apart_by(calls):
    keys = [describe(*each) for each in calls]
    assert len(set(keys)) == len(keys)
    assert keys == [describe(*each) for each in calls]


def test_types_that_follow_each_other():
    """What is known of a type is not said of another one that has its place in memory."""

    def make(has_eq, has_type):
        body = {"__eq__": lambda self, other: True, "__hash__": lambda self: 1} if has_eq else {}
        return type("Own", (), body | ({"dtype": "f4"} if has_type else {}))

    for number in range(64):
        has_eq, has_type = number % 2 == 0, number % 3 == 0
        own = make(has_eq, has_type)
        first, second = own(), own()
        if has_type:  # The package has to look.
            assert describe(first) is None
        else:
            assert (describe(first) == describe(second)) is has_eq


def test_keywords_are_no_dict():
    assert describe(X, {"y": X}) != describe(X, y=X)
    assert describe({"n": 2}) != describe(n=2) != describe({}) != describe()

    @fuser.jit
    def function(x, options=None, scale=1):
        return x * scale if options is None else x + options["scale"]

    np.testing.assert_array_equal(function(X, {"scale": 3}), X + 3)
    np.testing.assert_array_equal(function(X, scale=3), X * 3)


class Policy:
    """Not a number, although it says what numbers say."""

    dtype = np.dtype("float32")


def test_what_has_an_element_type_is_no_number():
    function, policy = fuser.jit(lambda x, policy: x.astype(policy.dtype)), Policy()
    for _ in range(3):
        np.testing.assert_array_equal(function(INTEGERS, policy), X)


@pytest.mark.parametrize(
    ("function", "one", "other"),
    [
        (lambda x, value: x + value.stop, range(0, 3, 2), range(0, 4, 2)),
        (lambda x, value: x / float(value), decimal.Decimal("0.0"), decimal.Decimal("-0.0")),
    ],
)
def test_values_that_are_equal_and_others(function, one, other):
    jitted = fuser.jit(function)
    with np.errstate(divide="ignore"):
        for value in (one, other, one):
            np.testing.assert_array_equal(jitted(X, value), function(X, np.float32(value) if value == 0 else value))


def test_what_does_not_matter_of_a_call():
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert describe(MATRIX, MATRIX) == describe(wide[:, ::2], wide.T)
    assert describe(X, np.float32(1)) == describe(X, np.float32(2)) != describe(X, np.float64(1))
    assert describe(X, scale=2) == describe(wide[0], scale=2) != describe(X, 2)
    assert describe(X, scale=2) != describe(X, other=2) != describe(X, other=3)
    assert describe(X, float("nan")) == describe(X, float("nan"))


def test_what_changes_from_call_to_call():
    function = fuser.jit(lambda first, rest, more: (first["x"] * first["n"], rest[1][0] - more * rest[0]))
    for scale in (1, 2, 3):
        x, y, number = X * scale, X + scale, np.float32(scale)
        product, difference = function({"x": x, "n": number}, [3, (y,)], more=x)
        np.testing.assert_array_equal(product, x * number)
        np.testing.assert_array_equal(difference, y - x * 3)
    assert function.num_programs == 1


class Subclass(np.ndarray):
    """Arrays of another type."""


def test_what_else_calls_are_told_apart_by():
    """Where programs depend on types, and on sizes."""
    own, long = X.view(Subclass), np.tile(X, 2)
    assert describe(X) == describe(own) == describe(long)
    assert describe(X, detail=1) == describe(long, detail=1) != describe(own, detail=1)
    assert len({describe(each, detail=2) for each in (X, own, long)}) == 3


RARE = [
    *(Config(0.0), Changeable(1), Pair(1, 2), 1j, frozenset({0.0}), collections.OrderedDict(x=X), {1: X}, Names(x=X)),
    *(
        2**63,
        np.uint64(1),
        np.complex64(1),
        np.str_("x"),
        np.longdouble(1),
        np.array(["x"]),
        {1, 2},
        MATRIX.view(np.matrix),
    ),
]


@pytest.mark.parametrize("value", RARE, ids=lambda value: type(value).__name__)
def test_what_the_package_looks_at(value):
    assert describe(X, value) is None
    assert describe(X, more=[value]) is None


def test_values_without_an_end():
    value = [X]
    value.append(value)
    with pytest.raises(RecursionError):
        describe(value)


CALLS = {
    "arrays": lambda f: f(X, X),
    "keyword": lambda f: f(X, other=X),
    "number": lambda f: f(X, 2),
    "number of NumPy's": lambda f: f(X, np.float32(2)),
    "list": lambda f: f(X, [X, X]),
    "text": lambda f: f(X, "text"),
    "object": lambda f: f(X, PLAIN),
}


def list_functions(call, jitted):
    """The names of Python's functions that run in a call."""
    functions = []
    sys.setprofile(lambda frame, event, _: functions.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call(jitted)
    finally:
        sys.setprofile(None)
    return functions


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_that_is_known_runs_no_python(call):
    jitted = fuser.jit(lambda x, other: x + 1)
    call(jitted)
    assert list_functions(call, jitted) == ["<lambda>", "__call__"]


@pytest.mark.parametrize(
    "value",
    [Text("a"), Strange.FIRST, pathlib.Path("a"), np.dtype("float32"), collections, np.add, functools.partial(add)],
    ids=lambda value: type(value).__name__,
)
def test_a_call_with_an_object_that_holds_no_other_arrays(value):
    """No more runs than its own comparison."""
    jitted = fuser.jit(lambda x, other: x + 1)
    jitted(X, value)
    functions = list_functions(lambda f: f(X, value), jitted)
    assert "_find_program" not in functions and "flatten" not in functions


@pytest.mark.parametrize("value", [Options(1), Options(1, "b"), Config(2)], ids=repr)
def test_a_call_with_a_dataclass_of_numbers(value):
    """The package makes its key, and looks at nothing else that it has."""
    jitted = fuser.jit(lambda x, other: x + 1)
    jitted(X, value)
    functions = list_functions(lambda f: f(X, value), jitted)
    assert "_list_parts" not in functions and "fields" not in functions and len(functions) < 80
