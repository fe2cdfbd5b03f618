# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments to parts of arrays that a traced function has made (`h[key] = v`), and PyTorch's methods that change these, against NumPy and PyTorch."""

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from test_jit_assignments import compare

X = np.arange(24, dtype=np.float32).reshape(4, 6)
V = np.arange(100, 124, dtype=np.float32).reshape(4, 6)
AT = np.array([3, 0])

#: Keys, and values of their shape or that are broadcast to it.
CASES = [
    (np.s_[0], 1),
    (np.s_[-1], V[0]),
    (np.s_[1:3], 5.5),
    (np.s_[1:3], V[1:3]),
    (np.s_[:, 1:], V[:, 1:]),
    (np.s_[:, 1:], V[0, 1:]),
    (np.s_[1:, 2], V[1:, 0]),
    (np.s_[1, 2], 7),
    (np.s_[...], V),
    (np.s_[:], 3),
    (np.s_[..., 0], V[:, 0]),
    (np.s_[::2], V[::2]),
    (np.s_[1::2, ::3], V[1::2, ::3]),
    (np.s_[::-1], V),
    (np.s_[2::-1], V[:3]),
    (np.s_[1:3, 1:-1], V[:2, :4]),
    (np.s_[:-1], V[1:]),
    (np.s_[-2:], V[:2, :1]),
    (np.s_[0:0], 5),
    (np.s_[2:1], V[:0]),
    (np.s_[0:2], V[:1][None]),
    (AT, 9),
    (AT, V[:2]),
    (np.s_[:, AT], V[:, :2]),
    (np.s_[AT, AT], V[0, :2]),
    (np.s_[1, AT], V[0, :2]),
    (np.s_[1:3, AT], V[:2, :2]),
    ([0, 2], V[:2]),
    (np.s_[AT[:, None], AT], V[:2, :2]),
    (np.s_[np.int64(2), 1:], 4),
]


@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("dynamic", [True, False])
def test_parts(number, dynamic):
    key, value = CASES[number]

    def assign(x):
        h = x * 2
        same = h
        h[key] = value
        return h, same + 1

    def add(x):
        h = x * 2
        h[key] += 1
        return h

    compare(assign, X, dynamic=dynamic)
    compare(add, X, dynamic=dynamic)


def test_backward_in_steps():
    def assign(x):
        h = x * 2
        h[:, ::-2] = V[:, ::2]
        return h

    compare(assign, X, dynamic=False)
    with pytest.raises(TypeError, match=r"expected a step of at least -1 where the size is open, got -2"):
        fuser.jit(assign)(X)


def test_bounds_of_sizes():
    def assign(x):
        h, n = x * 2, x.shape[0] // 2
        h[:n] = x[n:]
        h[n, 1:] = 0
        h[x.shape[0] - 1] += 1
        return h

    compare(assign, X)


