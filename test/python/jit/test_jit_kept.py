# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that a function keeps while it is traced."""

import concurrent.futures
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


# Other threads


def share(work, parts=2):
    """A function that gives its array to a pool."""

    def function(x):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return sum(pool.map(lambda number: work(x, number), range(parts)))

    return function


@fuser.jit
def double(x):
    return x * 2


SHARED = {
    "an operator": lambda x, number: x * number,
    "an element": lambda x, number: x[number],
    "a method": lambda x, number: x.sum(),
    "a function": lambda x, number: fnp.exp(x),
    "one of NumPy's": lambda x, number: np.exp(x),
    "one that is traced": lambda x, number: double(x),
}


@pytest.mark.parametrize("name", SHARED)
def test_other_threads_do_not_trace(name):
    function = share(SHARED[name])
    text = rf"^{re.escape(__file__)}:\d+: expected the thread that traces the function, got another one, such as one of a pool: "
    with pytest.raises(TypeError, match=text):
        fuser.jit(function)(X)
    np.testing.assert_allclose(fuser.jit(lambda x: sum(x * number for number in range(3)))(X), X * 3)


def test_other_threads_make_no_arrays():
    with pytest.raises(TypeError, match="got a call outside of one: .*; another thread traces one"):
        fuser.jit(share(lambda x, number: fnp.zeros((4,))))(X)
    with pytest.raises(TypeError, match="got a call outside of one: "):
        fnp.zeros((4,))


def test_other_threads_trace_functions_of_their_own():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        others = []

        def function(x):
            others.append(pool.submit(fuser.jit(lambda y: y + 1), X).result())
            return x * 2

        np.testing.assert_allclose(fuser.jit(function)(X), X * 2)
        np.testing.assert_allclose(others[0], X + 1)
