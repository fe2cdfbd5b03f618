# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are a few others (fuser._jit._torch_composites), against PyTorch in float64."""

import math
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from fuser._array.torch_names import INSTEAD

torch = pytest.importorskip("torch")
F = torch.nn.functional


def check(function, *tensors, dtypes=(torch.float64, torch.float32)):
    """Special values are compared, too."""
    for dtype in dtypes:
        given = [each.to(dtype) if each.is_floating_point() else each for each in tensors]
        result, expected = fuser.jit(function)(*given), function(*given)
        result, expected = ([*each] if isinstance(each, tuple) else [each] for each in (result, expected))
        for got, wanted in zip(result, expected, strict=True):
            torch.testing.assert_close(got, wanted, equal_nan=True)


X = torch.tensor([[-3.5, -1.0, -0.25, 0.0], [0.3, 0.5, 2.0, 41.0], [7.0, -30.0, -100.0, 1e-3]], dtype=torch.float64)
SPECIAL = torch.tensor([[math.nan, math.inf, -math.inf, -0.0], [1.0, 2.5, -0.7, 0.0]], dtype=torch.float64)

OF_ONE = {
    "frac": torch.frac,
    "square": torch.square,
    "isposinf": torch.isposinf,
    "isneginf": torch.isneginf,
    "rad2deg": torch.rad2deg,
    "i0": lambda x: (torch.i0(x), torch.special.i0(x), x.i0()),
    "deg2rad": torch.deg2rad,
    "nan_to_num": torch.nan_to_num,
    "nan_to_num with numbers": lambda x: torch.nan_to_num(x, 2.0, posinf=5.0, neginf=-4.0),
    "heaviside": lambda x: torch.heaviside(x, x * 0 + 0.5),
    "xlogy": lambda x: torch.xlogy(x, x.abs()),
    "logit": lambda x: torch.logit(torch.sigmoid(x), 0.01),
    "elu": lambda x: F.elu(x, 0.7),
    "celu": lambda x: F.celu(x, 1.3),
    "selu": F.selu,
    "mish": F.mish,
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 2.0),
    "relu6": F.relu6,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "hardshrink": F.hardshrink,
    "softshrink": lambda x: F.softshrink(x, 0.3),
    "logsigmoid": F.logsigmoid,
    "threshold": lambda x: F.threshold(x, 0.1, -7.0),
    "prelu": lambda x: F.prelu(x, x[0] * 0 + 0.2),
    "glu": F.glu,
    "softmin": lambda x: F.softmin(x, dim=0),
    "logsumexp": lambda x: (torch.logsumexp(x, 1), torch.logsumexp(x, (0, 1), keepdim=True), x.logsumexp(dim=-1)),
    "nansum": lambda x: (torch.nansum(x), torch.nansum(x, 1, keepdim=True)),
    "nanmean": lambda x: (torch.nanmean(x), x.nanmean(dim=0)),
    "count_nonzero": lambda x: (torch.count_nonzero(x), torch.count_nonzero(x, dim=1)),
    "aminmax": lambda x: torch.aminmax(x, dim=1),
    "norms": lambda x: (
        torch.norm(x),
        x.norm(dim=1),
        torch.linalg.vector_norm(x, 1, (0,), True),
        torch.linalg.vector_norm(x, math.inf),
        torch.linalg.vector_norm(x, ord=3, dim=-1),
        torch.linalg.norm(x),
        torch.linalg.norm(x, 1, keepdim=True),
        torch.linalg.norm(x, ord=3, dim=1),
        torch.linalg.norm(x, "fro", [0, 1]),
        torch.linalg.norm(x[0]),
        torch.linalg.matrix_norm(x),
        torch.linalg.matrix_norm(x, -math.inf, (1, 0), True),
    ),
    "meshgrid": lambda x: (
        *torch.meshgrid(x[0], x[1, :2], indexing="ij"),
        *torch.meshgrid([x[0], x[1, :2]], indexing="xy"),
        *torch.meshgrid(x[0], x[1, 1], indexing=None),
    ),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "flips": lambda x: (torch.fliplr(x), torch.flipud(x)),
    "movedim": lambda x: torch.movedim(x[None], 0, -1),
    "trace": torch.trace,
}


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one(name):
    check(OF_ONE[name], X)
    if name not in ("prelu", "glu"):
        check(OF_ONE[name], SPECIAL)


