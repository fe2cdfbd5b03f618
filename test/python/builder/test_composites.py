# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of models and their gradients, in float64 against PyTorch's; half types are rounded once."""

import fuser
import numpy as np
import pytest
from test_builder import run

torch = pytest.importorskip("torch")
F = torch.nn.functional

RNG = np.random.default_rng(3)
#: Of sums in another order.
EXACT = 1e-11


def random(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def tensors(*arrays):
    return [torch.tensor(array, requires_grad=array.dtype.kind == "f") for array in arrays]


def check(got, expected, tolerance=EXACT):
    got = got if isinstance(got, tuple) else (got,)
    assert len(got) == len(expected)
    for result, reference in zip(got, expected, strict=True):
        reference = reference.detach().numpy()
        assert result.shape == reference.shape and result.dtype == reference.dtype
        np.testing.assert_allclose(result, reference, rtol=tolerance, atol=tolerance)


def differentiate(y, inputs, gradient):
    """y, and the gradients of inputs."""
    return (y, *torch.autograd.grad(y, inputs, torch.tensor(gradient)))


opened = pytest.mark.parametrize("opened", [False, True])


# Norms


@opened
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_layer_norm(opened, ndim):
    x, gradient = random(4, 6, 8), random(4, 6, 8)
    weight, bias = random(*x.shape[3 - ndim :]), random(*x.shape[3 - ndim :])

    def build(b, x, gradient, weight, bias):
        y, mean, rstd = b.layer_norm(x, weight, bias, ndim)
        return (y, *b.layer_norm_backward(gradient, x, (mean, rstd), weight, bias=True, ndim=ndim))

    inputs = tensors(x, weight, bias)
    y = F.layer_norm(inputs[0], weight.shape, *inputs[1:], 1e-5)
    check(run(build, x, gradient, weight, bias, opened=opened), differentiate(y, inputs, gradient))


def test_layer_norm_without_weight_and_of_other_types():
    x = random(5, 33)
    check(
        run(lambda b, x: b.layer_norm(x, eps=0.1), x), torch.native_layer_norm(torch.tensor(x), [33], None, None, 0.1)
    )
    bias, half = random(33, dtype=np.float16), x.astype(np.float16)
    y, mean, rstd = run(lambda b, x, c: b.layer_norm(x, bias=c), half, bias)
    expected = F.layer_norm(torch.tensor(half).double(), [33], None, torch.tensor(bias).double())
    # Rounded once: as near as the type allows, but for what float32 leaves out at a tie.
    np.testing.assert_array_less(abs(y - expected.numpy()), 0.501 * np.spacing(abs(y).astype(np.float16)) + 1e-6)
    assert (y.dtype, mean.dtype, rstd.dtype) == (np.float16, np.float32, np.float32)


@opened
def test_rms_norm(opened):
    x, gradient, weight = random(4, 6, 8), random(4, 6, 8), random(8)

    def build(b, x, gradient, weight):
        y, rrms = b.rms_norm(x, weight)
        return (y, *b.rms_norm_backward(gradient, x, rrms, weight))

    inputs = tensors(x, weight)
    y = F.rms_norm(inputs[0], (8,), inputs[1], 1e-6)
    check(run(build, x, gradient, weight, opened=opened), differentiate(y, inputs, gradient))


@opened
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 3, 2)])
def test_batch_norm(opened, training, shape):
    x, gradient = random(*shape), random(*shape)
    weight, bias, mean, variance = random(6), random(6), random(6), abs(random(6))

    def build(b, x, gradient, weight, bias, *running):
        y, mean, rstd, *moved = b.batch_norm(x, weight, bias, running, training=training)
        gradients = b.batch_norm_backward(gradient, x, (mean, rstd), weight, bias=True, training=training)
        return (y, *gradients, *moved)

    inputs, running = tensors(x, weight, bias), [torch.tensor(mean), torch.tensor(variance)]
    y = F.batch_norm(inputs[0], *running, *inputs[1:], training)
    expected = (*differentiate(y, inputs, gradient), *(running if training else ()))
    check(run(build, x, gradient, weight, bias, mean, variance, opened=opened), expected)


def test_batch_norm_of_the_last_dimension():
    x = random(5, 4, 3)
    expected = F.batch_norm(torch.tensor(x).movedim(-1, 1), None, None, training=True).movedim(1, -1)
    check(run(lambda b, x: b.batch_norm(x, dim=-1)[0], x), [expected])


