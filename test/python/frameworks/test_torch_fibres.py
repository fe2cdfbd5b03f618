# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="fuser") against PyTorch: scans, sorts, writes to computed places, tensors of indices, products of matrices."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

torch = pytest.importorskip("torch")
import fuser.torch  # noqa: E402, F401
from compiling import BOTH, CHAINS, SUMS, assert_close, check, flatten, randn  # noqa: E402
from fuser.torch._fibres import _check_parts, _check_scan, _sort, _topk  # noqa: E402
from fuser.torch._ops import Unsupported  # noqa: E402

F = torch.nn.functional
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
DYNAMIC = pytest.mark.parametrize("dynamic", [False, True])


def check_gradients(function, sizes, *, target="cpu", dynamic=False, options=None):
    """Results and gradients of inputs of several sizes, of functions of one tensor of floats that is first. sizes: of each call."""
    compiled = torch.compile(function, backend="fuser", fullgraph=True, dynamic=dynamic, options=options)
    for make in sizes:
        inputs = make(target)
        leaf, other = (inputs[0].detach().clone().requires_grad_() for _ in range(2))
        results, expected = flatten(compiled(leaf, *inputs[1:])), flatten(function(other, *inputs[1:]))
        for result, value in zip(results, expected, strict=True):
            assert_close(result, value, of_largest=CHAINS)
        floats = [number for number, value in enumerate(expected) if value.requires_grad]
        seeds = [torch.randn_like(expected[number]) for number in floats]
        (own,) = torch.autograd.grad([results[number] for number in floats], leaf, seeds)
        (theirs,) = torch.autograd.grad([expected[number] for number in floats], other, seeds)
        assert_close(own, theirs, of_largest=CHAINS)