OF_TWO = {
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": lambda x, y: (torch.logaddexp2(x, y), x.logaddexp2(y)),
    "copysign": torch.copysign,
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=0.5),
    "addcdiv": lambda x, y: torch.addcdiv(x, y, y.abs() + 1, value=2),
    "mse_loss": lambda x, y: (F.mse_loss(x, y), F.mse_loss(x, y, reduction="none")),
    "l1_loss": lambda x, y: F.l1_loss(x, y, reduction="sum"),
    "weighted losses": lambda x, y: (
        F.mse_loss(x, y, weight=y.abs()),
        F.huber_loss(x, y, weight=y.abs()),
        F.mse_loss(x, y, weight=y.abs(), reduction="sum"),
    ),
    "huber_loss": lambda x, y: F.huber_loss(x, y, delta=0.7),
    "smooth_l1_loss": lambda x, y: (F.smooth_l1_loss(x, y, beta=0.5), F.smooth_l1_loss(x, y, beta=0.0)),
    "binary_cross_entropy_with_logits": lambda x, y: (
        F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
        F.binary_cross_entropy_with_logits(x, torch.sigmoid(y), weight=y.abs(), pos_weight=y[0].abs(), reduction="sum"),
    ),
    "kl_div": lambda x, y: (
        F.kl_div(torch.log_softmax(x, 1), torch.softmax(y, 1), reduction="batchmean"),
        F.kl_div(torch.log_softmax(x, 1), torch.log_softmax(y, 1), log_target=True, reduction="none"),
    ),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x, y, dim=0),
    "addmm": lambda x, y: (torch.addmm(x[:, :3], x, y.T, beta=0.5, alpha=2), torch.addmm(x[:, :3], x, y.T)),
    "inner": lambda x, y: (torch.inner(x, y), torch.dot(x[0], y[1]), torch.outer(x[0], y[1])),
    "as the other": lambda x, y: (x[:1].expand_as(y), (x > 0).type_as(y)),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two(name):
    y = torch.linspace(-2, 3, 12, dtype=torch.float64).reshape(3, 4)
    check(OF_TWO[name], X.clamp(-20, 20), y)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_rounded_once(dtype):
    """As PyTorch's functions do it; the mean of a loss is no sum of half numbers."""
    for size in (300.0, 1e-4):
        x = torch.full((2, 1000), size)
        check(lambda x: (torch.linalg.vector_norm(x), F.normalize(x, dim=1)), x, dtypes=[dtype])
        check(lambda x: F.cosine_similarity(x, x, dim=1), x, dtypes=[dtype])
    functions = (F.mish, F.hardswish, F.logsigmoid, F.elu, F.selu, F.softsign)
    check(lambda x: tuple(function(x) for function in functions), X.clamp(-20, 20), dtypes=[dtype])


def test_one_hot():
    check(lambda x: F.one_hot(x, 5), torch.tensor([[0, 4], [2, 1]]))
    with pytest.raises(TypeError, match="one_hot: expected the number of classes"):
        fuser.jit(lambda x: F.one_hot(x))(torch.tensor([0]))


def test_what_they_refuse():
    with pytest.raises(fuser.Error, match="expected 'mean', 'sum' or 'none' as 'reduction', got 'median'"):
        fuser.jit(lambda x: F.l1_loss(x, x, reduction="median"))(X)
    with pytest.raises(ValueError, match="expected a number or 'fro' as the order of a norm, got 'nuc'"):
        fuser.jit(lambda x: torch.norm(x, "nuc"))(X)


# Names that NumPy and PyTorch both have


