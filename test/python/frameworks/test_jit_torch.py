# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions and methods of tensors under fuser.jit, against PyTorch."""

import importlib.util
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from conftest import ROOT

torch = pytest.importorskip("torch")
F = torch.nn.functional


def randn(*shape):
    return torch.randn(*shape)


def check(function, *tensors, tolerance=2e-5):
    """The function, traced, does what it does of PyTorch's tensors."""
    result, expected = fuser.jit(function)(*tensors), function(*tensors)
    result, expected = ([*each] if isinstance(each, tuple) else [each] for each in (result, expected))
    assert len(result) == len(expected)
    for got, wanted in zip(result, expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance)


FUNCTIONS = {
    "topk": lambda x, y: torch.topk(x, 2),
    "topk of a dimension": lambda x, y: torch.topk(x, 3, dim=0, largest=False),
    "topk by name": lambda x, y: torch.topk(x, k=2, dim=-1, sorted=True).values,
    "sort": lambda x, y: torch.sort(x, dim=0, descending=True),
    "stable sort": lambda x, y: torch.sort(x, stable=True).indices,
    "argsort": lambda x, y: torch.argsort(x, dim=1, descending=True),
    "cumsum": lambda x, y: torch.cumsum(x, dim=1),
    "cumprod": lambda x, y: torch.cumprod(x, 0),
    "var": lambda x, y: (torch.var(x), torch.var(x, 1), torch.var(x, dim=0, unbiased=False), torch.var(x, False)),
    "std": lambda x, y: torch.std(x, dim=1, correction=0, keepdim=True),
    "var_mean": lambda x, y: torch.var_mean(x, dim=1),
    "std_mean": lambda x, y: torch.std_mean(x, 1, correction=0),
    "max": lambda x, y: (torch.max(x), torch.max(x, y), *torch.max(x, 1), *torch.max(x, dim=0, keepdim=True)),
    "min": lambda x, y: (torch.min(x), torch.min(x, other=y), torch.min(x, dim=-1).indices),
    "amax": lambda x, y: torch.amax(x, dim=(0, 1), keepdim=True),
    "sum": lambda x, y: torch.sum(x, dim=(0,), keepdim=True, dtype=torch.float64),
    "reshape": lambda x, y: torch.reshape(x, (-1,)),
    "flatten": lambda x, y: (torch.flatten(x), torch.flatten(x[None], 1), torch.flatten(x[None], 0, 1)),
    "unflatten": lambda x, y: torch.unflatten(x, 1, (2, -1)),
    "flip": lambda x, y: torch.flip(x, (0, 1)),
    "roll": lambda x, y: (torch.roll(x, 2), torch.roll(x, 1, 0), torch.roll(x, shifts=(1, 2), dims=(0, 1))),
    "permute": lambda x, y: torch.permute(x, (1, 0)),
    "transpose": lambda x, y: torch.transpose(x, 0, 1),
    "squeeze": lambda x, y: (torch.squeeze(x[None]), torch.squeeze(x[:, None], dim=1), torch.squeeze(x, 0)),
    "zeros_like": lambda x, y: torch.zeros_like(x),
    "ones_like": lambda x, y: torch.ones_like(x, dtype=torch.int64),
    "full_like": lambda x, y: torch.full_like(x, 3.5),
    "sizes": lambda x, y: (
        *(torch.arange(x.shape[0]), torch.zeros((x.shape[1], 2)), torch.ones(x.shape[0])),
        torch.full((x.shape[0],), 2.5),
    ),
    "masked_fill": lambda x, y: torch.masked_fill(x, y > 0, -torch.inf),
    "add": lambda x, y: (
        torch.add(x, y, alpha=2),
        torch.sub(x, y, alpha=3),
        torch.rsub(x, y),
        torch.add(input=x, other=y),
    ),
    "div": lambda x, y: (
        torch.div(x, y, rounding_mode="floor"),
        torch.div(x, y, rounding_mode="trunc"),
        torch.div(x, 2),
    ),
    "clamp": lambda x, y: (torch.clamp(x, min=0), torch.clamp(x, max=0.5), torch.clip(x, -0.5, 0.5)),
    "split": lambda x, y: torch.split(x, [2, 6], dim=1),
    "split of what is computed": lambda x, y: torch.split(x[:, 1:], [3, 4], dim=1),
    "chunk": lambda x, y: torch.chunk(x, 2, dim=-1),
    "narrow": lambda x, y: torch.narrow(x, 1, 2, 3),
    "gather": lambda x, y: torch.gather(x, 1, (y > 0).long()),
    "index_select": lambda x, y: torch.index_select(x, 0, torch.tensor([2, 0, 1])),
    "scatter": lambda x, y: torch.scatter(x, 1, (y[:, :1] > 0).long(), 7.0),
    "scatter_add": lambda x, y: torch.scatter_add(x, 1, torch.argsort(y, 1), y),
    "index_add": lambda x, y: torch.index_add(x, 0, torch.tensor([1, 1]), y[:2], alpha=2),
    "stack": lambda x, y: (torch.stack([x, y], dim=1), torch.cat([x, y], -1)),
    "mm": lambda x, y: torch.mm(x, y.T),
    "einsum": lambda x, y: (
        torch.einsum("ij,kj->ik", x, y),
        torch.einsum("ij,ij", [x, y]),
        torch.einsum("...j->...", x),
        torch.einsum(x, [0, 1], y, [2, 1], [0, 2]),
        torch.einsum("ij,kj,k->i", x, ONES, y[:, 0]),
    ),
    "operators of tensors": lambda x, y: tuple(
        f(ONES, x) for f in (torch.Tensor.add, torch.Tensor.sub, torch.Tensor.mul, torch.Tensor.div, torch.Tensor.gt)
    ),
    "softmax": lambda x, y: (F.softmax(x, -1), F.softmax(x, dim=0, dtype=torch.float64), F.log_softmax(x, dim=1)),
    "activations": lambda x, y: (
        F.silu(x),
        F.relu(x),
        F.gelu(x),
        F.leaky_relu(x, 0.2),
        F.softplus(x),
        F.sigmoid(x),
        F.tanh(x),
    ),
    "linear": lambda x, y: (F.linear(x, y), F.linear(x, y, y[:, 0])),
    "pad": lambda x, y: (F.pad(x, (1, 2)), F.pad(x, (1, 0, 2, 1), value=3.0), F.pad(x[None], (2, 1), mode="reflect")),
    "layer_norm": lambda x, y: (F.layer_norm(x, (8,)), F.layer_norm(x, [8], y[0], y[1], eps=1e-3)),
    "layer_norm of all": lambda x, y: F.layer_norm(x, x.shape),
    "rms_norm": lambda x, y: (F.rms_norm(x, (8,)), F.rms_norm(x, (8,), y[0], eps=1e-3)),
    "group_norm": lambda x, y: F.group_norm(x, 4, y[0], y[1]),
    "batch_norm": lambda x, y: (
        F.batch_norm(x, None, None, y[0], y[1], training=True),
        F.batch_norm(x, y[0], y[1] * y[1]),
    ),
    "dropout": lambda x, y: (F.dropout(x, 0.5, training=False), F.dropout(x, 0.0)),
    "cross_entropy": lambda x, y: (
        F.cross_entropy(x, torch.argmax(y, 1)),
        F.cross_entropy(x, torch.argmax(y, 1), ignore_index=2, reduction="sum", label_smoothing=0.1),
        F.cross_entropy(x, torch.argmax(y, 1), y[0] * y[0], reduction="none"),
    ),
    "embedding": lambda x, y: F.embedding(torch.argmax(x, 1).remainder(5), y),
    "sdpa": lambda x, y: (
        F.scaled_dot_product_attention(x[None], y[None], y[None], is_causal=True, scale=0.5),
        F.scaled_dot_product_attention(x[None], y[None], y[None], None, 0.0, True),
        F.scaled_dot_product_attention(x[None], y[None], y[None], torch.tril(x @ y.T) > 0),
    ),
    "modules": lambda x, y: (MODULES(x),),
}
ONES = torch.full((5, 8), 2.0)
MODULES = torch.nn.Sequential(
    torch.nn.Linear(8, 4), torch.nn.LayerNorm(4), torch.nn.SiLU(), torch.nn.RMSNorm(4)
).requires_grad_(False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    torch.manual_seed(0)
    check(FUNCTIONS[name], randn(5, 8), randn(5, 8))


METHODS = {
    "casts": lambda x, y: (
        x.to(torch.float64),
        x.double(),
        x.half(),
        x.bfloat16(),
        x.long(),
        x.int(),
        (x > 0).float(),
        x.bool(),
    ),
    "to the type of another": lambda x, y: x.to(y.double()),
    "shapes": lambda x, y: (
        *(x.view(-1), x.view(x.shape[0], 2, 4), x.unsqueeze(1), x.flatten(), x.permute(1, 0), x.transpose(0, 1)),
        *(x[None].transpose(1, 2), x.mT, x[None].mT, x.t(), x[None].squeeze(), x[None].squeeze(0), x.expand(3, -1, -1)),
    ),
    "parts": lambda x, y: (*x.split([3, 5], dim=1), *x.chunk(2, 1), x.select(0, 1), x.narrow(0, 1, 2)),
    "parts from the end": lambda x, y: (x.narrow(1, -3, 3), x.narrow(1, -3, 2), *x.chunk(4, 1)),
    "keywords": lambda x, y: (
        *(x.sum(dim=1), x.mean(dim=(0, 1), keepdim=True), x.var(dim=1), x.std(dim=0, unbiased=False), x.argmax(dim=1)),
        *x.max(dim=1),
        *(x.min(dim=0, keepdim=True).values, x.cumsum(dim=0), x.any(dim=1), x.argsort(dim=1)),
    ),
    "masked_fill": lambda x, y: x.masked_fill(y > 0, 0.0),
    "functions": lambda x, y: (
        *(x.exp(), x.abs().sqrt(), x.clamp(min=0), x.softmax(-1), x.add(y, alpha=2), x.pow(2), x.eq(y), x.maximum(y)),
        *(x.topk(2).indices, x.gather(1, (y > 0).long()), x.tril(), x.sigmoid(), x.sort(1).values, x.contiguous()),
        *(x.flip(0), x.tile(2, 1), x.roll(1, 0), x.index_select(1, (y[0] > 0).long())),
    ),
    "sizes": lambda x, y: (torch.zeros(x.size(0), dtype=torch.int64), torch.ones(x.size()), x * x.dim()),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    torch.manual_seed(0)
    check(METHODS[name], randn(5, 8), randn(5, 8))


@pytest.mark.parametrize(
    "function, written",
    [
        (lambda x: x.var(-1), r"torch\.var\(x, -1\) or x\.var\(-1, correction=0\)$"),
        (lambda x: x.std(), r"torch\.std\(x\) or x\.std\(correction=0\)$"),
        (lambda x: x.std(axis=0), r"torch\.std\(x, axis=0\) or x\.std\(axis=0, correction=0\)$"),
    ],
)
def test_deviations_that_numpy_has_too(function, written):
    """They have another correction there: of tensors they are errors, also where NumPy's arrays of the same kind came before."""
    jitted, x = fuser.jit(function), randn(3, 4)
    for _ in range(2):
        np.testing.assert_allclose(jitted(x.numpy()), function(x.numpy()), rtol=1e-5)
        with pytest.raises(TypeError, match=r"expected a correction, as by default it is 1 of PyTorch's.*" + written):
            jitted(x)
    with pytest.raises(TypeError, match=written):
        fuser.jit(lambda: function(fnp.abs(x)))()


def test_deviations_whose_correction_is_said():
    x = randn(3, 4)
    check(lambda x: (torch.var(x, -1), x.var(dim=-1), x.std(unbiased=False), x.var(-1, correction=0), x.std(dim=0)), x)
    check(lambda x: (x.var(-1, True), x.std(0, False)), x)
    got = fuser.jit(lambda x: (x.var(-1, ddof=1), np.std(x, ddof=1), fnp.std(x)))(x)
    for each, expected in zip(got, (x.var(-1), x.std(), x.std(correction=0)), strict=True):
        torch.testing.assert_close(each, expected)


def test_whether_there_is_one_among_bytes():
    """Of PyTorch's tensors it is a byte, of NumPy's arrays of the same kind a bool, also where these come first."""
    x = torch.tensor([[0, 3], [1, 2], [0, 0]], dtype=torch.uint8)
    check(lambda x: (x.any(), x.any(0), x.all(1, True), x.any((0, 1)), x.all(()), x[0, 0].any(0)), x)
    check(lambda x: (x.any(axis=0), x.all(axis=1, keepdims=True), x.any(dim=0), x.all(dim=1, keepdim=True)), x)
    check(lambda x: (x.any(0), x.all(1), torch.any(x, 0)), x.to(torch.int8))
    jitted = fuser.jit(lambda x: (x.any(0), x.all()))
    for _ in range(2):
        for given in (x.numpy(), x):
            for got, expected in zip(jitted(given), (given.any(0), given.all()), strict=True):
                assert got.dtype == expected.dtype and got.tolist() == expected.tolist()


def test_methods_that_numpy_has_are_numpys():
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    for function in (lambda x: x.max(-1), lambda x: x.var(1), lambda x: x.transpose(), lambda x: x.transpose((1, 0))):
        np.testing.assert_allclose(fuser.jit(function)(x), function(x), rtol=1e-5)


@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda x: torch.bincount(x),
            "expected a function that fuser.jit has, got torch.bincount: write fuser.numpy.index_add of ones",
        ),
        (
            lambda x: F.dropout(x),
            "expected training=False or p=0, got p=0.5: write fuser.numpy.dropout(x, rate, seed, offset)",
        ),
        (lambda x: F.dropout(x, 0.0) + F.dropout(x, 0.5, True), "fuser.numpy.dropout"),
        (
            lambda x: x.new_zeros(3, 2).narrow(0, 1, 9),
            "'narrow': expected elements within the 3 of dimension 0, got 9 from 1 on",
        ),
        (lambda x: torch._int_mm(x, x), "got torch._int_mm: write a.to(torch.int32) @ b.to(torch.int32)"),
        (lambda x: torch.multinomial(x, 1), "got torch.multinomial: write fuser.numpy.argmax"),
        (lambda x: F.unfold(x, 2), "got torch.nn.functional.unfold: write x[..., i] of i = "),
        (lambda x: torch.cummax(x, 0), "got torch.cummax: write fuser.numpy.cummax, which gives no indices"),
        (
            lambda x: x.topk(),
            "torch.Tensor.topk: expected (input, k, dim=-1, largest=True): missing a required argument: 'k'",
        ),
        (lambda x: F.relu(x, inplace=True), "torch.nn.functional.relu: expected inplace=False"),
        (
            lambda x: torch.zeros_like(x, device="cuda"),
            "torch.zeros_like: expected (input, dtype=None): got an unexpected keyword argument 'device'",
        ),
        (lambda x: torch.fft.fft(x), "has, too, got torch.fft.fft: fuser has no Fourier transforms"),
        (lambda x: F.max_pool1d(x, 2), "got torch.nn.functional.max_pool1d: fuser has no pooling"),
        (lambda x: torch.linalg.inv(x), "got torch.linalg.inv: fuser has no factorisations, inverses"),
        (
            lambda x: x.split(2),
            "'split': expected the sizes of all parts, as that of dimension 0 is open, or a number of parts, got parts of 2",
        ),
        (lambda x: x.to("cuda"), "expected an element type, got 'cuda': a program runs where its arrays are"),
        (lambda x: torch.where(x > 0), "torch.where: expected three arguments"),
        (lambda x: F.softmax(x), "softmax: expected a dimension as dim, got none"),
        (lambda x: x.__setitem__(0, 1), "expected an array that stays as it is"),
    ],
)
def test_what_is_not_there(function, message):
    with pytest.raises((TypeError, fuser.Error), match=re.escape(message)):
        fuser.jit(function)(randn(5, 8))


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: x.softmax_(1), "got 'softmax_': write x = x.softmax(...)"),
        (lambda x: x.item(), "got 'item': write the array itself as a result"),
        (lambda x: x.unsqeeze(1), "got 'unsqeeze'; did you mean 'unsqueeze'?"),
        (lambda x: x.cuda(), "got 'cuda': write arrays of the other device as arguments"),
    ],
)
def test_attributes_that_are_not_there(function, message):
    with pytest.raises(AttributeError, match=re.escape(message)):
        fuser.jit(function)(randn(5, 8))


