# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments (`y += 1`) in functions that fuser.jit traces: what NumPy and PyTorch have, or an error, and never another number."""

import functools
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(12, dtype=np.float32).reshape(3, 4)
BIAS = np.ones((3, 4), np.float32)


def compare(function, *arguments, **options):
    """Results are NumPy's, and arguments stay as they are."""
    before = [each.copy() for each in arguments]
    got = fuser.jit(function, **options)(*arguments)
    expected = function(*(each.copy() for each in arguments))
    for result, wanted in zip(
        *((each if isinstance(each, tuple) else (each,)) for each in (got, expected)), strict=True
    ):
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted)
    for each, kept in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(each, kept)


def assign(operator, function):
    """A function that does this with a name of its own, which `y` and `z` are in the text."""
    names = {"fnp": fnp, "np": np, "BIAS": BIAS}
    exec(f"def assign(y, z):\n y {operator} z\n return y\ndef call(x):\n {function}", names)
    return names["call"]


# Arrays of the caller's


CALLERS = {
    "an argument": "y = x\n y += 1\n return x",
    "an argument that is the result": "x += 1\n return x",
    "its parts": "y = x[0]\n y -= 1\n return x",
    "its shape": "y = x.reshape(-1).T[1:]\n y *= 2\n return y",
    "its size": "y = x[None, :, :2].squeeze(0)\n y /= 2\n return x",
    "its elements": "for row in x:\n  row += 1\n return x",
    "in another function": "return assign(x, 1)",
    "a captured array": "w = fnp.permute_dims(BIAS, (1, 0))\n w += x.T\n return w",
    "a product": "x @= x.T\n return x",
}


@pytest.mark.parametrize("name", CALLERS)
def test_arrays_of_the_caller_stay(name):
    """Once `y = x; y += 1` left x as it was, which NumPy and PyTorch change, and so did `x += 1` with the caller's array."""
    before = X.copy(), BIAS.copy()
    with pytest.raises(
        TypeError,
        match=r"expected an array that stays as it is, got '.*=', which would change the caller's: write x = x . y",
    ):
        fuser.jit(assign("+=", CALLERS[name]), dynamic=False)(X)
    np.testing.assert_array_equal((X, BIAS), before)


def test_what_is_advised_works():
    def add(x):
        y = fnp.copy(x)
        y += 1
        x = x + 1
        return x, y

    for each in fuser.jit(add)(X):
        np.testing.assert_array_equal(each, X + 1)

    def copied(x):
        y = x.copy()
        y += 1
        z = x.astype("float32")
        z *= 2
        return x, y, z

    compare(copied, X)


def test_arrays_of_numpy_that_are_named():
    def add(x):
        w = BIAS
        w += x
        return w

    with pytest.raises(TypeError, match=r"np.add: expected arrays that stay as they are, got out=, as `w \+= x`"):
        fuser.jit(add)(X)
    np.testing.assert_array_equal(BIAS, np.ones((3, 4)))


# Arrays that the function has made


