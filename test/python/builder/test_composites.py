# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of models and their gradients, in float64 against NumPy's and PyTorch's (composite_peers.py); half types are rounded once."""

import functools

import fuser
import ml_dtypes
import numpy as np
import pytest
from composite_peers import PEERS, NumPy
from test_builder import run

RNG = np.random.default_rng(3)
#: Of sums in another order.
EXACT = 1e-11


def random(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def check(got, expect):
    """Compares with what `expect` makes of each peer."""
    got = got if isinstance(got, tuple) else (got,)
    for peer in PEERS:
        for result, reference in zip(got, expect(peer), strict=True):
            assert result.shape == reference.shape and result.dtype == reference.dtype
            np.testing.assert_allclose(result, reference, rtol=EXACT, atol=EXACT, err_msg=peer.__name__)


def check_gradients(got, name, inputs, gradient, **options):
    """Compares a function's result and the gradients of its inputs."""
    check(got, lambda peer: peer.differentiate(functools.partial(getattr(peer, name), **options), inputs, gradient))


def check_results(got, name, *inputs, **options):
    check(got, lambda peer: peer.compute(functools.partial(getattr(peer, name), **options), *inputs))


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

    got = run(build, x, gradient, weight, bias, opened=opened)
    check_gradients(got, "layer_norm", (x, weight, bias), gradient, ndim=ndim)


def test_layer_norm_without_weight_and_of_other_types():
    x = random(5, 33)
    check_results(run(lambda b, x: b.layer_norm(x, eps=0.1), x), "layer_norm_statistics", x, eps=0.1)
    bias, half = random(33, dtype=np.float16), x.astype(np.float16)
    y, mean, rstd = run(lambda b, x, c: b.layer_norm(x, bias=c), half, bias)
    expected = NumPy.layer_norm(half.astype(float), bias=bias.astype(float))
    # Rounded once: as near as the type allows, but for what float32 leaves out at a tie.
    np.testing.assert_array_less(abs(y - expected), 0.501 * np.spacing(abs(y).astype(np.float16)) + 1e-6)
    assert (y.dtype, mean.dtype, rstd.dtype) == (np.float16, np.float32, np.float32)


@opened
def test_rms_norm(opened):
    x, gradient, weight = random(4, 6, 8), random(4, 6, 8), random(8)

    def build(b, x, gradient, weight):
        y, rrms = b.rms_norm(x, weight)
        return (y, *b.rms_norm_backward(gradient, x, rrms, weight))

    check_gradients(run(build, x, gradient, weight, opened=opened), "rms_norm", (x, weight), gradient)


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

    got = run(build, x, gradient, weight, bias, mean, variance, opened=opened)
    running = None if training else (mean, variance)
    check_gradients(got[:4], "batch_norm", (x, weight, bias), gradient, running=running)
    if training:
        check_results(got[4:], "move_statistics", x, mean, variance)
    else:
        assert len(got) == 4


def test_batch_norm_of_the_last_dimension():
    x = random(5, 4, 3)
    got = run(lambda b, x: b.batch_norm(x, dim=-1)[0], x)
    check_results(np.moveaxis(got, -1, 1), "batch_norm", np.moveaxis(x, -1, 1).copy())


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

    got = run(build, x, gradient, weight, bias, opened=opened)
    check_gradients(got, "group_norm", (x, weight, bias), gradient, groups=groups or 6)


# Softmax and losses


@opened
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(opened, axis, name):
    x, gradient = random(3, 4, 5) * 5, random(3, 4, 5)

    def build(b, x, gradient):
        y = getattr(b, name)(x, axis)
        return y, getattr(b, f"{name}_backward")(gradient, y, axis)

    check_gradients(run(build, x, gradient, opened=opened), name, (x,), gradient, axis=axis)


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

    got = run(build, logits, target, weight, gradient, opened=opened)
    options = {"target": target, "weight": weight if weighted else None, "reduction": reduction, "smoothing": smoothing}
    check_gradients(got, "cross_entropy", (logits,), gradient, **options)


@opened
def test_cross_entropy_of_a_layer(opened):
    x, matrix, bias, target = random(5, 8), random(11, 8), random(11), RNG.integers(0, 11, 5)
    target[2] = 3

    def expect(peer, *operands, **options):
        return peer.compute(lambda *each: peer.cross_entropy(peer.linear(*each), target, **options), *operands)

    loss = run(
        lambda b, x, m, c, t: b.linear_cross_entropy(x, m, t, bias=c, ignore_index=3)[0],
        *(x, matrix, bias, target),
        opened=opened,
    )
    check(loss, lambda peer: expect(peer, x, matrix, bias, ignore_index=3))
    loss = run(lambda b, x, m, t: b.linear_cross_entropy(x, m, t)[0], x, matrix, target, opened=opened)
    check(loss, lambda peer: expect(peer, x, matrix))


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

    check_gradients(run(build, x, gradient, opened=opened), name, (x,), gradient, **attributes)


def test_activations_with_numbers():
    x = random(4, 9) * 20
    leaky, soft, plain = run(lambda b, x: (b.leaky_relu(x, 0.2), b.softplus(x, 2.0, 3.0), b.softplus(x)), x)
    check_results(leaky, "leaky_relu", x, slope=0.2)
    check_results(soft, "softplus", x, beta=2.0, threshold=3.0)
    check_results(plain, "softplus", x)


@pytest.mark.parametrize("name", ["gelu", "silu"])
def test_activations_of_half_types_are_rounded_once(name):
    x = np.concatenate([random(1000), random(100) * 8]).astype(np.float16)
    y = run(lambda b, x: getattr(b, name)(x), x)
    expected = getattr(NumPy, name)(x.astype(float))
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

    y, sums, *gradients = run(build, query, key, value, gradient, given, opened=opened)
    options = {"mask": given if mask else None, "causal": causal, "factor": scale}
    check_gradients((y, *gradients), "attend", (query, key, value), gradient, **options)
    check(sums, lambda p: p.compute(lambda *each: p.logsumexp(p.get_scores(*each, **options), -1), query, key))


def test_attention_of_rows_that_see_nothing():
    x, mask = random(1, 1, 3, 4), np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]], bool)

    def build(b, x, mask):
        results = b.sdpa(x, x, x, mask=mask)
        return (*results, *b.sdpa_backward(x, (x, x, x), results, mask=mask))

    y, logsumexp, *gradients = run(build, x, mask)
    assert (y[0, 0, 0] == 0).all() and logsumexp[0, 0, 0] == -np.inf
    np.testing.assert_allclose(y[..., 1:, :], NumPy.attend(x[..., 1:, :], x, x, mask=mask[1:]), rtol=EXACT, atol=EXACT)
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
    check_gradients((y, *gradients), "attend", (query, key, value), gradient, kept=kept)
    assert 0.6 < kept.mean() < 0.9


