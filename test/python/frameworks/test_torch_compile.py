# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="fuser") against PyTorch, where PyTorch is installed: op by op, memory, sizes, what stays in PyTorch."""

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import fuser.torch  # noqa: E402
from compiling import BOTH, CHAINS, SUMS, assert_close, by_type, check, randn  # noqa: E402
from conftest import ROOT  # noqa: E402
from fuser.torch import _program  # noqa: E402
from fuser.torch._ops import TABLE  # noqa: E402

sys.path.insert(0, str(ROOT / "benchmarks/gpu"))
from llama import Block  # noqa: E402

F = torch.nn.functional


# Op by op

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor isfinite isinf isnan log log10 log1p log2 neg"
    " logical_not reciprocal relu round rsqrt sigmoid sign signbit sin sinh sqrt square tan tanh trunc frac isposinf isneginf"
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64], ids=str)
@BOTH
def test_unary(target, dtype, said, programs):
    x = torch.linspace(-2, 2, 1025, device=target, dtype=torch.float64).to(dtype)
    check(lambda x: tuple(getattr(torch, name)(x) for name in UNARY.split()), x)
    assert said() == [] and len(programs) == 1


def test_integers(said):
    x, y = torch.arange(-6, 6), torch.tensor([3, -2, 1, 4, 5, -7] * 2)

    def function(x, y):
        return (
            *(x + y, x - 2, x * y, x / y, x // y, torch.div(x, y, rounding_mode="trunc"), x % y, torch.fmod(x, y), -x),
            *(
                x & y,
                x | 3,
                x ^ y,
                ~x,
                x << 1,
                x >> 1,
                x**3,
                x == y,
                x < 3,
                x >= y,
                (x > 0) & (y > 0),
                (x > 0) * (y > 0),
            ),
            *(torch.addcmul(x, x, y, value=2), torch.addcmul(x, x, y, value=0.9)),
            *(torch.maximum(x, y), x.clamp(-2, 3), x.sum(), x.prod(), x.amax(), x.to(torch.int32), x + 0.5, x.sin()),
        )

    check(function, x, y)
    check(function, x.to(torch.int32), y.to(torch.int32))
    assert said() == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@BOTH
def test_binary(target, dtype, said):
    x, y = (randn(300, 7, target=target, dtype=dtype) for _ in range(2))
    row, number = randn(7, target=target), torch.tensor(0.3, device=target)

    def function(x, y, row, number):
        return (
            *(x + y, x * 0.1, x / 3, x / y, x % y, torch.fmod(x, y)),
            *(x**2, x**-1, x.abs() ** 0.5, x.abs() ** y, 2**x, torch.atan2(x, y)),
            *(torch.hypot(x, y), torch.copysign(x, -y), torch.erfinv(x / 5)),
            *(x < y, x <= 0.1, x != y, torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), x.clamp(-0.1, 0.1)),
            *(
                torch.where(x > 0, x, 0.0),
                torch.where(x > 0, x, row),
                x + row,
                row * number,
                x.masked_fill(y > 0, -1e4),
            ),
            *(x.double() + row, x.clamp(min=0)),
        )

    def cancelling(x, y):
        return (
            *(torch.add(x, y, alpha=0.3), x - 0.1, 0.1 - y, torch.lerp(x, y, 0.3), torch.logaddexp(x, y)),
            *(torch.addcmul(x, y, y, value=0.1), torch.addcdiv(x, y, y.abs() + 1, value=0.1)),
        )

    check(function, x, y, row, number)
    # The product may be rounded or not, and PyTorch's kernels for CPUs round alpha and numbers to narrow types.
    check(cancelling, x, y, of_largest=by_type(1, 1))
    # Of narrow types PyTorch's kernels for CPUs give neighbours of some whole quotients, and round x * x.
    quotient, cube = torch.compile(lambda x, y: (x // y, x**3), backend="fuser")(x, y)
    assert torch.equal(quotient, (x.float() // y.float()).to(dtype))
    assert_close(cube, (x.float() ** 3).to(dtype))
    assert said() == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_a_tensor_without_dimensions_beside_half_types(dtype):
    """It is taken in float32 by PyTorch's products and quotients, as a number is."""
    check(lambda x, number: (x * number, x / number), randn(300, 7, dtype=dtype), torch.tensor(0.3))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16], ids=str)
@BOTH
def test_floor_quotients(target, dtype, said):
    """To the bit: next to a whole number another quotient would be off by one."""

    def function(x, y):
        # Numbers are on the CPU only: on a GPU PyTorch multiplies with their reciprocals.
        divisors = (y, y[2], *([3.7, 3] if target == "cpu" else []))
        truncated = [torch.div(x, divisor, rounding_mode="trunc") for divisor in divisors]
        return x // y, x // 0.1, 1.0 // y, x % y, torch.fmod(x, y), *truncated

    edges = [0.0, -0.0, 0.3, 0.9, 1.0, -1.0, 7.0, torch.inf, -torch.inf, torch.nan]
    edges = torch.cartesian_prod(*[torch.tensor(edges, dtype=dtype, device=target)] * 2)
    x, y = torch.cat([edges, randn(500, 2, target=target, dtype=dtype)]).T.contiguous()
    for result, expected in zip(torch.compile(function, backend="fuser")(x, y), function(x, y), strict=True):
        torch.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True)
    assert said() == []


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
@BOTH
def test_signs(target, dtype, said):
    """Of NaN it is 0 in PyTorch, and so is the gradient of its absolute value."""
    x = torch.tensor([torch.nan, -torch.inf, -2, -0.0, 0.0, 3, torch.inf], dtype=dtype, device=target).requires_grad_()
    check(lambda x: (torch.sign(x), torch.sgn(x)), x)
    y = torch.compile(torch.abs, backend="fuser")(x)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], x.detach().sign(), rtol=0, atol=0)
    assert said() == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@BOTH
