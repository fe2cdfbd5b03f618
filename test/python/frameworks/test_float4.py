# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of 4-bit floats, two in a byte, and blocks of them with a scale each, against NumPy and ml_dtypes."""

import fuser
import numpy as np
import pytest
from test_blocks import make_blocks
from test_float8 import E4M3, TARGETS, assert_same
from test_scales import E8M0

ml_dtypes = pytest.importorskip("ml_dtypes")

E2M1 = ml_dtypes.float4_e2m1fn
WIDE = [np.float32, np.float16, ml_dtypes.bfloat16]
NAMES = {"mxfp4": (E8M0, 32), "nvfp4": (E4M3, 16)}


def unpack(data):
    """Of bytes; ml_dtypes has a byte for each number."""
    return np.stack([data & 15, data >> 4], axis=-1).reshape(*data.shape[:-1], -1).view(E2M1)


def pack(numbers):
    codes = numbers.view(np.uint8) & 15
    return codes[..., 0::2] | codes[..., 1::2] << 4


def to_e2m1(x):
    """Of NaN -0, whatever its sign."""
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x.astype(np.float32)), np.float32(-0.0), x.astype(np.float32)).astype(E2M1)


def quantize(x, name, rounding="floor", global_scale=None):
    scale_type, block = NAMES[name]
    blocks = x.astype(np.float32).reshape(*x.shape[:-1], x.shape[-1] // block, block)
    with np.errstate(all="ignore"):
        greatest = np.abs(blocks).max(axis=-1)
        if name == "nvfp4":
            exact = greatest / np.float32(6)
            exact = exact if global_scale is None else exact / global_scale
            scales = np.minimum(np.maximum(exact, np.float32(2**-6)), np.float32(448)).astype(E4M3)
        else:
            if rounding == "ceil":
                fraction, power = np.frexp(greatest * np.float32(1 / 6))
                power = power - (fraction == 0.5)
            else:
                fraction, power = np.frexp(greatest)
                power = power - 1 - 2
            power = np.where(fraction == 0, -127, np.clip(power, -127, 127))
            scales = np.where(np.isfinite(greatest), power + 127, 255).astype(np.uint8).view(E8M0)
        each = scales.astype(np.float32) * np.float32(1 if global_scale is None else global_scale)
        return to_e2m1((blocks / each[..., None]).reshape(x.shape)), scales


def dequantize(data, scales, block, global_scale=None):
    each = scales.astype(np.float32) * np.float32(1 if global_scale is None else global_scale)
    with np.errstate(all="ignore"):
        blocks = data.astype(np.float32).reshape(*scales.shape, block) * each[..., None]
    return blocks.reshape(data.shape)


def run(executable, arrays, target):
    if target != "cuda":
        return executable(*arrays)
    torch = pytest.importorskip("torch")
    results = executable(*(torch.from_numpy(each).cuda() for each in arrays))
    return tuple(each.cpu().view(torch.uint8).numpy() for each in results)


@TARGETS
@pytest.mark.parametrize("dtype", WIDE, ids=lambda dtype: np.dtype(dtype).name)
def test_every_code(dtype, target):
    data = np.arange(256, dtype=np.uint8).reshape(4, 64)
    b = fuser.Builder()
    x = b.input((None, 128), "float4_e2m1fn")
    b.output(x.astype(dtype).astype("float32"))
    b.output((x.astype(dtype) * 2).astype("float4_e2m1fn_x2"))
    wide, twice = run(b.compile(target), (data,), target)
    expected = unpack(data).astype(np.float32)
    np.testing.assert_array_equal(wide.view(np.uint32).reshape(expected.shape), expected.view(np.uint32))
    np.testing.assert_array_equal(twice, pack((2 * expected).astype(E2M1)))


@TARGETS
def test_every_half_rounds(target):
    """All numbers of bf16 and f16, among them what is between two."""
    bits = np.arange(65536, dtype=np.uint16).reshape(64, 1024)
    for dtype in WIDE[1:]:
        x = bits.view(dtype)
        b = fuser.Builder()
        b.output(b.input((64, 1024), dtype).astype(E2M1))
        got = run_halves(b.compile(target), x, target)
        np.testing.assert_array_equal(got, pack(to_e2m1(x)))


def run_halves(executable, x, target):
    if target != "cuda":
        return executable(x)
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(x.view(np.int16)).view(getattr(torch, x.dtype.name)).cuda()
    return executable(tensor).cpu().view(torch.uint8).numpy()


@TARGETS
@pytest.mark.parametrize("name, rounding", [("mxfp4", "floor"), ("mxfp4", "ceil"), ("nvfp4", None)])
@pytest.mark.parametrize("source", WIDE, ids=lambda dtype: np.dtype(dtype).name)
def test_blocks(name, rounding, source, target):
    if target == "cuda" and source is not np.float32:
        pytest.skip("one type is enough")
    scale_type, block = NAMES[name]
    x = make_blocks(source)
    b = fuser.Builder()
    data, scales = b.block_quantize(b.input((None, 128), source), "float4_e2m1fn", rounding=rounding, scales=scale_type)
    for result in (data, scales, b.block_dequantize(data, scales)):
        b.output(result)
    data, scales, back = run(b.compile(target), (x,), target)
    expected = quantize(x, name, rounding)
    if target == "cuda":
        scales, back = scales.view(scale_type), back.view(np.float32)
    assert_same(scales, expected[1])
    np.testing.assert_array_equal(data, pack(expected[0]))
    np.testing.assert_array_equal(back, dequantize(*expected, block))


@pytest.mark.parametrize("name", NAMES)
def test_dequantize(name):
    scale_type, block = NAMES[name]
    random = np.random.default_rng(0)
    data = random.integers(0, 256, (6, 64), dtype=np.uint8)
    scales = (2.0 ** random.integers(-6, 6, (6, 128 // block))).astype(scale_type)
    b = fuser.Builder()
    b.output(b.block_dequantize(b.input((None, None), E2M1), b.input((None, None), scale_type), "bfloat16"))
    got = b.compile()(data, scales)
    np.testing.assert_array_equal(got.astype(np.float32), dequantize(unpack(data), scales, block))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_global_scale(dtype):
    """A scale of the whole tensor, as nvfp4 has it: the greatest element over 6 * 448."""
    random = np.random.default_rng(1)
    x = (random.normal(0, 1, (8, 64)) * 1e-4).astype(np.float32)
    scale = np.array([np.abs(x).max() / np.float32(6 * 448)], np.float32)
    b = fuser.Builder()
    y, s = b.input((None, 64)), b.input((1,), dtype)
    data, scales = b.block_quantize(y, E2M1, scales=E4M3, global_scale=s)
    for result in (data, scales, b.block_dequantize(data, scales, global_scale=s)):
        b.output(result)
    data, scales, back = b.compile()(x, scale.astype(dtype))
    expected = quantize(x, "nvfp4", global_scale=scale[0])
    assert_same(scales, expected[1])
    np.testing.assert_array_equal(data, pack(expected[0]))
    np.testing.assert_array_equal(back, dequantize(*expected, 16, scale[0]))
    assert np.abs(back - x).max() < 0.2 * np.abs(x).max()


def test_nv_block_quantize():
    from fuser.nvfuser_direct import DataType, FusionDefinition

    x = make_blocks()
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1, 128], contiguity=[True, True], dtype=DataType.Float)
        for result in fd.ops.nv_block_quantize(t0):
            fd.add_output(result)
    data, scales = fd.execute([x])
    expected = quantize(x, "nvfp4")
    np.testing.assert_array_equal(data, pack(expected[0]))
    assert_same(scales, expected[1])


def test_of_pytorch():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("a PyTorch before 4-bit floats")
    data = torch.arange(256, dtype=torch.uint8).reshape(8, 32)
    packed = data.view(torch.float4_e2m1fn_x2)

    def scale(x):
        wide = x.astype("float32")
        return wide, (wide * 2).astype("float4_e2m1fn"), x

    wide, twice, same = fuser.jit(scale)(packed)
    numbers = unpack(data.numpy()).astype(np.float32)
    np.testing.assert_array_equal(wide.numpy(), numbers)
    assert twice.dtype == same.dtype == torch.float4_e2m1fn_x2
    np.testing.assert_array_equal(twice.view(torch.uint8).numpy(), pack((2 * numbers).astype(E2M1)))
    assert torch.equal(same.view(torch.uint8), data)


def test_what_is_wrong():
    b = fuser.Builder()
    x = b.input((4, 32), E2M1)
    with pytest.raises(fuser.Error, match=r"expected elements of .* as operand 0, got 'tensor<4x32xf4E2M1FN>'"):
        b.output(-x)
        b.compile()
    b = fuser.Builder()
    x = b.input((4, 32))
    with pytest.raises(fuser.Error, match="expected f8E8M0FNU or f8E4M3FN as 'scale_type', got 'f32'"):
        b.block_quantize(x, E2M1, scales="float32")
    with pytest.raises(fuser.Error, match="expected f4E2M1FN as 'type' beside scales of f8E4M3FN, got 'f8E5M2'"):
        b.block_quantize(x, "float8_e5m2", scales=E4M3)
    with pytest.raises(fuser.Error, match="expected no 'rounding' of scales of f8E4M3FN"):
        b.block_quantize(x, E2M1, rounding="ceil", scales=E4M3)
    with pytest.raises(fuser.Error, match="expected no global scale beside scales of f8E8M0FNU"):
        b.block_quantize(x, E2M1, global_scale=b.input((1,)))
    with pytest.raises(fuser.Error, match=r"expected a tensor of one float as a global scale, got 'tensor<4x32xf32>'"):
        b.block_quantize(x, E2M1, scales=E4M3, global_scale=x)


def test_odd_sizes():
    b = fuser.Builder()
    b.output(b.input((None, None)).astype(E2M1))
    executable = b.compile()
    assert executable(np.ones((3, 4), np.float32)).tolist() == [[0x22, 0x22]] * 3
    with pytest.raises(
        fuser.Error, match="expected an even last dimension, of which two elements lie in a byte, got 5$"
    ):
        executable(np.ones((3, 5), np.float32))
    b = fuser.Builder()
    b.output(b.input((3, 5)).astype(E2M1))
    with pytest.raises(fuser.Error, match="expected an even last dimension"):
        b.compile()
