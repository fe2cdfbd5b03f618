# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are a few others (fuser._jit._torch_more), against PyTorch in float64."""

import math

import fuser
import pytest

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