def test_reductions(target, dtype, said):
    x = randn(3, 5, 7, target=target, dtype=dtype)

    def function(x):
        return (
            *(x.sum(), x.sum(1), x.sum((0, 2), keepdim=True), x.sum(-1, dtype=torch.float64), x.mean(), x.mean(1)),
            *(
                x.amax(1),
                x.amin((0, 1)),
                x.max(),
                x.min(),
                *x.max(1),
                *x.min(-1, keepdim=True),
                x.argmax(),
                x.argmin(1),
            ),
            *(x.var(), x.var(1, correction=0), *torch.var_mean(x, 2), x.std(1), (x > 1).any(1)),
            *((x > -9).all(), (x > 0).sum(), x.norm(dim=1), x.logsumexp(1), x.softmax(1), x.log_softmax(-1)),
        )

    def products(x):
        return x.prod(), x.prod(1)

    check(function, x, of_largest=SUMS)
    # Of bfloat16 PyTorch rounds each product.
    for result, expected in zip(torch.compile(products, backend="fuser")(x), products(x.double()), strict=True):
        assert_close(result, expected.to(dtype), of_largest=SUMS)
    assert said() == []


@BOTH
def test_modules(target, said):
    x, y = randn(4, 6, 8, target=target), randn(4, 6, 8, target=target)
    w, b = randn(8, target=target), randn(8, target=target)
    c = randn(6, target=target)

    def function(x, y, w, b):
        return (
            *(
                F.layer_norm(x, (8,), w, b),
                F.rms_norm(x, (8,), w),
                F.group_norm(x, 3, c),
                F.gelu(x),
                F.gelu(x, approximate="tanh"),
            ),
            *(
                F.silu(x),
                F.elu(x),
                F.leaky_relu(x),
                F.hardtanh(x),
                F.softplus(x),
                F.mish(x),
                F.hardswish(x),
                F.relu6(x),
                F.glu(x),
            ),
            *(
                F.mse_loss(x, y),
                F.l1_loss(x, y),
                F.smooth_l1_loss(x, y),
                F.huber_loss(x, y),
                F.batch_norm(x, c, c.abs()),
            ),
            *(
                F.binary_cross_entropy_with_logits(x, y.sigmoid()),
                F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="sum"),
            ),
        )

    check(function, x, y, w, b, of_largest=SUMS)
    assert said() == []