@opened
@pytest.mark.parametrize("groups", [1, 3, None])
def test_group_and_instance_norm(opened, groups):
    x, gradient, weight, bias = random(4, 6, 3, 2), random(4, 6, 3, 2), random(6), random(6)

    def build(b, x, gradient, weight, bias):
        if groups is None:
            y, *statistics = b.instance_norm(x, weight, bias)
            return (y, *b.instance_norm_backward(gradient, x, statistics, weight, bias=True))
        y, *statistics = b.group_norm(x, groups, weight, bias)
        return (y, *b.group_norm_backward(gradient, x, statistics, weight, bias=True, num_groups=groups))

    inputs = tensors(x, weight, bias)
    y = F.group_norm(inputs[0], groups or 6, *inputs[1:])
    check(run(build, x, gradient, weight, bias, opened=opened), differentiate(y, inputs, gradient))


# Softmax and losses


@opened
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(opened, axis, name):
    x, gradient = random(3, 4, 5) * 5, random(3, 4, 5)

    def build(b, x, gradient):
        y = getattr(b, name)(x, axis)
        return y, getattr(b, f"{name}_backward")(gradient, y, axis)

    inputs = tensors(x)
    y = getattr(torch, name)(inputs[0], axis)
    check(run(build, x, gradient, opened=opened), differentiate(y, inputs, gradient))


@opened
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [None, 0.1])
def test_cross_entropy(opened, reduction, weighted, smoothing):
    logits, target, weight = random(5, 7, 3), RNG.integers(0, 7, (5, 3)), abs(random(7))
    target[1, 2] = target[0, 0] = -100
    gradient = random(5, 3) if reduction == "none" else np.asarray(random())

    def build(b, x, target, weight, gradient):
        options = {"reduction": reduction, "label_smoothing": smoothing, "weight": weight if weighted else None}
        loss, logsumexp = b.cross_entropy(x, target, **options)
        return loss, b.cross_entropy_backward(gradient, x, target, logsumexp, **options)

    inputs = tensors(logits)
    options = {"reduction": reduction, "label_smoothing": smoothing or 0, "ignore_index": -100}
    loss = F.cross_entropy(inputs[0], torch.tensor(target), torch.tensor(weight) if weighted else None, **options)
    check(run(build, logits, target, weight, gradient, opened=opened), differentiate(loss, inputs, gradient))


@opened
def test_cross_entropy_of_a_layer(opened):
    x, matrix, bias, target = random(5, 8), random(11, 8), random(11), RNG.integers(0, 11, 5)
    target[2] = 3
    expected = F.cross_entropy(F.linear(*map(torch.tensor, (x, matrix, bias))), torch.tensor(target), ignore_index=3)
    loss = run(
        lambda b, x, m, c, t: b.linear_cross_entropy(x, m, t, bias=c, ignore_index=3)[0],
        *(x, matrix, bias, target),
        opened=opened,
    )
    check(loss, [expected])
    loss = run(lambda b, x, m, t: b.linear_cross_entropy(x, m, t)[0], x, matrix, target, opened=opened)
    check(loss, [F.cross_entropy(torch.tensor(x) @ torch.tensor(matrix).T, torch.tensor(target))])


# Activations


@opened
@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu", "sigmoid", "tanh"])
def test_activations(opened, name):
    x, gradient = random(4, 9) * 3, random(4, 9)
    name, _, form = name.partition("_")
    attributes = {"approximate": form or "none"} if name == "gelu" else {}

    def build(b, x, gradient):
        y = getattr(b, name)(x, **attributes)
        of = x if name in ("gelu", "silu") else y
        return y, getattr(b, f"{name}_backward")(gradient, of, **attributes)

    inputs = tensors(x)
    y = {"gelu": F.gelu, "silu": F.silu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}[name](inputs[0], **attributes)
    check(run(build, x, gradient, opened=opened), differentiate(y, inputs, gradient))


def test_activations_with_numbers():
    x = random(4, 9) * 20
    expected = (F.leaky_relu(torch.tensor(x), 0.2), F.softplus(torch.tensor(x), 2.0, 3.0), F.softplus(torch.tensor(x)))
    check(run(lambda b, x: (b.leaky_relu(x, 0.2), b.softplus(x, 2.0, 3.0), b.softplus(x)), x), expected)


@pytest.mark.parametrize("name", ["gelu", "silu"])
def test_activations_of_half_types_are_rounded_once(name):
    x = np.concatenate([random(1000), random(100) * 8]).astype(np.float16)
    y = run(lambda b, x: getattr(b, name)(x), x)
    expected = getattr(F, name)(torch.tensor(x).double()).numpy()
    assert y.dtype == np.float16
    np.testing.assert_array_less(abs(y - expected), 0.51 * np.spacing(abs(expected).astype(np.float16)) + 1e-6)