BOTH = {
    "dot of vectors": lambda x, z: x[0].dot(x[1]),
    "dot of matrices": lambda x, z: x.dot(x.T),
    "dot of a matrix and a vector": lambda x, z: (x.dot(x[0]), x[0].dot(x.T)),
    "dot of batches": lambda x, z: (z.dot(x.T), z.dot(z.swapaxes(1, 2)), x[0].dot(z.swapaxes(1, 2))),
    "dot of a number": lambda x, z: x.dot(2),
    "max": lambda x, z: (x.max(), x.min()),
    "max of a dimension": lambda x, z: (x.max(-1), x.max(0), x.min(1)),
    "max of a dimension that is kept": lambda x, z: (x.max(0, True), x.min(-1, True)),
    "max and a keyword": lambda x, z: x.max(-1, keepdims=True),
    "a part of max": lambda x, z: (x.max(0)[0], x.min(1)[1]),
    "max less its first part": lambda x, z: x - x.max(-1, True)[0],
    "max by dim": lambda x, z: (x.max(dim=-1), x.min(dim=0, keepdim=True)),
    "max of two": lambda x, z: (x.max(x * 0), x.min(other=x * 0)),
    "max of dimensions": lambda x, z: x.max((0, 1)),
    "sum": lambda x, z: (x.sum(), x.sum(0), x.mean(1), x.prod(-1), z.sum((0, 2))),
    "sum of a dimension that is kept": lambda x, z: (x.sum(0, True), x.mean(1, True), x.prod(0, True)),
    "sum of dimensions that are kept": lambda x, z: z.sum((0, 2), True),
    "sum as another type": lambda x, z: x.sum(0, np.float64),
    "sum and keywords": lambda x, z: (x.sum(0, keepdims=True), x.mean(axis=0, keepdims=True), x.sum(axis=(0, 1))),
    "deviations with a correction": lambda x, z: (x.var(0, correction=1), x.std(1, correction=0)),
    "deviations of NumPy": lambda x, z: (x.var(0, ddof=1), x.std(axis=1, ddof=0)),
    "deviations of PyTorch": lambda x, z: (x.var(0, True), x.std(0, False, True), x.var(dim=1), x.std(unbiased=False)),
    "scans": lambda x, z: (x.cumsum(0), x.cumprod(-1), x.cumsum(axis=1)),
    "scans of all": lambda x, z: (x.cumsum(), x.cumprod()),
    "any": lambda x, z: ((x > 0).any(), (x > 0).any(0), (x > 0).all(1), (x > 0).all(axis=0, keepdims=True)),
    "argmax": lambda x, z: (x.argmax(), x.argmin(0), x.argmax(axis=1, keepdims=True)),
    "argsort": lambda x, z: (x.argsort(), x.argsort(0), x.argsort(axis=1)),
    "sorts": lambda x, z: x.sort(0, descending=True),
    "sorts by name": lambda x, z: x.sort(descending=True, dim=1),
    "transpose": lambda x, z: (x.transpose(0, 1), x.transpose(1, 0), x.transpose(-1, 0)),
    "transpose of two of three": lambda x, z: z.transpose(0, 1),
    "transpose by an order": lambda x, z: (
        z.transpose(2, 0, 1),
        x.transpose((0, 1)),
        x.transpose((1, 0)),
        z.transpose(),
    ),
    "T": lambda x, z: (x.T, x.swapaxes(0, 1), z.swapaxes(-1, 0)),
    "flip": lambda x, z: (x.flip(0), z.flip(0, 2)),
    "round": lambda x, z: x.round(),
    "clip": lambda x, z: (x.clip(0, 1), x.clip(None, 1), x.clip(max=0.5)),
    "squeeze": lambda x, z: (x[:1].squeeze(), x[:1].squeeze(0), z.squeeze()),
    "squeeze of what is not 1": lambda x, z: (x.squeeze(0), z.squeeze((0, 1))),
    "reshape": lambda x, z: (x.reshape(-1), x.reshape(2, 6), x.reshape((6, -1)), x.ravel(), x.flatten()),
    "trace": lambda x, z: x.trace(),
    "copies": lambda x, z: x.copy(),
    "clones": lambda x, z: x.clone(),
}
OF_NUMPY = {
    "dot": lambda x, z: (np.dot(x, x.T), np.dot(x[0], x[1]), np.dot(z, z.swapaxes(1, 2)), np.dot(x, 2.0)),
    "inner": lambda x, z: (np.inner(x, x), np.inner(x[0], x[1]), np.inner(z, z), np.inner(z, x)),
    "reductions": lambda x, z: (np.max(x, 0), np.sum(x, 0), np.var(x, 0), np.std(x, 1, ddof=1), np.prod(z, (0, 1))),
    "clip": lambda x, z: (np.clip(x, 0, 1), np.clip(x, a_min=0, a_max=1)),
    "shapes": lambda x, z: (
        np.transpose(x),
        np.transpose(z, (2, 0, 1)),
        np.squeeze(x[:1]),
        np.squeeze(x[:1], 0),
        np.ravel(z),
    ),
    "flips": lambda x, z: (
        np.flip(x),
        np.flip(x, 1),
        np.swapaxes(z, 0, 2),
        np.roll(x, 1),
        np.repeat(x, 2, 1),
        np.tile(x, 2),
    ),
    "sorts": lambda x, z: (np.sort(x, 0), np.argsort(x), np.cumsum(x), np.cumsum(x, 1), np.take(x, 1, 0)),
}
OF_PYTORCH = {
    "dot": lambda x, z: torch.dot(x[0], x[1]),
    "dot of matrices": lambda x, z: torch.dot(x, x),
    "outer of matrices": lambda x, z: torch.outer(x, x),
    "inner": lambda x, z: (
        torch.inner(x, x),
        torch.inner(z, z),
        torch.inner(z, x),
        torch.inner(x, z),
        x[0].inner(x[1]),
    ),
    "reductions": lambda x, z: (torch.max(x, 0), torch.sum(x, 0, True), torch.mean(x, 0, True), torch.std(x)),
    "shapes": lambda x, z: (torch.transpose(z, 0, 1), torch.squeeze(x, 0), torch.ravel(z), torch.flip(x, (0,))),
}
#: Where jit has more than one of both: what this does is the other's.
MORE = set("deviations of NumPy, scans of all, sum as another type, transpose by an order, copies".split(", "))


def attempt(function, *arrays):
    """The results, one by one; None of a call that there is not."""
    try:
        results = function(*arrays)
    except (TypeError, ValueError, AttributeError, RuntimeError, IndexError, fuser.Error):
        return None
    return [*map(np.asarray, flatten(results))]


def flatten(results):
    return [leaf for each in results for leaf in flatten(each)] if isinstance(results, tuple) else [results]


