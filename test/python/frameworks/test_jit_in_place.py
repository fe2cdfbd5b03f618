# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors that a traced function makes and changes in their place, and those of PyTorch's transforms."""

import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

torch = pytest.importorskip("torch")

X = torch.arange(1.0, 5.0)


def zero(x):
    h = torch.ones(4)
    y = x * h
    h.zero_()
    return y


def assign(x):
    m = torch.ones(4)
    y = x * m
    m[0] = 0
    z = x * m
    m += 1
    return y, z, x * m


def view(x):
    h = torch.full((4,), float("nan"))
    part = h[1:3]
    y = torch.nan_to_num(x[1:3] * part, 9.0)
    h.zero_()
    part[0] = 3
    return y, x * h, x[1:3] * part, h


def loop(x):
    position = torch.zeros(4, dtype=torch.int64)
    for number in range(3):
        position.fill_(number)
        x = x + position
    return x


@pytest.mark.parametrize("function", [zero, assign, view, loop])
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_tensors_that_the_function_makes(function, mode):
    with mode():
        compiled, expected = fuser.jit(function), function(X)
        for _ in range(2):
            torch.testing.assert_close(compiled(X), expected, rtol=0, atol=0)


def test_a_tensor_that_the_function_keeps():
    holder = types.SimpleNamespace(mask=None)

    def function(x):
        if holder.mask is None:
            holder.mask = torch.ones(4)
        return x * holder.mask

    compiled = fuser.jit(function)
    assert torch.equal(compiled(X), X)
    holder.mask.mul_(2)
    assert torch.equal(compiled(X), X * 2)

    def change(x):
        holder.mask = torch.ones(4)
        y = x * holder.mask
        holder.mask.zero_()
        return y

    with pytest.raises(
        TypeError, match=rf"{change.__code__.co_firstlineno + 2}: expected arrays that stay as they are"
    ):
        fuser.jit(change)(X)


def scatter(x):
    return torch.zeros(3, 4).scatter_(1, torch.zeros(3, 4, dtype=torch.int64), x)


def copy(x):
    h = torch.zeros(3, 4)
    h.copy_(x)
    return h


def set_item(x):
    h = torch.zeros(3, 4)
    h[0] = x[0]
    return h


@pytest.mark.parametrize("function, name", [(scatter, "scatter_"), (copy, "copy_"), (set_item, "__setitem__")])
def test_traced_elements_of_a_tensor_that_is_not_traced(function, name):
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(torch.ones(3, 4))
    assert str(caught.value) == (
        f"torch.Tensor.{name}: expected a tensor that is traced, got one that PyTorch made of numbers alone, which cannot get elements that the program"
        " computes: make it with fuser.numpy (h = fnp.zeros((3, 4), torch.float32)) or of an argument (torch.zeros_like(x), x.new_zeros(shape))"
    )


def test_what_is_advised_works():
    def function(make, x, i):
        y = make(x).scatter_(1, i, x)
        y[0] = x[1]
        y.add_(x)
        return y

    x, i = torch.rand(3, 4), torch.argsort(torch.rand(3, 4), 1)
    expected = function(torch.zeros_like, x, i)
    for make in (lambda x: fnp.zeros((3, 4), torch.float32), torch.zeros_like, lambda x: x.new_zeros(x.shape)):
        torch.testing.assert_close(fuser.jit(lambda x, i, make=make: function(make, x, i))(x, i), expected)


def test_another_function_behind_a_name():
    functional = torch.nn.functional
    layer = types.SimpleNamespace(act=functional.relu, dtype=torch.float64)
    compiled = fuser.jit(lambda x: layer.act(x).to(layer.dtype))
    for layer.act, layer.dtype in (
        (functional.relu, torch.float64),
        (functional.gelu, torch.float64),
        (torch.tanh, torch.float32),
    ):
        torch.testing.assert_close(compiled(X), layer.act(X).to(layer.dtype), rtol=1e-5, atol=1e-6)


def test_the_shape_of_a_tensor():
    holder = types.SimpleNamespace(w=torch.ones(3, 4))
    compiled = fuser.jit(lambda x: x * holder.w.shape[0] * holder.w.ndim)
    for holder.w in (torch.ones(3, 4), torch.ones(5, 4), torch.ones(3)):
        assert torch.equal(compiled(X), X * holder.w.shape[0] * holder.w.ndim)


TRANSFORMS = {
    "vmap": lambda f: torch.vmap(f)(torch.ones(3, 4)),
    "grad": lambda f: torch.func.grad(lambda x: f(x).sum())(X),
    "jvp": lambda f: torch.func.jvp(f, (X,), (X,)),
    "functionalize": lambda f: torch.func.functionalize(f)(X),
    "a captured one": lambda f: torch.func.grad(lambda w: fuser.jit(lambda x: x * w)(X).sum())(X),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    function = fuser.jit(lambda x: x * 2)
    for _ in range(2):
        with pytest.raises(TypeError, match="expected tensors of elements, got one of torch.vmap, torch.func.grad or"):
            TRANSFORMS[name](function)
        function(X)


def test_tensors_without_elements():
    from torch._subclasses.fake_tensor import FakeTensorMode

    function = fuser.jit(lambda x: x * 2)
    for _ in range(2):
        with pytest.raises(
            TypeError, match="<lambda>: expected tensors of elements, got a Tensor on meta, which has none"
        ):
            function(X.to("meta"))
        with pytest.raises(TypeError, match="expected tensors of elements, got a FakeTensor on cpu"):
            function(FakeTensorMode().from_tensor(X))
        function(X)


def test_casts_of_what_a_type_does_not_hold():
    """As PyTorch without a compiler, and as torch.compile."""
    x, kept = torch.tensor([-1.0, 300.0, 3.7, 448.0, 464.0, 465.0, -465.0]), torch.zeros(7, dtype=torch.uint8)
    casts = [
        lambda x: x.to(torch.uint8),
        lambda x: x.to(dtype=torch.uint8),
        lambda x: x.to(kept),
        lambda x: x.type(torch.uint8),
        lambda x: x.type_as(kept),
        lambda x: torch.zeros_like(x).to(torch.uint8).copy_(x),
        lambda x: x.to(torch.int64).to(torch.uint8),
        lambda x: x.to(torch.float8_e4m3fn).float(),
        lambda x: x.to(torch.int16).to(torch.float8_e4m3fn).float(),
    ]
    for function in casts:
        expected = function(x)
        for compiled in (fuser.jit(function), torch.compile(function, backend="fuser", fullgraph=True)):
            torch.testing.assert_close(compiled(x), expected, equal_nan=True)
    # NumPy's arrays have the compiler's.
    assert fuser.jit(lambda x: x.astype(np.uint8))(x.numpy())[:3].tolist() == [0, 255, 3]


def test_positive_is_the_same_tensor():
    def change(x):
        h = x * 2
        y = +h
        y += 1
        z = torch.positive(h)
        z *= 3
        return h, y, z

    for got, wanted in zip(fuser.jit(change)(X), change(X), strict=True):
        torch.testing.assert_close(got, wanted)


def test_numbers_of_numpy_beside_tensors():
    result = fuser.jit(lambda x, n, c: (x * n, x + c))(X, np.uint8(200), np.complex64(1j))
    torch.testing.assert_close(result, (X * 200, X + 1j))
