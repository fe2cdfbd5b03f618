# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="fuser") against PyTorch: what options make fuser's, and what PyTorch writes in several ways."""

import pytest

torch = pytest.importorskip("torch")
import fuser.torch  # noqa: E402, F401
from compiling import BOTH, CHAINS, SUMS, assert_close, by_type, check, randn, running  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

F = torch.nn.functional

DYNAMIC = pytest.mark.parametrize("dynamic", [False, True])


def check_gradients(
    function, shapes, *others, target="cpu", dtype=torch.float32, strides=True, of_largest=CHAINS, **options
):
    """Compares results and gradients for each tuple of shapes, of random inputs that require gradients."""
    compiled = torch.compile(function, backend="fuser", fullgraph=True, **options)
    for each in shapes:
        inputs = [randn(*shape, target=target, dtype=dtype).requires_grad_() for shape in each]
        found = []
        for run in (function, compiled):
            with running(run is compiled):
                y = run(*inputs, *others)
                found.append([y, *torch.autograd.grad(y.double().sin().sum(), inputs)])
        for expected, result in zip(*found, strict=True):
            assert_close(result, expected, strides, of_largest)


def test_numbers_beside_half_types_are_not_rounded():
    """They are taken in float32, as by Inductor; PyTorch's kernels for CPUs round them first."""
    for dtype in (torch.bfloat16, torch.float16):
        x = torch.randn(4000).to(dtype)
        got = torch.compile(lambda x: x + 0.1, backend="fuser")(x)
        assert torch.equal(got, (x.float() + 0.1).to(dtype))


# What is not there


@torch.library.custom_op("fuser_test::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


REASONS = {
    "aten._fft_r2c.default": (lambda x: torch.fft.rfft(x).real + 1, "fuser has no Fourier transforms"),
    "aten.max_pool2d_with_indices.default": (lambda x: F.max_pool2d(x[None], 2) + 1, "fuser has no pooling"),
    "aten.linalg_inv_ex.default": (
        lambda x: torch.linalg.inv(x) + 1,
        "fuser has no factorisations, inverses and eigenvalues of matrices",
    ),
    "aten.nonzero.default": (lambda x: torch.nonzero(x > 0) + 1, "the size of its result depends on elements"),
    "aten.randperm.default": (lambda x: x + torch.randperm(4), "its random numbers are those of PyTorch's generator"),
    "fuser_test.twice.default": (
        lambda x: twice(x + 1) + 1,
        "it is an op of fuser_test, of which only its own kernel is known",
    ),
    "aten.mode.default": (lambda x: x.mode().values + 1, "the backend does not take this op"),
}


@pytest.mark.parametrize("op", REASONS)
def test_reasons(op, said):
    function, reason = REASONS[op]
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        torch.compile(function, backend="fuser")(randn(4, 4))
    assert [each for each in said() if f"{op} runs in PyTorch: {reason}" in each]


# Variances and matrices


@DYNAMIC
@BOTH
def test_corrections(target, dynamic, said):
    """Fractions too, and some that leave nothing to divide by."""

    def function(x):
        parts = x.var(1, correction=0.5), x.std(-1, correction=2.25, keepdim=True), x.var(1, correction=100)
        return (
            *parts,
            *torch.var_mean(x, (0, 2), correction=5.75),
            x.double().var(correction=0.125),
            x.std(1, correction=9.5),
        )

    def gradient(x):
        return x.var(1, correction=2.25)

    for shape in ((3, 8, 5), (2, 9, 6)):
        check(function, randn(*shape, target=target), of_largest=SUMS, dynamic=dynamic)
    shapes = [[(3, 8, 5)], [(2, 9, 6)]][: 1 + dynamic]
    check_gradients(gradient, shapes, target=target, dynamic=dynamic)
    assert not said()


def test_a_correction_that_is_computed_is_pytorchs():
    x = randn(5, 6)
    for number in (1, 2, 0.5):
        check(lambda x, number: x.var(1, correction=number) + 1, x, number, dynamic=True)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.bool, torch.float16, torch.int64], ids=str)
def test_eye(dtype, said, programs):
    def function(x):
        own = x.to(dtype)
        return torch.eye(5, dtype=dtype) * own, torch.eye(4, 7, dtype=dtype)[:, :5] != own[:4], torch.eye(5) + x

    check(function, torch.arange(25).view(5, 5) % 3)
    check(function, torch.arange(25).view(5, 5) % 3, dynamic=True)
    assert said() == [] and len(programs) == 2