@BOTH
def test_shapes(target, said, programs):
    x, y = randn(2, 6, 4, target=target), randn(2, 3, 4, target=target)

    def function(x, y):
        x = x + 1
        return (
            *(
                x.view(12, 4).exp(),
                x.permute(2, 0, 1).exp(),
                x.transpose(0, 1).reshape(-1),
                x.flatten(1).sin(),
                x[1].sin(),
            ),
            *(x[:, 1:-1].sin(), x[:, ::2].sin(), x[..., -1].sin(), x.unsqueeze(1).sin(), x[:, :1].squeeze(1).sin()),
            *(
                x[:, :1].expand(2, 5, 4).sin(),
                x.repeat(1, 2, 1),
                torch.cat([x, y], 1),
                torch.stack([x, x]),
                *(each.sin() for each in x.chunk(3, 1)),
            ),
            *(F.pad(x, (1, 2, 0, 1)), F.pad(x, (-1, 0), value=2.0), x.tril(), x.triu(1), x.split([1, 5], 1)[1].sin()),
            *(
                x.new_zeros(3) + x.sum(),
                torch.full_like(x, 3),
                torch.arange(4, device=x.device) * x,
                x.unbind(0)[1].cos(),
            ),
            *(
                x.contiguous(),
                x.permute(1, 0, 2).contiguous(),
                x.clone(),
                *(x.roll(1, 1), x.roll(-3), x.roll((2, -9), (0, 1)), x[:0].roll(1, 0), x.sum().roll(1)),
                torch.slice_scatter(x, y, 1, 2, 5),
            ),
        )

    check(function, x, y)
    assert said() == [] and programs


@BOTH
def test_indices(target, said):
    x = randn(5, 7, target=target)
    rows, columns = torch.tensor([4, 0, 0], device=target), torch.tensor([[0, 6], [3, 3]], device=target)

    def function(x, rows, columns):
        return (
            *(F.embedding(rows, x), x.index_select(1, rows), x.gather(1, columns), x[rows - 5] * 2, x[:, columns]),
            *(F.cross_entropy(x, rows.repeat(2)[:5]), x.gather(0, columns.int().long() % 5)),
        )

    check(function, x, rows, columns)
    assert said() == []


# Memory


@BOTH
def test_strides_of_results(target):
    x = randn(4, 6, 8, target=target)
    check(lambda x: (x.exp().transpose(0, 2), x.permute(1, 0, 2) * 2, x[..., ::2].sin(), x.exp()[:, 1]), x)
    check(lambda x: (x + 1, (x * 2).contiguous(), x.sum(0)), x.permute(2, 0, 1))
    check(lambda x: x.exp().expand(3, 4, 6, 8), x)


@pytest.mark.parametrize("dynamic", [False, True])
def test_strides_of_repeats(dynamic):
    """Row-major, also of sizes and repeats of 1, and of other layouts."""
    for shape, counts in (((3, 1), (1, 2)), ((3, 1, 2), (1, 2, 1)), ((2, 3), (1, 1, 1)), ((4, 2), (2, 0)), ((), (3,))):
        x = randn(*shape)
        for given in (x, x.mT.contiguous().mT if x.dim() > 1 else x):
            check(lambda x, counts=counts: x.repeat(counts), given, dynamic=dynamic)


def test_views_share_memory():
    x = randn(4, 6)
    compiled = torch.compile(lambda x: (x.t(), x * 2), backend="fuser")
    view, _ = compiled(x)
    assert view.data_ptr() == x.data_ptr() and view.stride() == (1, 6)
    y = torch.compile(lambda x: x.clone(), backend="fuser")(x)
    assert y.data_ptr() != x.data_ptr()


def read_history(results, x):
    """Of each result whether it has a gradient, and which it is, and which tensors have its memory."""
    memory = [each.untyped_storage().data_ptr() for each in (*results, x)]
    return [
        (
            each.requires_grad,
            [pointer == own for pointer in memory],
            each.tolist(),
            each.requires_grad and torch.autograd.grad(each.sum(), x, retain_graph=True)[0].tolist(),
        )
        for each, own in zip(results, memory, strict=False)
    ]


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_is_detached_has_no_gradient(dynamic):
    def views(x):
        y = x * 2
        return y, y.detach()[0], y.detach(), y.data[1:], y.detach().clone()

    def inputs(x):
        return x.detach(), x.detach()[0], x.detach().view(-1) * 2, x * 2

    def written(x):
        y = x * 2
        y.detach()[0] = 0.5
        return y, y.detach()[1:]

    def without(x):
        y = x * 2
        with torch.no_grad():
            z = y * 3
        return y + z, z, z.view(-1)[1:]

    x = torch.arange(12.0).view(4, 3).requires_grad_()
    for function in (views, inputs, written, without):
        compiled = torch.compile(function, backend="fuser", dynamic=dynamic, fullgraph=True)
        assert read_history(compiled(x), x) == read_history(function(x), x)


