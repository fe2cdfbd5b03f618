# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions ask of arrays that are traced, and arrays of sizes that are open: as NumPy and PyTorch have it."""

import re
import subprocess
import sys

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from fuser._jit import Tracer

X = np.arange(12, dtype=np.float32).reshape(3, 4)

# Of NumPy's arrays


@pytest.mark.parametrize("dynamic", [True, False])
def test_attributes_of_numpys_arrays(dynamic):
    def ask(x):
        here = x if x.device == "cpu" and not x.is_cuda else -x
        return here * x.size + np.size(x), x * np.finfo(x.dtype).eps

    function = fuser.jit(ask, dynamic=dynamic)
    for x in (X, X[:2], X[:, 0], X.astype(np.float16), X.astype(np.float64)):
        scaled, eps = function(x)
        np.testing.assert_allclose(scaled, x * x.size + x.size, rtol=1e-6)
        np.testing.assert_array_equal(eps, x * np.finfo(x.dtype).eps)
    np.testing.assert_array_equal(fuser.jit(lambda x: x + x.sum().size)(X), X + 1)


def test_modules_are_imported_where_they_are_named():
    """Messages say to write fuser.numpy.where(...), after `import fuser` alone."""
    code = (
        "import sys, fuser; assert 'fuser.numpy' not in sys.modules and 'numpy' in dir(fuser);"
        " assert fuser.numpy.exp is sys.modules['fuser.numpy'].exp and fuser.nvfuser_direct.FusionDefinition;"
        " assert 'torch' not in sys.modules; fuser.nothing"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.endswith("AttributeError: module 'fuser' has no attribute 'nothing'\n")


# Of PyTorch's tensors


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def compare(torch, function, *arguments):
    """Results are PyTorch's, of open sizes and of known ones."""
    expected = function(*arguments)
    for dynamic in (True, False):
        got = fuser.jit(function, dynamic=dynamic)(*arguments)
        for result, wanted in zip(
            *(each if isinstance(each, tuple) else (each,) for each in (got, expected)), strict=True
        ):
            torch.testing.assert_close(result, wanted)


def test_sizes_one_by_one(torch):
    """PyTorch's own functions of numbers alone, which take sizes as arguments or as a list."""
    x = torch.from_numpy(X)

    def make(x):
        n, m = x.shape
        one = torch.ones(n, m) + torch.zeros(m, n, dtype=torch.float64).T + torch.ones(n + 1, 2 * m)[:n, :m]
        return one, torch.zeros(*x.shape), torch.ones((n, 2)), torch.full((m, n), 2.0), torch.ones(2, n), torch.zeros(n)

    compare(torch, make, x)
    compare(torch, lambda x: (torch.eye(x.shape[0], 2), torch.linspace(0, 1, x.size(1)), torch.arange(x.size(0))), x)
    compare(torch, lambda x: (x.new_zeros(x.shape[0], 2), x.new_ones(x.shape), x.new_full((x.shape[0],), 3)), x.half())
    # What PyTorch has in these is anything.
    empty = fuser.jit(lambda x: (torch.empty(x.shape[0], 2), torch.empty_like(x), x.new_empty(x.shape[0], 2)))
    for each, sizes in zip(empty(x.double()), ((3, 2), (3, 4), (3, 2)), strict=True):
        assert each.shape == sizes and not each.any()
    w = torch.ones(1, 4)
    compare(torch, lambda x: w.expand(x.shape[0], -1) + x, x)
    for function in (lambda x: torch.rand(x.shape[0], 4), lambda x: torch.randn(x.shape[0], 4)):
        with pytest.raises(TypeError, match=r"write fuser.numpy.(uniform|normal)\(shape, seed, offset\)"):
            fuser.jit(function)(x)


def test_open_sizes_are_numbers(torch):
    """As PyTorch's own of unknown sizes, but with no number that a function could have."""
    import math

    x = torch.from_numpy(X)
    compare(
        torch,
        lambda x: (x * x.shape[0] // 2, x * math.floor(x.shape[0]), x[: round(x.shape[0])], torch.mul(x, x.shape[1])),
        x,
    )
    with pytest.raises(TypeError, match="expected a number that is known while the function is traced"):
        fuser.jit(lambda x: x * math.sqrt(x.shape[0]))(x)


def test_attributes_of_tensors(torch):
    x = torch.from_numpy(X)

    def ask(x):
        assert x.device == torch.device("cpu") and not x.is_cuda and x.dtype is torch.float16
        y = x.to(x.device) + x.to(device=x.device, dtype=torch.float16) + x.to("cpu", torch.float16, True)
        return y * x.numel() + torch.numel(x) - x.nelement(), x.size(0) * y, torch.zeros(x.size(0), device=x.device)

    compare(torch, ask, x.half())
    compare(torch, lambda x: torch.zeros(2, 2, dtype=x.dtype, device=x.device) + 0 * x.sum(), x)
    compare(torch, lambda x: torch.where(x > 3, x, torch.finfo(x.dtype).min) * torch.finfo(x.dtype).eps, x)
    compare(torch, lambda x: x + torch.iinfo(x.dtype).max // 4, x.int())
    compare(torch, lambda x: x * 2 if x.dtype.is_floating_point else x, x)
    with pytest.raises(TypeError, match=re.escape("got 'cuda:3': a program runs where its arrays are")):
        fuser.jit(lambda x: x.to("cuda:3"))(x)


def test_names_of_devices(torch, monkeypatch):
    """PyTorch's: "cuda" alone is the current one."""
    tracer = Tracer("f")
    assert tracer.is_here("cpu") and tracer.is_here(torch.device("cpu")) and not tracer.is_here("cuda")
    tracer.device = 2, 1
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert tracer.is_here("cuda:1") and tracer.is_here(torch.device("cuda", 1)) and not tracer.is_here("cuda")
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert tracer.is_here("cuda") and not tracer.is_here("cpu") and not tracer.is_here("cuda:0")


def test_types_tell_programs_apart(torch):
    """A function may do something else with NumPy's arrays than with tensors of the same type."""
    function = fuser.jit(lambda x: x * (2 if isinstance(x.dtype, torch.dtype) else 3))
    for _ in range(2):
        np.testing.assert_array_equal(function(X), X * 3)
        torch.testing.assert_close(function(torch.from_numpy(X)), torch.from_numpy(X) * 2)


def test_one_hot(torch):
    one_hot = torch.nn.functional.one_hot
    index = torch.tensor([[0, 4], [2, 1]])
    compare(torch, lambda i: one_hot(i, 5), index)
    compare(torch, lambda i, x: one_hot(i, x.shape[0]), index, torch.ones(6))
    expected = "one_hot: expected the number of classes as num_classes, got -1: the greatest element is not known"
    with pytest.raises(TypeError, match=expected):
        fuser.jit(lambda i: one_hot(i))(index)


def test_functions_of_several(torch):
    x, v = torch.from_numpy(X), torch.arange(4.0)
    compare(torch, lambda x: (torch.diff(x), torch.diff(x, 2, 0), x.diff(dim=0, prepend=x[:1]), torch.diff(x > 3)), x)
    compare(torch, lambda x, v: (torch.vstack([x, v]), torch.hstack([x, x]), torch.hstack([v, v])), x, v)
    compare(torch, lambda x, v: torch.column_stack([x.T, v, v]), x, v)
    for part, row in zip(
        fuser.jit(lambda x: (*x[:, :2].T.unbind(), *torch.unbind(x, 1)), dynamic=False)(x),
        (*x.T[:2], *x.T),
        strict=True,
    ):
        torch.testing.assert_close(part, row)


def test_sizes_of_functions_of_both(torch):
    """fuser.numpy's functions take sizes of tensors, too."""
    x = torch.from_numpy(X)
    got = fuser.jit(lambda x: fnp.zeros((x.shape[0], 2), x.dtype) + x.size(0))(x.double())
    torch.testing.assert_close(got, torch.full((3, 2), 3.0, dtype=torch.float64))


def test_sizes_as_results():
    """They are integers of Python's, whether they are known while the function is traced or not."""
    functions = [
        fuser.jit(lambda x: x.shape[0]),
        fuser.jit(lambda x: x.shape[0] * 2 + 1),
        fuser.jit(lambda x: x.size),
        fuser.jit(lambda x: x.shape[0], dynamic=False),
    ]
    pair = fuser.jit(lambda x: (x * 2, x.shape[0]))
    shape = fuser.jit(lambda x: x.shape)
    for rows in (3, 1, 5, 0):
        x = np.ones((rows, 4), np.float32)
        expected = [rows, rows * 2 + 1, rows * 4, rows]
        assert [function(x) for function in functions] == expected
        assert all(type(function(x)) is int for function in functions)
        doubled, size = pair(x)
        assert doubled.shape == x.shape and type(size) is int and size == rows
        assert shape(x) == (rows, 4) and list(map(type, shape(x))) == [int, int]
    # Numbers of NumPy's stay results.
    assert fuser.jit(lambda k: k + 1)(np.int64(3)).dtype == np.int64


@pytest.mark.parametrize("dynamic", [True, False])
def test_loops_over_columns_are_one_kernel(dynamic):
    """Columns of an argument are read; those of what the program computes would be computed for each."""

    def smooth(x):
        h = x[:, 0]
        for column in range(1, x.shape[1] if not dynamic else 100):
            h = h * np.float32(0.5) + x[:, column]
        return h

    x = np.random.default_rng(0).normal(size=(37, 100)).astype(np.float32)
    read, computed = fuser.jit(smooth, dynamic=dynamic), fuser.jit(lambda x: smooth(np.exp(x)), dynamic=dynamic)
    for rows in (37, 0, 16, 1):
        np.testing.assert_allclose(read(x[:rows]), smooth(x[:rows]), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(computed(x), smooth(np.exp(x)), rtol=1e-5)
    assert read.compile(x).num_segments == 1
    assert "too much would be computed again" in computed.compile(x).explain()
