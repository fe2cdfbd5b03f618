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
