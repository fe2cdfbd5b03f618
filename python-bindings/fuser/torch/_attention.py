# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as an op of PyTorch's, with a gradient, which is part of fuser's programs: products, and a softmax between them.

Where a program does not take it, it runs as PyTorch's products do.
"""

import torch

from ._ops import lowers


def _get_wide(x):
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _get_scores(query, key, mask, causal, scale):
    wide = _get_wide(query)
    scores = query.to(wide) @ key.to(wide).mT * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    if causal:
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(ahead, -torch.inf)
    return scores


def _get_weights(scores, logsumexp):
    """A row that sees nothing has weights of 0."""
    return (scores - logsumexp.masked_fill(logsumexp == -torch.inf, 0).unsqueeze(-1)).exp()


def _make_output(query, value):
    """Memory for the output, in the order that PyTorch's kernels have: that of the query, or row-major if values have another size."""
    if value.shape[-1] == query.shape[-1]:
        return torch.empty_like(query)
    return query.new_empty(*query.shape[:-1], value.shape[-1])


def _make_gradient(x):
    """Memory for a gradient, in the order that PyTorch's kernels have: heads within places."""
    batch, heads, length, size = x.shape
    return x.new_empty(batch, length, heads, size).transpose(1, 2)


# Options of both are the mask, whether it is causal, the scale.


@torch.library.custom_op(
    "fuser::attention",
    mutates_args=(),
    schema="(Tensor query, Tensor key, Tensor value, Tensor? mask, bool causal, float scale) -> (Tensor, Tensor)",
)
def _attention(query, key, value, *options):
    scores = _get_scores(query, key, *options)
    logsumexp = scores.logsumexp(-1)
    output = _get_weights(scores, logsumexp).to(value.dtype) @ value
    return _make_output(query, value).copy_(output), logsumexp


@_attention.register_fake
def _(query, key, value, *options):
    return _make_output(query, value), query.new_empty(query.shape[:-1], dtype=_get_wide(query))


@torch.library.custom_op(
    "fuser::attention_backward",
    mutates_args=(),
    schema="(Tensor gradient, Tensor query, Tensor key, Tensor value, Tensor output, Tensor logsumexp, Tensor? mask, bool causal, float scale)"
    " -> (Tensor, Tensor, Tensor)",
)
def _attention_backward(gradient, *inputs):
    query, key, value, output, logsumexp, *options = inputs
    wide, scale = _get_wide(query), options[-1]
    weights = _get_weights(_get_scores(query, key, *options), logsumexp)
    gradient, output = gradient.to(wide), output.to(wide)
    of_weights = gradient @ value.to(wide).mT
    of_scores = weights * (of_weights - (gradient * output).sum(-1, keepdim=True)) * scale
    results = of_scores @ key.to(wide), of_scores.mT @ query.to(wide), weights.mT @ gradient
    return tuple(_make_gradient(result.to(query.dtype)).copy_(result) for result in results)


@_attention_backward.register_fake
def _(gradient, query, key, value, *others):
    return tuple(_make_gradient(each) for each in (query, key, value))


def _keep(ctx, inputs, output):
    query, key, value, mask, ctx.causal, ctx.scale = inputs
    ctx.save_for_backward(query, key, value, *output, mask)


def _differentiate(ctx, gradient, _):
    *saved, mask = ctx.saved_tensors
    results = torch.ops.fuser.attention_backward(gradient, *saved, mask, ctx.causal, ctx.scale)
    return *results, None, None, None


_attention.register_autograd(_differentiate, setup_context=_keep)


def attend(query, key, value, *others, **named):
    """PyTorch's scaled_dot_product_attention; None for what the op does not have: weights that are dropped, gradients of masks, sizes that are broadcast."""
    options = dict(zip(("attn_mask", "dropout_p", "is_causal"), others, strict=False)) | named
    mask, scale = options.get("attn_mask"), options.get("scale")
    if query.dim() != 4 or options.get("dropout_p") or (mask is not None and mask.requires_grad):
        return None
    if options.get("enable_gqa") and query.shape[1] != key.shape[1]:
        key, value = (each.repeat_interleave(query.shape[1] // each.shape[1], 1) for each in (key, value))
    if not query.shape[:2] == key.shape[:2] == value.shape[:2] or not query.dtype == key.dtype == value.dtype:
        return None
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    return torch.ops.fuser.attention(query, key, value, mask, options.get("is_causal", False), scale)[0]


def _read_options(mask, causal, scale):
    return {"mask": mask, "is_causal": causal, "scale": scale}


@lowers(torch.ops.fuser.attention.default)
def _lower(g, query, key, value, *options):
    return g.builder.sdpa(query, key, value, **_read_options(*options))


@lowers(torch.ops.fuser.attention_backward.default)
def _lower_backward(g, gradient, *inputs):
    return g.builder.sdpa_backward(gradient, inputs[:3], inputs[3:5], **_read_options(*inputs[5:]))
