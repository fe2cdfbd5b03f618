# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of torch.compile(backend="fuser") share."""

import pytest
import torch

TARGETS = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
BOTH = pytest.mark.parametrize("target", TARGETS)
TOLERANCES = {torch.float32: 2e-5, torch.bfloat16: 1e-2, torch.float16: 2e-3, torch.float64: 1e-12}


def randn(*shape, target="cpu", dtype=torch.float32):
    return torch.randn(shape).to(target, dtype)


def flatten(value):
    return [value] if isinstance(value, torch.Tensor) else list(value)


def assert_close(result, expected, strides=True):
    """strides: compare them, too."""
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert not strides or result.stride() == expected.stride()
    assert result.device == expected.device
    if not expected.dtype.is_floating_point:
        assert torch.equal(result, expected)
        return
    tolerance = TOLERANCES[expected.dtype]
    scale = expected.double().nan_to_num(0, 0, 0).abs().max().item() if expected.numel() else 1
    torch.testing.assert_close(
        result.double(), expected.double(), rtol=tolerance, atol=tolerance * scale, equal_nan=True
    )


def check(function, *inputs, **options):
    """Compares the compiled function with itself; its programs are all that ran if `said` is empty then."""
    expected = flatten(function(*inputs))
    results = flatten(torch.compile(function, backend="fuser", fullgraph=True, **options)(*inputs))
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        assert_close(result, value)