def test_attention_of_half_types():
    inputs = [random(2, 3, 33, 16, dtype=np.float16) for _ in range(3)]
    y, logsumexp = run(lambda b, *inputs: b.sdpa(*inputs, is_causal=True), *inputs)
    expected = NumPy.attend(*(each.astype(float) for each in inputs), causal=True)
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
    a, b = random(6, 32).astype(ml_dtypes.float8_e4m3fn), random(32, 5).astype(ml_dtypes.float8_e5m2)
    scale = np.asarray(0.5, np.float32)
    got = run(lambda b, x, y, s: b.scaled_mm(x, y, s, s, dtype="float32"), a, b, scale, opened=False)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, a.astype(float) @ b.astype(float) * 0.25, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_a_layer_of_half_types_is_rounded_once(dtype):
    """With its bias: the result is next to the exact sum."""
    operands = [random(*shape).astype(dtype) for shape in [(64, 16), (48, 16), (48,)]]
    got = run(lambda b, *inputs: b.linear(*inputs), *operands, opened=False)
    x, weight, bias = (each.astype(float) for each in operands)
    exact = x @ weight.T + bias
    assert got.dtype == dtype
    # 0.5 units in the last place, but for what float32 leaves out at a tie.
    spacing = float(ml_dtypes.finfo(dtype).eps) * 2 ** np.floor(np.log2(abs(exact)))
    assert (abs(got.astype(float) - exact) <= 0.5 * spacing + 1e-5).all()
    twice = (x @ weight.T).astype(dtype).astype(float) + bias
    assert (got != twice.astype(dtype)).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_layer_of_half_types_is_as_near_as_pytorch_s(dtype):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, dtype)
    operands = [torch.tensor(random(*shape)).to(dtype) for shape in [(64, 16), (48, 16), (48,)]]
    builder = fuser.Builder()
    builder.output(builder.linear(*(builder.input(each.shape, each.dtype) for each in operands)))
    expected = torch.nn.functional.linear(*operands)
    torch.testing.assert_close(builder.compile()(*operands), expected, rtol=torch.finfo(dtype).eps, atol=1e-5)


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


