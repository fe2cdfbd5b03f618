# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="fuser") against PyTorch: what training has beside the layers, with sizes known and open."""

import pytest

torch = pytest.importorskip("torch")
import fuser.torch  # noqa: E402, F401
from compiling import BOTH, CHAINS, SUMS, assert_close, check, randn  # noqa: E402
from test_torch_choices import DYNAMIC, check_gradients  # noqa: E402

F = torch.nn.functional
OPTIMIZERS = {
    "AdamW": {"weight_decay": 0.1},
    "Adam": {"amsgrad": True},
    "SGD": {"momentum": 0.9, "nesterov": True},
    "RMSprop": {},
    "Adagrad": {},
    "NAdam": {},
}


@pytest.mark.parametrize("foreach", [False, True], ids=["tensors", "lists"])
@pytest.mark.parametrize("name", OPTIMIZERS)
@BOTH
def test_optimizers(target, name, foreach, said):
    """Ops on lists of tensors become one for each tensor."""
    torch.manual_seed(0)
    ours = [torch.nn.Parameter(randn(*shape, target=target)) for shape in ((5, 7), (3,), ())]
    theirs = [torch.nn.Parameter(each.detach().clone()) for each in ours]
    mine, other = (getattr(torch.optim, name)(each, foreach=foreach, **OPTIMIZERS[name]) for each in (ours, theirs))
    step = torch.compile(mine.step, backend="fuser")
    for _ in range(3):
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn_like(a)
            b.grad = a.grad.clone()
        step()
        other.step()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)
    assert not [each for each in said() if "_foreach" in each or "fma" in each]


def test_clipped_gradients(said):
    parameters = [torch.nn.Parameter(torch.randn(shape)) for shape in (64, 3)]
    for each in parameters:
        each.grad = torch.randn_like(each)
    expected = torch.linalg.vector_norm(torch.cat([each.grad for each in parameters]))
    norm = torch.compile(lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0), backend="fuser")()
    torch.testing.assert_close(norm, expected)
    assert abs(torch.cat([each.grad for each in parameters]).norm() - 1) < 1e-3
    assert not [each for each in said() if "_foreach" in each]


@BOTH
def test_fused_products(target, said):
    """What PyTorch makes of an in-place product and sum."""

    def function(x, y):
        return x.sin().addcmul_(y, y, value=0.5).cos(), x.sin().addcmul_(y, x)

    check(function, randn(8, target=target), randn(8, target=target), of_largest=SUMS)
    assert not said()


def test_cross_entropy_of_other_sizes(said):
    """Symbols of the elements and the indices are others, and equal by what PyTorch has asked."""

    def function(x, y):
        return F.cross_entropy(x.view(-1, 16), y.view(-1))

    compiled = torch.compile(function, backend="fuser")
    for rows, columns in ((2, 5), (3, 7), (4, 6)):
        x = torch.randn(rows, columns, 16, requires_grad=True)
        y = torch.randint(0, 16, (rows, columns))
        found = [torch.autograd.grad(run(x, y), x)[0] for run in (function, compiled)]
        torch.testing.assert_close(*found)
    assert not said()


@DYNAMIC
@BOTH
def test_batch_norm(target, dynamic, said):
    def function(x, mean, variance):
        return F.batch_norm(x, mean, variance, training=True).relu()

    compiled = torch.compile(function, backend="fuser", dynamic=dynamic)
    for count in (3, 5)[: 1 + dynamic]:
        x = randn(count, 4, 6, 5, target=target).requires_grad_()
        found = []
        for run in (function, compiled):
            running = [randn(4, target=target).fill_(number) for number in (0, 1)]
            y = run(x, *running)
            found.append([y, *running, *torch.autograd.grad(y.square().sum(), x)])
        for expected, result in zip(*found, strict=True):
            assert_close(result, expected, strides=False, of_largest=CHAINS)
    assert not said()


@DYNAMIC
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[..., ::2].sigmoid() * x[..., 1::2],
        lambda x: x[1::3].exp().mean() + x[:, 5::2].sin(),
        lambda x: x[:, 2:9:3].exp(),
        lambda x: x[:, 3:4:7] * 2,
        lambda x: x / x.std(1, keepdim=True) + x.var(1, keepdim=True),
    ],
    ids=["halves", "rows", "part", "one", "deviation"],
)
@BOTH
def test_gradients_of_parts(target, function, dynamic, said):
    shapes = [[(4, 16)], [(6, 12)]][: 1 + dynamic]
    check_gradients(function, shapes, target=target, dynamic=dynamic)
    assert not said()


def test_sizes_by_a_factor(said):
    def function(x):
        return F.interpolate(x, scale_factor=2.0, mode="bicubic") * 2

    for shape in ((2, 3, 8, 8), (1, 2, 9, 5)):
        check(function, torch.randn(*shape), of_largest=CHAINS, dynamic=True)
    assert not said()