OPERATORS = {
    "+=": "x * 2",
    "-=": "x * 2",
    "*=": "x * 2",
    "/=": "x + 1",
    "//=": "x + 1",
    "%=": "x + 1",
    "**=": "x + 1",
    "&=": "x.astype('int32') + 1",
    "|=": "x.astype('int32') + 1",
    "^=": "x.astype('int32') + 1",
    "<<=": "x.astype('int32') + 1",
    ">>=": "x.astype('int32') + 1",
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_all_names_of_an_array(operator):
    compare(
        assign(
            operator,
            f"y = {OPERATORS[operator]}\n z = y\n w = y + 1\n y {operator} 3\n y {operator} 2\n return y, z, w",
        ),
        X,
    )
    compare(assign(operator, f"y = {OPERATORS[operator]}\n assign(y, 3)\n return y"), X)


def test_products():
    compare(assign("@=", "y = x.T + 1\n z = y\n y @= x @ x.T\n return z"), X)


def test_sums_of_several():
    def add(*xs):
        total = 0
        for x in xs:
            total += x * 2
        return total

    compare(add, X, X, X)


def test_types_and_shapes_stay():
    compare(assign("+=", "y = x.astype('float16')\n y += x\n return y"), X)
    compare(assign("+=", "y = x.astype('int32')\n y += x.astype('int64')\n y += True\n return y"), X)
    compare(assign("+=", "y = x + 1\n y += x[0]\n y += x[:, :1]\n return y"), X)
    for made in (
        "y = x.astype('int32')\n y += 1.5",
        "y = x[0] + 1\n y += x",
        "y = x[:1] + 1\n y += x",
        "y = x > 1\n y += 1",
    ):
        for dynamic in (True, False):
            with pytest.raises(
                TypeError,
                match=r"expected a result of '\+=' that fits into <fuser.numpy.Array tensor<.*>, got <fuser.numpy.Array ",
            ):
                fuser.jit(assign("+=", f"{made}\n return y"), dynamic=dynamic)(X)


def test_numbers_do_not_change():
    compare(assign("+=", "n = x.shape[0]\n m = n\n n += 1\n return x * n + m"), X)
    compare(assign("+=", "s = x.sum()\n r = s\n s /= 4\n return x * s + r"), X)
    got = fuser.jit(assign("*=", "y, s = x\n r = s\n s *= 2\n return y * s + r"))((X, np.float32(3)))
    np.testing.assert_array_equal(got, X * 6 + 3)


# Views of these


APART = {
    "a view alone": "y = (x * 2).reshape(-1)\n y += 1\n return y",
    "a view of what changed": "h = x * 2\n h += 1\n y = h[0]\n y -= 1\n return y",
    "parts": "h = x * 2\n y, z = h[0], h[1]\n y += 1\n z *= 3\n return y, z",
    "slices": "h = x * 2\n y, z = h[:, :2], h[:, 2:]\n y += 1\n z *= 3\n return y, z",
    "slices of a size": "h = x * 2\n n = h.shape[1] // 2\n y, z = h[:, :n], h[:, n:]\n y += 1\n z *= 3\n return y, z",
    "slices from the end": "h = x * 2\n y, z = h[:, :-1], h[:, -1:]\n y += 1\n return y, z",
    "a part beside a slice": "h = x * 2\n y, z = h[0], h[1:]\n y += z[0]\n return y, z",
    "parts of a shape": "h = (x * 2).T\n y, z = h[0], h[1:3]\n y += z[0]\n return y, z",
    "parts of parts": "h = x * 2\n y, z = h[:2][:, 1], h[:2][:, 2]\n y += z\n return y, z",
    "parts of a number": "h = x * 2\n y, z, w = np.split(h, 3)\n y += 1\n z *= 3\n return y, z, w",
    "parts at places": "h = x * 2\n y, z = np.split(h, [2])\n y += 1\n z *= y[0, 0]\n return y, z",
    "parts at places from the end": "h = x * 2\n y, z = np.split(h, [-1], 1)\n z += 1\n return y, z",
    "parts beside a slice": "h = x * 2\n y, z = np.split(h, [1])\n w = h[2:]\n w += 1\n return y, w",
    "uneven parts": "h = x * 2\n y, z = np.array_split(h, 2)\n y += 1\n z *= 3\n return y, z",
    "rows of a view": "h = x * 2\n y = np.swapaxes(h, 0, 1)\n z, w = y[0], y[1]\n z += 1\n return z, w",
    "a view of a view of it": "h = x * 2\n y = np.moveaxis(h, 0, 1)\n y += 1\n z = y[1:]\n return y, z",
    "a value of before": "h = x * 2\n y = h + 0\n h += 1\n return y, h",
}


@pytest.mark.parametrize("name", APART)
def test_views_that_are_apart(name):
    compare(assign("+=", APART[name]), X)
    compare(assign("+=", APART[name]), X, dynamic=False)


TOGETHER = {
    "what it is a view of": "h = x * 2\n y = h.reshape(-1)\n y += 1\n return h",
    "a view of before": "h = x * 2\n y = h[0]\n h += 1\n return y",
    "a view of a view": "h = x * 2\n y = h.T\n z = y[1:]\n y += 1\n return z",
    "another shape": "h = x * 2\n y, z = h.T, h.reshape(-1)\n y += 1\n return z + 1",
    "slices": "h = x * 2\n y, z = h[:, :3], h[:, 2:]\n y += 1\n return z",
    "the same slice": "h = x * 2\n y, z = h[1:], h[1:]\n y += 1\n return z",
    "steps": "h = x * 2\n y, z = h[::2], h[1::2]\n y += 1\n return z",
    "rows and columns": "h = x * 2\n y, z = h[0], h[:, 0]\n y += 1\n return z",
    "ends that are not known": "h = x * 2\n n = h.shape[1] - 1\n y, z = h[:, :n], h[:, -1:]\n y += 1\n return z",
    "dimensions exchanged": "h = x * 2\n y = np.swapaxes(h, 0, 1)\n h += 1\n return y",
    "dimensions moved": "h = x * 2\n y = np.moveaxis(h, 0, -1)\n y += 1\n return h",
    "a turned array": "h = x * 2\n y = np.rot90(h)\n y += 1\n return h",
    "more dimensions": "h = x * 2\n y = np.atleast_3d(h)\n y += 1\n return h",
    "the same part": "h = x * 2\n y, z = np.split(h, [2])\n y += 1\n return h[1]",
    "a part of a part": "h = x * 2\n y, z = np.split(h, [2])\n w = y[0]\n y += 1\n return w",
    "parts that overlap": "h = x * 2\n y, _, z = np.split(h, [2, 1])\n y += 1\n return z",
    "parts that overlap along the last dimension": "h = x * 2\n y, _, z = np.split(h, [2, 1], -1)\n y += 1\n return z",
    "einsum of one": "h = x * 2\n y = np.einsum('ij->ji', h)\n y += 1\n return h",
    "a diagonal": "h = x @ x.T\n y = np.einsum('ii->i', h)\n y += 1\n return h",
    "parts of two numbers": "h = x * 2\n y, z = np.split(h, 3)[0], np.array_split(h, 2)[1]\n y += 1\n return z",
    "parts at sizes that overlap": "h = x * 2\n n, m = h.shape\n y, _, z = np.split(h, [n, m // 4])\n y += 1\n return z",
    "parts at two sizes": "h = x * 2\n n, m = h.shape\n y, z = np.split(h, [n])[0], np.split(h, [m // 4])[1]\n y += 1\n return z",
    "an operand of its own": "h = x * 2\n y = h.T\n y += 1\n h += 1\n return h",
}


@pytest.mark.parametrize("name", TOGETHER)
def test_views_that_may_have_changed(name):
    """It says where."""
    expected = r"expected an array that stays as it is, got one that '\+=' of <string>:\d+ changes by another name.*: write y = y \+ z there"
    with pytest.raises(TypeError, match=expected):
        fuser.jit(assign("+=", TOGETHER[name]))(X)


# Of PyTorch's


def test_tensors():
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X)
    layer = torch.nn.Linear(4, 4).requires_grad_(False)

    def block(x):
        h = layer(x)
        h += x
        return torch.relu(h)

    def gate(x):
        a, b = (x * 2).chunk(2, dim=-1)
        a += 1
        return a * b

    def split(x):
        a, b = (x * 2).split([2, 2], dim=-1)
        a *= b
        total = a.sum()
        again = total
        total /= 4
        return a * b + again

    def half(x):
        x = x.half()
        x += 1
        y = x.clone()
        y -= 3
        y @= y.T @ y  # PyTorch has none: another array.
        return y.float() + x

    for function in (block, gate, split, half):
        torch.testing.assert_close(fuser.jit(function)(x), function(x.clone()))
    torch.testing.assert_close(x, torch.from_numpy(X.copy()))


