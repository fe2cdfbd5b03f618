# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy's that a traced function changes in their place, and whose elements, types and sizes it reads."""

import collections
import enum
import fractions
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
NAMED, OTHER = np.ones(4, np.float32), np.zeros(4, np.float32)
PAIR, TABLE = np.array([2, 5], np.float32), np.ones((3, 4), np.float32)


def count(function):
    """The function, compiled, and a list with an element for each time that it is traced."""
    calls = []

    @fuser.jit
    def counted(*args):
        calls.append(0)
        return function(*args)

    return counted, calls


def check(function, expected, *arguments):
    for _ in range(2):
        np.testing.assert_array_equal(function(*arguments), expected)


# Changes in the place of an array


def change_between(x):
    position = np.zeros(4, np.float32)
    for number in range(3):
        position[:] = number
        x = x + position
    return x


def change_a_view(x):
    h = np.ones((2, 4), np.float32)
    row = h[0]
    y = x * row
    h[:] = 5
    return y + h[1] * row


def change_after(x):
    h = np.full(4, np.nan, np.float32)
    y = fnp.stack([x, h])
    h[0] = 7
    return y, fnp.stack([x, h]), h, x + h[::-1]


@pytest.mark.parametrize("function", [change_between, change_a_view, change_after])
def test_arrays_that_the_function_makes(function):
    expected = run(function)
    for _ in range(2):
        result = fuser.jit(function)(X)
        pair = ([each] if isinstance(each, np.ndarray) else each for each in (result, expected))
        for got, wanted in zip(*pair, strict=True):
            np.testing.assert_array_equal(got, wanted)


def run(function):
    """What NumPy makes of it."""
    globals()["fnp"], own = np, fnp
    try:
        result = function(X)
    finally:
        globals()["fnp"] = own
    return tuple(np.array(each) for each in result) if isinstance(result, tuple) else result


def test_a_result_that_is_changed_later():
    holder = []

    def function(x):
        h = np.ones(4, np.float32)
        holder.append(h)
        return x, h

    jitted = fuser.jit(function)
    jitted(X)
    holder[0][:] = 3
    holder.clear()
    check(lambda: jitted(X)[1], np.ones(4))


def change_before(x):
    NAMED[:] = 2
    return x * NAMED


def change_behind(x):
    y = x * NAMED.T[::-1]
    NAMED[0] += 1
    return y


def change_what_it_keeps(x):
    HOLDER.mask = np.ones(4, np.float32)
    y = x * HOLDER.mask
    HOLDER.mask[:] = 2
    return y


HOLDER = types.SimpleNamespace(mask=None)


@pytest.mark.parametrize("function, line", [(change_before, 2), (change_behind, 1), (change_what_it_keeps, 2)])
def test_arrays_that_names_lead_to(function, line):
    NAMED[:] = 1
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(X)
    assert str(caught.value).startswith(
        f"{__file__}:{function.__code__.co_firstlineno + line}: expected arrays that stay as they are while the function is traced, got one that a name leads to"
    )
    NAMED[:] = 1


def test_large_arrays():
    """Of these some elements are looked at."""
    large = np.zeros(2**24 + 1, np.float32)

    def function(x):
        y = x + large[:4]
        large[:] = 1
        return y

    with pytest.raises(TypeError, match="expected arrays that stay as they are while the function is traced"):
        fuser.jit(function)(X)


def test_what_the_program_does_not_take_may_change():
    counts = np.zeros(2000)

    def function(x):
        counts[0] += 1
        return x * NAMED

    for _ in range(2):
        check(fuser.jit(function), X * NAMED, X)
    NAMED[:] = 3
    check(fuser.jit(function), X * 3, X)
    NAMED[:] = 1


# What Python reads

