# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that a function uses beside its arguments are those that its names refer to when it is called."""

import collections
import functools
import gc
import types
import weakref

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
OPTIONAL = None
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
    optional = fuser.jit(lambda x: x * slots.w if hasattr(slots, "w") else x)
    del slots.w
    check(optional, X, X)
    slots.w = TWOS
    check(optional, X * 2, X)


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


def count(function):
    """The function, and a list with an element for each time that it is called."""
    calls = []

    @functools.wraps(function)
    def counted(*args):
        calls.append(0)
        return function(*args)

    return fuser.jit(counted), calls


# What changes around arrays


def multiply_all(weights):
    def multiply(x):
        for w in weights.values() if isinstance(weights, dict) else weights:
            x = x if w is None else (x + w) * w
        return x

    return multiply


@pytest.mark.parametrize("first", [[], [ONES], [ONES, TWOS], [None]])
def test_lengths_of_lists(first):
    holder = types.SimpleNamespace(layers=[{"weights": first[:]}])
    weights = holder.layers[0]["weights"]
    function, calls = count(lambda x: multiply_all(holder.layers[0]["weights"])(x))
    check(function, multiply_all(first)(X), X)
    weights.append(TWOS)
    for _ in range(2):
        check(function, multiply_all([*first, TWOS])(X), X)
    assert len(calls) == 2
    weights.pop()  # The program for the former state is there yet.
    for _ in range(2):
        check(function, multiply_all(first)(X), X)
    weights.append(TWOS)
    check(function, multiply_all([*first, TWOS])(X), X)
    assert len(calls) == 2 and function.num_programs == 1
    holder.layers.insert(0, {"weights": [TWOS]})
    check(function, multiply_all([TWOS])(X), X)


def test_keys_of_dicts():
    weights = {"a": ONES, "b": TWOS}
    function, calls = count(multiply_all(weights))
    expected = multiply_all(weights)

    def change(expected_calls):
        for _ in range(2):
            check(function, expected(X), X)
        assert len(calls) == expected_calls

    change(1)
    weights["c"] = TWOS * 3
    change(2)
    del weights["c"]
    change(2)
    weights["a"] = weights.pop("a")  # The order.
    change(3)
    weights["z"] = weights.pop("a")
    change(4)


def test_keys_that_are_other_objects():
    """Keys that are made anew are equal, but other texts in memory; an OrderedDict has an order of its own."""
    for kind, expected_calls in ((dict, 1), (collections.OrderedDict, 2)):
        weights = kind({"layer.a": ONES, "layer.b": TWOS})
        function, calls = count(lambda x, own=weights: sum(x * each * (k + 1) for k, each in enumerate(own.values())))
        check(function, X * 5, X)
        arrays = [*weights.values()]
        weights.clear()
        weights.update({"".join(["layer", ".", name]): each for name, each in zip("ab", arrays, strict=True)})
        for _ in range(2):
            check(function, X * 5, X)
        assert len(calls) == 1
        if kind is not dict:
            weights.move_to_end("layer.a")
            for _ in range(2):
                check(function, X * 4, X)
        assert len(calls) == expected_calls


def test_errors_of_keys_are_the_users():
    """What looks at the places hides no error but that there is nothing any more."""

    class Key:
        is_broken = False

        def __hash__(self):
            return 1

        def __eq__(self, other):
            if self.is_broken:
                raise ZeroDivisionError
            return self is other

    weights = {Key(): ONES}
    function = fuser.jit(lambda x: sum(x * each for each in weights.values()))
    check(function, X, X)
    weights.clear()
    weights[Key()] = ONES
    Key.is_broken = True
    with pytest.raises(ZeroDivisionError):
        function(X)


def test_a_key_that_is_not_there_yet():
    weights = {"w": TWOS}
    function = fuser.jit(lambda x: x * weights["w"] + weights["bias"] if "bias" in weights else x * weights["w"])
    check(function, X * 2, X)
    weights["bias"] = ONES
    check(function, X * 2 + 1, X)


