# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are neither arrays nor plain values, and what Python itself does with arrays that are traced: copies and texts."""

import copy
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Config(dict):
    __getattr__ = dict.__getitem__


class Lookup:
    """Its attributes are those of a table, with the table's error."""

    def __init__(self, **values):
        self.__dict__["values"] = values

    def __getattr__(self, name):
        return self.__dict__["values"][name]


def fail(function, *arguments, **options):
    with pytest.raises((fuser.Error, TypeError, ValueError)) as caught:
        fuser.jit(function, **options)(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_attributes_whose_error_is_another():
    assert (
        fail(lambda x, c: x * c["k"], X, Config(k=2)) == "TypeError: expected a dict, got a Config: write dict(value)"
    )
    np.testing.assert_array_equal(fuser.jit(lambda x, c: x * 2)(X, Lookup(k=2)), X * 2)
    np.testing.assert_array_equal(fuser.jit(lambda x, c: x * c.k)(X, Lookup(k=2)), X * 2)


def test_memoryviews():
    function = lambda x, m: x * 2  # noqa: E731
    expected = (
        "got a memoryview as 'm', which is none (cannot hash writable memoryview object): pass numpy.asarray(value)"
    )
    assert expected in fail(function, X, memoryview(bytearray(b"abc")))
    assert expected in fail(function, X, memoryview(np.ones(3)))


@pytest.mark.parametrize("dynamic", [True, False])
def test_results_of_too_many_elements(dynamic):
    got = fail(
        lambda x: fnp.zeros((x.shape[0] * 2**40, x.shape[1] * 2**22)), np.ones((1, 1), np.float32), dynamic=dynamic
    )
    assert got.endswith("'zeros': expected a tensor of at most 2^48 elements, got 'tensor<1099511627776x4194304xf32>'")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies(duplicate):
    def function(x):
        h = x * 1
        other = duplicate(h)
        other += 1
        return h, other, duplicate(x)

    for each, expected in zip(fuser.jit(function)(X), (X, X + 1, X), strict=True):
        np.testing.assert_array_equal(each, expected)
    np.testing.assert_array_equal(fuser.jit(lambda x: x * duplicate(x.shape[0]))(X), X * 2)


def test_texts_of_sizes():
    for spec in ("3d", ".2f"):
        got = fail(lambda x, spec: (format(x.shape[0], spec), x)[1], X, spec)
        assert got.startswith("TypeError: expected a number that is known while the function is traced, got one that")
        assert got.endswith("sizes are known with fuser.jit(dynamic=False)")
    texts = []
    fuser.jit(lambda x, k: (texts.append(f"{x.shape[0]:3d} {k:3d}"), x)[1], dynamic=False)(X, np.int64(7))
    assert texts == ["  2   7"]
    fuser.jit(lambda x: (texts.append(f"{x.shape[0]} {x}"), x)[1])(X)
    assert "fuser.numpy.Array" in texts[1]


@pytest.mark.parametrize("name", ["ascontiguousarray", "asfortranarray", "clone", "contiguous", "detach"])
def test_names_of_copies(name):
    """Assignments change what is no copy."""
    with pytest.raises(AttributeError, match=re.escape(f"'{name}': write fuser.numpy.copy(x)")):
        getattr(fnp, name)


def test_programs_of_the_simulator():
    data = fuser.jit(lambda x: x * 2, target="sim").compile(X).to_bytes()
    with pytest.raises(
        fuser.Error, match="it is for the simulator of GPUs, and the context .*: load it for the target sim$"
    ):
        fuser.load(data)
    np.testing.assert_array_equal(fuser.load(data, "sim")(X), X * 2)