@pytest.mark.parametrize("needs_grad", [False, True])
def test_in_place(needs_grad):
    def function(x, y):
        x.mul_(2).add_(y.sum(0))
        x[:, 1:3] = y[:, :2].exp()
        return x.t() + 1, x.view(-1)

    inputs, compiled = (randn(4, 6), randn(4, 6).requires_grad_(needs_grad)), torch.compile(function, backend="fuser")
    x = inputs[0].clone()
    with torch.set_grad_enabled(not needs_grad):
        expected = function(x, inputs[1])
        results = compiled(*inputs)
    assert_close(inputs[0], x)
    for result, value in zip(results, expected, strict=True):
        assert_close(result, value)
    assert results[1].data_ptr() == inputs[0].data_ptr()


def test_results_are_memory_of_their_own():
    y, z = torch.compile(lambda x: (x + 1, x + 1), backend="fuser")(randn(3))
    y.zero_()
    assert z.ne(0).all()


def test_no_elements_and_no_dimensions():
    check(lambda x: (x + 1, x.sum(0), x.sum(1), x.view(-1).exp()), torch.zeros(0, 4))
    check(lambda x: (x + 1, x.sum(), x.amax(), x.softmax(0), x.view(1, 1) * 2, x.expand(3).exp()), torch.tensor(3.0))


# Sizes


def count_graphs():
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


