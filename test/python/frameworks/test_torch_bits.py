# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions by fuser.jit and by torch.compile(backend="fuser"): the same bits, as both have one meaning of each.

A function that both take is a line in a table. Some stay out, as they are others before a backend sees them: Dynamo makes of addcdiv with a number, and
PyTorch of cross_entropy and of linear of three dimensions, ops that round one after the other; and the decomposition of group_norm with weights adds in
another order.
"""

import fuser
import pytest

torch = pytest.importorskip("torch")
import fuser.torch  # noqa: E402, F401

F = torch.nn.functional
OPTIONS = {"products": "fuser", "attention": "fuser"}


def name_functions(module, names):
    return {name: getattr(module, name) for name in names.split()}


def add_number(functions, names, number):
    return {f"{name} of {number}": lambda x, y, own=functions[name]: own(x, number) for name in names.split()}


ONE = name_functions(
    torch,
    "abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad erf erfc erfinv exp exp2 expm1 floor frac isfinite isinf isnan isneginf isposinf lgamma log"
    " log10 log1p log2 logit logical_not nan_to_num neg rad2deg reciprocal relu round rsqrt sigmoid sign signbit sin sinh sqrt square tan tanh trunc",
) | name_functions(
    F,
    "celu elu gelu glu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softshrink softsign tanhshrink",
)
ONE = {name: lambda x, y, own=own: own(x) for name, own in ONE.items()} | {
    f"power of {number}": lambda x, y, number=number: (torch.pow(x, number), x**number, x.pow(number))
    for number in (0, 0.5, -0.5, 1, 2, 3, -1, -2, 1.7)
}
ONE |= {
    "gelu by tanh": lambda x, y: F.gelu(x, approximate="tanh"),
    "activations with numbers": lambda x, y: (
        *(F.elu(x, 0.3), F.celu(x, 0.3), F.leaky_relu(x, 0.3), F.softplus(x, 2.0, 10.0), F.hardtanh(x, -0.3, 0.7)),
        *(F.softshrink(x, 0.3), F.hardshrink(x, 0.3), F.threshold(x, 0.1, 0.7), F.prelu(x, y[0, 0].reshape(1))),
    ),
    "bounds": lambda x, y: (x.clamp(-0.1, 0.1), x.clamp(min=0.3), torch.clamp(x, y, y + 1), torch.logit(x, 0.1)),
    "numbers": lambda x, y: (torch.nan_to_num(x, 0.1, 0.2, 0.3), torch.round(x, decimals=1)),
}

TWO = name_functions(
    torch,
    "add atan2 copysign div eq floor_divide fmax fmin fmod ge gt heaviside hypot le logaddexp logical_and logical_or logical_xor lt maximum minimum mul ne"
    " nextafter pow remainder sub true_divide xlogy",
)
TWO |= add_number(TWO, "add sub mul div floor_divide fmod remainder pow eq lt ge", 0.1)
TWO |= add_number(TWO, "add sub mul div floor_divide fmod remainder", 2)
TWO |= {
    f"{name} of {kind}": lambda x, y, own=TWO[name], part=part: own(x, part(y))
    for name in "add sub mul div fmod remainder pow".split()
    for kind, part in {
        "a row": lambda y: y[0],
        "an element": lambda y: y[0, 0],
        "a wide element": lambda y: y[0, 0].float() * 0.1,
    }.items()
}
TWO |= {
    "operators": lambda x, y: (x + 0.1, 0.1 - x, x * 0.1, x / 0.1, 0.1 / x, 1 / x, x % 0.1, x // 0.1, 1.7**y),
    "alpha": lambda x, y: (
        *(torch.add(x, y, alpha=0.3), torch.sub(x, y, alpha=0.3), torch.rsub(x, y, alpha=0.3)),
        *(torch.rsub(x, 0.3), torch.add(x, 0.7, alpha=0.3), torch.rsub(x, y)),
    ),
    "whole quotients": lambda x, y: tuple(
        torch.div(x, divisor, rounding_mode=mode) for divisor in (y, y[0, 0], 0.37) for mode in ("floor", "trunc")
    ),
    "sums of products": lambda x, y: (
        torch.addcmul(x, y, y, value=0.3),
        torch.addcmul(x, y, y),
        torch.addcdiv(x, y, y.abs() + 1),
    ),
    "lerp": lambda x, y: (torch.lerp(x, y, 0.3), torch.lerp(x, y, 0.7), torch.lerp(x, y, y)),
    "choices": lambda x, y: (
        *(torch.where(x > 0, x, y), torch.where(x > 0, x, 0.1), torch.where(x > 0, 0.1, 0.2)),
        *(x.masked_fill(y > 0, 0.1), torch.isclose(x, y, 0.1, 0.1)),
    ),
}

ROWS = {
    f"{name} of {kind}": lambda x, y, name=name, options=options: getattr(torch, name)(x, **options)
    for name in "sum mean prod var std argmax argmin nansum nanmean".split()
    for kind, options in {"all": {}, "rows": {"dim": -1}, "columns": {"dim": 0, "keepdim": True}}.items()
}
ROWS |= {
    "of no dimension": lambda x, y: tuple(
        getattr(torch, name)(x, dim=()) for name in "sum mean amax amin var all any".split()
    ),
    "of one element": lambda x, y: tuple(getattr(torch, name)(x[0, 0], 0) for name in "sum amax all any".split()),
    "extremes": lambda x, y: (
        *(torch.amax(x, (0, 1)), torch.amin(x, 1), torch.max(x), torch.min(x), *torch.max(x, 1)),
        *(*torch.min(x, 0, keepdim=True), *torch.aminmax(x, dim=1), torch.all(x > 0, dim=1), torch.any(x)),
    ),
    "other types": lambda x, y: (
        torch.sum(x, 1, dtype=torch.float32),
        torch.mean(x, 1, dtype=torch.float32),
        torch.cumsum(x, 0, dtype=torch.float32),
        torch.cumsum(x > 0, 1),
        torch.count_nonzero(x, 1),
    ),
    "deviations": lambda x, y: (
        *(torch.var(x, 1, correction=0), torch.var(x, 1, correction=0.5), *torch.var_mean(x, 1)),
        *torch.std_mean(x, 0),
    ),
    "norms": lambda x, y: (
        *(torch.linalg.vector_norm(x, order, 1) for order in (0, 1, 2, 3, float("inf"))),
        *(torch.norm(x), torch.norm(x, dim=1), F.normalize(x, dim=1), F.cosine_similarity(x, y, dim=1)),
        F.pairwise_distance(x, y),
    ),
    "softmax": lambda x, y: (
        *(F.softmax(x, -1), F.softmax(x, 0), F.softmax(x, 1, dtype=torch.float32), F.softmin(x, 1)),
        *(F.log_softmax(x, 1), torch.logsumexp(x, 1), torch.logsumexp(x, (0, 1))),
    ),
    "normalizations": lambda x, y: (
        *(F.layer_norm(x, (16,)), F.layer_norm(x, (16,), y[0], y[1]), F.layer_norm(x, (8, 16), y, y)),
        *(F.rms_norm(x, (16,)), F.rms_norm(x, (16,), y[0], 1e-5), F.group_norm(x, 4)),
        *(F.batch_norm(x, y[0], y[1].abs(), y[2], y[3]), F.batch_norm(x, None, None, y[0], y[1], training=True)),
    ),
    "scans": lambda x, y: (torch.cumsum(x, 1), torch.cumprod(1 + x / 9, 0)),
}

LOSSES = {
    f"{name} {reduction}": lambda x, y, name=name, reduction=reduction: getattr(F, name)(x, y, reduction=reduction)
    for name in "mse_loss l1_loss huber_loss smooth_l1_loss".split()
    for reduction in ("mean", "sum", "none")
}
for each in ("mean", "sum", "none"):
    LOSSES |= {
        f"cross entropies {each}": lambda x, y, each=each: (
            F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y), reduction=each),
            F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y), y.abs(), reduction=each),
            F.binary_cross_entropy_with_logits(x, torch.sigmoid(y), reduction=each),
            F.binary_cross_entropy_with_logits(x, torch.sigmoid(y), y.abs(), reduction=each, pos_weight=y[0].abs()),
        ),
        f"nll_loss {each}": lambda x, y, each=each: (
            F.nll_loss(x, torch.argmax(y, 1), reduction=each),
            F.nll_loss(x, torch.argmax(y, 1), y[0].abs(), reduction=each, ignore_index=3),
        ),
        f"kl_div {each}": lambda x, y, each=each: (
            F.kl_div(x, torch.softmax(y, 1), reduction=each.replace("mean", "batchmean")),
            F.kl_div(x, torch.log_softmax(y, 1), reduction=each.replace("mean", "batchmean"), log_target=True),
        ),
    }

PLACES = {
    "sorts": lambda x, y: (
        *(*torch.sort(x, 1), *torch.sort(x, dim=0, descending=True), torch.argsort(x, 1)),
        *(*torch.topk(x, 3, 1), *torch.topk(x, 3, 0, largest=False)),
    ),
    "moves": lambda x, y: (
        *(torch.flip(x, (0, 1)), torch.roll(x, 2), torch.roll(x, (1, 2), (0, -1)), torch.tril(x, 1), torch.triu(x, -1)),
        *(torch.cat([x, y], -1), torch.stack([x, y], 1), torch.repeat_interleave(x, 2, 1), torch.diag_embed(x)),
        *(F.pad(x, (1, 0, 2, -1), value=0.1), F.pad(x[None], (2, 1), mode="reflect"), torch.diff(x, dim=1)),
    ),
    "shapes": lambda x, y: tuple(
        each * 2
        for each in (
            *(
                torch.transpose(x, 0, 1),
                torch.permute(x, (1, 0)),
                torch.t(x),
                torch.squeeze(x[None]),
                torch.squeeze(x, 0),
            ),
            *(torch.unsqueeze(x, -1), torch.narrow(x, 1, 2, 3), torch.select(x, 1, -2), *torch.chunk(x, 3, 1)),
            *torch.split(x, [2, 14], 1),
        )
    ),
    "reads": lambda x, y: (
        *(torch.gather(x, 1, torch.argsort(y, 1)), torch.index_select(x, 0, torch.argmax(y, 1) % 8)),
        *(
            torch.take_along_dim(x, torch.argsort(y, 1), 1),
            F.embedding(torch.argmax(y, 1) % 8, x),
            x[torch.argmax(y, 1) % 8],
        ),
    ),
    "writes": lambda x, y: (
        *(torch.scatter(x, 1, torch.argsort(y, 1), y), torch.scatter(x, 1, torch.argsort(y, 1)[:, :1], 0.1)),
        *(torch.scatter_add(x, 1, torch.argsort(y, 1)[:, :1], y[:, :1]),),
        *(
            torch.scatter_reduce(x, 1, torch.argsort(y, 1) // 2, y, reduce)
            for reduce in ("sum", "prod", "amax", "amin")
        ),
    ),
    "writes of rows": lambda x, y: (
        *(
            torch.index_add(x, 0, torch.argmax(y, 1) % 8, y),
            torch.index_add(x, 0, torch.argmax(y, 1) % 8, y, alpha=0.3),
        ),
        *(torch.index_copy(x, 0, torch.argsort(y, 0)[:, 0], y), torch.index_put(x, (torch.argmax(y, 1) % 8,), y)),
    ),
}

PRODUCTS = {
    "matrices": lambda x, y: (torch.mm(x, y.T), torch.bmm(x[None], y.T[None]), x @ y.T, F.linear(x, y, y[:, 0])),
    "sums with matrices": lambda x, y: (
        *(torch.addmm(x[:, :8], x, y.T), torch.addmm(x[:, :8], x, y.T, beta=0.7, alpha=0.3)),
        *(torch.addmm(x[:, :8], x, y.T, beta=0), torch.baddbmm(x[None, :, :8], x[None], y.T[None], beta=0.5)),
    ),
    "vectors": lambda x, y: (torch.dot(x[0], y[0]), torch.vdot(x[0], y[0]), torch.outer(x[0], y[1])),
    "attention": lambda x, y: tuple(
        F.scaled_dot_product_attention(*(each[None, None] for each in (x, y, y)), **options)
        for options in ({}, {"is_causal": True, "scale": 0.5}, {"attn_mask": x[:, :8] > 0}, {"attn_mask": x[:, :8] * 1})
    ),
}

FAMILIES = {"one": ONE, "two": TWO, "rows": ROWS, "losses": LOSSES, "places": PLACES, "products": PRODUCTS}
#: In the first elements of what functions of single elements get.
EDGES = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-6, 1.0, -1.0, 30.0, -40.0]


def flatten(result):
    return [leaf for each in result for leaf in flatten(each)] if isinstance(result, tuple) else [result]


def have_same_bits(first, second):
    """Whether all elements are the same, signs of zeros too; NaN is one element."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    if not first.dtype.is_floating_point:
        return torch.equal(first, second)
    is_same = (first == second) & (first.signbit() == second.signbit())
    return bool((is_same | (first.isnan() & second.isnan())).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_both_have_one_meaning(family, dtype, said):
    functions = FAMILIES[family]
    x, y = (torch.randn(8, 16).to(dtype) for _ in range(2))
    if family in ("one", "two"):
        x[0, : len(EDGES)] = torch.tensor(EDGES)

    def call(x, y):
        return tuple(function(x, y) for function in functions.values())

    traced, compiled = (
        fuser.jit(call)(x, y),
        torch.compile(call, backend="fuser", fullgraph=True, options=OPTIONS)(x, y),
    )
    assert said() == []
    different = [
        f"{name}, result {number}"
        for name, *results in zip(functions, traced, compiled, strict=True)
        for number, pair in enumerate(zip(*map(flatten, results), strict=True))
        if not have_same_bits(*pair)
    ]
    assert different == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_formula_is_rounded_where_pytorch_rounds(dtype):
    """PyTorch's name is its kernels, one after the other, and a builder's rounds once: of halves one formula cannot be both."""
    x = torch.randn(64, 100).to(dtype)
    by_name, at_once = fuser.jit(lambda x: (F.softsign(x), fuser.numpy.softsign(x)))(x)
    assert have_same_bits(by_name, F.softsign(x)) and not have_same_bits(at_once, by_name)
    assert have_same_bits(at_once, F.softsign(x.double()).to(dtype))


def run_both(function, *args):
    return fuser.jit(function)(*args), torch.compile(function, backend="fuser", options=OPTIONS)(*args)


OF_INTEGERS = {
    "logit": lambda x: (torch.logit(x), torch.logit(x, 0.1)),
    "activations": lambda x: (F.softsign(x * 1.0), torch.sigmoid(x), torch.erf(x), torch.rsqrt(x)),
    "powers": lambda x: (x**2, x**3, torch.pow(x, 0.5), torch.pow(x, -0.5)),
    "arithmetic": lambda x: (x / 3, 3 / (x + 10), x * 0.1, torch.div(x, 0.3, rounding_mode="trunc")),
    "sums": lambda x: (x.sum(), x.float().mean(), torch.dot(x, x)),
    "bytes": lambda x: (torch.any(x.to(torch.uint8)), torch.all(x.to(torch.uint8), 0)),
    "one number": lambda x: (torch.sum(x.sum(), 0), torch.sum(x.sum(), (-1,)), torch.amax(x.sum(), ())),
}


@pytest.mark.parametrize("function", OF_INTEGERS.values(), ids=OF_INTEGERS)
def test_integers_are_what_they_are_in_pytorch(function):
    x = torch.tensor([0, 1, 2, -1, 7])
    for results in run_both(function, x):
        torch.testing.assert_close(results, function(x), equal_nan=True)


def test_flags_are_what_they_are_in_pytorch():
    x = torch.tensor([True, False])
    for result in run_both(torch.logit, x):
        torch.testing.assert_close(result, torch.logit(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "number", [torch.tensor(70001), torch.tensor(0.1), torch.tensor(1e6, dtype=torch.bfloat16)], ids=str
)
def test_products_with_tensors_of_one_number(dtype, number):
    """They are in the range of the result where the number, in its type, is not."""
    for factor in (1e-4, 1e4):
        x = torch.randn(300).to(dtype) * factor
        for results in run_both(lambda x, y: (x * y, x / y), x, number):
            for result, expected in zip(results, (x * number, x / number), strict=True):
                assert result.dtype == expected.dtype and have_same_bits(result, expected)


@pytest.mark.parametrize("dim", [1, -2, (0, 1)])
def test_a_tensor_without_dimensions_has_no_second(dim):
    with pytest.raises(fuser.Error, match="expected no dimension of a tensor that has none"):
        fuser.jit(lambda x: torch.sum(x, dim))(torch.tensor(1.0))
