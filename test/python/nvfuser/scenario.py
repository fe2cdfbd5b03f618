# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of nvFuser's Python interface share: they run a definition on the CPU and compare with NumPy."""

import sys

import ml_dtypes
import numpy as np
from fuser.nvfuser_direct import FusionDefinition

RNG = np.random.default_rng(0)


def random(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def to_numpy(tensor):
    """An output of a definition without inputs, which is PyTorch's where that is imported, maybe by another test."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(tensor, torch.Tensor):
        return tensor
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def run(define, inputs, **options):
    with FusionDefinition() as fd:
        define(fd)
    results = fd.execute(inputs, **options)
    return results if inputs else [to_numpy(each) for each in results]


def check(define, inputs, *expected, rtol=1e-5):
    got = run(define, inputs)
    assert isinstance(got, list) and len(got) == len(expected)
    for result, reference in zip(got, expected, strict=True):
        np.testing.assert_allclose(result, reference, rtol=rtol, atol=1e-5)
        assert result.shape == np.shape(reference)
    return got


def check_rounded(got, compute, unit=2.0**-8):
    """Each element of `got` is within five standard deviations of what its roundings make of it; BFloat16's are of 2^-8 of a number at most.

    compute(round): the result in float64, with `round` where the definition rounds. Without any it is exact; with random errors of that size it shows
    how much each element depends on them.
    """
    exact = compute(lambda x: x)
    random = np.random.default_rng(0)
    samples = [compute(lambda x: x * (1 + unit * random.uniform(-1, 1, x.shape))) for _ in range(200)]
    deviation = np.sqrt(np.mean([(each - exact) ** 2 for each in samples], 0))
    assert got.shape == exact.shape
    ratio = np.abs(got.astype(np.float64) - exact) / deviation
    worst = np.unravel_index(np.argmax(ratio), ratio.shape)
    assert ratio[worst] < 5, f"expected {exact[worst]} within 5 * {deviation[worst]} at {worst}, got {got[worst]}"
