# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More of PyTorch's functions and methods that are a few others, against PyTorch."""

import fuser
import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

GENERATOR = torch.Generator().manual_seed(0)
X, Y = (torch.randn(4, 6, generator=GENERATOR) for _ in range(2))
Z = X.clone()
Z[1, 2] = float("nan")
TARGET, WEIGHT = torch.tensor([1, 5, -100, 0]), torch.rand(6, generator=GENERATOR)

CASES = {
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
        for fraction, dim in ((0.3, 0), (0.4, 1), (0.9, None), (1, None))
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


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dynamic", [True, False])
def test_traced(name, dynamic):
    expected = CASES[name](X, Y, Z)
    for got, wanted in zip(fuser.jit(CASES[name], dynamic=dynamic)(X, Y, Z), expected, strict=True):
        torch.testing.assert_close(got, wanted, equal_nan=True)


def test_what_is_refused():
    with pytest.raises(TypeError, match="fuser.jit has, got torch.logcumsumexp: write torch."):
        fuser.jit(lambda x: torch.logcumsumexp(x, 0))(X)
    with pytest.raises(TypeError, match="quantile: expected a number as q, got <"):
        fuser.jit(lambda x: torch.quantile(x, torch.tensor([0.5])))(X)


def test_modes_of_long_rows():
    """The place is that of one of the elements; which one of equal elements PyTorch has is open."""
    x = torch.randint(0, 9, (3, 200), generator=GENERATOR)
    values, indices = fuser.jit(lambda x: x.mode())(x)
    assert torch.equal(values, x.mode().values)
    assert torch.equal(x.gather(1, indices[:, None])[:, 0], values)