def check_both(function, arrays, may_have_more):
    expected, got = attempt(function, *arrays), attempt(fuser.jit(function), *arrays)
    assert may_have_more or expected is not None or got is None
    if expected is not None:
        for each, wanted in zip(got, expected, strict=True):
            assert each.shape == wanted.shape and each.dtype == wanted.dtype
            np.testing.assert_allclose(each, wanted, rtol=1e-12)


def make_arrays():
    random = np.random.default_rng(0)
    return random.standard_normal((3, 4)), random.standard_normal((2, 3, 4))


@pytest.mark.parametrize("name", BOTH)
def test_methods_of_both(name):
    """Of arrays of NumPy's they are NumPy's, of tensors PyTorch's, by one function."""
    arrays = make_arrays()
    # What only PyTorch has is there for arrays, too.
    check_both(BOTH[name], arrays, True)
    check_both(BOTH[name], [*map(torch.from_numpy, arrays)], name in MORE)


@pytest.mark.parametrize("name", OF_NUMPY)
def test_functions_of_numpy(name):
    check_both(OF_NUMPY[name], make_arrays(), False)


@pytest.mark.parametrize("name", OF_PYTORCH)
def test_functions_of_pytorch(name):
    check_both(OF_PYTORCH[name], [*map(torch.from_numpy, make_arrays())], False)


def test_a_function_of_both_kinds():
    """Where one came before the other is another program."""
    x = make_arrays()[0]
    functions = (lambda x: x.max(-1), lambda x: x.transpose(0, 1), lambda x: x[:, :3].dot(x))
    for function in functions[:2]:
        jitted = fuser.jit(function)
        for given in (x, torch.from_numpy(x), x, torch.from_numpy(x)):
            got, expected = jitted(given), function(given)
            assert isinstance(got, tuple) == isinstance(expected, tuple)
            for each, wanted in zip(flatten(got), flatten(expected), strict=True):
                np.testing.assert_array_equal(each, wanted)
    jitted = fuser.jit(functions[2])
    for _ in range(2):
        np.testing.assert_allclose(jitted(x), x[:, :3].dot(x))
        with pytest.raises(
            ValueError, match=re.escape("torch.dot: expected arrays of one dimension, got <fuser.numpy.Array")
        ):
            jitted(torch.from_numpy(x))


def test_the_greatest_of_tensors_has_indices():
    x = torch.from_numpy(make_arrays()[0])
    got = fuser.jit(lambda x: (x.max(0).values, x.min(1).indices, x.max(axis=0)))(x)
    for each, expected in zip(got, (x.amax(0), x.argmin(1), x.amax(0)), strict=True):
        torch.testing.assert_close(each, expected)
    with pytest.raises(
        TypeError, match="sub: expected an array or a number, got the values and indices that PyTorch's max"
    ):
        fuser.jit(lambda x: x - x.max(-1, True))(x)