def _expect_everything(peer, x, weight, target, heads):
    """The same by a peer, in float64."""
    x, weight, heads = (each.astype(float) for each in (x, weight, heads))
    loss = functools.partial(peer.cross_entropy, target=target)
    yield from peer.differentiate(peer.layer_norm, (x, weight), x[::-1].copy())
    yield from peer.differentiate(peer.batch_norm, (x,), x[::-1].copy())
    yield from peer.differentiate(loss, (x,), peer.compute(loss, x)[0])
    yield from (*peer.compute(peer.gelu, x), *peer.compute(lambda x: peer.softmax(x, 1), x), x.std(1))
    attend = functools.partial(peer.attend, causal=True)
    yield from peer.differentiate(attend, (heads, heads, heads), heads[:, :, ::-1].copy())
    yield from (np.tile(x, (2, 1)), x + np.bincount(np.clip(target, 0, 11), minlength=12)[:, None], x)


def _call_on_gpu(exe, arrays):
    """With PyTorch's tensors, and as arrays again."""
    torch = pytest.importorskip("torch")
    tensors = [torch.tensor(each.astype(float) if each.dtype.kind != "i" else each, device="cuda") for each in arrays]
    types = {"float32": torch.float32, "bfloat16": torch.bfloat16, "int64": torch.int64}
    results = exe(*(each.to(types[array.dtype.name]) for each, array in zip(tensors, arrays, strict=True)))
    return [each.double().cpu().numpy() for each in results]


@pytest.mark.parametrize("target", ["sim", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@opened
def test_everything_on_gpus(target, dtype, opened):
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape).astype(dtype) for shape in ((12, 40), 40, (2, 3, 8, 16))]
    arrays.insert(2, rng.integers(0, 40, 12))
    arrays[2][5] = -100
    b = fuser.Builder()
    inputs = [b.input([None if opened else size for size in each.shape], each.dtype) for each in arrays]
    for output in _define_everything(b, *inputs):
        b.output(output)
    exe = b.compile(target)
    got = _call_on_gpu(exe, arrays) if target == "cuda" else exe(*arrays)
    # Some units in the last place of the greatest element: sums of f32, and what is rounded in between of bfloat16.
    allowed = (64 if dtype == np.float32 else 4) * float(ml_dtypes.finfo(dtype).eps)
    for peer in PEERS:
        for result, expected in zip(got, _expect_everything(peer, *arrays), strict=True):
            assert abs(result.astype(float) - expected).max() <= allowed * abs(expected).max()


# What is wrong


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, n: b.layer_norm(x, ndim=3), "'layer_norm': expected 1 to 2 as 'ndim'"),
        (lambda b, x, n: b.layer_norm(n), "'layer_norm': expected tensors of floats, got .*i64"),
        (lambda b, x, n: b.layer_norm(x, b.full((3,), 1)), "'layer_norm': expected shapes that broadcast"),
        (lambda b, x, n: b.group_norm(x, 3), "'group_norm': expected a number of groups that divides"),
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
        (lambda b, x, n: b.tile(x, -1), "'tile': expected at least 2 numbers that are not negative"),
        (lambda b, x, n: b.index(x, [x]), "'index': expected integers as indices"),
    ],
)
def test_errors(build, message):
    b = fuser.Builder()
    x, n = b.input((3, 4)), b.input((3, 4), "int64")
    with pytest.raises(fuser.Error, match=message):
        build(b, x, n)