# Pads that go round, or repeat the ends


@DYNAMIC
@pytest.mark.parametrize("widths", [(1, 2), (0, 3, 2, 1), (3, 0, 0, 0), (-1, 2, 1, -2), (4, 5, 6, 3)])
@pytest.mark.parametrize("mode", ["circular", "replicate", "reflect"])
@BOTH
def test_pads(target, mode, widths, dynamic, said, programs):
    if mode == "reflect":
        # One element less is there to be reflected.
        widths = tuple(min(each, 3) for each in widths)

    def function(x):
        return F.pad(x.sin(), widths, mode=mode) * 2

    channels = (2, 3) if len(widths) == 4 else (2,)
    shapes = [[(*channels, 6, 5)], [(*channels, 7, 9)]]
    shapes = [[each[0][:-2] + each[0][-1:]] for each in shapes] if len(widths) == 2 else shapes
    check_gradients(function, shapes[: 1 + dynamic], target=target, dynamic=dynamic)
    assert said() == [] and programs


@DYNAMIC
@pytest.mark.parametrize("widths", [(-5, 6), (-4, 5), (2, -5), (5, -4), (-2, -1), (-3, 0, 3, -7)])
def test_ends_of_what_is_taken_away(widths, dynamic, said):
    """An end is repeated also if a negative number takes away all that was beside it."""
    shapes = [[(1, 2, 7, 4)], [(1, 2, 8, 5)]]
    shapes = [[each[0][1:2] + each[0][3:]] for each in shapes] if len(widths) == 2 else shapes
    check_gradients(lambda x: F.pad(x.sin(), widths, mode="replicate") * 2, shapes[: 1 + dynamic], dynamic=dynamic)
    assert said() == []


def test_circular_convolution():
    layer = torch.nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular")
    x = randn(1, 2, 6, 5)
    assert_close(torch.compile(layer, backend="fuser")(x), layer(x))


@pytest.mark.parametrize("mode", ["circular", "replicate"])
@pytest.mark.parametrize("widths", [(0, 0, 0, 0), (-1, -1, 0, -1)])
def test_a_pad_of_nothing_is_no_view(mode, widths):
    x = randn(1, 2, 4, 4)
    y = torch.compile(lambda x: F.pad(x, widths, mode=mode), backend="fuser")(x)
    y.zero_()
    assert x.ne(0).any()


@DYNAMIC
def test_parts_that_are_written(dynamic, said):
    """Sizes before and behind the part are open."""

    def function(x, y):
        return (
            torch.slice_scatter(x, y, 1, 2, x.shape[1] - 1),
            torch.slice_scatter(x, y, 1, -y.shape[1]),
            torch.slice_scatter(x, y[:, ::3], 1, 1, x.shape[1] - 3, 3),
            torch.slice_scatter(x, y[:, ::2], 1, 0, y.shape[1], 2),
            torch.slice_scatter(x, y[:, :0], 1, 3, 3, 2),
            x[:, 1:3].exp(),
        )

    shapes = ((3, 8), (4, 11))
    for rows, columns in shapes:
        check(function, randn(rows, columns), randn(rows, columns - 3), dynamic=dynamic)
    check_gradients(lambda x: x[:, 2:-1].exp(), [[shape] for shape in shapes[: 1 + dynamic]], dynamic=dynamic)
    assert said() == []


@DYNAMIC
@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.pad(x.sin(), (0, -x.shape[1] % 8)),
        lambda x: F.pad(x.sin(), (x.shape[1] - 9, 5 - x.shape[1]), value=0.5),
        lambda x: F.pad(x.sin(), (x.shape[0] - 4, 1, -1, x.shape[1] - 8)),
    ],
)
def test_pads_of_computed_widths(function, dynamic, said):
    """Of either sign, and of another one in the gradient."""
    shapes = [[(3, 12)], [(6, 9)], [(5, 7)], [(4, 16)]]
    check_gradients(function, shapes[: 4 if dynamic else 1], dynamic=dynamic)
    assert said() == []


# Attention

ATTENTION = {"attention": "fuser"}
# All but cuDNN's, for which a query that sees nothing is the mean of all values. To others it is zero.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


