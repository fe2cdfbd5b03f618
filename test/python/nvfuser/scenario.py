# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of nvFuser's Python interface share: they run a definition on the CPU, or on a GPU, and compare with NumPy."""

import ctypes
import os
import sys

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import FusionDefinition

RNG = np.random.default_rng(0)
#: A device of PyTorch's, such as "cuda": arrays go there as tensors. Without one they go to the CPU as they are.
DEVICE = os.environ.get("FUSER_TEST_DEVICE")


def random(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def to_tensor(array, device):
    """A copy of an array of NumPy's, with the same strides; without those that are negative, which PyTorch does not have."""
    import torch

    if any(stride < 0 and size > 1 for size, stride in zip(array.shape, array.strides, strict=True)):
        array = np.ascontiguousarray(array)
    strides = [max(stride, 0) for stride in array.strides]
    ends = sum((size - 1) * stride for size, stride in zip(array.shape, strides, strict=True))
    memory = (ctypes.c_uint8 * (ends + array.itemsize if array.size else 0)).from_address(array.ctypes.data)
    tensor = torch.from_numpy(np.ctypeslib.as_array(memory)).to(device, copy=True)
    tensor = tensor.view(getattr(torch, array.dtype.name))
    return tensor.as_strided(array.shape, [stride // array.itemsize for stride in strides])


def to_numpy(tensor):
    """An array of NumPy's of a tensor of PyTorch's; anything else is itself. 4-bit floats are bytes, as there."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(tensor, torch.Tensor):
        return tensor
    tensor, name = tensor.cpu(), str(tensor.dtype).removeprefix("torch.")
    if name.startswith("float4_"):
        return tensor.view(torch.uint8).numpy()
    if name.startswith(("bfloat", "float8_")):
        bits = tensor.view({1: torch.uint8, 2: torch.int16}[tensor.itemsize])
        return bits.numpy().view(getattr(ml_dtypes, name))
    return tensor.numpy()


def execute_on(device, fd, inputs, **options):
    """The results on a device of PyTorch's as arrays of NumPy's. What is written over inputs there is then written over the given arrays."""
    inputs = [part for each in inputs for part in (each if isinstance(each, (list, tuple)) else [each])]
    given = [to_tensor(each, device) if isinstance(each, np.ndarray) else each for each in inputs]
    # Without a tensor nothing else says where the results are.
    results = [to_numpy(each) for each in fd.execute(given, device=device, **options)]
    for array, after in zip(inputs, map(to_numpy, given), strict=True):
        # What did not change may be of memory that another one shares, or that cannot be written.
        if isinstance(array, np.ndarray) and after.tobytes() != array.tobytes():
            array[...] = after
    return results


def run(define, inputs, **options):
    """The results of a definition. options: of `execute`."""
    with FusionDefinition() as fd:
        define(fd)
    if DEVICE is None:
        results = fd.execute(inputs, **options)
        # Of numbers alone they are PyTorch's where a test before has imported it.
        is_of_numbers = all(isinstance(each, (int, float, complex)) for each in inputs)
        return [to_numpy(each) for each in results] if is_of_numbers else results
    if options.pop("device", None) is not None:
        pytest.skip(f"another device than FUSER_TEST_DEVICE, which is {DEVICE!r}")
    return execute_on(DEVICE, fd, inputs, **options)


#: By how much results may differ from NumPy's, of each element and of the greatest one: what is no float is the same.
_TOLERANCES = {
    "float64": 1e-12,
    "complex128": 1e-12,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float16": 2**-10,
    "bfloat16": 2**-7,
}


def check_result(result, reference, rtol=None):
    """A result has the element type, the shape and the elements of its reference. rtol: by how much it may differ instead."""
    reference = np.asarray(reference)
    expected, got = (reference.dtype, reference.shape), (result.dtype, result.shape)
    assert got == expected, f"expected {expected}, got {got}"
    tolerance = _TOLERANCES.get(reference.dtype.name, 0)
    if tolerance == 0:
        np.testing.assert_array_equal(result, reference)
        return
    wide = reference.dtype if reference.dtype.kind == "c" else np.float64
    result, reference = result.astype(wide), reference.astype(wide)
    tolerance = tolerance if rtol is None else rtol
    greatest = np.abs(reference)[np.isfinite(reference)].max(initial=0)
    np.testing.assert_allclose(result, reference, rtol=tolerance, atol=tolerance * greatest)


def check(define, inputs, *expected, rtol=None):
    """Runs a definition, and compares each output with what is expected, as check_result does it."""
    got = run(define, inputs)
    assert isinstance(got, list) and len(got) == len(expected)
    for result, reference in zip(got, expected, strict=True):
        check_result(result, reference, rtol)
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