def test_none_that_becomes_an_array(monkeypatch):
    class Biased:
        of_class = None

        def __init__(self):
            self.bias = self.pair = None

        def add(self, x):
            for bias in (self.bias, self.of_class, *(self.pair or ()), OPTIONAL):
                x = x if bias is None else x + bias
            return x

    layer, outer = Biased(), None
    function, calls = count(lambda x: layer.add(x) if outer is None else layer.add(x) * outer)
    monkeypatch.setitem(globals(), "OPTIONAL", None)
    check(function, X, X)
    for number, (name, value) in enumerate({"bias": ONES, "of_class": TWOS, "pair": (None, TWOS)}.items()):
        setattr(layer, name, value)
        for _ in range(2):
            check(function, layer.add(X), X)
        assert len(calls) == number + 2
    monkeypatch.setitem(globals(), "OPTIONAL", ONES)
    check(function, X + 6, X)
    outer = TWOS
    check(function, (X + 6) * 2, X)
    layer.bias = layer.pair = outer = None
    del layer.of_class
    monkeypatch.setitem(globals(), "OPTIONAL", None)
    check(function, X, X)


def test_attributes_by_their_text():
    holder = types.SimpleNamespace(w1=TWOS)
    optional = fuser.jit(lambda x: x + holder.bias if hasattr(holder, "bias") else x)
    default = fuser.jit(lambda x: x if getattr(holder, "bias", None) is None else x + getattr(holder, "bias", None))
    made = fuser.jit(lambda x, number: x * getattr(holder, f"w{number}"))
    for bias in (None, ONES, TWOS):
        if bias is not None:
            holder.bias, holder.w1 = bias, bias
        expected = X if bias is None else X + bias
        for function in (optional, default):
            check(function, expected, X)
        check(made, X * holder.w1, X, 1)
    del holder.bias
    check(optional, X, X)
    check(default, X, X)


def test_attributes_of_classes_that_are_named(monkeypatch):
    function = fuser.jit(lambda x: x * Layer.shared)
    check(function, X, X)
    monkeypatch.setattr(Layer, "shared", TWOS)
    check(function, X * 2, X)


def test_an_object_of_two_names():
    """Another one under one of them is seen."""
    part, other = types.SimpleNamespace(w=TWOS), types.SimpleNamespace(w=TWOS * 2)
    for name in ("left", "right"):
        holder = types.SimpleNamespace(left=part, right=part)
        function = fuser.jit(lambda x, holder=holder: x * holder.left.w * holder.right.w)
        check(function, X * 4, X)
        setattr(holder, name, other)
        check(function, X * 8, X)


def test_states_that_are_compiled_once():
    """Of more states than those whose arrays are kept."""
    weights = []
    function, calls = count(multiply_all(weights))
    executables = []
    for _ in range(2):
        for length in range(8):
            weights[:] = [ONES] * length
            executables.append(function.compile(X))
            assert function.compile(X) is executables[-1]
    assert executables[:8] == executables[8:] and len(set(map(id, executables))) == 8
    assert all(sum(bool(each.captured) for each in kept) <= 4 for kept in function._programs.values())
    weights[:] = []
    for weight in (ONES, ONES.astype(np.float64), ONES):  # Also of other types.
        calls.clear()
        weights[:] = [weight]
        check(function, (X + weight) * weight, X)
    assert not calls and function.compile(X) is executables[1]


def test_what_is_not_looked_at():
    """In functions that name nothing but their arguments there is nothing to see."""
    function = fuser.jit(lambda x, mask=None: x * [2, 3][0] if mask is None else x)
    check(function, X * 2, X)
    check(function, X * 2, X, None)
    nested = fuser.jit(lambda pair: pair[0] if pair[1] is None else pair[0] * pair[1])
    check(nested, X, [X, None])
    for each in (function, nested):
        assert [program.sources for programs in each._programs.values() for program in programs] in ([()], [(), ()])


# What cannot be seen is an error


def fail(function):
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(X)
    return str(caught.value)