def get_mask(kind, length, target, dtype):
    if kind == "mask":
        # The first query sees nothing.
        return torch.ones(length, length, dtype=torch.bool, device=target).tril(-1)
    return randn(length, length, target=target, dtype=dtype) if kind == "bias" else None


@DYNAMIC
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("kind", ["plain", "causal", "mask", "bias"])
@BOTH
def test_attention(target, kind, dtype, dynamic, said):
    def function(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=kind == "causal")

    # On a GPU the layout is that of the library that PyTorch chose.
    options = {"target": target, "dtype": dtype, "dynamic": dynamic, "options": ATTENTION, "strides": target == "cpu"}
    for batch, length in ((2, 7), (3, 12))[: 1 + dynamic]:
        mask = get_mask(kind, length, target, dtype)
        with sdpa_kernel(KERNELS):
            check_gradients(function, [[(batch, 4, length, 8)] * 3], mask, **options)
    assert said() == []


@DYNAMIC
def test_attention_of_groups_and_a_scale(dynamic, said):
    """Heads of keys that several heads of queries see, fewer keys than queries, values of another size, a scale."""

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, scale=0.3, enable_gqa=True)

    compiled = torch.compile(function, backend="fuser", fullgraph=True, dynamic=dynamic, options=ATTENTION)
    for n, heads, size in ((7, 2, 8), (12, 3, 5))[: 1 + dynamic]:
        shapes = (2, 6, n, 8), (2, heads, n - 3, 8), (2, heads, n - 3, size)
        inputs = [randn(*shape, dtype=torch.float64).requires_grad_() for shape in shapes]
        y, expected = compiled(*inputs), function(*inputs)
        assert_close(y, expected, of_largest=CHAINS)
        # Each in a layout of its own.
        for result, reference in zip(
            *(torch.autograd.grad(each.sin().sum(), inputs) for each in (y, expected)), strict=True
        ):
            assert_close(result, reference, strides=False, of_largest=CHAINS)
    assert said() == []


def test_attention_is_one_program(programs, said):
    def function(q, k, v):
        return F.scaled_dot_product_attention(q.sin(), k.cos(), v, is_causal=True).exp()

    q, k, v = (randn(2, 4, 16, 8) for _ in range(3))
    check(function, q, k, v, of_largest=CHAINS, options=ATTENTION)
    assert len(programs) == 1 and said() == []
    check(function, q, k, v, of_largest=CHAINS)
    assert "a library's kernel keeps no scores in memory" in said()[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_of_rows_that_see_nothing(dtype):
    """As PyTorch itself runs the op, where no program takes it: such rows are 0, and have no gradients."""
    q, k, v = (randn(2, 3, 5, 8, dtype=dtype).requires_grad_() for _ in range(3))
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    mask[[0, 3]] = False
    y, logsumexp = torch.ops.fuser.attention(q, k, v, mask, False, 0.5)
    gradients = torch.autograd.grad(y.sin().sum(), (q, k, v))
    seen = [1, 2, 4]
    assert (y[:, :, [0, 3]] == 0).all() and (gradients[0][:, :, [0, 3]] == 0).all()
    assert (logsumexp[:, :, [0, 3]] == -torch.inf).all()
    rest = F.scaled_dot_product_attention(q[:, :, seen], k, v, mask[seen], scale=0.5)
    assert_close(y[:, :, seen], rest, strides=False, of_largest=CHAINS)
    for result, expected in zip(gradients, torch.autograd.grad(rest.sin().sum(), (q, k, v)), strict=True):
        assert_close(result, expected, strides=False, of_largest=CHAINS)


@pytest.mark.parametrize("why", ["mask", "dropout", "rank"])
def test_attention_that_stays(why, said):
    """What the op does not have is PyTorch's, and right."""
    q, mask = randn(2, 4, 6, 8), randn(6, 6).requires_grad_(why == "mask")

    def function(q, mask):
        if why == "rank":
            return F.scaled_dot_product_attention(q[0], q[0], q[0])
        return F.scaled_dot_product_attention(q, q, q, mask, dropout_p=0.5 if why == "dropout" else 0.0)

    if why == "dropout":
        results = []
        for backend in ("aot_eager", "fuser"):
            torch.manual_seed(3)
            torch._dynamo.reset()
            options = ATTENTION if backend == "fuser" else None
            results.append(torch.compile(function, backend=backend, options=options)(q, mask))
        assert_close(results[1], results[0], of_largest=CHAINS)
    else:
        check(function, q, mask, of_largest=CHAINS, options=ATTENTION)
    reason = "those of PyTorch's generator" if why == "dropout" else "a library's product of matrices is as fast"
    assert [each for each in said() if each.endswith(reason)]


@pytest.mark.parametrize("attention", ["pytorch", "fuser"])
def test_why_a_library_has_attention(attention, said):
    def function(q):
        return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q)[0] + 1

    check(function, randn(2, 4, 6, 8), of_largest=CHAINS, options={"attention": attention})
    reason = (
        "fuser's own attention takes four dimensions"
        if attention == "fuser"
        else "a library's kernel keeps no scores in memory"
    )
    assert [each for each in said() if reason in each]