def test_tensors_that_are_none_of_their_own():
    torch = pytest.importorskip("torch")
    for make in (lambda x: x.float(), lambda x: x.detach(), lambda x: x.contiguous(), lambda x: x.to(torch.float32)):

        def change(x, make=make):
            y = make(x)
            y += 1
            return y

        with pytest.raises(TypeError, match=re.escape("got '+=', which would change the caller's")):
            fuser.jit(change)(torch.from_numpy(X))
    jitted = fuser.jit(functools.partial(lambda x, dtype: change_in_place(x.to(dtype)), dtype=torch.float64))
    torch.testing.assert_close(jitted(torch.from_numpy(X)), torch.from_numpy(X).double() + 1)


def change_in_place(y):
    y += 1
    return y


def test_no_difference_is_the_array_itself():
    def change(x):
        h = x * 2
        y = np.diff(h, 0)
        y += 1
        return h

    np.testing.assert_array_equal(fuser.jit(change)(X), change(X))


def test_positive_is_another_array():
    def change(x):
        h = x * 2
        a, b, c = +h, np.positive(h), fnp.positive(h)
        a += 1
        b *= 3
        c[0] = 5
        n = +x.shape[0]
        n += 1
        return h, a, b, c, h * n

    def plain(x):
        h = x * 2
        c = h.copy()
        c[0] = 5
        return h, h + 1, h * 3, c, h * (x.shape[0] + 1)

    for got, wanted in zip(fuser.jit(change)(X), plain(X), strict=True):
        np.testing.assert_array_equal(got, wanted)
