# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of torch.compile(backend="fuser") share.

Floats are compared in units in the last place of their type: by default in UNITS of each element, as after one op. What adds up terms that cancel each other
may be off by more units of its own, and is compared in units of the largest element, too: SUMS or CHAINS.
"""

import contextlib
import functools

import pytest
import torch
from conftest import assert_units
from fuser.torch._program import FusedProgram

TARGETS = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
BOTH = pytest.mark.parametrize("target", TARGETS)


def by_type(narrow, single, double=None):
    double = single if double is None else double
    return {torch.bfloat16: narrow, torch.float16: narrow, torch.float32: single, torch.float64: double}


#: Of one op. Both compute what is narrow in float32 and round once, so that results are neighbours where a tie is between them. Of float32 each is next to the
#: exact result, or at most 1.75 units off (docs/spec/fusion.md); of float64 fuser's functions are libmvec's, at most 4 units off, and PyTorch's one.
UNITS = by_type(1, 2, 5)
#: Of one op the share of narrow elements that may differ, since few are next to a tie: what is rounded another time changes more.
TIES = 0.01
#: Of a sum of some ten or hundred terms, in another order. What is narrow is added in float32, and rounded once.
SUMS = by_type(0, 8)
#: Of some ops in a row, each of which rounds, sums and products of matrices among them: losses, normalisations, layers, gradients.
CHAINS = by_type(3, 16)
#: At least this on a GPU, where functions are approximated in float32 and PyTorch has others (docs/rationale/exactness.md).
ON_GPU = by_type(2, 256)


def randn(*shape, target="cpu", dtype=torch.float32):
    return torch.randn(shape).to(target, dtype)


def flatten(value):
    return [value] if isinstance(value, torch.Tensor) else list(value)


def assert_close(result, expected, strides=True, of_largest=None):
    """strides: compare them, too; of_largest: what is allowed beside UNITS, by the element type."""
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert not strides or result.stride() == expected.stride()
    assert result.device == expected.device
    dtype = expected.dtype
    if not dtype.is_floating_point:
        assert torch.equal(result, expected)
        return
    allowed = [UNITS[dtype], of_largest[dtype] if of_largest else 0]
    if expected.is_cuda:
        allowed = [max(each, ON_GPU[dtype]) for each in allowed]
    got, wanted = (each.detach().double().cpu().numpy() for each in (result, expected))
    assert_units(got, wanted, torch.finfo(dtype), *allowed)
    if of_largest is None and dtype.itemsize == 2 and not expected.is_cuda:
        differ = int((result != expected).logical_and(expected == expected).sum())
        assert differ <= 1 + TIES * expected.numel(), f"{differ} of {expected.numel()} elements are neighbours"


class _Runs:
    """How many programs of fuser's ran in this process."""

    number = 0


def _count_runs(compile_):
    """FusedProgram.compile, whose programs are counted when they run."""

    @functools.wraps(compile_)
    def compile_and_count(*args):
        program = compile_(*args)

        @functools.wraps(program)
        def call(*given):
            _Runs.number += 1
            return program(*given)

        return call

    return compile_and_count


FusedProgram.compile = _count_runs(FusedProgram.compile)


@contextlib.contextmanager
def running(runs=True):
    """A block in which programs of fuser's run. runs: whether they do, or none does."""
    before = _Runs.number
    yield
    assert (_Runs.number > before) == runs, f"{_Runs.number - before} programs of fuser's ran"


def check(function, *inputs, of_largest=None, runs=True, **options):
    """Compares the compiled function with itself. Programs of fuser's are a part of it, unless runs is False; they are all that ran if `said` is empty then."""
    expected = flatten(function(*inputs))
    with running(runs):
        results = flatten(torch.compile(function, backend="fuser", fullgraph=True, **options)(*inputs))
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        assert_close(result, value, of_largest=of_largest)