def test_attention_in_a_module(said):
    """Within functions that PyTorch does not trace into."""
    layer = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    x = randn(3, 5, 16)
    compiled = torch.compile(lambda x: layer(x, x, x, need_weights=False)[0], backend="fuser", options=ATTENTION)
    assert_close(compiled(x), layer(x, x, x, need_weights=False)[0], of_largest=CHAINS)
    assert not [each for each in said() if "attention" in each]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("layout", [(2, 3, 7, 8), (2, 7, 3, 8)])
def test_attention_as_pytorch_runs_it(dtype, causal, layout):
    """The op beside fuser's programs, which do not have to take it."""
    q, k, v = (randn(*layout, dtype=dtype) for _ in range(3))
    q, k, v = ((each if layout[1] == 3 else each.transpose(1, 2)).requires_grad_() for each in (q, k, v))
    mask = torch.rand(7, 7) > 0.5
    mask = None if causal else mask.fill_diagonal_(True)
    output, logsumexp = torch.ops.fuser.attention(q, k, v, mask, causal, 0.5)
    expected = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, scale=0.5)
    found = [torch.autograd.grad(each.float().sin().sum(), [q, k, v]) for each in (output, expected)]
    for result, reference in zip((output, *found[0]), (expected, *found[1]), strict=True):
        assert_close(result, reference, strides=False, of_largest=CHAINS)
    assert logsumexp.shape == (2, 3, 7) and output.stride() == expected.stride()


# Products


@DYNAMIC
def test_products_beside_attention(dynamic, programs, said):
    options = {"products": "fuser"} | ATTENTION

    def function(x, w):
        q, k, v = (each.unflatten(-1, (2, 4)).transpose(1, 2) for each in (x @ w).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)

    shapes = [[(2, n, 8), (8, 24)] for n in (5, 9)][: 1 + dynamic]
    # Both are off by as much from what float64 gives: scores are products of products.
    check_gradients(function, shapes, of_largest=by_type(2, 128), dynamic=dynamic, options=options)
    assert said() == [] and len(programs) == 2


# Random numbers

RANDOM = {"random": "fuser"}


@DYNAMIC
@BOTH
def test_dropout(target, dynamic, said, programs):
    """What is kept, how much of it, the gradient; and the same again of the same seed."""
    function = torch.compile(lambda x: F.dropout(x * 2, 0.25), backend="fuser", dynamic=dynamic, options=RANDOM)
    for shape in ((100, 300), (90, 500))[: 1 + dynamic]:
        x = (randn(*shape, target=target).abs() + 1).requires_grad_()
        results = []
        for seed in (5, 5, 6):
            torch.manual_seed(seed)
            y = function(x)
            (gradient,) = torch.autograd.grad(y.sum(), x)
            results.append((y, gradient))
        (y, gradient), again, other = results
        kept = y != 0
        assert abs(kept.float().mean() - 0.75) < 0.01
        torch.testing.assert_close(y, torch.where(kept, x * 2 / 0.75, 0))
        torch.testing.assert_close(gradient, torch.where(kept, torch.full_like(x, 2 / 0.75), 0))
        assert torch.equal(y, again[0]) and torch.equal(gradient, again[1]) and not torch.equal(y, other[0])
    assert said() == [] and programs


def test_dropout_at_its_ends():
    def function(x):
        return F.dropout(x, 0.0), F.dropout(x, 1.0), F.dropout(x, 0.5, training=False)

    check(function, randn(5, 6), options=RANDOM)