def test_sizes_that_do_not_fit():
    with pytest.raises(fuser.Error, match="'layer_norm': expected size 8, that of the shape, in dimension 1, got 1"):
        fuser.jit(lambda x: F.layer_norm(x[None, 0, :1], (8,)))(randn(5, 8))
    function = fuser.jit(lambda x: F.layer_norm(x, (8,)))
    function(randn(5, 8))
    with pytest.raises(fuser.Error, match="'layer_norm': expected size 8, that of the shape, in dimension 1, got 7"):
        function(randn(5, 7))
    function = fuser.jit(lambda x, y: F.rms_norm(x, y.shape[-1:]))
    torch.testing.assert_close(function(x := randn(5, 8), randn(3, 8)), F.rms_norm(x, (8,)))
    with pytest.raises(fuser.Error, match="'rms_norm': expected size 4, that of the shape, in dimension 1, got 8"):
        function(x, randn(3, 4))
    check(lambda x: F.layer_norm(x[1:, 1:], (7,)), randn(5, 8))
    for function, message in (
        (
            lambda x: F.layer_norm(x[1:, 1:], (7,)),
            "'layer_norm': expected size 7, that of the shape, in dimension 1, got 8",
        ),
        (
            lambda x: x[:, 1:].split([3, 4], 1),
            "'split': expected sizes of parts whose sum is 8, that of dimension 1, got",
        ),
        (lambda x: x.squeeze(2), "'squeeze': expected a dimension of -2 to 1, of a tensor of 2 dimensions, got 2"),
    ):
        with pytest.raises(fuser.Error, match=re.escape(message)):
            fuser.jit(function)(randn(5, 9))
    for function in (
        lambda x: x.narrow(2, 0, 1),
        lambda x: x.select(2, 0),
        lambda x: x.size(2),
    ):
        with pytest.raises(ValueError, match="expected a dimension from -2 to 1, got 2"):
            fuser.jit(function)(randn(5, 9))


