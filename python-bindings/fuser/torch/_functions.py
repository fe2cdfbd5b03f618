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


def _take_end(x, dim, length, is_first, mode):
    """What a pad adds: elements of the other end, or that of its own end again."""
    if mode == "circular":
        return x.narrow(dim, x.shape[dim] - length if is_first else 0, length)
    sizes = [-1] * x.dim()
    sizes[dim] = length
    return x.narrow(dim, 0 if is_first else x.shape[dim] - 1, 1).expand(sizes)


def _pad(x, widths, mode):
    """Each dimension with more at both ends; a negative number takes elements away, before others are added."""
    for place in range(len(widths) // 2):
        dim = x.dim() - 1 - place
        before, behind = widths[2 * place : 2 * place + 2]
        if before < 0 or behind < 0:
            first = max(-before, 0)
            x = x.narrow(dim, first, x.shape[dim] - first - max(-behind, 0))
        ends = [x]
        if before > 0:
            ends.insert(0, _take_end(x, dim, before, True, mode))
        if behind > 0:
            ends.append(_take_end(x, dim, behind, False, mode))
        x = torch.cat(ends, dim) if len(ends) > 1 else x
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
        if mode not in ("circular", "replicate"):
            return function(input, pad, mode, value)
        result = _pad(input, pad, mode)
        return result.clone() if result is input else result