PARTS = {
    "element": lambda x: x.max(axis=-1)[0],
    "parts": lambda x: (lambda values, indices: values)(*x[:2].min(axis=-1)),
    "kept": lambda x: x.min(axis=0, keepdims=True)[0],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_what_is_a_pair_in_pytorch(name):
    """The greatest by `axis` are an array, as NumPy's: what would be one of its rows is the values of all in PyTorch."""
    x, function = make_arrays()[0], PARTS[name]
    with pytest.raises(
        TypeError, match=re.escape("expected all elements of what x.max or x.min gives by axis=, got a part")
    ):
        fuser.jit(function)(torch.from_numpy(x))
    got = fuser.jit(function, dynamic=False)(x)
    np.testing.assert_array_equal(got, function(x))
    e = fuser.jit(lambda x: fnp.exp(x - x.max(axis=-1, keepdims=True))[0])(torch.from_numpy(x))
    torch.testing.assert_close(e, torch.exp(torch.from_numpy(x - x.max(-1, keepdims=True)))[0])


@pytest.mark.parametrize("name", ["values", "indices"])
def test_what_an_array_has_not_of_a_pair(name):
    with pytest.raises(AttributeError, match=f"got '{name}': results of PyTorch's functions have it, as torch.sort"):
        fuser.jit(lambda x: getattr(x.max(axis=0), name))(torch.from_numpy(make_arrays()[0]))


def test_numpys_names_of_arguments():
    """PyTorch takes them, too."""
    functions = (
        lambda x: torch.max(x, axis=-1, keepdims=True),
        lambda x: (torch.sum(x, axis=0), torch.softmax(x, axis=-1), torch.amax(x=x, axis=1), torch.mul(x1=x, x2=x)),
        lambda x: (x[:1].squeeze(axis=0), x.squeeze(axis=0), torch.squeeze(x, axis=0)),
    )
    x = torch.from_numpy(make_arrays()[0])
    for function in functions:
        for got, expected in zip(fuser.jit(function)(x), function(x), strict=True):
            torch.testing.assert_close(got, expected)
    extremes = fuser.jit(lambda x: torch.aminmax(x, dim=0))(x)
    torch.testing.assert_close(extremes.min, x.amin(0))
    torch.testing.assert_close(extremes.max, x.amax(0))


def test_what_changes_an_array_in_numpy():
    message = "x.sort: expected an array that stays as it is, got NumPy's method, which changes it: write x = fuser.numpy.sort(x)"
    for function in (lambda x: x.sort(), lambda x: x.sort(0), lambda x: x.sort(axis=0)):
        with pytest.raises(TypeError, match=re.escape(message)):
            fuser.jit(function)(make_arrays()[0])


# Several at a time

GENERATOR = torch.Generator().manual_seed(0)
P, Q = (torch.randn(4, 6, generator=GENERATOR) for _ in range(2))
WITH_NAN = P.clone()
WITH_NAN[1, 2] = float("nan")
TARGET, WEIGHT = torch.tensor([1, 5, -100, 0]), torch.rand(6, generator=GENERATOR)

NAMES = {
    "median": lambda x, y, z: (torch.median(x), torch.median(x, 1)[0], x.median(0).values, torch.median(z, 1).values),
    "places of a median": lambda x, y, z: (torch.median(x, 1, keepdim=True).indices, torch.median(z)),
    "kthvalue": lambda x, y, z: (torch.kthvalue(x, 2).values, torch.kthvalue(x, 3, 0, True).indices, x.kthvalue(1)[0]),
    "quantile": lambda x, y, z: (torch.quantile(x, 0.3), torch.quantile(z, 0.5, 0, True), x.quantile(0.7, 0)),
    "mode": lambda x, y, z: (
        *torch.mode(x.round()),
        *x.round().mode(0, True),
        z.round().mode(0).values,
        torch.mode((x * 2).long(), -1).values,
        torch.mode(z.isnan().float(), dim=1).indices,
    ),
    "interpolation": lambda x, y, z: tuple(
        torch.quantile(x, fraction, dim, interpolation=each)
        for each in ("linear", "lower", "higher", "nearest", "midpoint")
        # None that falls on an element only in float32, in which 2.13 has the place of it, and later versions not.
        for fraction, dim in ((0.3, 0), (0.45, 1), (0.9, None), (1, None))
    ),
    "tensor_split": lambda x, y, z: (*torch.tensor_split(x, 4, 1), *x.tensor_split([1, 3])),
    "diag_embed": lambda x, y, z: (
        torch.diag_embed(x),
        torch.diag_embed(x, 1),
        torch.diag_embed(x, -2),
        torch.diag_embed(x, 1, 0, 2),
        x.diag_embed(0, -1, -2),
    ),
    "types": lambda x, y, z: (x.view_as(y), x.type(torch.float64), x * x.is_floating_point(), x * torch.is_complex(x)),
    "nll_loss": lambda x, y, z: (
        F.nll_loss(x, TARGET),
        F.nll_loss(x, TARGET, weight=WEIGHT),
        F.nll_loss(x, TARGET, reduction="none"),
        F.nll_loss(x, TARGET.clamp(min=0), WEIGHT, reduction="sum", ignore_index=5),
        F.nll_loss(x[0], TARGET[0]),
    ),
    "binary_cross_entropy": lambda x, y, z: (
        F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
        F.binary_cross_entropy(torch.sigmoid(x), (y > 0).float(), weight=WEIGHT, reduction="none"),
    ),
    "instance_norm": lambda x, y, z: (
        F.instance_norm(x.reshape(2, 2, 6)),
        F.instance_norm(x.reshape(2, 2, 6), weight=WEIGHT[:2], bias=WEIGHT[2:4]),
    ),
    "pairwise_distance": lambda x, y, z: (F.pairwise_distance(x, y), F.pairwise_distance(x, y, p=1, keepdim=True)),
    "take": lambda x, y, z: (torch.take(x, torch.tensor([0, 7, -1])), x.take(torch.tensor([[1, 2]]))),
    "repeat": lambda x, y, z: (x.repeat(2, 3), x.repeat(2, 1, 1)),
    "round": lambda x, y, z: (torch.round(x, decimals=2), x.round(decimals=1), x.round()),
    "products": lambda x, y, z: (
        torch.cross(x[:, :3], y[:, :3], dim=1),
        torch.linalg.cross(x[:, :3], y[:, :3]),
        torch.kron(x[:2], y),
        torch.vdot(x[0], y[0]),
    ),
    "others": lambda x, y, z: (
        torch.rot90(x),
        torch.isclose(x, y, 0.1, 0.5),
        torch.deg2rad(x),
        x.rad2deg(),
        torch.fliplr(x),
        torch.heaviside(x, y),
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dynamic", [True, False])
def test_functions_and_methods(name, dynamic):
    expected = NAMES[name](P, Q, WITH_NAN)
    for got, wanted in zip(fuser.jit(NAMES[name], dynamic=dynamic)(P, Q, WITH_NAN), expected, strict=True):
        torch.testing.assert_close(got, wanted, equal_nan=True)


def test_what_else_they_refuse():
    with pytest.raises(TypeError, match="fuser.jit has, got torch.logcumsumexp: write torch."):
        fuser.jit(lambda x: torch.logcumsumexp(x, 0))(P)


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("q", [torch.tensor(0.3), torch.tensor([0.0, 0.25, 0.9, 1.0]), torch.tensor([])])
@pytest.mark.parametrize("options", [{}, {"dim": 1}, {"dim": 0, "keepdim": True, "interpolation": "nearest"}])
def test_quantiles_at_a_tensor(q, options, dynamic):
    """One that the function is called with, and one that it knows."""
    x = torch.randn(5, 7, generator=GENERATOR)
    expected = torch.quantile(x, q, **options)
    torch.testing.assert_close(fuser.jit(lambda x, q: x.quantile(q, **options), dynamic=dynamic)(x, q), expected)
    if len(q.shape):
        return
    torch.testing.assert_close(fuser.jit(lambda x: torch.quantile(x, q, **options), dynamic=dynamic)(x), expected)


def test_modes_of_long_rows():
    """The place is that of one of the elements; which one of equal elements PyTorch has is open."""
    x = torch.randint(0, 9, (3, 200), generator=GENERATOR)
    values, indices = fuser.jit(lambda x: x.mode())(x)
    assert torch.equal(values, x.mode().values)
    assert torch.equal(x.gather(1, indices[:, None])[:, 0], values)


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda x: F.glu(x[:, :3]),
            "'glu': expected a number of parts that divides the 3 elements of dimension 1, got 2",
        ),
        (
            lambda x: x.unflatten(1, (3, 2)),
            "'unflatten': expected sizes whose product is 4, that of dimension 1, got 6",
        ),
        (
            lambda x: torch.unflatten(x, 1, (3, -1)),
            "'unflatten': expected a multiple of 3 as the size of dimension 1, for [3, -1], got 4",
        ),
        (lambda x: F.layer_norm(x, (5,)), "'layer_norm': expected size 5, that of the shape, in dimension 1, got 4"),
        (lambda x: F.rms_norm(x, (5,)), "'rms_norm': expected size 5, that of the shape, in dimension 1, got 4"),
        (lambda x: F.nll_loss(x, x), "'nll_loss': expected integers as the target, got"),
        (lambda x: F.normalize(x, dim=4), "'normalize': expected a dimension of -2 to 1"),
        (lambda x: torch.addmm(x, x, x[:3, :3]), "'addmm': expected dimension 0 of the right operand to be 4"),
        (lambda x: torch.vstack([x, x[:, :3]]), "'vstack': expected the type"),
        (lambda x: x.flatten(1, 0), "'flatten': expected 'start' not behind 'end', got dimensions 1 and 0"),
        (lambda x: x.view(4, 7), "'view': expected as many elements in the result as in the input"),
        (lambda x: x.permute(0, 0), "'permute': expected each of the 2 dimensions"),
        (lambda x: x.kthvalue(5)[0], "'kthvalue': expected a k of 1 to 4, the elements of dimension 1, got 5"),
        (lambda x: x.kthvalue(0)[0], "'kthvalue': expected a k of at least 1, got 0"),
    ],
)
def test_errors_name_what_was_called(function, message, dynamic):
    """Not the ops that it is made of."""
    with pytest.raises(fuser.Error) as caught:
        fuser.jit(function, dynamic=dynamic)(torch.ones(6, 4))
    line = function.__code__.co_firstlineno
    assert re.match(rf"{re.escape(__file__)}:{line}: error: {re.escape(message)}", str(caught.value))


