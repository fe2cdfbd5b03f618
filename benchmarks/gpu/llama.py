# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of Llama as a module of PyTorch, for the benchmark of torch.compile and its test."""

import torch

F = torch.nn.functional


class Block(torch.nn.Module):
    """A block of Llama 3, with another base of its angles or another function for its attention."""

    def __init__(self, width, heads, inner, base=500000, attend=F.scaled_dot_product_attention):
        super().__init__()
        self.heads, self.base, self.attend = heads, base, attend
        for name in ("q", "k", "v", "o"):
            setattr(self, name, torch.nn.Linear(width, width, bias=False))
        self.gate, self.up = (torch.nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(inner, width, bias=False)
        self.first, self.second = torch.nn.RMSNorm(width), torch.nn.RMSNorm(width)

    def rotate(self, x):
        n, d = x.shape[-2:]
        angles = torch.arange(n, device=x.device)[:, None] / self.base ** (torch.arange(0, d, 2, device=x.device) / d)
        cos, sin = (torch.cat([each, each], -1).to(x.dtype) for each in (angles.cos(), angles.sin()))
        return x * cos + torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1) * sin

    def forward(self, x):
        b, n, c = x.shape
        y = self.first(x)
        q, k, v = (each(y).view(b, n, self.heads, -1).transpose(1, 2) for each in (self.q, self.k, self.v))
        y = self.attend(self.rotate(q), self.rotate(k), v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, n, c))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))