#: Slices of X beyond its open sizes, and what is assigned: numbers of elements that are those of the part as NumPy cuts it, or 1.
BEYOND = [
    (np.s_[1:9], 0),
    (np.s_[1:9], V[1:]),
    (np.s_[1:9], V[:1]),
    (np.s_[-9:3], V[:3]),
    (np.s_[9:1:-1], V[:2]),
    (np.s_[-9:3:2], 1),
    (np.s_[-9:3:2], V[:2]),
    (np.s_[7:], 1),
    (np.s_[7:], V[:0]),
    (np.s_[:, 2:9:3], V[:, :2]),
    (np.s_[1:9, -9:-2], V[1:, :4]),
    (np.s_[0, 3:9], V[0, :3]),
    (lambda h: np.s_[1 : h.shape[0] + 2], V[1:]),
    (lambda h: np.s_[-(h.shape[0] // 2) :], 0),
    (lambda h: np.s_[-(h.shape[0] // 2) :], V[:2]),
    (lambda h: np.s_[h.shape[0] - 6 :], V[:2]),
]


@pytest.mark.parametrize("number", range(len(BEYOND)))
def test_bounds_beyond_open_sizes(number):
    """They are cut, as those of known sizes."""
    key, value = BEYOND[number]

    def assign(x, value):
        h = x * 2
        h[key(h) if callable(key) else key] = value
        return h

    compare(lambda x: assign(x, value), X)
    if not isinstance(value, int):
        np.testing.assert_array_equal(fuser.jit(assign)(X, value), assign(X, value))


@pytest.mark.parametrize("rows", [2, 8])
def test_values_that_do_not_fit_beyond_open_sizes(rows):
    """8 are as many as there are between the bounds."""

    def assign(x, value):
        h = x * 2
        h[1:9] = value
        return h

    line = assign.__code__.co_firstlineno + 2
    value = np.ones((rows + 1, 6), np.float32)[1:]
    expected = "expected size 1 or 3 in dimension 0"
    with pytest.raises(fuser.Error, match=f"test_jit_items.py:{line}: error: '.*=': expected .*"):
        fuser.jit(assign)(X, value)
    with pytest.raises(fuser.Error, match=rf"test_jit_items.py:{line}: error: '\[...\] =': .*{expected}"):
        fuser.jit(lambda x: assign(x, np.ones((rows, 6), np.float32)))(X)


def test_a_part_that_is_cut_is_not_blamed():
    def assign(x, y):
        h = x * 2
        h[1:9] = 0
        return h + y

    line = assign.__code__.co_firstlineno + 3
    with pytest.raises(fuser.Error, match=f"test_jit_items.py:{line}: error: 'add': expected shapes that broadcast"):
        fuser.jit(assign)(X, X[:3])


@pytest.mark.parametrize("dynamic", [True, False])
def test_parts_that_are_read_and_changed_are_cut(dynamic):
    def add(x):
        h = x * 2
        h[1:9] += 1
        return h

    compare(add, X, dynamic=dynamic)


def test_bounds_that_are_arguments():
    """Numbers of NumPy's; a step is known to the program."""
    for key in (
        lambda n: np.s_[1:n],
        lambda n: np.s_[n:-1],
        lambda n: np.s_[n:9],
        lambda n: np.s_[-9:n],
        lambda n: np.s_[::n],
    ):
        for dynamic in (True, False):
            changed = fuser.jit(assign(key, 1), dynamic=dynamic)
            for number in (np.int64(1), np.int64(3)):
                np.testing.assert_array_equal(changed(X, number), assign(key, 1)(X, number))
    step = fuser.jit(lambda x, n: x[:: n + 1])
    with pytest.raises(TypeError, match="expected a step that is known while the function is traced, got one that"):
        step(X, np.int64(1))


def test_booleans():
    def relu(x):
        h = x - 10
        h[h < 0] = 0
        h[x == 20] = x[0, 1]
        return h

    def rows(x):
        h = x - 10
        h[h[:, 0] < 0] = x[0]
        return h

    compare(relu, X)
    compare(rows, X)
    with pytest.raises(TypeError, match="expected one value for all where the booleans .* of other arrays the number"):
        fuser.jit(lambda x: (x * 1).__setitem__(x > 0, x[0]))(X)
    with pytest.raises(TypeError, match="expected an array of booleans as the only index"):
        fuser.jit(lambda x: (x * 1).__setitem__((0, x[0] > 0), 1))(X)


def test_types_stay():
    def assign(x):
        h = x.astype("int32")
        h[0], h[1] = 2.7, x[0] + 0.6
        flags = x > 3
        flags[0] = 2
        return h, flags

    compare(assign, X)


def test_arrays_of_the_caller_stay():
    for change in (lambda x: x.__setitem__(0, 1), lambda x: x[1:].__setitem__(0, 1), lambda x: x.fill_(1)):
        with pytest.raises(
            TypeError, match=r"got '\[...\] =', which would change the caller's: write fuser.numpy.where"
        ):
            fuser.jit(change)(X)

    with pytest.raises(
        TypeError, match=r"got 'add_', which would change the caller's: write x = x.add\(...\), which makes"
    ):
        fuser.jit(lambda x: x.add_(1))(X)

    def copied(x):
        x = fnp.copy(x)
        x[0] = 1
        return x

    np.testing.assert_array_equal(fuser.jit(copied)(X)[0], np.ones(6))


def test_parts_of_their_own():
    """Of what is unstacked or split one part changes, and the others not."""

    def unstack(number):
        def function(x):
            h = x * 2
            rows = fnp.unstack(h)
            first = rows[0]
            h[1] = 0
            return first + rows[0], rows[number], h

        return function

    def split(number):
        def function(x):
            h = x * 2
            parts = np.split(h, [1, 3])
            h[1:3] = 0
            return parts[0], parts[2], parts[number] + 1, h

        return function

    first, last, changed = fuser.jit(unstack(3), dynamic=False)(X)
    np.testing.assert_array_equal(first, X[0] * 4)
    np.testing.assert_array_equal(last, X[3] * 2)
    np.testing.assert_array_equal(changed, X * [[2], [0], [2], [2]])
    message = r"expected an array that stays as it is, got one that '\[...\] =' of .*test_jit_items.py:\d+ changes by another name"
    with pytest.raises(TypeError, match=message):
        fuser.jit(unstack(1), dynamic=False)(X)
    for dynamic in (True, False):
        compare(split(2), X, dynamic=dynamic)
        with pytest.raises(TypeError, match=message):
            fuser.jit(split(1), dynamic=dynamic)(X)


def test_views():
    def apart(x):
        h = x * 2
        y, z = h[:2], h[2:]
        y[0] = 1
        z[:, 1:] += 5
        return y, z

    def kept(x):
        h = x * 2
        row = h[3]
        h[0] = 1
        return h, row

    compare(apart, X)
    compare(kept, X)

    def changed(x):
        h = x * 2
        y = h[1:]
        y[0] = 1
        return h

    def other(x):
        h = x * 2
        y = h[1]
        y += 1
        h[0] = y
        return h

    message = (
        "expected an array that stays as it is, got one that '{}' of .*test_jit_items.py:.* changes by another name"
    )
    with pytest.raises(TypeError, match=message.format(r"\[...\] =")):
        fuser.jit(changed)(X)
    with pytest.raises(TypeError, match=message.format(r"\+=")):
        fuser.jit(other)(X)


def test_values_that_do_not_fit():
    for key, value, expected in (
        (np.s_[0], V[0, :5], "expected size 1 or 6 in dimension 0, got 'tensor<5xf32>'"),
        (np.s_[:2], V[:3], "expected size 1 or 2 in dimension 0, got 'tensor<3x6xf32>'"),
        (np.s_[0, 0], V[0], "expected a shape of at least 1 dimensions, for 'tensor<6xf32>', got 0"),
    ):
        with pytest.raises(fuser.Error, match=expected):
            fuser.jit(lambda x, key=key, value=value: (x * 2).__setitem__(key, value), dynamic=False)(X)
    with pytest.raises(TypeError, match="got None"):
        fuser.jit(lambda x: (x * 2).__setitem__(None, 1))(X)
    with pytest.raises(fuser.Error, match="expected an index of -4 to 3, got 4"):
        fuser.jit(lambda x: (x * 2).__setitem__(4, 1), dynamic=False)(X)

    def beyond(x):
        h = x * 2
        h[:6] = np.ones((6, 6), np.float32)
        return h

    with pytest.raises(fuser.Error, match="expected size 1 or 4 in dimension 0"):
        fuser.jit(beyond)(X)


def assign(key, value):
    """A function that assigns to a part of its array. key: may be a function of arguments. value: may be one of the array."""

    def function(x, *numbers):
        h = x * 2
        h[key(*numbers) if callable(key) else key] = value(h) if callable(value) else value
        return h

    return function


@pytest.mark.parametrize("dynamic", [True, False])
def test_the_array_itself(dynamic):
    for key in (
        np.s_[::-1],
        np.s_[:, ::-1],
        [3, 2, 1, 0],
        np.s_[:, [5, 4, 3, 2, 1, 0]],
        np.s_[:],
        np.s_[..., :],
        np.s_[0:],
    ):
        compare(assign(key, lambda h: h + 0), X, dynamic=dynamic)
        got = fuser.jit(assign(key, lambda h: h), dynamic=dynamic)(X)
        np.testing.assert_array_equal(got, assign(key, lambda h: h.copy())(X))
    fewer, larger = (
        "expected a shape of at least 2 dimensions, for .*, got 1",
        "expected size 1 or 3 in dimension 0, got",
    )
    for key, expected in ((np.s_[0], fewer), (np.s_[1:], larger), (np.s_[:, 2], fewer)):
        with pytest.raises(fuser.Error, match=expected):
            fuser.jit(assign(key, lambda h: h), dynamic=dynamic)(X)
    with pytest.raises(TypeError, match="expected one value for all where the booleans"):
        fuser.jit(lambda x: (h := x * 2).__setitem__(h > 3, h), dynamic=dynamic)(X)


@pytest.mark.parametrize("dynamic", [True, False])
def test_elements_that_there_are_none_of(dynamic):
    for key in (4, -5, np.s_[1, 6], np.s_[..., -7]):
        with pytest.raises(
            fuser.Error, match=r"test_jit_items.py:\d+: error: '\[...] =': expected an index of -\d to \d, got -?\d"
        ):
            fuser.jit(assign(key, 1), dynamic=dynamic)(X)
    for key in (3, -4, np.s_[3, 5], np.s_[..., -6]):
        compare(assign(key, 1), X, dynamic=dynamic)


def test_lists_of_indices_of_known_sizes():
    """As NumPy's: negative ones count from the end, and one of no element is an error while the function is traced."""
    keys = [-1, 0], np.s_[:, [0, -6]], np.s_[..., [1, -1]], np.s_[[-1, 0], [1, -2]], []
    for key in keys:
        for function in (lambda x, key=key: x[key], assign(key, 1)):
            np.testing.assert_array_equal(fuser.jit(function, dynamic=False)(X), function(X))
    for key, message in (
        ([4, 0], "-4 to 3 in dimension 0 of .*, got 4"),
        ([-5], "got -5"),
        (np.s_[:, [6]], "-6 to 5 in dimension 1 of .*, got 6"),
    ):
        for function in (lambda x, key=key: x[key], assign(key, 1)):
            with pytest.raises(IndexError, match=f"expected indices of .*{message}"):
                fuser.jit(function, dynamic=False)(X)


def test_numbers_as_indices_count_from_the_end():
    changed, read = fuser.jit(assign(lambda n: n, 1)), fuser.jit(lambda x, n: (x[n], x[1:, n], x[x.shape[0] - n - 3]))
    for number in (np.int64(-1), np.int64(0), np.int64(2), np.int64(-4)):
        np.testing.assert_array_equal(changed(X, number), assign(number, 1)(X))
        for got, wanted in (
            zip(read(X, number), (X[number], X[1:, number], X[1 - number]), strict=True) if abs(number) < 3 else ()
        ):
            np.testing.assert_array_equal(got, wanted)
    assert changed.num_programs == read.num_programs == 1
    for number in (np.int64(4), np.int64(-5)):
        for function in (changed, fuser.jit(lambda x, n: x[n])):
            with pytest.raises(fuser.Error, match=rf"error: '\[...]( =)?': expected an index of -4 to 3, got {number}"):
                function(X, number)

    def several(x, n):
        h = x * 2
        h[n] += 1
        h[n, n] *= 3
        h[x.shape[0] - 1] -= 5
        return h

    np.testing.assert_array_equal(fuser.jit(several)(X, np.int64(-2)), several(X, -2))


@pytest.mark.parametrize("dynamic", [True, False])
def test_lists_of_numbers(dynamic):
    def get(x):
        return x[[-1, 0]], x[:, [1]], fnp.take(x, [0, -2], axis=1)

    for got, wanted in zip(fuser.jit(get, dynamic=dynamic)(X), (X[[-1, 0]], X[:, [1]], X[:, [0, -2]]), strict=True):
        np.testing.assert_array_equal(got, wanted)
    for function in (lambda x: x[[len(X), 0]], lambda x: fnp.take(x, [len(X)], axis=0)):
        with pytest.raises(IndexError, match=f"expected indices of .*, got {len(X)}$"):
            fuser.jit(function, dynamic=dynamic)(X)


def test_of_torch():
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X)

    def methods(x):
        h = x * 2
        same = h
        assert h.add_(1).mul_(x) is h
        h.masked_fill_(x > 3, 0.5).clamp_(min=0).sub_(x, alpha=2)
        k = x.to(torch.int32)
        k.add_(3)
        return h, same, k, torch.zeros_like(x).copy_(x[0]), (x + 1).fill_(2), (x + 1).zero_()

    def parts(x):
        h = x * 2
        h[:, 1:] += x[:, 1:]
        h[x > 20] = -1
        h[torch.tensor([0, 2])] = x[:2]
        return h

    for function in (methods, parts):
        for got, wanted in zip(fuser.jit(function)(x), function(x), strict=True):
            torch.testing.assert_close(got, wanted)
    with pytest.raises(TypeError, match="expected a result of 'add_' that fits into .*: write y = y.add"):
        fuser.jit(lambda x: x.to(torch.int32).add_(0.5))(x)