def test_squeeze_of_sizes_that_are_computed():
    """Whether one is 1 is known where it is static; where it is open it must not be."""
    x = torch.arange(12.0).reshape(2, 6)
    for function in (lambda x: x[1:].squeeze(0), lambda x: torch.squeeze(x[1:, None])):
        assert torch.equal(fuser.jit(function, dynamic=False)(x), function(x))
        wide = torch.arange(18.0).reshape(3, 6)
        assert torch.equal(fuser.jit(function)(wide), function(wide))
        with pytest.raises(
            fuser.Error, match="'squeeze': expected dimension 0, whose size is open, not to have size 1"
        ):
            fuser.jit(function)(x)
    for each in (x[None], torch.tensor(2.0)):
        assert torch.equal(fuser.jit(lambda x: x.squeeze(0))(each), each.squeeze(0))


def test_kthvalue_of_a_tensor_without_dimensions():
    x = torch.tensor(3.0)
    assert fuser.jit(lambda x: tuple(x.kthvalue(1)))(x) == tuple(x.kthvalue(1))


def test_halves_and_shapes_that_fit():
    x = torch.arange(24.0).reshape(6, 4)
    for function in (F.glu, lambda x: x.unflatten(1, (2, -1)), lambda x: x.unflatten(0, (3, 2))):
        torch.testing.assert_close(fuser.jit(function)(x), function(x))


M, N, IMAGE = torch.randn(5, 6), torch.randn(5, 6), torch.randn(2, 8, 6, 4)
SIGNS = torch.where(M > 0, 1.0, -1.0)