READS = {
    "float": lambda x: x * float(PAIR[0]),
    "int": lambda x: x * int(PAIR[0]) + int(PAIR[1]),
    "tolist": lambda x: x * PAIR.tolist()[0],
    "if": lambda x: x * 2 if PAIR[0] < 2.5 else x * 3,
    "any": lambda x: x * 2 if (PAIR > 5).any() else x,
    "beside the array": lambda x: x * float(PAIR[0]) + PAIR[:1],
    "a test beside the array": lambda x: x * PAIR[:1] if PAIR[0] < 2.5 else x,
    "size": lambda x: x * PAIR.shape[0],
    "sizes": lambda x: x * TABLE.shape[0] + TABLE.shape[-1],
    "ndim": lambda x: x * TABLE.ndim,
    "len": lambda x: x * len(TABLE),
    "a type": lambda x: x.astype(TABLE.dtype),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read(name, monkeypatch):
    function = READS[name]
    compiled = fuser.jit(function)
    pair = PAIR.copy()
    monkeypatch.setitem(globals(), "PAIR", pair)
    for values in ((2, 5), (3, 5), (3, 7), (2, 5)):
        pair[:] = values
        check(compiled, function(X), X)
    for other in (np.array([7, 8, 9], np.float32), np.array([1, 9], np.float32)):
        monkeypatch.setitem(globals(), "PAIR", other)
        check(compiled, function(X), X)
    for other in (np.ones(5, np.float32), np.ones((2, 3, 4))):
        monkeypatch.setitem(globals(), "TABLE", other)
        check(compiled, function(X), X)
        assert compiled(X).dtype == function(X).dtype


def test_what_is_traced_once():
    """Elements of arrays that the program takes change without a trace, and so do those of other arrays of one size and type that are large."""
    weight, large = np.ones(4, np.float32), types.SimpleNamespace(w=np.ones(2000))
    function, calls = count(lambda x: x * weight + large.w.ndim)
    for weight[:] in range(3):
        check(function, X * weight + 1, X)
        large.w = large.w + 1
    assert len(calls) == 1


# Functions and types


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


def double(x):
    return x * 2


def triple(x):
    return x * 3


VALUES = {
    "a function": (lambda x: OBJECT.value(x), double, triple),
    "a function of NumPy's": (lambda x: OBJECT.value(x), np.exp, np.sin),
    "one of a list": (lambda x: OBJECT.value[0](x), [double], [triple]),
    "a type": (lambda x: x.astype(OBJECT.value), np.float64, np.int32),
    "a dtype": (lambda x: x.astype(OBJECT.value), np.dtype("f8"), np.dtype("i4")),
    "a constant": (lambda x: x * 2 if OBJECT.value is Mode.ONE else x, Mode.ONE, Mode.TWO),
    "a fraction": (lambda x: x * float(OBJECT.value), fractions.Fraction(1, 2), fractions.Fraction(1, 4)),
    "a deque": (lambda x: x * OBJECT.value[0], collections.deque([2]), collections.deque([3])),
    "a set": (lambda x: x * 2 if 1 in OBJECT.value else x, {1}, {2}),
    "a proxy": (lambda x: x * OBJECT.value["a"], types.MappingProxyType({"a": 2}), types.MappingProxyType({"a": 3})),
}
OBJECT = types.SimpleNamespace(value=None)


@pytest.mark.parametrize("name", VALUES)
def test_another_value_behind_a_name(name):
    function, *values = VALUES[name]
    compiled, calls = count(function)
    for OBJECT.value in (*values, values[0]):
        expected = function(X)
        for _ in range(2):
            result = compiled(X)
            np.testing.assert_allclose(result, expected, rtol=1e-6)
            assert result.dtype == expected.dtype
    assert len(calls) <= 3


def test_elements_of_what_is_no_list():
    queue, names = collections.deque([2]), set()
    function, calls = count(lambda x: x * queue[0] + len(names))
    check(function, X * 2, X)
    queue[0] = 5
    check(function, X * 5, X)
    names.add("a")
    check(function, X * 5 + 1, X)
    assert len(calls) == 3


def test_a_helper_that_is_replaced(monkeypatch):
    compiled = fuser.jit(lambda x: double(x) + 1)
    check(compiled, X * 2 + 1, X)
    monkeypatch.setitem(globals(), "double", triple)
    check(compiled, X * 3 + 1, X)


# Numbers of NumPy's that have no sign, or are complex

NUMBERS = {
    "product": lambda x, n: n * n,
    "with a number": lambda x, n: n + type(n)(1) if isinstance(n, np.generic) else n + 1,
    "itself": lambda x, n: n,
    "with floats": lambda x, n: x * n,
    "with floats of 64 bits": lambda x, n: x.astype("float64") + n,
}


@pytest.mark.parametrize(
    "number", [np.uint8(200), np.uint16(65535), np.uint32(2**32 - 1), np.uint64(2**64 - 1), np.complex64(1j), 2 - 3j]
)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_without_a_sign_and_complex_ones(name, number):
    number = np.complex128(number) if isinstance(number, complex) else number
    with np.errstate(over="ignore"):
        expected = NUMBERS[name](X, number)
    for result in (fuser.jit(NUMBERS[name])(X, number), fuser.jit(NUMBERS[name])(x=X, n=number)):
        np.testing.assert_allclose(result, expected, rtol=1e-6)
        # As of PyTorch's a number beside an array keeps the bits of the array.
        assert result.dtype == expected.dtype or (name == "with floats" and result.dtype.kind == expected.dtype.kind)


def test_numbers_without_a_sign_are_sizes():
    n = np.uint32(3)
    for function in (
        lambda x, n: x[:n],
        lambda x, n: fnp.arange(n),
        lambda x, n: fnp.full((2, n), 1.0),
        lambda x, n: fnp.topk(x, n)[0],
        lambda x, n: fnp.roll(x, n),
        lambda x, n: sum(x + each for each in range(n)),
        lambda x, n: x.astype("int32") * n,
        lambda x, n: n * x.shape[0],
    ):
        signed = fuser.jit(function)(X, np.int64(3))
        np.testing.assert_array_equal(fuser.jit(function)(X, n), signed)
    compiled = fuser.jit(lambda x, n: x * n)
    for number in range(5):
        np.testing.assert_array_equal(compiled(X, np.uint8(number)), X * number)
    assert compiled.num_programs == 1


def test_numbers_of_a_structure():
    compiled = fuser.jit(lambda d, *, c: (d["n"] + c, d["x"] * c))
    total, product = compiled({"n": np.uint8(3), "x": X}, c=np.complex128(1 + 2j))
    assert total == 4 + 2j and total.dtype == np.complex128
    np.testing.assert_allclose(product, X * (1 + 2j))
