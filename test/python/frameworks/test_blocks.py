# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of 8-bit floats with a scale each, against NumPy."""

import fuser
import numpy as np
import pytest
from test_float8 import E4M3, E5M2, TARGETS, assert_same, run_on_gpu
from test_scales import E8M0

ml_dtypes = pytest.importorskip("ml_dtypes")


def quantize(x, dtype=E4M3, block=32, rounding="floor"):
    """OCP MX in NumPy: 2^(floor(log2(greatest)) - exponent of the greatest number), by frexp; or rounded up, as NVIDIA's libraries."""
    largest, exponent = (448.0, 8) if dtype == E4M3 else (57344.0, 15)
    wide = x.astype(np.float32)
    blocks = wide.reshape(*wide.shape[:-1], wide.shape[-1] // block, block)
    greatest = np.abs(blocks).max(axis=-1)
    if rounding == "ceil":
        fraction, power = np.frexp(greatest * np.float32(1 / largest))
        power = power - (fraction == 0.5)
    else:
        fraction, power = np.frexp(greatest)
        power = power - 1 - exponent
    power = np.where(fraction == 0, -127, np.clip(power, -127, 127))
    bits = np.where(np.isfinite(greatest), power + 127, 255).astype(np.uint8)
    scales = bits.view(E8M0)
    with np.errstate(all="ignore"):
        data = np.clip(blocks / scales.astype(np.float32)[..., None], -largest, largest)
        return data.reshape(x.shape).astype(dtype), scales


def dequantize(data, scales, block=32):
    blocks = data.astype(np.float32).reshape(*scales.shape, block)
    with np.errstate(all="ignore"):
        return (blocks * scales.astype(np.float32)[..., None]).reshape(data.shape)


def make_blocks(dtype=np.float32):
    """Of many sizes, one of zeros, with the ends of the range."""
    random = np.random.default_rng(0)
    x = random.normal(0, 1, (6, 4, 32)) * 2.0 ** random.integers(-140, 120, (6, 4, 1))
    x[0, 0], x[1, 1, 3], x[2, 2, 5], x[3, 3, 7] = 0, np.inf, np.nan, 3.4e38
    x[4, 0], x[4, 1, 0], x[4, 2] = 2.0**-130, 1.75 * 2.0**-119, 1.5 * 2.0**10
    with np.errstate(all="ignore"):
        return x.reshape(6, 128).astype(dtype)


@TARGETS
@pytest.mark.parametrize("rounding", ["floor", "ceil"])
@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=lambda dtype: dtype.__name__)
def test_block_quantize(dtype, rounding, target):
    x = make_blocks()
    b = fuser.Builder()
    data, scales = b.block_quantize(b.input((None, 128)), dtype, rounding=rounding)
    for result in (data, scales, b.block_dequantize(data, scales)):
        b.output(result)
    executable = b.compile(target)
    data, scales, back = run_on_gpu(executable, (x,)) if target == "cuda" else executable(x)
    expected = quantize(x, dtype, rounding=rounding)
    assert_same(scales, expected[1])
    assert_same(data, expected[0])
    np.testing.assert_array_equal(back, dequantize(*expected))


@pytest.mark.parametrize("source", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_block_quantize_halves(source):
    x = make_blocks(source)
    b = fuser.Builder()
    data, scales = b.block_quantize(b.input((None, 128), source), block_size=16)
    for result in (data, scales, b.block_dequantize(data, scales, source, 16)):
        b.output(result)
    results = b.compile("cpu")(x)
    expected = quantize(x, block=16)
    for got, want in zip(results, expected, strict=False):
        assert_same(got, want)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(
            results[2].astype(np.float64), dequantize(*expected, 16).astype(source).astype(np.float64)
        )


@pytest.mark.parametrize("rows", [None, 6])
def test_block_quantize_rows(rows):
    b = fuser.Builder()
    for result in b.block_quantize(b.input((rows, 128))):
        b.output(result)
    executable = b.compile("cpu")
    x = make_blocks()
    for each in (x, x[:0]) if rows is None else (x,):
        for got, want in zip(executable(each), quantize(each), strict=True):
            assert_same(got, want)


def test_nv_block_quantize():
    from fuser.nvfuser_direct import DataType, FusionDefinition

    x = make_blocks()
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1, 128], contiguity=[True, True], dtype=DataType.Float)
        for result in fd.ops.nv_block_quantize(t0, None, False, 32, DataType.Float8_e4m3fn):
            fd.add_output(result)
    for got, want in zip(fd.execute([x]), quantize(x, rounding="ceil"), strict=True):
        assert_same(got, want)
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1, 128], contiguity=[True, True], dtype=DataType.Float)
        with pytest.raises(
            NotImplementedError, match="expected dtype=DataType.Float4_e2m1fn and block_size=16, or .* 32, got .* 32"
        ):
            fd.ops.nv_block_quantize(t0, None, False, 32)
        with pytest.raises(NotImplementedError, match="expected no global_scale"):
            fd.ops.nv_block_quantize(t0, t0, False, 32, DataType.Float8_e4m3fn)
        fd.add_output(t0)


def test_products_of_blocks():
    """A product of quantised factors is that of what they stand for."""
    random = np.random.default_rng(0)
    x, y = (random.normal(0, 1, shape).astype(np.float32) for shape in ((6, 64), (5, 64)))
    b = fuser.Builder()
    (data, scales), (other, others) = (b.block_quantize(b.input(each.shape)) for each in (x, y))
    b.output(b.scaled_mm(data, other.T, scales, others.T, dtype="float32"))
    exact = dequantize(*quantize(x)).astype(np.float64) @ dequantize(*quantize(y)).astype(np.float64).T
    np.testing.assert_allclose(b.compile("cpu")(x, y), exact, rtol=1e-5, atol=1e-5)


def test_what_is_wrong_with_blocks():
    b = fuser.Builder()
    x, i = b.input((4, 48)), b.input((4, 32), "int32")
    with pytest.raises(
        fuser.Error,
        match=r"'block_quantize': expected a 'block_size' that divides the 48 elements of the last dimension, got 32",
    ):
        b.block_quantize(x)
    opened = fuser.Builder()
    for each in opened.block_quantize(opened.input((None, None))):
        opened.output(each)
    with pytest.raises(fuser.Error, match="'block_size' that divides the 33 elements of the last dimension, got 32"):
        opened.compile()(np.ones((2, 33), np.float32))
    with pytest.raises(fuser.Error, match="expected f8E4M3FN, f8E5M2 or f4E2M1FN as 'type', got 'f16'"):
        b.block_quantize(x, "float16", 16)
    with pytest.raises(fuser.Error, match="expected 'floor' or 'ceil' as 'rounding', got 'even'"):
        b.block_quantize(x, block_size=16, rounding="even")
    with pytest.raises(fuser.Error, match="expected tensors of floats, got 'tensor<4x32xi32>'"):
        b.block_quantize(i)
    with pytest.raises(fuser.Error, match="expected a tensor of at least one dimension"):
        b.block_quantize(b.input(()))
    data, scales = b.block_quantize(x, block_size=16)
    with pytest.raises(
        fuser.Error, match=r"'block_dequantize': expected scales of 2 dimensions, for .*, got 'tensor<4xf8E8M0FNU>'"
    ):
        b.block_dequantize(data, scales[:, 0], block_size=16)