# Attention


@opened
@pytest.mark.parametrize("mask", [None, "bool", "float"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention(opened, mask, causal, scale):
    query, key, value, gradient = random(2, 3, 5, 8), random(2, 3, 6, 8), random(2, 3, 6, 4), random(2, 3, 5, 4)
    given = RNG.integers(0, 2, (5, 6)) > 0 if mask == "bool" else random(5, 6)
    given[:, 0] = True

    def build(b, query, key, value, gradient, given):
        options = {"is_causal": causal, "scale": scale, "mask": given if mask else None}
        results = b.sdpa(query, key, value, **options)
        return (*results, *b.sdpa_backward(gradient, (query, key, value), results, **options))

    inputs = tensors(query, key, value)
    scores = inputs[0] @ inputs[1].mT * (8**-0.5 if scale is None else scale)
    if mask:
        given = torch.tensor(given)
        scores = scores + given if mask == "float" else scores.masked_fill(~given, -torch.inf)
    if causal:
        scores = scores.masked_fill(~torch.ones(5, 6, dtype=torch.bool).tril(), -torch.inf)
    y, *gradients = differentiate(scores.softmax(-1) @ inputs[2], inputs, gradient)
    got = run(build, query, key, value, gradient, np.asarray(given), opened=opened)
    check(got, (y, scores.logsumexp(-1), *gradients))
    if mask is None or not causal:
        named = F.scaled_dot_product_attention(*inputs, given if mask else None, is_causal=causal, scale=scale)
        check(got[0], [named])


def test_attention_of_rows_that_see_nothing():
    x, mask = random(1, 1, 3, 4), np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]], bool)

    def build(b, x, mask):
        results = b.sdpa(x, x, x, mask=mask)
        return (*results, *b.sdpa_backward(x, (x, x, x), results, mask=mask))

    y, logsumexp, *gradients = run(build, x, mask)
    assert (y[0, 0, 0] == 0).all() and logsumexp[0, 0, 0] == -np.inf
    assert all(np.isfinite(gradient).all() for gradient in gradients) and (gradients[0][0, 0, 0] == 0).all()


def test_attention_with_dropout():
    """The same weights are dropped forward and backward."""
    query, key, gradient = random(1, 2, 16, 8), random(1, 2, 16, 8), random(1, 2, 16, 16)
    value = np.broadcast_to(np.eye(16), (1, 2, 16, 16)).copy()

    def build(b, query, key, value, gradient):
        results = b.sdpa(query, key, value, dropout=(0.25, 5, 1))
        kept = b.uniform((1, 2, 16, 16), 5, 1, "float64") < 0.75
        return (*results, kept, *b.sdpa_backward(gradient, (query, key, value), results, dropout=(0.25, 5, 1)))

    y, logsumexp, kept, *gradients = run(build, query, key, value, gradient)
    inputs = tensors(query, key, value)
    weights = (inputs[0] @ inputs[1].mT / 8**0.5).softmax(-1)
    expected = torch.where(torch.tensor(kept), weights / 0.75, 0.0) @ inputs[2]
    check((y, *gradients), differentiate(expected, inputs, gradient))
    assert 0.6 < kept.mean() < 0.9


def test_attention_of_half_types():
    inputs = [random(2, 3, 33, 16, dtype=np.float16) for _ in range(3)]
    y, logsumexp = run(lambda b, *inputs: b.sdpa(*inputs, is_causal=True), *inputs)
    expected = F.scaled_dot_product_attention(*(torch.tensor(each).double() for each in inputs), is_causal=True)
    assert y.dtype == np.float16 and logsumexp.dtype == np.float32
    # Weights are rounded to float16 for the second product, as flash attention does it.
    np.testing.assert_allclose(y, expected, atol=2e-3, rtol=2e-3)


# Products


@opened
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products_of_groups(opened, index):
    offsets = np.array([2, 2, 7], index)

    def multiply(a, b):
        return run(lambda builder, *operands: builder.grouped_mm(*operands), a, b, offsets, opened=opened)

    a, b = random(9, 4), random(3, 4, 5)  # The last two rows are of no group.
    b[1] = np.nan  # A group without rows.
    expected = np.concatenate([a[:2] @ b[0], a[2:7] @ b[2], np.zeros((2, 5))])
    np.testing.assert_allclose(multiply(a, b), expected, rtol=1e-12)
    a, b = random(3, 6, 4), random(4, 7)
    expected = np.concatenate([a[0] @ b[:, :2], a[2] @ b[:, 2:]], 1)
    np.testing.assert_allclose(multiply(a, b), expected, rtol=1e-12)
    a, b = random(6, 7), random(7, 5)
    expected = np.stack([a[:, :2] @ b[:2], np.zeros((6, 5)), a[:, 2:] @ b[2:]])
    np.testing.assert_allclose(multiply(a, b), expected, rtol=1e-12)