@pytest.mark.parametrize("shape", [(3, 4), (None, 4)])
def test_wrong_sizes_say_what_they_were_compared_with(shape):
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match="'broadcast_to': expected"):
        b.broadcast_to(b.input(shape), [3, 5])


# x[...] with tensors of indices


INDEXINGS = {
    "rows": lambda x, t, u: x[t],
    "columns": lambda x, t, u: x[:, t],
    "a number beside": lambda x, t, u: (x[t, 0], x[0, t], x[:, 0, t], x[t, :, 0], x[:, t, 1]),
    "pairs": lambda x, t, u: x[t, u],
    "pairs behind a slice": lambda x, t, u: x[:, t, u],
    "apart": lambda x, t, u: x[t, :, u],
    "broadcast": lambda x, t, u: x[t[:, None], u],
    "with slices": lambda x, t, u: x[1:, t],
    "last": lambda x, t, u: x[..., u],
    "new dimensions": lambda x, t, u: (x[None, t], x[t, None]),
    "negative": lambda x, t, u: x[-t],
    "outside": lambda x, t, u: x[:, torch.tensor([1, -1])],
    "range": lambda x, t, u: x[torch.arange(3), t],
    "of rank 0": lambda x, t, u: x[t[0]],
}


@pytest.mark.parametrize("name", INDEXINGS)
def test_tensors_of_indices(name):
    x, t, u = randn(4, 4, 6), torch.tensor([2, 0, 3]), torch.tensor([1, 3, 0])
    check(INDEXINGS[name], x, t, u, tolerance=0)
    if name != "outside" and name != "range":
        result, expected = fuser.jit(INDEXINGS[name])(*(each.numpy() for each in (x, t, u))), INDEXINGS[name](x, t, u)
        for got, wanted in zip(
            [*result] if isinstance(result, tuple) else [result],
            [*expected] if isinstance(expected, tuple) else [expected],
            strict=True,
        ):
            np.testing.assert_array_equal(got, wanted.numpy())


