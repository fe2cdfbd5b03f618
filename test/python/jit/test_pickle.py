# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of fuser.jit are pickled as functions are, by their names, and executables as their bytes."""

import copy
import multiprocessing
import pickle

import fuser
import numpy as np
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@fuser.jit
def double(x):
    return x * 2


def plain(x):
    return x * 3


triple = fuser.jit(plain, dynamic=False)


class Layer:
    @fuser.jit
    def scale(self, x):
        return x * 4

    def __call__(self, x):
        return x * 5


def test_functions_are_pickled_by_name():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(double, protocol)) is double
    assert pickle.loads(pickle.dumps(Layer.scale)) is Layer.scale
    assert copy.deepcopy(double) is double and copy.copy(double) is double


def test_functions_that_have_another_name():
    """The module has the plain function under that name."""
    again = pickle.loads(pickle.dumps(triple))
    assert again is not triple and again.__wrapped__ is plain
    np.testing.assert_array_equal(again(X), X * 3)
    again(X[:1, :2])
    assert again.num_programs == 2  # Of known sizes.


def test_functions_without_a_name():
    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(fuser.jit(lambda x: x))
    layer = fuser.jit(Layer())
    assert isinstance(pickle.loads(pickle.dumps(layer)).__wrapped__, Layer)


def test_other_processes():
    """A process that begins anew gets the function's name, and a method its object."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.map(double, [X, X + 1])[1], X * 2 + 2)
        np.testing.assert_array_equal(pool.apply(Layer().scale, (X,)), X * 4)
        np.testing.assert_array_equal(pool.apply(double.compile(X), (X,)), X * 2)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_executables(target):
    b = fuser.Builder("scale")
    b.output(b.input((None, 3), name="x") * 2)
    executable = b.compile(target)
    loaded = pickle.loads(pickle.dumps(executable))
    assert (loaded.name, loaded.target, loaded.input_names) == ("scale", target, ("x",))
    np.testing.assert_array_equal(loaded(X), X * 2)
    assert copy.copy(executable) is executable and copy.deepcopy([loaded])[0] is loaded
    # What was loaded has no program's text to compile again, but the bytes that it is of.
    assert loaded.to_bytes() is loaded.to_bytes() and pickle.dumps(loaded) == pickle.dumps(
        pickle.loads(pickle.dumps(loaded))
    )
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(loaded))(X + 1), X * 2 + 2)


def test_executables_of_files(tmp_path):
    """They keep what the file had when it was loaded."""
    b = fuser.Builder("scale")
    b.output(b.input((None, 3), name="x") * 2)
    file = tmp_path / "scale.fx"
    file.write_bytes(b.compile_to_bytes())
    content, loaded = file.read_bytes(), fuser.load(file)
    file.unlink()
    assert loaded.to_bytes() == content
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(loaded))(X), X * 2)