@BOTH
def test_open_sizes(target, said, programs):
    def function(x, y):
        n, m, k = x.shape
        z = x.view(n * m, k).softmax(-1).view(n, m, k // 2, 2).sum(-1)
        mask = torch.arange(m, device=x.device)[:, None] >= torch.arange(k // 2, device=x.device)
        z = torch.where(mask, z, -1.0)
        first, rest = x.split([2, m - 2], 1)
        return (
            first.exp(),
            rest.exp(),
            z,
            z[:, 1:-1].exp(),
            torch.cat([x, y], 1).mean(1),
            x.flatten() * n,
            (x / (n + m)).expand(3, n, m, k).exp(),
            x + x.roll(1, 1).roll((-5, 40), (2, 0)),
            x.roll(-7),
        )

    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(function, backend="fuser", dynamic=True, fullgraph=True)
    for n, m, more, k in [(2, 5, 3, 8), (3, 7, 2, 4), (17, 4, 9, 32)]:
        x, y = randn(n, m, k, target=target), randn(n, more, k, target=target)
        for result, expected in zip(compiled(x, y), function(x, y), strict=True):
            assert_close(result, expected, of_largest=SUMS)
    assert said() == [] and count_graphs() == 1 and len(programs) == 1


def test_sizes_become_open():
    """Without `dynamic`, the second size makes a program for all."""
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(lambda x: (x.softmax(-1), x.sum(0)), backend="fuser")
    for n in (4, 5, 6, 7):
        x = randn(n, 8)
        for result, expected in zip(compiled(x), (x.softmax(-1), x.sum(0)), strict=True):
            assert_close(result, expected, of_largest=SUMS)
    assert count_graphs() == 2


def test_numbers():
    check(lambda x, n, factor: x * n + factor, randn(3), 3, 0.1)
    check(lambda x, n, factor: x * n + factor, randn(3), 3, 0.1, dynamic=True)


# Gradients


@pytest.mark.parametrize("dynamic", [False, True])
@BOTH
def test_gradients(target, dynamic, said):
    def function(x, w, b):
        y = F.layer_norm(x, (8,), w, b)
        y = F.gelu(y.view(-1, 8) * w) + x.view(-1, 8).softmax(-1) * y.amax(-1).view(-1, 1)
        return F.cross_entropy(y, torch.arange(y.shape[0], device=y.device) % 8), (y.t() * 2)[:3]

    compiled = torch.compile(function, backend="fuser", dynamic=dynamic, fullgraph=True)
    for n in (3, 5):
        inputs = [randn(*shape, target=target).requires_grad_() for shape in ((n, 2, 8), (8,), (8,))]
        gradients = []
        for each in (function, compiled):
            loss, y = each(*inputs)
            gradients.append(torch.autograd.grad(loss + y.square().mean(), inputs))
        for result, expected in zip(*gradients, strict=True):
            assert_close(result, expected, of_largest=CHAINS)
    assert said() == []


def test_what_backward_computes_anew():
    """Of element-wise functions the input is kept, and of a softmax the result: not what each function keeps for itself, which is detached."""

    def function(x):
        return (torch.tanh(x * 2).exp().sigmoid() * 3).softmax(-1)

    x = randn(5, 6).requires_grad_()
    y = torch.compile(function, backend="fuser")(x)
    assert len(y.grad_fn.saved_tensors) == 2
    result, expected = (torch.autograd.grad(each.square().sum(), x)[0] for each in (y, function(x)))
    assert_close(result, expected, of_largest=CHAINS)


# What stays in PyTorch


def test_reasons_are_said_once(said):
    def function(x, w):
        return (x @ w).exp().logcumsumexp(0) + x.logcumsumexp(0)[:, :1], (x * 2).to(torch.complex32).real

    x, w = randn(3, 4), randn(4, 5)
    check(function, x, w)
    messages = said()
    line = function.__code__.co_firstlineno + 1
    assert f"{__file__}:{line}: aten.mm.default runs in PyTorch: a library's product of matrices is as fast" in messages
    assert (
        sum("aten.logcumsumexp.default runs in PyTorch: the backend does not take this op" in each for each in messages)
        == 1
    )
    assert any("fuser has no tensors of torch.complex32" in each for each in messages)
    torch._dynamo.reset()
    check(function, x, w)
    assert said() == messages


def test_assertions_are_pytorchs(caplog, said):
    """By choice, so that it is no warning."""

    def function(x):
        torch._assert_async((x > 0).all(), "no")
        return x * 2 + 1

    check(function, torch.ones(3, 4))
    line = function.__code__.co_firstlineno + 1
    expected = (
        "aten._assert_async.msg runs in PyTorch: an assertion gives no tensor, and ends the call where it does not hold"
    )
    assert [each.split(f"{__file__}:")[1] for each in said()] == [f"{line}: {expected}"]
    assert {each.levelname for each in caplog.records if each.name == "fuser.torch"} == {"INFO"}
    with pytest.raises(RuntimeError, match="no"):
        torch.compile(function, backend="fuser")(-torch.ones(3, 4))


def test_reasons_are_of_what_the_user_wrote(said):
    """PyTorch wraps ops that do more than give results, and calls functions as wholes."""

    def function(x):
        torch.ops.aten._print("")
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x * 3, (x,)) + 1

    check(function, randn(3, 4))
    line = function.__code__.co_firstlineno + 1
    reasons = [each.split(f"{__file__}:")[1] for each in said()]
    assert (
        f"{line}: aten._print.default runs in PyTorch: it does something beside its results, and calls that do stay in their order"
        in reasons
    )
    assert any("cond runs in PyTorch: the backend takes no functions that an op calls" in each for each in reasons)
    assert not [each for each in reasons if "with_effects" in each]


def test_refused_when_built(said, programs):
    """What a lowering finds out leaves the rest fused."""
    x, i = randn(5, 5), torch.zeros(5, 5, dtype=torch.int64)
    check(lambda x, i: x.exp().scatter_reduce(0, i, x, "mean") * 2, x, i)
    (message,) = said()
    assert "aten.scatter_reduce.two runs in PyTorch: a mean, or" in message
    assert len([each for each in programs if each.num_segments]) >= 2


def test_refused_by_the_compiler(said, monkeypatch):
    """An error of the compiler's is said, and PyTorch runs what it was about."""
    text = "x.mlir:1:2: error: no"

    def fail(self, target):
        raise fuser.Error(text)

    monkeypatch.setattr(_program.FusedProgram, "compile", fail)
    check(lambda x: x.exp() + 1, randn(3), runs=False)
    assert text in said()[0]


def test_a_device_that_fails_once(said, monkeypatch):
    """What is left to PyTorch then is fuser's the next time."""
    make, failures = fuser._default_context, [fuser.Error("there is no memory")]

    def make_context(*place):
        if failures:
            raise failures.pop()
        return make(*place)

    monkeypatch.setattr(fuser, "_default_context", make_context)
    check(lambda x: x.exp(), randn(3), runs=False)
    assert "there is no memory" in said()[0]
    check(lambda x: x.exp() + 1, randn(3))


def test_programs_that_are_not_kept(monkeypatch):
    """The oldest go first; what was compiled with them runs on."""
    monkeypatch.setattr(_program, "_MAX_EXECUTABLES", 2)
    monkeypatch.setattr(_program, "_executables", kept := {})
    x, functions = randn(5), (lambda x: x.exp(), lambda x: x.sin(), lambda x: x.cos())
    compiled = [torch.compile(function, backend="fuser") for function in functions]
    for _ in range(2):
        for function, expected in zip(compiled, functions, strict=True):
            assert_close(function(x), expected(x))
    assert len(kept) == 2 and not any("fusion.exp" in text for text, *_ in kept)
    torch._dynamo.reset()
    assert_close(compiled[0](x), x.exp())
    assert len(kept) == 2 and any("fusion.exp" in text for text, *_ in kept)


def test_errors_of_runs_have_a_place():
    """Here an op has another size than it says."""

    @torch.library.custom_op("fuser_test::half", mutates_args=())
    def half(x: torch.Tensor) -> torch.Tensor:
        return x[:, : x.shape[1] // 2].clone()

    half.register_fake(lambda x: torch.empty_like(x))

    def function(x):
        y = half(x) * 2
        return y + x

    line = function.__code__.co_firstlineno + 1
    expected = rf"{__file__}:{line}: error: .*expected dimension 1 to be 4, got 2 \(in a program of what is up to {__file__}:{line + 1}\)"
    with pytest.raises(fuser.Error, match=expected):
        torch.compile(function, backend="fuser")(randn(3, 4))

    # Of open sizes it is known which op needs them, but of what another function's lines have been compiled for.
    def other(x):
        y = half(x) * 2
        return y + x

    wrong = r"fusion.add: input 1 '\w+': expected dimension 1 to be 2 because input 0 '\w+' dimension 1 is 2, got 4"
    with pytest.raises(fuser.Error, match=rf"^{__file__}:{line + 1}: {wrong}$"):
        torch.compile(function, backend="fuser", dynamic=True)(randn(3, 4))
    line = other.__code__.co_firstlineno + 1
    with pytest.raises(fuser.Error, match=rf"^{__file__}:{line}: error: {wrong} \(in a program of what is up to"):
        torch.compile(other, backend="fuser", dynamic=True)(randn(3, 4))


def test_random_numbers_are_those_of_pytorch():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.GELU(), torch.nn.Dropout(0.1))
    x, results = randn(16, 8), []
    for each in (torch.compile(model, backend="aot_eager"), torch.compile(model, backend="fuser")):
        torch.manual_seed(1)
        results.append(each(x))
    assert_close(results[1], results[0], of_largest=CHAINS)


def test_graph_breaks():
    def function(x):
        x = x.exp()
        torch._dynamo.graph_break()
        return x.sum() if x.sum() > 0 else x.mean()

    x = randn(5)
    assert_close(torch.compile(function, backend="fuser")(x), function(x))


def test_wrong_options():
    with pytest.raises(Exception, match="expected the options 'target'.*got 'target': 'tpu'"):
        torch.compile(lambda x: x + 1, backend="fuser", options={"target": "tpu"})(randn(3))


def test_simulator():
    check(lambda x: (x.softmax(-1), x.t() + 1), randn(5, 40), of_largest=SUMS, options={"target": "sim"})


def test_entry_point():
    """torch.compile finds the backend without an import of fuser."""
    code = "import torch; print(torch.compile(lambda x: x + 1, backend='fuser')(torch.ones(2)), 'fuser' in torch._dynamo.list_backends())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "tensor([2., 2.]) True\n"


# Models


def attend(q, k, v, is_causal):
    """Attention op by op, which is fuser's, where scaled_dot_product_attention is PyTorch's."""
    assert is_causal
    n = q.shape[-2]
    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
    mask = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
    return scores.masked_fill(~mask, float("-inf")).softmax(-1, dtype=torch.float32).to(q.dtype) @ v


def llama_block():
    return Block(32, 4, 64, base=100, attend=attend)


def encoder_layer():
    return torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu", batch_first=True)


def check_model(model, inputs, dynamic):
    compiled = torch.compile(model, backend="fuser", dynamic=dynamic, fullgraph=True)
    for x in inputs:
        results = []
        for each in (model, compiled):
            model.zero_grad()
            own = x.detach().clone().requires_grad_(x.is_floating_point())
            y = each(own)
            y.float().sin().mean().backward()
            gradients = [p.grad for p in model.parameters() if p.grad is not None] + [own.grad] * own.requires_grad
            results.append([y.detach(), *(gradient.clone() for gradient in gradients)])
        for expected, result in zip(*results, strict=True):
            assert_close(result, expected, of_largest=CHAINS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("make", [llama_block, encoder_layer])
@BOTH
def test_transformer_block(target, make, dynamic, dtype, programs):
    inputs = [
        randn(*shape, 32, target=target, dtype=dtype) for shape in ((2, 8), (3, 13), (5, 6))[: 3 if dynamic else 1]
    ]
    check_model(make().to(target, dtype), inputs, dynamic)
    assert len(programs) > 4


@pytest.mark.parametrize("dynamic", [False, True])
@BOTH
def test_llama(target, dynamic):
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=100,
        use_cache=False,
    )

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.LlamaForCausalLM(config)

        def forward(self, ids):
            return self.model(ids).logits

    inputs = [torch.randint(0, 100, shape, device=target) for shape in ((2, 8), (3, 13))[: 1 + dynamic]]
    check_model(Logits().to(target), inputs, dynamic)


def test_the_negative_bit():
    z = torch.complex(randn(5), randn(5))
    compiled = torch.compile(lambda z: z.conj().imag * 2, backend="fuser")
    assert_close(compiled(z), z.conj().imag * 2)


def test_bits_and_functions_of_integers():
    i, j = torch.randint(-9, 9, (2, 40)), torch.randint(0, 5, (2, 40))
    x, y = randn(2, 40) * 4, randn(2, 40)
    inputs = [i, j, x, y, x.bfloat16()]

    def function(i, j, x, y, h):
        bits = (
            (x.view(torch.int32) ^ 1).view(torch.float32),
            h.view(torch.int16),
            h.view(torch.float16).view(torch.bfloat16),
        )
        return (
            *bits,
            i.pow(j),
            2**j,
            torch.gcd(i, j * 6),
            torch.lgamma(x),
            torch.nextafter(x, y),
            torch.nextafter(h, h * 0),
        )

    check(function, *inputs)


def test_strides_of_other_sizes():
    def function(x):
        return torch.as_strided(x * 2, (x.shape[0], 4), (4, 1)) + 1

    compiled = torch.compile(function, backend="fuser", dynamic=True)
    for shape in ((3, 4), (3, 8)):
        x = randn(*shape)
        assert_close(compiled(x), function(x))


def test_what_is_taken_is_what_the_documentation_says():
    text = (Path(__file__).parents[3] / "docs/how-to/compile-pytorch.md").read_text()
    listed = text.split("<!-- taken -->\n```text\n")[1].split("```")[0].split()
    taken = sorted(
        {str(op).rsplit(".", 1)[0].removeprefix("aten.") for op in TABLE}, key=lambda name: ("." in name, name)
    )
    assert listed == taken


def test_negative_bits_that_come_later():
    """Of inputs, of intermediate results, and with sizes that become open."""
    compiled = torch.compile(lambda x: (x * 2, x.sum()), backend="fuser")
    inside = torch.compile(lambda z: torch.relu(z.conj().imag * 3) + 1, backend="fuser")
    for n in (4, 5, 6):
        x, z = randn(n), torch.complex(randn(n), randn(n))
        for given in (x, z.conj().imag, torch._neg_view(x), x):
            for result, expected in zip(compiled(given), (given * 2, given.sum()), strict=True):
                assert_close(result, expected)
        assert_close(inside(z), torch.relu(z.conj().imag * 3) + 1)


def test_dropout_is_pytorchs(said):
    function = torch.compile(lambda x: torch.nn.functional.dropout(x.exp(), 0.5) * 2, backend="fuser")
    function(torch.randn(4, 8))
    assert [each for each in said() if "its random numbers are those of PyTorch's generator" in each]
    assert not [each for each in said() if "does not take this op" in each]