def test_lists_of_indices():
    x = randn(4, 6)
    check(lambda x: (x[[2, 0]], x[:, [1, -1]]), x, tolerance=0)


def test_order_of_dimensions_that_is_not_clear():
    x, t = randn(4, 4, 6), torch.tensor([2, 0, 3])
    with pytest.raises(TypeError, match=re.escape("x[0][:, t] in place of x[0, :, t]")):
        fuser.jit(lambda x, t: x[0, :, t])(x, t)
    check(lambda x, t: x[0][:, t], x, t, tolerance=0)
    with pytest.raises(TypeError, match="expected indices, got booleans"):
        fuser.jit(lambda x, t: x[:, t > 0])(x, t)


def test_names_of_fuser_numpy_take_tensors():
    check_of = fuser.jit(lambda x: fnp.linear(x, WEIGHT))
    torch.testing.assert_close(check_of(randn(2, 8) * 0), torch.zeros(2, 3))


WEIGHT = torch.ones(3, 8)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 5e-7), (torch.float64, 1e-14)])
def test_inverses_of_erf(dtype, tolerance):
    """Of erfinv against PyTorch in float64; of erfcinv, which PyTorch has not, by erfc of it."""
    y = torch.cat([torch.linspace(-0.999999, 0.999999, 2001), torch.tensor([0.0, 1e-20, 0.7, -0.7, 1 - 2**-24])]).to(
        dtype
    )
    inverse, complement = fuser.jit(lambda y: (torch.special.erfinv(y), fnp.erfcinv(1 - y)))(y)
    wanted = torch.erfinv(y.double())
    torch.testing.assert_close(inverse.double(), wanted, rtol=tolerance, atol=0)
    torch.testing.assert_close(complement.double(), torch.erfinv(1 - (1 - y).double()), rtol=4 * tolerance, atol=1e-7)

    small = 10.0 ** -torch.arange(1.0, 30.0, dtype=torch.float64)
    both = torch.cat([small, 2 - small[:6]]).to(dtype)
    back = torch.erfc(fuser.jit(fnp.erfcinv)(both).double())
    # A relative error of x is one of 2 * x * x, at most 140, times that in erfc.
    torch.testing.assert_close(back, both.double(), rtol=140 * tolerance, atol=0)

    ends = torch.tensor([-1.0, 1, 1.5, -2, float("nan")], dtype=dtype)
    torch.testing.assert_close(fuser.jit(lambda y: torch.erfinv(y))(ends), torch.erfinv(ends), equal_nan=True)
    got = fuser.jit(fnp.erfcinv)(1 - ends)
    torch.testing.assert_close(got, torch.erfinv(ends), equal_nan=True)