def shuffled(*shape, target, dtype=torch.float32):
    """Different numbers, none of which is 0."""
    count = torch.Size(shape).numel()
    return (torch.randperm(count).to(dtype).reshape(shape) - count // 2 + 0.5).div(8).to(target)


# Scans


@DTYPES
@BOTH
def test_scans(target, dtype, said, programs):
    def function(x):
        return (
            *(x.cumsum(0), x.cumsum(-1), (x * 2).cumprod(1), x.cummax(1), x.cummin(0)),
            *(x.cumsum(1, dtype=torch.float64), x.to(torch.int32).cumsum(1), (x > 0).cumsum(1)),
        )

    def flat(x):
        return [part for each in function(x) for part in (each if isinstance(each, tuple) else (each,))]

    x = randn(3, 9, target=target, dtype=dtype).round(decimals=1)
    check(flat, x)
    assert said() == [] and len(programs) == 1
    check(lambda x: (x.cumsum(0), *x.cummax(0)), torch.tensor(2.0, device=target))


def test_cummax_of_equal_elements_and_nan():
    nan = float("nan")
    x = torch.tensor([[1, 3, 3, 2, 3], [nan, 1, nan, 5, 2], [0, nan, 2, nan, 7]])
    check(lambda x: (*x.cummax(1), *x.cummin(1), *x.nan_to_num().to(torch.int64).cummax(1)), x)


@DYNAMIC
@BOTH
def test_gradients_of_scans(target, dynamic, said):
    sizes = [lambda t, n=n: [shuffled(n, 5, target=t)] for n in (4, 7)[: 1 + dynamic]]
    check_gradients(
        lambda x: (x.sin().cumsum(0), (x / 9).cumprod(1), x.cummax(0)[0]), sizes, target=target, dynamic=dynamic
    )
    assert said() == []


# Sorts


@DTYPES
@BOTH
def test_sorts(target, dtype, said, programs):
    x = shuffled(6, 7, target=target, dtype=dtype)

    def function(x):
        return (
            *(*x.sort(1), *x.sort(0, descending=True), x.argsort(1), *x.topk(3), *x.topk(2, dim=0, largest=False)),
            *(*x.sort(stable=True), *x.to(torch.int32).sort(dim=1, stable=True)),
        )

    check(function, x)
    assert said() == [] and len(programs) == 1


def test_order_of_equal_elements_and_nan():
    x = torch.tensor([2.0, float("nan"), 1, 2, 1, -0.0, 0.0, float("inf")])
    check(lambda x: (*x.sort(stable=True), *x.sort(stable=True, descending=True)), x)


@DYNAMIC
@BOTH
def test_gradients_of_sorts(target, dynamic, said):
    sizes = [lambda t, n=n: [shuffled(n, 6, target=t)] for n in (4, 7)[: 1 + dynamic]]
    check_gradients(
        lambda x: (*x.exp().sort(1), *(x * 2).topk(2, 1), x.sort(1, descending=True)[0]),
        sizes,
        target=target,
        dynamic=dynamic,
    )
    assert said() == []


def test_topk_routing(said):
    """The weights of the best two experts of each token."""

    def route(logits):
        weights, experts = logits.softmax(-1).topk(2)
        return weights / weights.sum(-1, keepdim=True), experts

    check_gradients(route, [lambda t, n=n: [shuffled(n, 8, target=t)] for n in (5, 9)], dynamic=True)
    assert said() == []


# Writes to computed places


@DTYPES
@BOTH
def test_scatters(target, dtype, said):
    x, source = (randn(4, 6, target=target, dtype=dtype) for _ in range(2))
    # Of two elements for one place PyTorch takes any on a GPU.
    index = torch.tensor([[0, 3, 1, 2], [2, 0, 1 if target == "cpu" else 0, 3]], device=target)
    one = torch.tensor([[3], [0], [5], [2]], device=target)
    twice = torch.tensor([[1, 1, 1, 0, 0, 2]] * 4, device=target)

    def function(x, source, index, one, twice):
        return (
            *(
                x.scatter(0, index, source),
                x.scatter(0, index, 7.0),
                x.scatter(1, one, 3.0),
                x.scatter(1, one, source[:, :1]),
            ),
            *(x.scatter_add(0, index, source), x.scatter_add(1, one, source), x.scatter_add(1, twice, source)),
            *(x.scatter_reduce(1, twice, source, reduce) for reduce in ("sum", "prod", "amax", "amin")),
        )

    check(function, x, source, index, one, twice)
    assert said() == []


def test_one_index_is_a_choice(programs):
    """The gradient of a cross entropy is one kernel with the softmax."""
    x, index = randn(5, 33), torch.randint(0, 33, (5, 1))
    check(
        lambda x, index: x.softmax(-1).scatter_add(1, index, torch.full_like(index, -1, dtype=x.dtype)),
        x,
        index,
        of_largest=SUMS,
    )
    (program,) = programs
    assert program.num_segments == 1


@DYNAMIC
@BOTH
def test_gradients_of_scatters(target, dynamic, said):
    def function(x, index):
        y = x.sin()
        return y.scatter_add(0, index, x * x), y.scatter(1, index[:, :1], 2.0), y.gather(1, index)

    def make(n):
        return lambda target: [
            shuffled(n, n, target=target),
            torch.stack([torch.randperm(n) for _ in range(n)]).to(target),
        ]

    check_gradients(function, [make(n) for n in (4, 6)[: 1 + dynamic]], target=target, dynamic=dynamic)
    assert said() == []


@DYNAMIC
@BOTH
def test_cross_entropy(target, dynamic, said):
    def make(n):
        return lambda target: [randn(n, 11, target=target), torch.randint(0, 11, (n,), device=target)]

    def function(x, labels):
        return F.cross_entropy(x, labels), F.cross_entropy(x, labels, reduction="none", ignore_index=3)

    check_gradients(function, [make(n) for n in (4, 6)[: 1 + dynamic]], target=target, dynamic=dynamic)
    assert said() == []


@DTYPES
@BOTH
def test_writes_of_parts(target, dtype, said):
    x = randn(5, 4, target=target, dtype=dtype)
    index, rows = torch.tensor([4, 0, 4], device=target), randn(3, 4, target=target, dtype=dtype)
    other = torch.tensor([2, 0, 3], device=target)

    def function(x, index, other, rows):
        return (
            *(x.index_add(0, index, rows), x.index_add(1, other, rows.T[:1].expand(5, 3), alpha=0.5)),
            *(x.index_copy(0, other, rows), x.index_fill(1, other, 9), x.index_fill(0, index, 1.5)),
            *(torch.index_put(x, (other,), rows), torch.index_put(x, (index - 5,), rows, accumulate=True)),
            *(torch.index_put(x, (other, other), rows[:, 0]), torch.index_put(x, (index, other), rows[0, 0], True)),
            torch.index_put(x, (x > 0,), torch.tensor(3.0, dtype=x.dtype, device=x.device)),
        )

    check(function, x, index, other, rows)
    assert said() == []


@BOTH
def test_tensors_of_indices(target, said):
    x = randn(4, 5, 6, target=target)
    i, j = torch.tensor([0, -1, 2], device=target), torch.tensor([[1], [-2]], device=target)

    def function(x, i, j):
        return (
            *(x[i], x[i, i], x[i, j], x[:, i], x[:, i, j], x[:, :, i], x[i, :, i], x[j, :, i], x[j, i, 0], x[i, 1:3]),
            *(x[i, i, i], x[None, i, :, i], x[j]),
        )

    check(function, x, i, j)
    assert said() == []


@DYNAMIC
@BOTH
def test_gradients_of_indices(target, dynamic, said):
    def function(x, i):
        y = x.cos()
        return y[i], y[i, i], y[:, i], y[i, :, i]

    def make(n):
        return lambda target: [randn(n, n + 1, n + 2, target=target), torch.tensor([0, -1, 2, 0], device=target)]

    check_gradients(function, [make(n) for n in (4, 6)[: 1 + dynamic]], target=target, dynamic=dynamic)
    assert said() == []


@DYNAMIC
@BOTH
def test_embedding(target, dynamic, said):
    def make(n):
        return lambda target: [randn(9, 4, target=target), torch.randint(0, 9, (n, 3), device=target)]

    def function(weight, tokens):
        return F.embedding(tokens, weight) * 2, F.embedding(tokens, weight, padding_idx=1)

    check_gradients(function, [make(n) for n in (2, 5)[: 1 + dynamic]], target=target, dynamic=dynamic)
    assert said() == []


@pytest.mark.cuda
@DTYPES
def test_gradients_of_large_embeddings(dtype, said):
    """Of as many rows PyTorch's kernel would be taken, were it not slower; the casts of halves are in fuser's kernels."""

    def make(target):
        return [randn(5000, 40, target=target, dtype=dtype), torch.randint(0, 5000, (700,), device=target)]

    check_gradients(lambda w, t: F.embedding(t, w, padding_idx=7), [make], target="cuda")
    assert said() == []


def test_images(said):
    def function(x):
        return (
            F.interpolate(x, scale_factor=2),
            F.interpolate(x, scale_factor=1.5, mode="bilinear"),
            F.pad(x, (1, 2, 1, 0), mode="reflect"),
        )

    check_gradients(function, [lambda t: [randn(2, 3, 4, 6, target=t)]])
    assert said() == []


def test_no_elements():
    x, none = randn(3, 4), torch.zeros(0, dtype=torch.int64)

    def function(x, none):
        return (
            *(x[none], x.index_add(0, none, x[:0]), x[:0].cumsum(0), x[:0].cumsum(1), *x[:0].sort(0)),
            *(x.scatter_add(0, none.reshape(0, 1), x), x[:0].flip(0)),
        )

    check(function, x, none)


def test_what_stays_in_pytorch(said):
    x = randn(4, 4)
    compiled = torch.compile(
        lambda x: (x.scatter_reduce(0, torch.zeros(4, 4, dtype=torch.int64), x, "mean"), (x > 0).sort(1)[0]),
        backend="fuser",
    )
    for result, expected in zip(
        compiled(x),
        (x.scatter_reduce(0, torch.zeros(4, 4, dtype=torch.int64), x, "mean"), (x > 0).sort(1)[0]),
        strict=True,
    ):
        assert_close(result, expected)
    assert len(said()) == 1 and "a mean" in said()[0]


@BOTH
def test_long_fibres_are_pytorchs(target, caplog, said):
    """Where its kernels are faster, as a message for those who ask."""
    size, k = (70000, 3) if target == "cpu" else (2**20 + 8, 65)
    x, index = randn(size, target=target), torch.randint(0, size, (5,), device=target)
    check(lambda x, i: (x.sort()[0], x.index_add(0, i, x[:5]), x.topk(k)[0]), x, index)
    assert len(said()) == 2 and all("of long fibres PyTorch has faster kernels" in each for each in said())
    assert {each.levelname for each in caplog.records if each.name == "fuser.torch"} == {"INFO"}


@pytest.mark.cuda
def test_long_scans_of_a_gpu_are_pytorchs(said):
    check(lambda x: x.double().cumsum(1), randn(1, 5000, target="cuda"))
    assert any("of long fibres" in each for each in said())


# Products


@pytest.mark.parametrize("options", [{"products": "fuser"}, {"products": "fuser", "target": "sim"}], ids=str)
@DYNAMIC
def test_products(dynamic, options, said, programs):
    def function(x, w, b):
        y = F.linear(x, w, b).relu()
        return (
            y @ w,
            torch.bmm(y[None], x.new_ones(1, 5, 3)),
            torch.baddbmm(y[None], x[None], w.T[None], beta=0.5, alpha=2),
            torch.addmm(b, x, w.T),
        )

    def make(n):
        return lambda target: [randn(n, 6, target=target), randn(5, 6, target=target), randn(5, target=target)]

    check_gradients(function, [make(n) for n in (4, 7)[: 1 + dynamic]], dynamic=dynamic, options=options)
    assert said() == [] and len(programs) == 2


@pytest.mark.parametrize("options", [None, {"products": "fuser"}, {"products": "fuser", "target": "sim"}], ids=str)
def test_products_of_bytes(options, caplog, said):
    """PyTorch's by default, as other products."""
    x, y = (torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((32, 24), (24, 16)))
    y[0], x[0] = -128, -128
    compiled = torch.compile(lambda x, y: torch._int_mm(x, y) * 0.5, backend="fuser", options=options)
    torch.testing.assert_close(compiled(x, y), (x.int() @ y.int()) * 0.5, rtol=0, atol=0)
    reasons = [] if options else ["aten._int_mm.default runs in PyTorch: a library's product of matrices is as fast"]
    assert [each.split(": ", 1)[1] for each in said()] == reasons
    assert {each.levelname for each in caplog.records if each.name == "fuser.torch"} <= {"INFO"}


@pytest.mark.cuda
@DTYPES
def test_products_on_a_gpu(dtype, said):
    x, w, b = (
        randn(64, 128, target="cuda", dtype=dtype),
        randn(32, 128, target="cuda", dtype=dtype),
        randn(32, target="cuda", dtype=dtype),
    )
    compiled = torch.compile(lambda x, w, b: F.gelu(F.linear(x, w, b)), backend="fuser", options={"products": "fuser"})
    assert_close(compiled(x, w, b), F.gelu(F.linear(x, w, b)), of_largest=CHAINS)
    assert said() == []


def test_products_are_pytorchs_by_default(said):
    check(lambda x: (x @ x).relu(), randn(4, 4))
    assert said() == [each for each in said() if "a library's product of matrices" in each] and len(said()) == 1


def test_attention_is_said_once(said):
    q = randn(1, 2, 5, 8)

    def function(q):
        for _ in range(3):
            q = F.scaled_dot_product_attention(q * 2, q, q, is_causal=True)
        return q

    check(function, q)
    (text,) = said()
    assert "a library's kernel keeps no scores in memory" in text


@pytest.mark.parametrize(
    ("shape", "dtype", "dim", "taken"),
    [
        ((1, 2**24), torch.float32, -1, True),
        ((1, 1024), torch.int64, -1, True),
        ((1, 1025), torch.int64, -1, False),
        ((2, 1025), torch.float64, 1, True),
        ((), torch.int64, 0, True),
        ((1025, 2), torch.float32, 0, True),
        ((5, 1025, 1), torch.float32, 1, False),
        ((5, 1024, 1), torch.float32, 1, True),
    ],
)
def test_scans_of_a_gpu(shape, dtype, dim, taken):
    """Of one long row of 8-byte elements PyTorch has a faster kernel, and of one column."""
    tensor = torch.empty(shape, dtype=dtype, device="meta")
    graph = SimpleNamespace(device=torch.device("cuda"), operand=lambda _: tensor, result=tensor)
    if taken:
        _check_scan(graph, dim)
    else:
        with pytest.raises(Unsupported, match="of long fibres PyTorch has faster kernels"):
            _check_scan(graph, dim)


@pytest.mark.parametrize(
    ("function", "shapes", "arguments", "taken"),
    [
        (_sort, [(64, 2**20)], (None, 1), True),
        (_sort, [(2**25,)], (None, 0), True),
        (_topk, [(1, 2**24)], (None, 64, 1), True),
        (_topk, [(64, 2000)], (None, 65, 1), False),
        (_check_parts, [(50257, 1024), (), (2**12,), (2**12, 1024)], (0,), True),
        (_check_parts, [(50257, 1024), (), (1000,), (1000, 1024)], (0,), False),
    ],
)
def test_sorts_and_writes_of_a_gpu(function, shapes, arguments, taken):
    """Which are fuser's, because they are not slower than PyTorch's."""
    tensors = [torch.empty(shape, device="meta") for shape in shapes]
    graph = SimpleNamespace(device=torch.device("cuda"), operand=tensors.__getitem__, builder=MagicMock())
    if taken:
        function(graph, *arguments)
    else:
        with pytest.raises(Unsupported, match="of long fibres PyTorch has faster kernels"):
            function(graph, *arguments)