@pytest.mark.parametrize("sizes", [(4, 6), (3, 4), (3, 1)])
def test_fewer_indices_than_elements(sizes):
    """Where sizes are known the first elements count; else they are checked."""
    index = torch.randint(5, sizes)
    functions = (
        lambda x, i, y: torch.scatter_add(x, 0, i, y),
        lambda x, i, y: torch.scatter_reduce(x, 0, i, y, "amax"),
        lambda x, i, y: x.scatter(0, i, 1.0),
    )
    for function in functions:
        torch.testing.assert_close(fuser.jit(function, dynamic=False)(M, index, N), function(M, index, N))
    with pytest.raises(
        fuser.Error, match=r"test_jit_more.py:\d+: error: 'scatter_add': expected .* where sizes are open"
    ):
        fuser.jit(functions[0])(M, index, N)
    cut = fuser.jit(lambda x, i, y: torch.scatter_add(x, 0, i, y[: i.shape[0]]))
    torch.testing.assert_close(cut(M, index[:, :1].expand(-1, 6), N), functions[0](M, index[:, :1].expand(-1, 6), N))


def make_cell(kind, gates):
    cell = kind(6, 6)
    weights = {key.replace("weight", "w").replace("bias", "b"): each.detach() for key, each in cell.named_parameters()}
    assert weights["w_ih"].shape == (gates * 6, 6)
    return cell, {"x": M, "h": N} | weights


#: Names of what errors say to write something in place of, with a call of PyTorch's, and what the names in the text are.
INSTEADS = {
    "addbmm": (lambda f: f(torch.ones(6, 6), IMAGE[0, :3, :, :4], IMAGE[1, :3].mT), {"c": torch.ones(6, 6)}),
    "addmv": (lambda f: f(M[:, 0], M, N[0]), {"c": M[:, 0], "a": M, "x": N[0]}),
    "addr": (lambda f: f(torch.ones(6, 6), M[0], N[0]), {"c": torch.ones(6, 6), "a": M[0], "b": N[0]}),
    "bilinear": (lambda f: f(M, N, IMAGE[0, :, :, :1].expand(8, 6, 6), M[0, :1].expand(8)), {"x": M, "y": N}),
    "bucketize": (lambda f: f(M, torch.arange(-2.0, 3)), {"x": M, "edges": torch.arange(-2.0, 3)}),
    "cdist": (lambda f: f(M, N[:3]), {"a": M, "b": N[:3]}),
    "chain_matmul": (lambda f: f(M, N.mT, M), {"a": M, "b": N.mT, "c": M}),
    "channel_shuffle": (lambda f: f(IMAGE, 2), {"x": IMAGE, "n": 2, "c": 8, "h": 6, "w": 4, "groups": 2}),
    "cosine_embedding_loss": (
        lambda f: f(M, N, SIGNS[:, 0], margin=0.1),
        {"a": M, "b": N, "y": SIGNS[:, 0], "margin": 0.1},
    ),
    "cumulative_trapezoid": (lambda f: f(M[0]), {"y": M[0]}),
    "dist": (lambda f: f(M, N), {"a": M, "b": N}),
    "embedding_bag": (
        lambda f: F.embedding_bag(torch.tensor([[0, 2], [3, 3]]), M),
        {"indices": torch.tensor([[0, 2], [3, 3]]), "weight": M},
    ),
    "gaussian_nll_loss": (lambda f: f(M, N, N * N), {"x": M, "y": N, "var": N * N}),
    "ger": (lambda f: f(M[0], N[0]), {"a": M[0], "b": N[0]}),
    "hinge_embedding_loss": (lambda f: f(M, SIGNS), {"x": M, "y": SIGNS, "margin": 1.0}),
    "margin_ranking_loss": (lambda f: f(M, N, SIGNS, 0.1), {"a": M, "b": N, "y": SIGNS, "margin": 0.1}),
    "msort": (lambda f: f(M), {"x": M}),
    "mv": (lambda f: f(M, N[0]), {"a": M, "x": N[0]}),
    "pixel_shuffle": (lambda f: f(IMAGE, 2), {"x": IMAGE, "n": 2, "c": 2, "r": 2, "h": 6, "w": 4}),
    "pixel_unshuffle": (lambda f: f(IMAGE, 2), {"x": IMAGE, "n": 2, "c": 8, "r": 2, "h": 3, "w": 2}),
    "poisson_nll_loss": (lambda f: F.poisson_nll_loss(M, N), {"x": M, "y": N}),
    "rrelu": (lambda f: f(M, 0.1, 0.3), {"x": M, "lower": 0.1, "upper": 0.3}),
    "sgn": (lambda f: f(M), {"x": M}),
    "soft_margin_loss": (lambda f: f(M, SIGNS), {"x": M, "y": SIGNS}),
    "triplet_margin_loss": (lambda f: f(M, N, -N), {"a": M, "p": N, "n": -N, "margin": 1.0}),
}
INSTEADS["addbmm"][1].update(a=IMAGE[0, :3, :, :4], b=IMAGE[1, :3].mT)
INSTEADS["bilinear"][1].update(w=IMAGE[0, :, :, :1].expand(8, 6, 6), bias=M[0, :1].expand(8))