def load_names():
    spec = importlib.util.spec_from_file_location("torch_names", ROOT / "scripts/reference/torch_names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_of_the_documentation():
    """Those of PyTorch are PyTorch's, those of fuser.numpy its own, and the page is what the table says."""
    names = load_names()
    page = (ROOT / "docs/reference/torch-names.md").read_text()
    assert page == "\n".join(names.write_page()).rstrip() + "\n"
    same, there, missing = page.split("\n| ---")[0], page.split("| --- | --- |\n")[1], page.split("| --- | --- |\n")[2]
    of_torch = re.findall(r"`(\w+)`", same.split("Of the same name:")[1].split("\n")[0])
    of_fuser = list(of_torch)
    for line in there.split("\n\n")[0].splitlines():
        given, own = re.fullmatch(r"\| `(\w+)` \| (.*) \|", line).groups()
        of_torch.append(given)
        of_fuser += re.findall(r"`([a-z_0-9]{2,})`", own)
    of_torch += re.findall(r"^\| `(\w+)` \|", missing, re.M)
    places = torch, F, torch.special, torch.Tensor
    assert [name for name in of_torch if not any(hasattr(place, name) for place in places) and name != "getitem"] == []
    assert len(of_fuser) > 120 and [name for name in of_fuser if not hasattr(fnp, name)] == []


def test_a_comparison_of_whole_tensors():
    x = randn(3)
    with pytest.raises(TypeError, match=r"got torch.equal: write \(x == y\).all\(\)"):
        fuser.jit(lambda x, y: torch.equal(x, y))(x, x)


# Types, modules and gradients


def test_element_types_are_those_of_pytorch():
    """A branch on one is taken as PyTorch takes it."""

    def function(x):
        if x.dtype == torch.float16 or torch.bfloat16 == x.dtype:
            x = x.float()
        return (x * 512) * 512

    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        check(function, torch.ones(3, dtype=dtype))
    assert fuser.jit(lambda x: x * (x.dtype in (torch.float64, torch.float16)))(torch.ones(2)).sum() == 0


def test_numbers_that_are_chosen_are_of_pytorchs_type():
    x = randn(3, 4)
    check(
        lambda x: (torch.where(x > 0, 1.0, 0.0), torch.where(x > 0, 2, 0.5), x.half() * torch.where(x > 0, 1.0, 0.0)), x
    )


def test_modules():
    x, module = randn(3, 4), torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.GELU())
    explained = (
        r"input \d '\w+': .* require gradient, .*: call it under torch.no_grad\(\), or pass x.detach\(\); gradients"
    )
    for function in (module, lambda x: module(x)):
        jitted = fuser.jit(function)
        with pytest.raises(BufferError, match=explained):
            jitted(x)
        with torch.no_grad():
            torch.testing.assert_close(jitted(x), module(x))
    with pytest.raises(BufferError, match=explained):
        fuser.jit(lambda w: w * 2)(module[0].weight)