def test_products_with_scales():
    a, b, rows, columns = random(6, 8), random(8, 5), random(6, 2), random(1, 5)
    alpha, bias, beta = np.asarray(random()), random(5), np.asarray(random())

    def build(builder, a, b, *others):
        rows, columns, alpha, bias, beta = others
        everything = builder.scaled_mm(a, b, rows, columns, alpha=alpha, bias=bias, beta=beta)
        return everything, builder.scaled_mm(a, b, alpha, beta, dtype="float32")

    got, plain = run(build, a, b, rows, columns, alpha, bias, beta, opened=False)
    expected = alpha * (a * np.repeat(rows, 4, 1)) @ (b * columns) + bias * beta
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    np.testing.assert_allclose(plain, a @ b * alpha * beta, rtol=1e-6)
    assert plain.dtype == np.float32


def test_products_of_eight_bits():
    """Exact but for the order of the sum: the products of 8-bit floats are numbers of float32."""
    a = torch.tensor(random(6, 32), dtype=torch.float8_e4m3fn)
    b = torch.tensor(random(32, 5), dtype=torch.float8_e5m2)
    scale = np.asarray(0.5, np.float32)
    builder = fuser.Builder()
    inputs = [builder.input(each.shape, each.dtype) for each in (a, b)] + [builder.input((), "float32")]
    builder.output(builder.scaled_mm(*inputs, inputs[2], dtype="float32"))
    got = builder.compile()(a, b, torch.tensor(scale))
    torch.testing.assert_close(got.double(), a.double() @ b.double() * 0.25, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_layer_of_half_types_is_rounded_once(dtype):
    """With its bias: the result is next to the exact sum."""
    x, weight, bias = (torch.tensor(random(*shape)).to(dtype) for shape in [(64, 16), (48, 16), (48,)])
    builder = fuser.Builder()
    inputs = [builder.input(each.shape, each.dtype) for each in (x, weight, bias)]
    builder.output(builder.linear(*inputs))
    got = builder.compile()(x, weight, bias)
    exact = x.double() @ weight.double().T + bias.double()
    assert got.dtype == dtype
    away = (got.double() - exact).abs()
    # 0.5 units in the last place, but for what float32 leaves out at a tie.
    assert (away <= 0.5 * _get_spacing(exact, dtype) + 1e-5).all()
    twice = (x.double() @ weight.double().T).to(dtype).double() + bias.double()
    assert not torch.equal(got, twice.to(dtype))
    torch.testing.assert_close(got, F.linear(x, weight, bias), rtol=torch.finfo(dtype).eps, atol=1e-5)


def _get_spacing(exact, dtype):
    return torch.finfo(dtype).eps * 2 ** exact.abs().log2().floor()


# Kernels of GPUs


def _define_everything(b, x, weight, target, heads):
    """Functions of x, 12 x 40, and of heads, 2 x 3 x 8 x 16."""
    gradient = b.flip(x, 0)
    y, mean, rstd = b.layer_norm(x, weight)
    batch, *statistics = b.batch_norm(x)
    loss, logsumexp = b.cross_entropy(x, target)
    attended, sums = b.sdpa(heads, heads, heads, is_causal=True)
    yield from (y, *b.layer_norm_backward(gradient, x, (mean, rstd), weight), batch)
    yield b.batch_norm_backward(gradient, x, statistics)
    yield from (loss, b.cross_entropy_backward(loss, x, target, logsumexp), b.gelu(x), b.softmax(x), b.std(x, 1))
    yield from (attended, *b.sdpa_backward(b.flip(heads, 2), (heads, heads, heads), (attended, sums), is_causal=True))
    yield from (b.tile(x, (2, 1)), b.index_put(x, [b.clip(target, 0, 11)], 1.0, accumulate=True), b.eye(12) @ x)


def _expect_everything(x, weight, target, heads):
    """The same by PyTorch, in float64."""
    x, weight, heads = (each.double().cpu().requires_grad_() for each in (x, weight, heads))
    target = target.cpu()
    y = F.layer_norm(x, (40,), weight)
    batch = F.batch_norm(x, None, None, training=True)
    loss = F.cross_entropy(x, target)
    attended = F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    parts = [heads.detach().clone().requires_grad_() for _ in range(3)]
    again = F.scaled_dot_product_attention(*parts, is_causal=True)
    yield from (y, *torch.autograd.grad(y, [x, weight], x.flip(0)), batch)
    yield torch.autograd.grad(batch, x, x.flip(0))[0]
    yield from (loss, torch.autograd.grad(loss, x, loss)[0], F.gelu(x), x.softmax(1), x.std(1, correction=0))
    yield from (attended, *torch.autograd.grad(again, parts, heads.flip(2)))
    added = torch.zeros_like(x).index_add(0, target.clamp(0, 11), torch.ones_like(x))
    yield from (x.tile(2, 1), x + added, x)


@pytest.mark.parametrize("target", ["sim", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@opened
def test_everything_on_gpus(target, dtype, opened):
    torch.manual_seed(1)
    arrays = [torch.randn(12, 40), torch.randn(40), torch.randint(0, 40, (12,)), torch.randn(2, 3, 8, 16)]
    arrays[2][5] = -100
    device = "cuda" if target == "cuda" else "cpu"
    arrays = [each.to(device, dtype if each.is_floating_point() else each.dtype) for each in arrays]
    b = fuser.Builder()
    inputs = [b.input([None if opened else size for size in each.shape], each.dtype) for each in arrays]
    for output in _define_everything(b, *inputs):
        b.output(output)
    got = b.compile(target)(*arrays)
    # Some units in the last place of the greatest element: sums of f32, and what is rounded in between of bfloat16.
    units = 64 if dtype == torch.float32 else 4
    for result, expected in zip(got, _expect_everything(*arrays), strict=True):
        away = (result.double().cpu() - expected.detach()).abs().max()
        assert away <= units * torch.finfo(dtype).eps * expected.detach().abs().max()


# What is wrong


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, n: b.layer_norm(x, ndim=3), "'layer_norm': expected 1 to 2 as 'ndim'"),
        (lambda b, x, n: b.layer_norm(n), "'layer_norm': expected tensors of floats, got .*i64"),
        (lambda b, x, n: b.layer_norm(x, b.full((3,), 1)), "'layer_norm': expected shapes that broadcast"),
        (lambda b, x, n: b.group_norm(x, 3), "'group_norm': expected a number of 'groups' that divides"),
        (lambda b, x, n: b.batch_norm(x, training=False), "'batch_norm': expected a running mean and variance"),
        (lambda b, x, n: b.instance_norm(x[0]), "'instance_norm': expected a tensor of at least two dimensions"),
        (lambda b, x, n: b.cross_entropy(x, n), "'cross_entropy': expected a target of 1 dimensions"),
        (lambda b, x, n: b.cross_entropy(x, x[:, 0]), "'cross_entropy': expected integers as the target"),
        (lambda b, x, n: b.cross_entropy(x, n[:, 0], reduction="max"), "expected 'mean', 'sum' or 'none'"),
        (lambda b, x, n: b.gelu(x, "erf"), "'gelu': expected 'none' or 'tanh' as 'approximate', got 'erf'"),
        (lambda b, x, n: b.gelu(n), "'gelu': expected tensors of floats"),
        (lambda b, x, n: b.softmax(x, 2), "'softmax': expected a dimension of -2 to 1"),
        (lambda b, x, n: b.sdpa(x, x[None], x), "'sdpa': expected query, key and value of one element type"),
        (lambda b, x, n: b.sdpa(x, x[:, :2], x), "'sdpa': expected .* of shapes ... x L x E"),
        (lambda b, x, n: b.grouped_mm(x, x, x[0]), "'grouped_mm': expected offsets of i32 or i64"),
        (lambda b, x, n: b.grouped_mm(x[None], x[None], n[0]), "'grouped_mm': expected two factors of two dimensions"),
        (lambda b, x, n: b.scaled_mm(x, x.T, x[:, :3], x), "'scaled_mm': expected a scale of one number"),
        (lambda b, x, n: b.dropout(n, 0.5, 1), "'dropout': expected tensors of floats"),
        (lambda b, x, n: b._program.op("linear", (x, x), {"type": "f16"}), "'linear': expected the operands' element"),
        (lambda b, x, n: b.tile(x, -1), "'repeat': expected at least 2 numbers that are not negative"),
        (lambda b, x, n: b.index(x, [x]), "'index': expected integers as indices"),
    ],
)
def test_errors(build, message):
    b = fuser.Builder()
    x, n = b.input((3, 4)), b.input((3, 4), "int64")
    with pytest.raises(fuser.Error, match=message):
        build(b, x, n)
