# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the fusion dialect as functions of PyTorch: what test_torch_peers.py compares with.

Operands are float64, int64, bool and complex128, whatever elements a program has. A function gives a tensor, or a Sum with its error; None where PyTorch has
no result. An op that is added is a line in a table, a function at the end, or a reason in NO_PEER.
"""

import ast
import math
from typing import NamedTuple

import torch

F = torch.nn.functional
#: Half a unit of what kernels compute in.
HALF_UNITS = {24: 2.0**-24, 53: 2.0**-53}
#: Ops of the records without an equivalent, and why.
NO_PEER = {
    "composite": "a name for other ops: test_composites.py and test_op_samples.py compare each name",
    "random_bits": "PyTorch's numbers depend on the launch grid of its kernels; test/Reference has Philox by NumPy",
    "uniform": "as random_bits",
    "segment": "says what becomes a kernel, and computes nothing",
    "yield": "ends a region",
    "shru": "PyTorch shifts signed integers with copies of the sign, and has no shifts of unsigned ones but uint8",
}
#: The types that PyTorch cannot compute with or convert, and ops that it has of some types only.
NO_ELEMENTS = {"f4E2M1FN": "float4_e2m1fn_x2 has no conversions"}
NEXT_AFTER = ("f64", "f32", "bf16")


class Sum(NamedTuple):
    """A value, and the number of half units of `magnitudes` by which it may be off; of f64, beside that, those of PyTorch."""

    value: torch.Tensor
    magnitudes: torch.Tensor
    half_units: float
    own: float = 0

    def get_error(self, digits):
        # Of f64 all is twice as much (docs/rationale/check-tolerance.md).
        count = self.half_units if digits == 24 else 2 * self.half_units + self.own
        return count * HALF_UNITS[digits] * self.magnitudes


class Peer(NamedTuple):
    """A function, and by how many units in the last place results in f32, in f64 and of complex numbers are off."""

    function: object
    f32: float = 0
    f64: float = 0
    complex: float = 16


def of_type(of_floats, of_integers):
    return lambda a, b: of_integers(a, b) if a.dtype == torch.int64 else of_floats(a, b)


def divide(function, of_zero):
    """PyTorch fails where an integer is divided by 0: the spec says what is there."""

    def divided(a, b):
        return torch.where(b == 0, of_zero(a), function(a, torch.where(b == 0, 1, b)))

    return of_type(function, divided)


def get_quotient(a, b):
    return torch.div(a, b, rounding_mode="trunc" if a.dtype == torch.int64 else None)


#: One operand or several of one shape; results are rounded once. A complex product, quotient and root are not (docs/rationale/complex.md).
ROUNDED = {
    "add": Peer(torch.add, complex=1),
    "sub": Peer(torch.sub, complex=1),
    "mul": Peer(torch.mul, complex=8),
    "div": Peer(divide(get_quotient, torch.zeros_like)),
    "max": Peer(torch.maximum),
    "min": Peer(torch.minimum),
    "neg": Peer(torch.neg, complex=0),
    "abs": Peer(torch.abs),
    "sqrt": Peer(torch.sqrt),
    "fmax": Peer(torch.fmax),
    "fmin": Peer(torch.fmin),
    "fmod": Peer(divide(torch.fmod, lambda a: a)),
    "remainder": Peer(divide(torch.remainder, lambda a: a)),
    "floor_div": Peer(divide(torch.floor_divide, torch.zeros_like)),
    "gcd": Peer(torch.gcd),
    "and": Peer(torch.bitwise_and),
    "or": Peer(torch.bitwise_or),
    "xor": Peer(torch.bitwise_xor),
    "shl": Peer(torch.bitwise_left_shift),
    "shr": Peer(torch.bitwise_right_shift),
    "not": Peer(torch.bitwise_not),
    "ceil": Peer(torch.ceil),
    "floor": Peer(torch.floor),
    "trunc": Peer(torch.trunc),
    "round": Peer(torch.round),
    "sign": Peer(torch.sign),
    "isnan": Peer(torch.isnan),
    "isinf": Peer(torch.isinf),
    "isfinite": Peer(torch.isfinite),
    "where": Peer(torch.where, complex=0),
    "set": Peer(torch.clone, complex=0),
    "segment_set": Peer(torch.clone, complex=0),
    "complex": Peer(torch.complex, complex=0),
    "real": Peer(torch.real),
    "imag": Peer(torch.imag),
    "conj": Peer(torch.conj_physical, complex=0),
}
#: Functions, off by as much as docs/spec/fusion.md says; of f64, for which it says nothing of the first ones, docs/rationale/check-tolerance.md.
FUNCTIONS = {
    "exp": Peer(torch.exp, 1, 8),
    "log": Peer(torch.log, 1, 8),
    "rsqrt": Peer(torch.rsqrt, 1.5, 8),
    "tanh": Peer(torch.tanh, 1.5, 8),
    "sigmoid": Peer(torch.sigmoid, 1.75, 8),
    "silu": Peer(lambda x: x * torch.sigmoid(x), 1.75, 8),
    "exp2": Peer(torch.exp2, 0.6, 4),
    "expm1": Peer(torch.expm1, 1.5, 4),
    "log2": Peer(torch.log2, 0.6, 4),
    "log10": Peer(torch.log10, 0.6, 4),
    "log1p": Peer(torch.log1p, 0.95, 4),
    "sin": Peer(torch.sin, 1.5, 4),
    "cos": Peer(torch.cos, 1.5, 4),
    "tan": Peer(torch.tan, 0.6, 4),
    "asin": Peer(torch.asin, 0.6, 4),
    "acos": Peer(torch.acos, 0.6, 4),
    "atan": Peer(torch.atan, 0.6, 4),
    "sinh": Peer(torch.sinh, 0.6, 4),
    "cosh": Peer(torch.cosh, 0.6, 4),
    "asinh": Peer(torch.asinh, 0.6, 4),
    "acosh": Peer(torch.acosh, 0.6, 4),
    "atanh": Peer(torch.atanh, 0.6, 4),
    "erf": Peer(torch.erf, 0.95, 4),
    "erfc": Peer(torch.erfc, 0.6, 4),
    "lgamma": Peer(torch.lgamma, 0.6, 4),
    "atan2": Peer(torch.atan2, 0.6, 4),
    "pow": Peer(torch.pow, 0.6, 4),
    "modulus": Peer(torch.abs, 8, 8),
    "angle": Peer(torch.angle, 0.6, 4),
}
#: Functions of the line, which has the options, and of its operands.
OPTIONS = {}


def peer(*names):
    def register(function):
        for name in names:
            OPTIONS[name] = Peer(function, complex=0)
        return function

    return register


# Elements


@peer("cmp")
def compare(line, a, b):
    return getattr(torch, line.word)(a, b)


@peer("nextafter")
def get_next(line, a, b):
    return torch.nextafter(*line.operands) if line.type.element in NEXT_AFTER else None


@peer("cast")
def cast(line, x):
    element = line.type.element
    if element == "i1":
        return x != 0
    if element.startswith("complex"):
        return x.to(torch.complex128)
    if element[0] not in "iu":
        return x.double()
    if x.dtype != torch.float64:
        return x.long()
    # PyTorch leaves open what is beyond the range.
    low, high = line.type.range
    return x.trunc().clamp(low, high).long()


@peer("bitcast")
def bitcast(line, x):
    return line.operands[0].view(line.type.dtype)


# Index maps


@peer("broadcast")
def broadcast(line, x):
    for dim in line["dims"]:
        x = x.unsqueeze(dim)
    return x


@peer("broadcast_in_dim")
def broadcast_in_dim(line, x):
    sizes = [1] * len(line.type.sizes)
    for dim, size in zip(line["dims"], x.shape, strict=True):
        sizes[dim] = size
    return x.reshape(sizes).expand(line.type.sizes)


@peer("expand")
def expand(line, x):
    return x.expand(line.type.sizes)


@peer("permute")
def permute(line, x):
    return x.permute(line[""])


@peer("reshape")
def reshape(line, x):
    return x.reshape(line.type.sizes)


@peer("slice")
def slice_of(line, x):
    parts = zip(line["offsets"], line["sizes"], line["steps"], strict=True)
    return x[tuple(slice(offset, offset + size * step, step) for offset, size, step in parts)]


@peer("cat")
def cat(line, *inputs):
    return torch.cat(inputs, line["dim"][0])


@peer("pad")
def pad(line, x):
    if line.word == "constant":
        sides = zip(reversed(line["low"]), reversed(line["high"]), strict=True)
        return F.pad(x, [number for side in sides for number in side])
    for dim, (low, high) in enumerate(zip(line["low"], line["high"], strict=True)):
        if low or high:
            positions = torch.arange(x.shape[dim], dtype=torch.float64)[None]
            x = x.index_select(dim, F.pad(positions, [low, high], line.word)[0].long())
    return x


# Gathers and scatters: an element is added behind the last one, for indices that PyTorch refuses


def extend(line, x):
    dim = line["dim"][0]
    sizes = [1 if d == dim else size for d, size in enumerate(x.shape)]
    least = line.type.range[0] if x.dtype == torch.int64 else 0 if x.dtype == torch.bool else math.nan
    if x.is_complex():
        least = complex(math.nan, math.nan)
    return torch.cat([x, torch.full(sizes, least, dtype=x.dtype)], dim)


def clip(line, x, index):
    size = x.shape[line["dim"][0]]
    return torch.where(index < 0, size, index).clamp(max=size)


@peer("take")
def take(line, x, index):
    return extend(line, x).index_select(line["dim"][0], clip(line, x, index))


@peer("take_along_axis")
def take_along_axis(line, x, index):
    return extend(line, x).gather(line["dim"][0], clip(line, x, index))


@peer("scatter")
def scatter(line, x, index, updates):
    sizes = [-1 if dim == line["dim"][0] else 1 for dim in range(x.dim())]
    return scatter_along_axis(line, x, index.reshape(sizes).expand(updates.shape), updates)


@peer("scatter_along_axis")
def scatter_along_axis(line, x, index, updates):
    (dim,), kind = line["dim"], line.options.get("combine")
    index, count = clip(line, x, index), updates.shape[line["dim"][0]]

    def combine(x, updates):
        result = extend(line, x)
        if kind in ("prod", "max", "min"):
            names = {"prod": "prod", "max": "amax", "min": "amin"}
            result = result.scatter_reduce(dim, index, updates, names[kind])
        elif kind:
            result = result.scatter_add(dim, index, updates)
        else:
            # PyTorch may take any of several for one place.
            for k in range(count):
                result = result.scatter(dim, index.narrow(dim, k, 1), updates.narrow(dim, k, 1))
        return result.narrow(dim, 0, x.shape[dim])

    if kind not in ("sum", "prod"):
        return combine(x, updates)
    return get_sum(combine(x, updates), combine(x.abs(), updates.abs()), kind, count)


# Reductions and fibres


def get_sum(value, magnitudes, kind, count):
    """Of as many elements: docs/rationale/check-tolerance.md."""
    if value.dtype == torch.int64:
        return value
    return Sum(value, magnitudes, 8 + (count if kind == "prod" else math.log2(max(count, 1))), count)


REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}
REDUCTIONS |= {"any": torch.any, "all": torch.all}


@peer("reduce")
def reduce(line, x):
    (dim,), keep = line["dims"], "keep" in line.options
    count = x.shape[dim]
    if line.word in ("max", "min") and count == 0:
        return None
    if line.word == "prod":
        return get_sum(x.prod(dim, keepdim=keep), x.abs().prod(dim, keepdim=keep), "prod", count)
    function = REDUCTIONS[line.word]
    value = function(x, dim, keepdim=keep)
    if line.word not in ("sum", "mean"):
        return value
    return get_sum(value, function(x.abs(), dim, keepdim=keep), "sum", count)


@peer("argmax", "argmin")
def position(line, x):
    (dim,) = line["dims"]
    return getattr(torch, line.op)(x, dim, keepdim="keep" in line.options) if x.shape[dim] else None


@peer("scan")
def scan(line, x):
    (dim,) = line["dim"]
    if line.word in ("max", "min"):
        return getattr(torch, f"cum{line.word}")(x, dim).values
    function = getattr(torch, f"cum{line.word}")
    return get_sum(function(x, dim), function(x.abs(), dim), line.word, x.shape[dim])


@peer("argsort")
def argsort(line, x):
    return torch.argsort(x, dim=line["dim"][0], descending="descending" in line.options, stable=True)


@peer("argtopk")
def argtopk(line, x):
    # topk of PyTorch takes any of equal elements.
    return argsort(line, x).narrow(line["dim"][0], 0, line.count)


# Contractions


@peer("matmul")
def matmul(line, a, b):
    count = a.shape[-1] * (2 if a.is_complex() else 1)
    return Sum(a @ b, a.abs() @ b.abs(), count, count)


@peer("linear")
def linear(line, x, weights):
    return matmul(line, x, weights.T)


# Factories


@peer("full")
def full(line, value):
    return torch.full(line.type.sizes, value)


@peer("iota")
def iota(line):
    first, step = line.options.get("from", [0, 1])
    (dim,), sizes = line["dim"], line.type.sizes
    shape = [-1 if d == dim else 1 for d in range(len(sizes))]
    return (first + step * torch.arange(sizes[dim])).reshape(shape).expand(sizes)


@peer("constant")
def constant(line):
    text = line.text.removeprefix("dense<").removesuffix(">").replace("true", "True")
    if not text:
        return torch.zeros(line.type.sizes)
    value = torch.tensor(ast.literal_eval(text))
    if line.type.element.startswith("complex"):
        value = torch.view_as_complex(value.double())
    return value.expand(line.type.sizes)


PEERS = ROUNDED | FUNCTIONS | OPTIONS