def test_functions_that_are_not_pythons():
    x = randn(3, 4)
    torch.testing.assert_close(fuser.jit(torch.softmax)(x, -1), torch.softmax(x, -1))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors(layout):
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)
    with pytest.raises(TypeError, match=r"<lambda>: expected tensors of elements .*, got a nested one: pass"):
        fuser.jit(lambda x: x * 2)(nested)


def test_repeat_interleave():
    x = torch.arange(6.0).reshape(2, 3)
    for args, options in (((2, 0), {}), ((3,), {"dim": 1}), ((2,), {})):
        result = fuser.jit(lambda x: x.repeat_interleave(*args, **options))(x)  # noqa: B023
        torch.testing.assert_close(result, x.repeat_interleave(*args, **options))


def test_sizes_as_results():
    """Integers of Python's, also of tensors."""
    for rows in (3, 1):
        x = torch.ones(rows, 4)
        same, size = fuser.jit(lambda x: (x + 0, x.shape[0]))(x)
        assert type(size) is int and size == rows and torch.equal(same, x)
        assert fuser.jit(lambda x: x.size(0))(x) == rows


def test_results_are_contiguous():
    x = torch.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    result = fuser.jit(lambda x: x * 2)(x)
    assert torch.equal(result, x * 2) and result.is_contiguous()


