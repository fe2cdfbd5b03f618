# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are made of others before PyTorch traces them: pads that go round or repeat the ends, and attention if the options say so.

PyTorch's own forms are a chain of writes into memory, a gradient that is one op, and a kernel of a library that takes no part in a program.
"""

import types

import torch
from torch.overrides import TorchFunctionMode

from ._attention import attend

_functional = torch.nn.functional


def _go_round(x, dim, before, behind):
    """The pieces of a pad that goes round: what it adds are elements of the other end, after others are taken away."""
    first = max(-before, 0)
    x = x.narrow(dim, first, x.shape[dim] - first - max(-behind, 0))
    size = x.shape[dim]
    return x.narrow(dim, size - max(before, 0), max(before, 0)), x, x.narrow(dim, 0, max(behind, 0))


def _repeat_ends(x, dim, before, behind):
    """The pieces of a pad that repeats the ends: those of all of x, also where a negative number takes away all of it."""
    size = x.shape[dim]
    # What one end takes away can be more than x has.
    first = before if behind >= 0 else min(before, size + before + behind)
    last = behind if before >= 0 else min(behind, size + before + behind)
    first, last = max(first, 0), max(last, 0)
    sizes = [-1] * x.dim()

    def repeat(place, count):
        sizes[dim] = count
        return x.narrow(dim, place, 1).expand(sizes)

    kept = size + before + behind - first - last
    return repeat(0, first), x.narrow(dim, max(-before, 0) if kept else 0, kept), repeat(size - 1, last)


_PADS = {"circular": _go_round, "replicate": _repeat_ends}


def _pad(x, widths, mode):
    """Each dimension with more or less at both ends."""
    for place in range(len(widths) // 2):
        dim = x.dim() - 1 - place
        before, behind = widths[2 * place : 2 * place + 2]
        if before == 0 and behind == 0:
            continue
        pieces = _PADS[mode](x, dim, before, behind)
        # What is kept stays, whatever its length.
        pieces = [piece for piece, width in zip(pieces, (before, 1, behind), strict=True) if width > 0]
        x = torch.cat(pieces, dim)
    return x


def _attend(*args, **kwargs):
    result = attend(*args, **kwargs)
    return _functional.scaled_dot_product_attention(*args, **kwargs) if result is None else result


#: PyTorch's function, which PyTorch calls as a whole, with this attention in it.
_attend_with_heads = types.FunctionType(
    _functional.multi_head_attention_forward.__code__,
    vars(_functional) | {"scaled_dot_product_attention": _attend},
    argdefs=_functional.multi_head_attention_forward.__defaults__,
)


_WITH_ATTENTION = {
    _functional.scaled_dot_product_attention: _attend,
    _functional.multi_head_attention_forward: _attend_with_heads,
}


class Rewriting(TorchFunctionMode):
    """While PyTorch traces a graph, other functions in place of some of its own. options: a fuser.torch._check.Options."""

    def __init__(self, options):
        super().__init__()
        self._options = options

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is torch._C._nn.pad:
            return self._pad(function, *args, **kwargs)
        if self._options.attention == "fuser":
            function = _WITH_ATTENTION.get(function, function)
        return function(*args, **kwargs)

    def _pad(self, function, input, pad, mode="constant", value=None):
        if mode not in _PADS:
            return function(input, pad, mode, value)
        result = _pad(input, pad, mode)
        return result.clone() if result is input else result
