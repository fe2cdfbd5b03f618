# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of peers.mlir in PyTorch, with the same roundings.

`wide` is the type in which each computes: f32 where it is timed, f64 where it is what results are compared with.
"""

import torch
import torch.nn.functional as F

BF16 = torch.bfloat16
K0, K1 = 0.79788456, 0.044715
"""Of the tanh form of GELU."""


def copy(x, wide):
    return -x


def silu_mul(x, y, wide):
    return F.silu(x.to(wide)).to(BF16) * y


def bias_gelu(x, b, wide):
    return F.gelu((x + b).to(wide), approximate="tanh").to(BF16)


def gelu_bwd_reduction(x, g, b, wide):
    h = (x + b).to(wide)
    t = torch.tanh(K0 * (h + K1 * h * h * h))
    d = 0.5 * (t + 1) + 0.5 * h * (1 - t * t) * K0 * (1 + 3 * K1 * h * h)
    dx = g.to(wide) * d
    return dx.to(BF16), dx.sum(0).to(BF16)


def softmax(x, wide):
    return torch.softmax(x.to(wide), -1).to(BF16)


def cross_entropy(x, target, wide):
    h = x.to(wide)
    return (torch.logsumexp(h, -1, keepdim=True) - h.gather(1, target)).mean().float()


def normalize(h, w):
    return (h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6) * w.to(h.dtype)).to(BF16)


def rmsnorm(x, w, wide):
    return normalize(x.to(wide), w)


def rmsnorm_add(x, y, w, wide):
    s = x + y
    return normalize(s.to(wide), w), s


def rmsnorm_bwd(x, g, w, r, wide):
    h, gf, r = x.to(wide), g.to(wide), r.to(wide)
    wg = gf * w.to(wide)
    dx = r * (wg - h * (r * r) * (wg * h).mean(-1, keepdim=True))
    return dx.to(BF16), (gf * h * r).sum(0).to(BF16)


def layernorm(x, w, b, wide):
    h = x.to(wide)
    v, a = torch.var_mean(h, -1, unbiased=False, keepdim=True)
    return ((h - a) * torch.rsqrt(v + 1e-5) * w.to(wide) + b.to(wide)).to(BF16)


def layernorm_bwd(x, g, w, a, r, wide):
    gf, r = g.to(wide), r.to(wide)
    y = (x.to(wide) - a.to(wide)) * r
    wg = gf * w.to(wide)
    dx = (wg - wg.mean(-1, keepdim=True) - y * (wg * y).mean(-1, keepdim=True)) * r
    return dx.to(BF16), (gf * y).sum(0).to(BF16), gf.sum(0).to(BF16)


def sum_inner(x, wide):
    return x.to(wide).sum(-1).float()


def sum_outer(x, wide):
    return x.to(wide).sum(0).float()


def sum_all(x, wide):
    return x.to(wide).sum().float()


def moments(x, wide):
    h = x.to(wide)
    return h.mean(-1, keepdim=True).float(), h.square().mean(-1, keepdim=True).float()


def transpose(x, wide):
    return x.t().relu().contiguous()


def transpose_add(x, y, wide):
    return x.t() + y


def rope_llama3(q, c, s, wide):
    p = q.transpose(1, 2).to(wide)
    half = p.shape[-1] // 2
    rotated = torch.cat((-p[..., half:], p[..., :half]), -1)
    return (p * c.to(wide) + rotated * s.to(wide)).to(BF16)


def batchnorm_train_nhwc(x, w, b, wide):
    h = x.to(wide)
    v, a = torch.var_mean(h, 0, unbiased=False)
    return F.relu((h - a) * torch.rsqrt(v + 1e-5) * w.to(wide) + b.to(wide)).to(BF16)


def gelu(x, wide):
    return F.gelu(x.to(wide)).to(x.dtype)


def gelu_bwd(g, x, wide):
    return torch.ops.aten.gelu_backward(g.to(wide), x.to(wide)).to(x.dtype)


def mish(x, wide):
    return F.mish(x.to(wide)).to(x.dtype)


def logsigmoid(x, wide):
    return F.logsigmoid(x.to(wide)).to(x.dtype)


def elu(x, wide):
    return F.elu(x.to(wide)).to(x.dtype)


def sincos(x, wide):
    return x.to(wide).sin().to(x.dtype) * x.to(wide).cos().to(x.dtype)


def cumsum(x, wide, dim=1):
    # PyTorch accumulates bf16 in f32.
    return torch.cumsum(x.to(wide), dim).to(x.dtype) if wide == torch.float64 else torch.cumsum(x, dim)


def cumsum_outer(x, wide):
    return cumsum(x, wide, dim=0)


def sort(x, wide):
    return tuple(torch.sort(x, dim=1, stable=True))


def topk(x, wide):
    return tuple(torch.topk(x, 8, dim=1))


def embedding(t, i, wide):
    return F.embedding(i, t)


def index_select(t, i, wide):
    return t.index_select(0, i)


def index_add(t, i, g, wide):
    return t.to(wide).index_add(0, i, g.to(wide)).float()


def random_bits(numbers, seed=1):
    """The words of Philox4x32-10 with the key `seed` and the offset 0 that the elements of these numbers have."""
    counter, low = numbers // 4, 0xFFFFFFFF
    a, b, c, d = torch.zeros_like(counter), torch.zeros_like(counter), counter & low, counter >> 32
    keys = [seed & low, seed >> 32]
    for _ in range(10):
        # A product of two words has 64 bits: the sign does not matter to the lower one, and is masked in the higher one.
        x, y = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (y >> 32) & low ^ b ^ keys[0], y & low, (x >> 32) & low ^ d ^ keys[1], x & low
        keys = [(keys[0] + 0x9E3779B9) & low, (keys[1] + 0xBB67AE85) & low]
    return torch.stack((a, b, c, d)).gather(0, (numbers % 4)[None])[0]


def dropout_layernorm(x, w, b, wide):
    if wide == torch.float64:
        numbers = torch.arange(x.numel(), device=x.device).view(x.shape)
        kept = (random_bits(numbers) >> 8) * 2.0**-24 < 0.9
        return layernorm(torch.where(kept, x.to(wide) / 0.9, 0.0), w, b, wide)
    return layernorm(F.dropout(x, 0.1), w, b, wide)