def explain(function):
    return (
        f"{__file__}:{function.__code__.co_firstlineno}: expected an array that names lead to in at most 8 steps (w, self.w, params['w'][0]), got one that"
        " none leads to: it would stay when the function has another one; give it a name, or pass it as an argument"
    )


def test_arrays_that_nothing_names():
    queue, deep = collections.deque([ONES]), types.SimpleNamespace(w=ONES)
    for _ in range(8):
        deep = types.SimpleNamespace(next=deep)
    elements = lambda x: x + queue[0]  # noqa: E731
    parts = lambda x: x + next(iter(queue))[1:2]  # noqa: E731
    far = lambda x: x + deep.next.next.next.next.next.next.next.next.w  # noqa: E731
    for function in (elements, parts, far):
        assert fail(function) == explain(function)
    arrays = iter([ONES])
    following = lambda x: fnp.add(x, next(arrays))  # noqa: E731
    assert fail(following) == explain(following)


def test_arrays_that_the_function_makes():
    """Where no names lead to arrays these are none that were there before."""

    def function(x):
        table = np.arange(8, dtype=np.float32).reshape(2, 4)

        def get(row):
            return table[row] if row < 2 else get(row - 1)

        return x + get(5) + table[0] + np.tril(np.ones((4, 4), np.float32))[3]

    for _ in range(2):
        check(fuser.jit(function), function(X), X)


@pytest.mark.parametrize("kind", [list, dict])
def test_containers_of_too_many_arrays(kind):
    many = {n: ONES for n in range(1000)} if kind is dict else [ONES] * 1000
    function = fuser.jit(lambda x: x * many[0])
    for many[0] in (ONES, TWOS):
        check(function, X * many[0], X)
    if kind is dict:
        many[1000] = ONES
    else:
        many.append(ONES)
    for each in (lambda x: x * many[0], lambda x: x * many[0][1:2]):
        assert fail(each) == (
            f"{__file__}:{each.__code__.co_firstlineno}: expected arrays of lists and dicts of at most 1000 elements, got one of more, an outer variable:"
            " each call would look whether it has other ones; pass it as an argument, or stack its arrays to one"
        )
    assert "which may have been computed of an outer variable" in fail(lambda x: x * np.exp(many[0]))
    with pytest.raises(TypeError, match="expected arrays of lists and dicts of at most 1000 elements"):
        function(X)


ROWS = np.array([3, 0])
BEYOND = np.array([4, 0])


@pytest.mark.parametrize("dynamic", [True, False])
def test_indices_that_no_element_has(dynamic):
    """They are seen where the function is traced, of arguments and where sizes are known."""
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    functions = (lambda x: x[BEYOND], lambda x: np.take(x, np.array([-5, 0]), axis=0), lambda x: (x.T + 1)[:, BEYOND])
    for function in functions[: 2 if dynamic else 3]:
        with pytest.raises(IndexError, match="expected indices of -4 to 3 in dimension"):
            fuser.jit(function, dynamic=dynamic)(x)
    for function in (lambda x: x[ROWS], lambda x: x[np.array([-1, 0])]):
        np.testing.assert_array_equal(fuser.jit(function, dynamic=dynamic)(x), function(x))


def test_programs_that_are_not_kept(monkeypatch):
    """The oldest go first, with the arrays that they took."""
    monkeypatch.setattr(fuser._jit, "_MAX_PROGRAMS", 2)
    x, holder = np.ones(3, np.float32), {}
    function = fuser.jit(lambda x, factor: x * factor + holder["w"])
    seen = []
    for number, factor in enumerate((1.5, 2.5, 3.5, 1.5)):
        holder["w"] = np.full(3, number, np.float32)
        seen.append(weakref.ref(holder["w"]))
        for _ in range(3):
            np.testing.assert_array_equal(function(x, factor), x * factor + number)
        assert function.num_programs == min(number + 1, 2)
    gc.collect()
    assert [each() is None for each in seen] == [True, True, False, False]
    np.testing.assert_array_equal(function(x, 2.5), x * 2.5 + 3)