def test_each_dropout_has_its_own_numbers():
    """Two of a program, and two programs that are the same."""
    layer = torch.nn.Linear(64, 64, bias=False)
    torch.nn.init.eye_(layer.weight)

    def function(x):
        first, second = F.dropout(x, 0.5), F.dropout(x, 0.5)
        return first, second, F.dropout(layer(first), 0.5)

    x = torch.ones(64, 64)
    first, second, third = torch.compile(function, backend="fuser", options=RANDOM)(x)
    assert not torch.equal(first, second)
    # Independent ones: a quarter is left of two.
    assert abs((first * second).ne(0).float().mean() - 0.25) < 0.03
    assert abs(third.ne(0).float().mean() - 0.25) < 0.03


def test_random_numbers(said, programs):
    def function(x, p):
        numbers = torch.rand_like(x) + x, torch.rand(300, dtype=torch.float64) + x[0], torch.randn_like(x) + x
        return (
            *numbers,
            torch.randn(200, 300, dtype=torch.float16) + x,
            torch.bernoulli(p) + x,
            torch.empty_like(x).bernoulli_(0.3) + x,
        )

    x, p = torch.zeros(200, 300), torch.full((200, 300), 0.7)
    results = torch.compile(function, backend="fuser", options=RANDOM)(x, p)
    means, deviations = (0.5, 0.5, 0.0, 0.0, 0.7, 0.3), (12**-0.5, 12**-0.5, 1.0, 1.0, 0.21**0.5, 0.21**0.5)
    for result, mean, deviation in zip(results, means, deviations, strict=True):
        error = 4 * deviation / result.numel() ** 0.5
        assert abs(result.double().mean() - mean) < error and abs(result.double().std() - deviation) < 0.03
    assert [each.dtype for each in results] == [each.dtype for each in function(x, p)]
    assert len(programs) == 1 and not [each for each in said() if "random" in each]


def test_random_numbers_that_stay(said):
    """A generator of its own says which numbers these are."""
    generator = torch.Generator()
    function = torch.compile(lambda x: torch.bernoulli(x, generator=generator) + 1, backend="fuser", options=RANDOM)
    results = []
    for _ in range(2):
        generator.manual_seed(1)
        results.append(function(torch.full((50,), 0.5)))
    assert torch.equal(*results)


# Sizes that PyTorch knows


def test_sizes_that_only_pytorch_knows(said):
    """Of parts whose bounds are computed, one element is repeated, and others meet known sizes."""

    def function(x, y, count):
        last, few = x.narrow(1, x.shape[1] - 1, 1), x.narrow(1, x.shape[1] - 3, 3)
        return (
            last.sin().expand(-1, count),
            torch.cat([few.cos().flip(1), y], 0),
            few.sum(1, keepdim=True).expand(-1, count) + 1,
        )

    compiled = torch.compile(function, backend="fuser", dynamic=True, fullgraph=True)
    for rows, columns, count in ((4, 5, 2), (7, 9, 3), (6, 11, 8)):
        x, y = randn(rows, columns), randn(rows, 3)
        for result, expected in zip(compiled(x, y, count), function(x, y, count), strict=True):
            assert_close(result, expected)
    assert said() == []


def test_computed_sizes_that_are_one(said):
    """PyTorch broadcasts what only its guards know to be of one element."""

    def function(x):
        row = x.exp().sum(1, keepdim=True) * x.chunk(2, 0)[0]
        return x + x.chunk(2, 1)[-1] + x[:, 1::2] + row

    check_gradients(function, [[(2, 3)], [(2, 3)]], dynamic=True)
    check_gradients(lambda x: x - F.avg_pool1d(x[None], 2)[0], [[(2, 3)], [(2, 3)]], dynamic=True)
    # Where no guard says so it is not 1 in each call.
    check_gradients(lambda x: x.chunk(2, 1)[-1].sin() * x.shape[1], [[(2, 3)], [(2, 6)], [(3, 9)]], dynamic=True)
    assert [each for each in said() if "avg_pool" not in each] == []


def test_gradients_of_sizes_that_depend_on_elements(monkeypatch):
    """Of these there is no size in the example inputs."""
    monkeypatch.setattr(torch._dynamo.config, "capture_dynamic_output_shape_ops", True)

    def elements(x):
        return (x * 2)[x > 0].cos() * 3

    def rows(x):
        y = (x * 2)[x[:, 0] > -1].view(-1, x.shape[1] // 2, 2)
        return y.cos().mT * x.mean()

    for function in (elements, rows):
        check_gradients(function, [[(4, 6)], [(5, 8)]], dynamic=True)
