# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NumPy makes while a function is traced does not stay in the program where it may depend on an array that the function names."""

import functools
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
W = np.array([0.5, 1, 2, 3], np.float32)
SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4)
SCALE = np.float32(2)
HOLDER = types.SimpleNamespace(weight=W)


def fail(function, *arguments):
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(*arguments)
    return str(caught.value)


def explain(line, names, got="one"):
    """The error of an array that NumPy made at a line of this file."""
    return (
        f"{__file__}:{line}: expected an array that the function names, or one that fuser.numpy makes, got {got} that NumPy made while the function was"
        f" traced, which may have been computed of {names}: it would stay as it is when that changes; make it with fuser.numpy (fnp.arange, fnp.exp(w), ...),"
        " make it outside, or pass it as an argument"
    )


# What is an error


COMPUTED = {
    "1 + W": lambda x: x * (1 + W),
    "np.exp(W)": lambda x: x * np.exp(W),
    "W.copy()": lambda x: x + W.copy(),
    "W of an index": lambda x: x + W[[0, 1, 2, 3]],
    "np.arange(4)": lambda x: x * W + np.arange(4),
    "an argument of fuser.numpy": lambda x: fnp.multiply(x, W * 2),
    "in a list": lambda x: x + fnp.stack([W * 2, W])[0],
    "an index": lambda x: x[np.argsort(W)],
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_numpy_computes(name):
    function = COMPUTED[name]
    assert fail(function, X) == explain(function.__code__.co_firstlineno, "'W'")


@pytest.mark.parametrize(
    "function", [lambda x: x * W.sum(), lambda x: x * W[0], lambda x: x * W * np.float32(2), lambda x: x[W.argmax()]]
)
def test_numbers_that_numpy_computes(function):
    line = function.__code__.co_firstlineno
    assert (
        fail(function, X)
        == explain(line, "'W'", "a number") + "; of numbers alone Python makes it: float(n), math.sqrt(n)"
    )


def test_results():
    """These are errors of the call."""
    line = fail.__code__.co_firstlineno + 2
    assert fail(lambda x: np.exp(W), X) == explain(line, "'W'")
    assert fail(lambda x: (x, W * 2), X) == explain(line, "'W'")
    assert fail(lambda x: (x, W.sum()), X).startswith(explain(line, "'W'", "a number"))


def test_names_in_the_message():
    outer = [X * n for n in range(6)]
    both = lambda x: x + HOLDER.weight + W * SQUARE[0]  # noqa: E731
    assert fail(both, X) == explain(both.__code__.co_firstlineno, "'SQUARE', 'W', 'weight'")
    closed = lambda x: x + outer[0] * 2  # noqa: E731
    assert fail(closed, X) == explain(closed.__code__.co_firstlineno, "an outer variable")
    named = {"a": X, "b": X, "c": X, "d": X, "e": X}
    many = lambda x: x + named["a"] * 2  # noqa: E731
    assert fail(many, X) == explain(many.__code__.co_firstlineno, "'a', 'b', 'c', 'd', ...")
    partial = functools.partial(lambda w, x: x + w[0] * 2, {"w": [X]}["w"])
    assert "which may have been computed of 'args': " in fail(partial, X)


def test_attributes_of_an_argument():
    class Layer:
        def __init__(self):
            self.w = W

        @fuser.jit
        def scale(self, x):
            return x * (1 + self.w)

        @fuser.jit
        def good(self, x):
            return x * (1 + fnp.multiply(self.w, 2))

    layer = Layer()
    with pytest.raises(TypeError, match="which may have been computed of 'w': it would stay"):
        layer.scale(X)
    for layer.w in (W, W * 2):
        np.testing.assert_array_equal(layer.good(X), X * (1 + layer.w * 2))


# What is none


def test_views_are_parts_of_what_is_named(monkeypatch):
    views = (lambda w: w.T, lambda w: w[1], lambda w: w[:, ::-2], lambda w: w.reshape(2, 8)[0, 2:6])
    for view in views:
        function = fuser.jit(lambda x, view=view: x[: view(SQUARE).shape[-1]] + view(SQUARE))
        for square in (SQUARE, SQUARE * 2):
            monkeypatch.setitem(globals(), "SQUARE", square)
            for _ in range(2):
                result = function(X)
                np.testing.assert_array_equal(result, X[: view(square).shape[-1]] + view(square))
        square[:] += 1
        np.testing.assert_array_equal(function(X), X[: view(square).shape[-1]] + view(square))
        monkeypatch.undo()


def test_where_nothing_is_named():
    """There is nothing that it could have been computed of."""
    offsets = [1, 2]
    function = fuser.jit(lambda x: x + np.arange(4) * np.float32(offsets[0]) + np.sqrt(4.0))
    for _ in range(2):
        np.testing.assert_array_equal(function(X), X + np.arange(4) + 2)
    assert function.num_programs == 1
    np.testing.assert_array_equal(fuser.jit(lambda x: (x, np.arange(3)))(X)[1], np.arange(3))


def test_what_is_advised_works(monkeypatch):
    outside = np.exp(W)
    function = fuser.jit(
        lambda x: x * fnp.exp(W) + fnp.arange(4) + fnp.sum(W) + outside + float(np.sqrt(4.0)) + fnp.multiply(W, 2)
    )
    for w in (W, W + 1):
        monkeypatch.setitem(globals(), "W", w)
        np.testing.assert_allclose(function(X), X * np.exp(w) + np.arange(4) + w.sum() + outside + 2 + w * 2, rtol=1e-6)


def test_numbers_of_names(monkeypatch):
    """What NumPy computes of these is right as long as they are there: they cannot change in their place."""
    functions = fuser.jit(lambda x: x * SCALE), fuser.jit(lambda x: x * np.exp(SCALE) + np.full(4, SCALE))
    for scale in (np.float32(2), np.float32(3), np.float64(0.5)):
        monkeypatch.setitem(globals(), "SCALE", scale)
        np.testing.assert_allclose(functions[0](X), X * scale, rtol=1e-6)
        np.testing.assert_allclose(functions[1](X), X * np.exp(scale) + scale, rtol=1e-6)
    holder = types.SimpleNamespace(eps=np.float32(1))
    function = fuser.jit(lambda x: (x + holder.eps, holder.eps))
    for holder.eps in (np.float32(1), np.float32(7)):
        result, eps = function(X)
        np.testing.assert_array_equal(result, X + holder.eps)
        assert eps == holder.eps


def test_an_array_alone_is_a_result(monkeypatch):
    functions = fuser.jit(lambda x: W), fuser.jit(lambda x: (x, {"w": W, "t": SQUARE.T}))
    for w in (W, W * 2):
        monkeypatch.setitem(globals(), "W", w)
        for _ in range(2):
            np.testing.assert_array_equal(functions[0](X), w)
            x, results = functions[1](X)
            np.testing.assert_array_equal(x, X)
            np.testing.assert_array_equal(results["w"], w)
            np.testing.assert_array_equal(results["t"], SQUARE.T)
    w[:] = 5
    np.testing.assert_array_equal(functions[0](X), [5, 5, 5, 5])


def test_an_array_that_the_function_puts_somewhere():
    """A name leads to it, later than where it was made."""
    holder = types.SimpleNamespace(weight=W, mask=None)

    def function(x):
        if holder.mask is None:
            holder.mask = np.ones(4, np.float32)
        return x * holder.mask + holder.weight

    jitted = fuser.jit(function)
    np.testing.assert_array_equal(jitted(X), X + W)
    holder.mask = holder.mask * 2
    np.testing.assert_array_equal(jitted(X), X * 2 + W)


# fuser.numpy's functions of arrays that are not traced

# The function, and the same of NumPy where its name is another one.
UNTRACED = {
    "sum": (lambda np: np.sum(W),),
    "mean": (lambda np: np.mean(SQUARE, axis=0),),
    "reshape": (lambda np: np.reshape(SQUARE, (2, 8)),),
    "stack": (lambda np: np.stack([W, SQUARE[0]], axis=1),),
    "stack of a tuple": (lambda np: np.stack((W, W)),),
    "exp": (lambda np: np.exp(W),),
    "where": (lambda np: np.where(np.greater(W, 1), W, np.negative(W)),),
    "take": (lambda np: np.take(SQUARE, INDICES, axis=0),),
    "matmul": (lambda np: np.matmul(SQUARE, W),),
    "sort": (lambda np: np.sort(SQUARE, axis=0),),
    "pad": (lambda np: np.pad(W, 1),),
    "moveaxis": (lambda np: np.moveaxis(SQUARE, 0, 1),),
    "diff": (lambda np: np.diff(W),),
    "broadcast_to": (lambda np: np.broadcast_to(W, (2, 4)),),
    "maximum": (lambda np: np.maximum(W, 1.5),),
    "of an element of a list": (lambda np: np.add([W, W][1], W),),
    "by keywords": (lambda fnp: fnp.clip(x=W, min=1, max=2), lambda np: np.clip(W, 1, 2)),
    "concat": (lambda fnp: fnp.concat([W, W]), lambda np: np.concatenate([W, W])),
    "cumulative_sum": (lambda fnp: fnp.cumulative_sum(W), lambda np: np.cumsum(W)),
}
INDICES = np.array([3, 0])


@pytest.mark.parametrize("name", UNTRACED)
def test_functions_of_arrays_that_are_not_traced(name, monkeypatch):
    own, of_numpy = UNTRACED[name][0], UNTRACED[name][-1]
    function = fuser.jit(lambda x: (x, own(fnp))[1])
    for w, square in ((W, SQUARE), (W + 1, SQUARE * 2)):
        monkeypatch.setitem(globals(), "W", w)
        monkeypatch.setitem(globals(), "SQUARE", square)
        np.testing.assert_allclose(function(X), of_numpy(np), rtol=1e-6)


def test_an_axis_that_is_an_array():
    """It is a number, and none of the program's arrays."""
    axis = np.array(1)
    function = fuser.jit(lambda x: (x, fnp.sum(SQUARE, axis=axis), fnp.sum(SQUARE, axis)))
    for result in function(X)[1:]:
        np.testing.assert_array_equal(result, SQUARE.sum(1))
