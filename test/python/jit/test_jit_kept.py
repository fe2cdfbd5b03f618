# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that a function keeps while it is traced."""

import functools
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(1, 5, dtype=np.float32)
KEPT = (
    "expected an array of the function that is being traced, got an array that an earlier trace made at {}:{} and that something has kept"
    " (lru_cache, an attribute): make it anew, or outside with NumPy; what is used outside of a function is what it returns"
)


class Layer:
    last = None
    k = 1

    def __init__(self):
        self.history, self.by_name, self.calls = [], {}, []

    @fuser.jit
    def keep(self, a):
        self.calls.append(0)
        self.last = a * 2
        return self.last + self.k

    @fuser.jit
    def append(self, a):
        self.calls.append(0)
        self.history.append(a * 2)
        self.by_name["a"] = (self.history[-1],)
        return self.history[-1] + self.k


LINE = Layer.keep._function.__code__.co_firstlineno + 3


@pytest.fixture
def kept():
    layer = Layer()
    layer.keep(X)
    return layer.last


def explain(function, *arguments):
    with pytest.raises(TypeError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("name", ["keep", "append"])
@pytest.mark.parametrize("values", [(1, 3), (np.ones(4, np.float32), np.full(4, 3, np.float32))])
def test_steady_calls(name, values):
    layer = Layer()
    function = getattr(layer, name)
    for _ in range(2):
        for layer.k in values:
            for x in (X, X.astype(np.float64)):
                for _ in range(2):
                    np.testing.assert_array_equal(function(x), X * 2 + layer.k)
    assert len(layer.calls) <= 4 + 4  # Once for each type and value, and where one returns the last one.


@pytest.mark.parametrize(
    "use",
    [
        lambda y: y + 1,
        lambda y: X + y,
        lambda y: y.shape,
        lambda y: y[0],
        lambda y: y.sum(),
        np.exp,
        np.asarray,
        fnp.exp,
        lambda y: fnp.stack([y, y]),
        fnp.sort,
        float,
        bool,
        len,
        list,
        fuser.jit(lambda x: x),
        lambda y: y.__setitem__(0, 1),
        lambda y: y.__iadd__(1),
    ],
)
def test_a_later_use(use, kept):
    message = explain(use, kept)
    assert re.fullmatch(rf"{re.escape(__file__)}:\d+: {re.escape(KEPT.format(__file__, LINE))}", message)


@pytest.mark.parametrize("use", [lambda y, x: x + y, lambda y, x: y + x, lambda y, x: y, lambda y, x: x[: y.shape[0]]])
def test_a_use_in_another_function(use, kept):
    message = explain(fuser.jit(lambda x: use(kept, x)), X)
    assert message.endswith(KEPT.format(__file__, LINE))


def test_a_cache():
    @functools.lru_cache
    def make_mask(size):
        return fnp.tril(fnp.ones((size, size), dtype="float32"))

    function = fuser.jit(lambda x: x @ make_mask(4))
    np.testing.assert_array_equal(function(X), X @ np.tril(np.ones((4, 4), np.float32)))
    line = function._function.__code__.co_firstlineno
    message = explain(function, X.astype(np.float64))
    assert message == f"{__file__}:{line}: " + KEPT.format(__file__, line - 2)