def compute(text, given):
    """What errors say to write, as it stands, in a function that is traced: what it is of follows, the last of these first."""
    tensors = {key: each for key, each in given.items() if isinstance(each, torch.Tensor)}
    result, _, where = re.split(", with right|, or .sum|, which|, of ", text)[0].partition(" of ")
    lines = [f"def function({', '.join(tensors)}):"]
    lines += [f"    {each}" for each in reversed(re.split(r", (?=[a-z] = )", where)) if each]
    names = {"torch": torch, "F": F, "math": math, "fuser": fuser, **given}
    exec("\n".join([*lines, f"    return {result}"]), names)
    return fuser.jit(names["function"], dynamic=False)(**tensors)


@pytest.mark.parametrize("name", INSTEADS)
def test_what_is_said_to_write_gives_the_same(name):
    call, given = INSTEADS[name]
    expected = call(getattr(torch.nn.functional, name, None) or getattr(torch, name))
    torch.testing.assert_close(compute(INSTEAD[name], given), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind, gates", [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_cells_as_they_are_said(kind, gates):
    cell, given = make_cell(getattr(torch.nn, f"{kind}Cell"), gates)
    text = INSTEAD["rnn_tanh_cell" if kind == "RNN" else f"{kind.lower()}_cell"]
    expected = cell(M, (N, SIGNS))[0] if kind == "LSTM" else cell(M, N)
    torch.testing.assert_close(compute(text, given | {"c0": SIGNS}), expected.detach(), rtol=1e-4, atol=1e-4)
    with pytest.raises(TypeError, match=re.escape(f"write {text}")):
        fuser.jit(cell)(M, (N, SIGNS)) if kind == "LSTM" else fuser.jit(cell)(M, N)


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda x: torch.tensordot(x, x, 2), "got torch.tensordot: write fuser.numpy.tensordot"),
        (lambda x: torch.atleast_2d(x), "got torch.atleast_2d: write fuser.numpy.atleast_2d"),
        (lambda x: torch.as_tensor(x), "got torch.as_tensor: write x itself"),
        (
            lambda x: torch.normal(x, 1.0),
            "got torch.normal: write mean + std * fuser.numpy.normal(shape, seed, offset)",
        ),
        (lambda x: torch.embedding(x, x), "got torch.embedding: write torch.nn.functional.embedding(indices, weight)"),
        (lambda x: torch.searchsorted(x[0], x), "got torch.searchsorted: write (a < v[..., None]).sum(-1)"),
    ],
)
def test_what_fuser_has_in_place_of_pytorchs(function, expected):
    with pytest.raises(TypeError, match=re.escape(expected)):
        fuser.jit(function)(M)


# What PyTorch takes for no elements

EMPTY = torch.empty(0)
SKIPPING = {
    "between": lambda x, e: torch.cat([x, e, x * 2], 1),
    "first": lambda x, e: torch.concat([e, x, e], -1),
    "behind": lambda x, e: torch.concatenate([x, e], axis=0),
    "made": lambda x, e: torch.cat([torch.empty(0), x + 1], dim=1),
    "columns": lambda x, e: torch.hstack([x, e]),
    "vectors": lambda x, e: torch.cat([e, x[0], e]),
    "nothing else": lambda x, e: (x + 1, torch.cat([e, e])),
}


@pytest.mark.parametrize("is_dynamic", [True, False])
@pytest.mark.parametrize("name", SKIPPING)
def test_empty_tensors_of_one_dimension_are_skipped(name, is_dynamic):
    """Among tensors of any rank; that of a wider type widens the result, as in PyTorch."""
    for x in (X.float(), X.half()):
        result = fuser.jit(SKIPPING[name], dynamic=is_dynamic)(x, EMPTY)
        torch.testing.assert_close(result, SKIPPING[name](x, EMPTY), rtol=0, atol=0)


def test_a_tensor_that_grows_from_nothing():
    """One program has it empty, another one as it is then."""

    class Cache:
        rows = torch.empty(0)

        @fuser.jit
        def grow(self, rows):
            return torch.cat([self.rows, rows], dim=1)

    cache, rows = Cache(), torch.randn(2, 3, 4)
    for count in (1, 2, 3):
        cache.rows = cache.grow(rows)
        torch.testing.assert_close(cache.rows, torch.cat([rows] * count, 1), rtol=0, atol=0)


def test_a_tensor_of_one_dimension_that_is_not_empty_is_refused():
    function = fuser.jit(SKIPPING["between"])
    function(X.float(), EMPTY)
    for given in (torch.ones(5), torch.ones(1)):
        with pytest.raises(fuser.Error, match="expected"):
            function(X.float(), given)