def test_what_tensors_say_of_themselves():
    def ask(x):
        assert not (x.is_nested or x.is_sparse or x.requires_grad or x.is_meta) and x.is_leaf and x.grad is None
        assert x.is_contiguous() and x.layout == torch.strided
        return (x.cpu() if x.device.type == "cpu" else x.to(x.device)) * 2

    x = torch.ones(2, 3)
    torch.testing.assert_close(fuser.jit(ask)(x), x * 2)
    with pytest.raises(AttributeError, match="got 'is_nested'"):
        fuser.jit(lambda x: x * x.is_nested)(x.numpy())


def test_narrow_is_no_slice():
    """A slice ends at the size; a part that narrow says is there or an error."""
    parts = fuser.jit(lambda x: (x[1:9] * 2, x[-9:] * 2))
    narrow = fuser.jit(lambda x: (torch.narrow(x, 0, 1, 3) + x[:3], x.narrow(-1, -2, 2) * 2, x[:9] + 1))
    for size in (20, 4, 7):
        x = torch.arange(float(size))
        torch.testing.assert_close(parts(x), (x[1:9] * 2, x[-9:] * 2))
        torch.testing.assert_close(narrow(x), (x[1:4] + x[:3], x[-2:] * 2, x[:9] + 1))
    line = narrow.__wrapped__.__code__.co_firstlineno
    with pytest.raises(fuser.Error, match=rf":{line}: error: 'narrow': expected bounds within the 3 .*, got 1:4"):
        narrow(torch.arange(3.0))
