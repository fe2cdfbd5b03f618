# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of ops on lists of tensors, of which optimizers are made: an op for each element, so that they fuse."""

import torch

_aten = torch.ops.aten


def _pick(argument, number):
    return argument[number] if isinstance(argument, (list, tuple)) else argument


def _unroll(function):
    """`function`, an op on tensors, for each element of the lists among the arguments."""

    def unrolled(*args, **kwargs):
        lengths = {len(each) for each in (*args, *kwargs.values()) if isinstance(each, (list, tuple))}
        return [
            function(
                *(_pick(each, number) for each in args), **{name: _pick(each, number) for name, each in kwargs.items()}
            )
            for number in range(max(lengths, default=0))
        ]

    return unrolled


def _norm(x, ord=2, dtype=None):
    return torch.linalg.vector_norm(x, ord, dtype=dtype)


def _addcmul(x, first, second, value=1):
    return _aten.addcmul(x, first, second, value=value)


def _addcdiv(x, first, second, value=1):
    return _aten.addcdiv(x, first, second, value=value)


_FUNCTIONS = {"norm": _norm, "addcmul": _addcmul, "addcdiv": _addcdiv}
#: Their numbers are a tensor.
_LEFT = {("addcmul", "Tensor"), ("addcdiv", "Tensor")}
_NAMES = """
    abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min copy cos cosh div erf erfc exp expm1 floor frac lerp log log10 log1p
    log2 maximum minimum mul neg norm pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan tanh trunc
""".split()


def get_decompositions():
    """A function for each op on lists that this PyTorch has; graphs of torch.compile have no ops that write in place."""
    table = {}
    for name in _NAMES:
        packet = getattr(_aten, f"_foreach_{name}", None)
        function = _FUNCTIONS.get(name) or getattr(_aten, name)
        for overload in packet.overloads() if packet else ():
            if not overload.endswith("out") and (name, overload) not in _LEFT:
                table[getattr(packet, overload)] = _unroll(function)
    return table
