# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of other packages would be the same in every call of a traced function: to draw some is an error."""

import random
import subprocess
import sys
import threading
import time
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from numpy.random import rand as np_rand

X = np.ones(6, np.float32)
GENERATOR = np.random.default_rng(0)
HOLDER = types.SimpleNamespace(generator=np.random.default_rng(1), state=np.random.RandomState(1))
draw, own = GENERATOR.normal, random.Random(1)


class Layer:
    def __init__(self):
        self.generator = np.random.default_rng(2)

    @fuser.jit
    def add(self, x):
        return x + self.generator.normal(size=6)


FUNCTIONS = [
    (lambda x: x + np.random.rand(6), "numpy.random"),
    (lambda x: x * random.random(), "random"),
    (lambda x: x + GENERATOR.normal(size=6), "a numpy Generator"),
    (lambda x: x + HOLDER.generator.normal(size=6), "a numpy Generator"),
    (lambda x: x + HOLDER.state.rand(6), "a numpy RandomState"),
    (lambda x: x + draw(size=6), "a numpy Generator"),
    (lambda x: x * own.random(), "a random Random"),
    (Layer().add, "a numpy Generator"),
]


@pytest.mark.parametrize("function, name", FUNCTIONS)
def test_numbers_that_are_drawn(function, name):
    traced = function if isinstance(function, types.MethodType) else fuser.jit(function)
    with pytest.raises(
        TypeError, match=rf"got some of {name}, drawn .* write fuser.numpy.uniform\(shape, seed, offset"
    ):
        traced(X)


def test_in_the_first_program_of_a_process():
    """NumPy imports its module of random numbers where it is named first: in the function."""
    code = "import fuser, numpy as np; fuser.jit(lambda x: x + np.random.rand(2))(np.ones(2))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "got some of numpy.random, drawn while the function was traced" in done.stderr


def test_a_generator_among_arguments():
    traced = fuser.jit(lambda x, generator: x + generator.normal(size=6))
    with pytest.raises(TypeError, match="got some of a numpy Generator"):
        traced(X, np.random.default_rng(0))


def test_of_torch():
    torch = pytest.importorskip("torch")
    x, generator = torch.ones(6), torch.Generator()
    functions = {
        lambda x: x + torch.tensor([random.random()]): "random",
        lambda x: x + torch.empty(6).normal_(): "torch",
        lambda x: x + torch.empty(6).normal_(generator=generator): "a torch Generator",
    }
    for function, name in functions.items():
        with pytest.raises(TypeError, match=f"got some of {name},"):
            fuser.jit(function)(x)


def test_what_is_the_same_is_taken():
    """Numbers of a seed that the function has, those of its arguments, and those of fuser.numpy."""
    seeded = fuser.jit(lambda x: x + np.random.default_rng(0).normal(size=6).astype(np.float32))
    np.testing.assert_array_equal(seeded(X), X + np.random.default_rng(0).normal(size=6).astype(np.float32))
    given = fuser.jit(lambda x, noise: x + noise)
    np.testing.assert_array_equal(given(X, np.random.rand(6).astype(np.float32)) > X, True)
    fresh = fuser.jit(lambda x, seed: x + fnp.uniform((6,), seed))
    assert (fresh(X, np.int64(1)) != fresh(X, np.int64(2))).any()


def start_drawing(draw):
    """Another thread that goes on to draw, and what ends it."""
    is_over = threading.Event()

    def loop():
        while not is_over.is_set():
            draw()
            time.sleep(0.001)

    thread = threading.Thread(target=loop)
    thread.start()
    return lambda: (is_over.set(), thread.join())


def test_other_threads_may_draw():
    """What they draw is not the function's, which is run once."""
    done, calls = threading.Event(), []

    def function(x):
        other = threading.Thread(target=random.random)
        other.start()
        other.join()
        calls.append(0)
        return x * 2

    waiting = threading.Thread(target=done.wait)
    waiting.start()
    own = dict(vars(random)), dict(vars(np.random))
    try:
        np.testing.assert_array_equal(fuser.jit(function)(X), X * 2)
    finally:
        done.set()
        waiting.join()
    assert len(calls) == 1 and own == (vars(random), vars(np.random))


@pytest.mark.parametrize(
    "function", [lambda: np.random.rand(6), lambda: np_rand(6), random.random, lambda: HOLDER.generator.random()]
)
def test_a_thread_that_goes_on_to_draw(function):
    """The function itself draws nothing, though it might: it names the generator."""
    calls = []

    def double(x):
        before = HOLDER.generator.bit_generator.state["state"]["state"], np.random.get_state()[2], random.getstate()
        while before == (
            HOLDER.generator.bit_generator.state["state"]["state"],
            np.random.get_state()[2],
            random.getstate(),
        ):
            time.sleep(0.001)
        calls.append(0)
        return x * 2

    stop = start_drawing(function)
    try:
        np.testing.assert_array_equal(fuser.jit(double)(X), X * 2)
    finally:
        stop()
    assert len(calls) == 1


@pytest.mark.parametrize("function, name", FUNCTIONS)
def test_a_function_that_draws_among_threads(function, name):
    traced = function if isinstance(function, types.MethodType) else fuser.jit(function)
    stop = start_drawing(lambda: random.Random(0).random())
    try:
        with pytest.raises(TypeError, match=f"got some of {name}, drawn"):
            traced(X)
    finally:
        stop()


def test_of_torch_among_threads():
    torch = pytest.importorskip("torch")
    x = torch.ones(6)
    stop = start_drawing(lambda: None)
    try:
        with pytest.raises(TypeError, match="got some of torch, drawn"):
            fuser.jit(lambda x: x + torch.empty(6).normal_())(x)
    finally:
        stop()

    def double(x):
        other = threading.Thread(target=torch.rand, args=(3,))
        other.start()
        other.join()
        return x * 2

    stop = start_drawing(lambda: None)
    try:
        assert (fuser.jit(double)(x) == 2).all()
    finally:
        stop()
