# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's random numbers, by fuser's generator, which are others than PyTorch's: of a seed that each run of a program draws from PyTorch's generator."""

import torch

from ._ops import lowers, require

_aten = torch.ops.aten


def draw_seed():
    """A seed for one run of a program: from the generator of the CPU, so that torch.manual_seed says which ones follow."""
    return torch.randint(2**63 - 1, ()).item()


def _get_type(g):
    require(
        g.result.dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16), "random numbers are floats"
    )
    return g.result.dtype


def _draw(g, kind, dtype):
    shape = [g.get_size(size) for size in g.result.shape]
    return getattr(g.builder, kind)(shape, g.seed, g.take_offset(), dtype)


@lowers(_aten.native_dropout.default)
def _dropout(g, x, rate, train):
    if train is False:
        return x, g.builder.full([g.get_size(size) for size in g.result[0].shape], True, "bool")
    return g.builder.dropout(x, float(rate), g.seed, g.take_offset())


@lowers(_aten.rand.default)
def _rand(g, size, **kwargs):
    return _draw(g, "uniform", _get_type(g))


@lowers(_aten.rand_like.default)
def _rand_like(g, x, **kwargs):
    return _draw(g, "uniform", _get_type(g))


@lowers(_aten.randn.default)
def _randn(g, size, **kwargs):
    return _draw(g, "normal", _get_type(g))


@lowers(_aten.randn_like.default)
def _randn_like(g, x, **kwargs):
    return _draw(g, "normal", _get_type(g))


@lowers(_aten.bernoulli.default)
def _bernoulli(g, x, *, generator=None):
    require(generator is None, "a generator of its own")
    wide = torch.float64 if g.operand(0).dtype == torch.float64 else torch.float32
    return _draw(g, "uniform", wide) < x


@lowers(_aten.bernoulli.p)
def _bernoulli_of(g, x, p=0.5, *, generator=None):
    require(generator is None, "a generator of its own")
    return _draw(g, "uniform", torch.float32) < p
