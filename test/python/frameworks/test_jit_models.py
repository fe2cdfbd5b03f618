# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of docs/how-to/functions-of-models.md, which are those of examples/python/jit.py, against PyTorch's functions."""

import importlib.util

import fuser
import fuser.numpy as fnp
import pytest
from conftest import EXAMPLES

torch = pytest.importorskip("torch")
from compiling import BOTH  # noqa: E402

F = torch.nn.functional


@pytest.fixture(scope="module")
def examples():
    spec = importlib.util.spec_from_file_location("jit_examples_of_torch", EXAMPLES / "python" / "jit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_close(result, expected):
    assert result.dtype == expected.dtype and result.device == expected.device
    torch.testing.assert_close(result, expected, rtol=2e-6, atol=2e-6 * (1 + expected.abs().max().item()))


def randn(*shape, target):
    return torch.randn(*shape).to(target)


@BOTH
def test_causal_softmax(target, examples):
    for n, m in ((7, 7), (5, 9)):
        scores = randn(3, n, m, target=target)
        mask = torch.ones(n, m, dtype=torch.bool, device=target).tril()
        assert_close(examples.causal_softmax(scores), scores.masked_fill(~mask, -torch.inf).softmax(-1))


@BOTH
def test_rope(target, examples):
    """As complex numbers, which are turned."""
    n, width = 9, 16
    angles = randn(n, width // 2, target=target)
    x = randn(2, 3, n, width, target=target)
    result = examples.rope(x, *(torch.cat([each, each], -1) for each in (angles.cos(), angles.sin())))
    turned = torch.complex(x[..., :8].contiguous(), x[..., 8:].contiguous()) * torch.polar(
        torch.ones_like(angles), angles
    )
    assert_close(result, torch.cat([turned.real, turned.imag], -1))


@BOTH
def test_batch_norm(target, examples):
    x, weight, bias, mean, variance = (randn(*shape, target=target) for shape in ((4, 6, 3, 5), (6,), (6,), (6,), (6,)))
    y, running = examples.batch_norm(x, weight, bias, (mean, variance.abs()))
    expected = mean.clone(), variance.abs()
    assert_close(y, F.batch_norm(x, *expected, weight, bias, True, 0.1, 1e-5))
    for one, other in zip(running, expected, strict=True):
        assert_close(one, other)


@BOTH
def test_lstm_cell(target, examples):
    cell = torch.nn.LSTMCell(8, 5).to(target).requires_grad_(False)
    x, h, c = (randn(3, size, target=target) for size in (8, 5, 5))
    weights = cell.weight_ih, cell.weight_hh, cell.bias_ih + cell.bias_hh
    for one, other in zip(examples.lstm_cell(x, h, c, *weights), cell(x, (h, c)), strict=True):
        assert_close(one, other)


@BOTH
def test_cross_entropy(target, examples):
    logits, labels = randn(40, 11, target=target) * 5, torch.randint(11, (40,)).to(target)
    labels[::3] = -100
    assert_close(examples.cross_entropy(logits, labels), F.cross_entropy(logits, labels))
    labels[labels < 0] = 4
    assert_close(
        examples.cross_entropy(logits, labels, ignore_index=4), F.cross_entropy(logits, labels, ignore_index=4)
    )
    options = {"ignore_index": 4, "reduction": "sum"}
    loss = fuser.jit(lambda x, t: fnp.cross_entropy(x, t, label_smoothing=0.1, **options)[0])(logits, labels)
    assert_close(loss, F.cross_entropy(logits, labels, label_smoothing=0.1, **options))


@BOTH
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_of_shares(target, reduction, smoothing, weighted):
    """Of a target that has a share for each class."""
    weight = randn(11, target=target).abs() if weighted else None

    def function(logits, shares, weight):
        return F.cross_entropy(logits, shares, weight, reduction=reduction, label_smoothing=smoothing)

    for shape in ((40, 11), (3, 11, 5), (11,)):
        dim = int(len(shape) > 1)
        logits, shares = randn(*shape, target=target) * 5, randn(*shape, target=target).softmax(dim)
        assert_close(fuser.jit(function)(logits, shares, weight), function(logits, shares, weight))


@BOTH
@pytest.mark.parametrize("dynamic", [True, False])
def test_attention_of_shared_heads(target, dynamic):
    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    function = fuser.jit(attend, dynamic=dynamic)
    for heads, shared in ((8, 2), (6, 3), (4, 4), (4, 1)):
        q = randn(2, heads, 6, 16, target=target)
        k, v = randn(2, shared, 6, 16, target=target), randn(2, shared, 6, 16, target=target)
        assert_close(function(q, k, v), attend(q, k, v))


@BOTH
def test_top_k_routing(target, examples):
    logits = randn(30, 8, target=target)
    for k in (1, 3):
        weights, experts, load = examples.route(logits, k)
        expected, chosen = logits.softmax(-1).topk(k)
        assert torch.equal(experts, chosen)
        assert_close(weights, expected / expected.sum(-1, keepdim=True))
        assert torch.equal(load.long(), chosen.flatten().bincount(minlength=8))


@BOTH
def test_group_norm(target, examples):
    for n, groups in ((2, 3), (3, 2)):
        x, weight, bias = (randn(*shape, target=target) for shape in ((n, 6, 5, n + 2), (6,), (6,)))
        result = examples.group_norm(x * 3 + 1, weight, bias, groups=groups)
        assert_close(result, F.group_norm(x * 3 + 1, groups, weight, bias))


@BOTH
def test_quantized_linear(target, examples):
    x, scale = randn(3, 16, target=target), randn(5, target=target)
    weight = torch.randint(-128, 128, (5, 16), dtype=torch.int8).to(target)
    assert_close(examples.quantized_linear(x, weight.view(torch.int32), scale), F.linear(x, weight * scale[:, None]))


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_wide_product(shape):
    """PyTorch's mm and bmm of narrow floats as f32."""
    function = torch.bmm if shape else torch.mm
    x, y = torch.randn(*shape, 4, 64).bfloat16(), torch.randn(*shape, 64, 5).bfloat16()
    result = fuser.jit(lambda x, y: function(x, mat2=y, out_dtype=torch.float32))(x, y)
    assert_close(result, x.float() @ y.float())
    narrow = fuser.jit(lambda x, y: function(x, y))(x, y)
    assert torch.equal(narrow, (x.float() @ y.float()).bfloat16())


@torch.no_grad()
def test_parameters_of_modules_are_those_of_the_call():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
    x, function = torch.randn(3, 4), fuser.jit(model)

    def change_weight():
        model[0].weight = torch.nn.Parameter(torch.randn(4, 4))

    def change_layer():
        model[0] = torch.nn.Linear(4, 4, bias=False)

    changes = (lambda: None, change_weight, lambda: model[1].bias.fill_(3), change_layer)
    for change in changes:
        change()
        for _ in range(2):
            torch.testing.assert_close(function(x), model(x), rtol=1e-5, atol=1e-5)
    assert function.num_programs == 1


class _Growing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList()
        self.scales = torch.nn.ParameterList()
        self.register_parameter("bias", None)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for scale in self.scales:
            x = x * scale
        return x if self.bias is None else x + self.bias


@torch.no_grad()
def test_parts_that_are_added_to_modules():
    model = _Growing()
    x, function = torch.randn(3, 4), fuser.jit(lambda x: model(x + 1))

    def make(*sizes):
        return torch.nn.Parameter(torch.randn(*sizes))

    def set_bias(bias):
        model.bias = bias

    changes = [
        lambda: None,
        lambda: model.layers.append(torch.nn.Linear(4, 4, bias=False)),
        lambda: model.layers.append(torch.nn.LayerNorm(4)),
        lambda: model.scales.append(make(4)),
        lambda: model.scales.append(make(4)),
        lambda: set_bias(make(4)),
        lambda: setattr(model.layers[0], "bias", make(4)),
        lambda: set_bias(None),
        lambda: model.layers.pop(1),
    ]
    for change in changes:
        change()
        for _ in range(2):
            torch.testing.assert_close(function(x), model(x + 1), rtol=1e-5, atol=1e-5)


def test_a_tensor_that_nothing_names():
    tensors = iter([torch.ones(4)])
    with pytest.raises(
        TypeError, match="expected an array that names lead to in at most 8 steps .*, got one that none leads to"
    ):
        fuser.jit(lambda x: x + next(tensors))(torch.ones(4))


#: By name a module, and what it is called with for a sequence and another one.
ATTENTIONS = {
    "self": lambda m: (m.MultiheadAttention(32, 4, batch_first=True), lambda own, x, y: own(x, x, x)),
    "rows first": lambda m: (m.MultiheadAttention(32, 4), lambda own, x, y: own(x, x, x)),
    "no bias, each head": lambda m: (
        m.MultiheadAttention(32, 4, bias=False, batch_first=True),
        lambda own, x, y: own(x, y, y, average_attn_weights=False),
    ),
    "other sizes": lambda m: (
        m.MultiheadAttention(32, 4, kdim=16, vdim=8, batch_first=True),
        lambda own, x, y: own(x, y[..., :16], y[..., 16:24], need_weights=False)[0],
    ),
    "one sequence": lambda m: (m.MultiheadAttention(32, 4), lambda own, x, y: own(x[0], y[0], y[0])),
    "encoder": lambda m: (m.TransformerEncoderLayer(32, 4, 64, batch_first=True), lambda own, x, y: own(x)),
    "decoder": lambda m: (
        m.TransformerDecoderLayer(32, 4, 64, batch_first=True, norm_first=True),
        lambda own, x, y: own(x, y),
    ),
}


@BOTH
@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("name", ATTENTIONS)
@torch.no_grad()
def test_modules_of_attention(name, target, dynamic):
    module, call = ATTENTIONS[name](torch.nn)
    module = module.eval().to(target)
    traced = fuser.jit(lambda x, y: call(module, x, y), dynamic=dynamic)
    for rows, columns in ((7, 5), (3, 9)):
        x, y = randn(2, rows, 32, target=target), randn(2, columns, 32, target=target)
        results, expected = (
            each if isinstance(each, tuple) else (each,) for each in (traced(x, y), call(module, x, y))
        )
        for result, wanted in zip(results, expected, strict=True):
            assert_close(result, wanted)


@BOTH
@torch.no_grad()
def test_masks_of_attention(target):
    """Those of padding are true, or -inf, where no row looks."""
    own = torch.nn.MultiheadAttention(32, 4, batch_first=True).eval().to(target)
    causal = torch.nn.Transformer.generate_square_subsequent_mask(7, device=target)
    heads = randn(8, 7, 7, target=target)
    x = randn(2, 7, 32, target=target)
    padding = torch.zeros(2, 7, dtype=torch.bool, device=target)
    padding[0, 5:] = True
    for mask in (None, causal, causal.isinf(), heads):
        for each in (padding, torch.where(padding, -torch.inf, 0.0)) if mask is not heads else (padding.float(),):
            call = lambda x, each, mask=mask: own(x, x, x, key_padding_mask=each, attn_mask=mask)  # noqa: E731
            for result, wanted in zip(fuser.jit(call)(x, each), call(x, each), strict=True):
                assert_close(result, wanted)


def test_what_attention_does_not_have():
    x = torch.randn(2, 7, 32)
    for options, message in (
        ({"dropout": 0.1}, "expected training=False or dropout_p=0"),
        ({"add_bias_kv": True}, "no bias_k"),
    ):
        own = torch.nn.MultiheadAttention(32, 4, **options)
        with pytest.raises(TypeError, match=message):
            fuser.jit(lambda x, own=own: own(x, x, x)[0])(x)
