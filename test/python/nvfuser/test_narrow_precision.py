# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's tests of 4-bit and 8-bit floats and of CUTLASS's products of them, against NumPy.

Sizes are open, and the second factor of a product is cast before it is permuted: 4-bit floats lie with their last dimension in a row.
"""

import fuser
import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from scenario import DEVICE, random, run

BF16, E2M1, E4M3, E8M0 = (
    getattr(ml_dtypes, name) for name in ("bfloat16", "float4_e2m1fn", "float8_e4m3fn", "float8_e8m0fnu")
)
NAMES = {np.dtype(np.float32): DataType.Float, np.dtype(BF16): DataType.BFloat16, np.dtype(np.float16): DataType.Half}
WIDE = pytest.mark.parametrize("dtype", [np.float32, BF16], ids=lambda dtype: dtype.__name__)
HALVES = pytest.mark.parametrize("dtype", [np.float16, BF16], ids=lambda dtype: dtype.__name__)


def unpack(data):
    """The numbers of bytes, as float32."""
    return np.stack([data & 15, data >> 4], -1).reshape(*data.shape[:-1], -1).view(E2M1).astype(np.float32)


def pack(numbers):
    codes = numbers.astype(E2M1).view(np.uint8) & 15
    return codes[..., 0::2] | codes[..., 1::2] << 4


def to_blocks(x, size):
    return x.astype(np.float32).reshape(*x.shape[:-1], -1, size)


def quantize_nvfp4(x, global_scale=1.0):
    """(bytes, scales) of blocks of 16: the scales are times global_scale."""
    blocks, inverse = to_blocks(x, 16), np.float32(1) / np.float32(global_scale)
    scales = np.clip(np.abs(blocks).max(-1) / np.float32(6) / inverse, np.float32(2**-6), np.float32(448)).astype(E4M3)
    return pack((blocks / (scales.astype(np.float32) * inverse)[..., None]).reshape(x.shape)), scales


def quantize_mxfp8(x):
    """(numbers, scales) of blocks of 32; the least power of two that no number is too great for."""
    blocks = to_blocks(x, 32)
    fraction, power = np.frexp(np.abs(blocks).max(-1) * np.float32(1 / 448))
    scales = (power - (fraction == 0.5) + 127).astype(np.uint8).view(E8M0)
    return (blocks / scales.astype(np.float32)[..., None]).reshape(x.shape).astype(E4M3), scales


def dequantize(numbers, scales):
    each = np.repeat(scales.astype(np.float32), numbers.shape[-1] // scales.shape[-1], -1)
    return numbers.astype(np.float32) * each


def swizzle(scales):
    """In tiles of 128 rows and 4 columns, with zeros behind the last ones; the rows r, r + 32, r + 64 and r + 96 of a tile side by side."""
    *batch, rows, columns = scales.shape
    tall, wide = -(-rows // 128), -(-columns // 4)
    padded = np.zeros((*batch, 128 * tall, 4 * wide), scales.dtype)
    padded[..., :rows, :columns] = scales
    tiles = np.moveaxis(padded.reshape(*batch, tall, 4, 32, wide, 4), (-2, -4), (-4, -2))
    return np.ascontiguousarray(tiles).reshape(padded.shape)


E2M1_NUMBERS = [-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6]


def check_scales(got, expected, quotients):
    """They are equal, but on a GPU where a quotient, which is approximated there, is halfway between both."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    differ = got != expected
    assert DEVICE == "cuda" or not differ.any()
    np.testing.assert_allclose(quotients[differ], ((got + expected) / 2)[differ], rtol=2**-21)


def choose_global_scale(x):
    return np.float32(448 * 6 / np.abs(x).max())


def near(got, expected, dtype):
    assert got.dtype == dtype and got.shape == expected.shape
    limit = 2 * float(ml_dtypes.finfo(dtype).eps) * np.abs(expected).max()
    np.testing.assert_allclose(got.astype(np.float32), expected, rtol=0, atol=limit)


def define_open(fd, data, name=None):
    """An input of open sizes."""
    name = (
        name
        or {E4M3: DataType.Float8_e4m3fn, E8M0: DataType.Float8_e8m0fnu, np.uint8: DataType.Float4_e2m1fn}[
            data.dtype.type
        ]
    )
    return fd.define_tensor(shape=[-1] * data.ndim, contiguity=True, dtype=name)


def define_transposed(fd, data):
    """4-bit floats (two in a byte) or 8-bit ones, (..., n, k), as (..., k, n) for a product."""
    x = define_open(fd, data)
    x = fd.ops.cast(x, DataType.BFloat16) if data.dtype == np.uint8 else x
    order = [*range(data.ndim - 2), data.ndim - 1, data.ndim - 2]
    return fd.ops.permute(x, order)


@pytest.mark.parametrize("source", [np.float64, np.float32, np.float16, BF16], ids=lambda dtype: dtype.__name__)
def test_cast_fp8(source):
    x = random(64, 17).astype(source)
    names = {E4M3: DataType.Float8_e4m3fn, ml_dtypes.float8_e5m2: DataType.Float8_e5m2, E8M0: DataType.Float8_e8m0fnu}
    wide = NAMES.get(np.dtype(source), DataType.Double)

    def define(fd):
        t0 = fd.from_pytorch(x)
        for name in names.values():
            fd.add_output(fd.ops.cast(t0, name))
            fd.add_output(fd.ops.cast(fd.ops.cast(t0, name), wide))

    results = run(define, [x])
    for dtype, narrow, back in zip(names, results[::2], results[1::2], strict=True):
        assert narrow.dtype == dtype and back.dtype == source
        if dtype == E8M0:  # The nearest power of two, of two as near the greater one; the sign goes.
            size = np.abs(x.astype(np.float64))
            expected = 2.0 ** np.floor(np.log2(size / 1.5) + 1)
            np.testing.assert_array_equal(narrow.astype(np.float64), expected)
        else:
            np.testing.assert_array_equal(narrow.view(np.uint8), x.astype(dtype).view(np.uint8))
        np.testing.assert_array_equal(back.astype(np.float64), narrow.astype(np.float64))


# Blocks


@WIDE
def test_nv_quantization_to_mxfp8(dtype):
    x = np.random.default_rng(0).random((256, 128)).astype(dtype)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, 128], dtype=NAMES[np.dtype(dtype)])
        for each in fd.ops.nv_block_quantize(t0, None, False, 32, DataType.Float8_e4m3fn):
            fd.add_output(each)

    data, scales = run(define, [x])
    for got, expected in zip((data, scales), quantize_mxfp8(x), strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.view(np.uint8), expected.view(np.uint8))


@WIDE
@pytest.mark.parametrize("swizzled", [False, True])
@pytest.mark.parametrize("rows", [64, 1, 257])
def test_nv_block_quantization_vs_te(rows, swizzled, dtype):
    """With a global scale."""
    x = random(rows, 256).astype(dtype)
    scale = choose_global_scale(x)

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.define_tensor(shape=[], dtype=DataType.Float)
        for each in fd.ops.nv_block_quantize(t0, t1, swizzled, 16):
            fd.add_output(each)

    data, scales = run(define, [x, np.asarray(scale)])
    expected, expected_scales = quantize_nvfp4(x, scale)
    quotients = np.abs(to_blocks(x, 16)).max(-1).astype(np.float64) / 6 * np.float64(scale)
    check_scales(scales, *(map(swizzle, (expected_scales, quotients)) if swizzled else (expected_scales, quotients)))
    # A quotient that is halfway between two numbers may be rounded to either: 1/(1/scale) is not the scale.
    numbers, same = unpack(data), unpack(expected)
    steps = np.abs(np.searchsorted(E2M1_NUMBERS, numbers) - np.searchsorted(E2M1_NUMBERS, same))
    assert steps.max() <= 1 and (steps > 0).mean() < 0.01
    back = dequantize(unpack(data), expected_scales) / scale
    assert np.abs(back - x.astype(np.float32)).max() < 0.2 * np.abs(x.astype(np.float32)).max()


@WIDE
def test_fp4_vectorization(dtype):
    """The shape of 4-bit floats is that of what was cast: a cast is the last op."""
    x, y = (random(4, 8) * 4).astype(dtype), (np.arange(4) + 1).astype(dtype)

    def define(fd):
        t0, t1 = (fd.ops.cast(fd.from_pytorch(each), DataType.Float) for each in (x, y))
        quotient = fd.ops.div(t0, fd.ops.broadcast(t1, [False, True]))
        fd.add_output(fd.ops.cast(fd.ops.reshape(quotient, [32]), DataType.Float4_e2m1fn))

    (got,) = run(define, [x, y])
    np.testing.assert_array_equal(got, pack((x.astype(np.float32) / y.astype(np.float32)[:, None]).reshape(32)))


# Products


def define_product(fd, inputs, dtype):
    """fd.ops.scaled_mm of (mat1, mat2, scale1, scale2), the second transposed, and alpha, if it is there. Inputs have swizzled scales."""
    t0, t1 = define_open(fd, inputs[0]), define_transposed(fd, inputs[1])
    t2, t3 = (define_open(fd, scale) for scale in inputs[2:4])
    alpha = [fd.define_tensor(shape=[], dtype=DataType.Float)] if len(inputs) > 4 else []
    product, blocks, gamma = fd.ops.scaled_mm(t0, t1, t2, t3, *alpha, dtype=NAMES[np.dtype(dtype)])
    assert blocks is None and gamma is None
    return product


def with_tiles(a, b, scale_a, scale_b, *others):
    """The operands of a product with its scales swizzled."""
    return [a, b, swizzle(scale_a), swizzle(scale_b), *others]


def quantize_both(m, n, k):
    """(mat1, mat2, scale1, scale2, alpha) of 4-bit floats, and their product in float32."""
    matrices = [random(m, k), random(n, k)]
    factors = [choose_global_scale(each) for each in matrices]
    (a, scale_a), (b, scale_b) = map(quantize_nvfp4, matrices, factors)
    alpha = np.asarray(np.float32(1) / (factors[0] * factors[1]))
    expected = dequantize(unpack(a), scale_a) @ dequantize(unpack(b), scale_b).T * alpha
    return [a, b, scale_a, scale_b, alpha], expected


@HALVES
@pytest.mark.parametrize("shape", [(128, 128, 128), (64, 128, 256), (257, 40, 96)])
def test_mxfp8_gemm(shape, dtype):
    """By fd.ops.scaled_mm."""
    m, n, k = shape
    (a, scale_a), (b, scale_b) = map(quantize_mxfp8, (random(m, k), random(n, k)))
    inputs = with_tiles(a, b, scale_a, scale_b)
    (got,) = run(lambda fd: fd.add_output(define_product(fd, inputs, dtype)), inputs)
    near(got, dequantize(a, scale_a) @ dequantize(b, scale_b).T, dtype)


@HALVES
@pytest.mark.parametrize("shape", [(128, 128, 128), (64, 128, 256), (257, 40, 48)])
def test_nvfp4_gemm(shape, dtype):
    """By fd.ops.scaled_mm."""
    inputs, expected = quantize_both(*shape)
    inputs = with_tiles(*inputs)
    (got,) = run(lambda fd: fd.add_output(define_product(fd, inputs, dtype)), inputs)
    near(got, expected, dtype)


@pytest.mark.parametrize("shape", [(128, 256, 512)])
def test_scaled_mm(shape):
    inputs, expected = quantize_both(*shape)
    inputs = with_tiles(*inputs)
    (got,) = run(lambda fd: fd.add_output(define_product(fd, inputs, BF16)), inputs)
    near(got, expected, BF16)


def test_tiles_of_other_sizes():
    """Tiles that are fewer than the matrix has are an error of the call."""
    (a, b, scale_a, scale_b, alpha), _ = quantize_both(257, 40, 64)
    inputs = with_tiles(a, b, scale_a[:128], scale_b, alpha)
    with pytest.raises(
        fuser.Error, match="expected a slice of the 128 elements .*, got offset 0, size 257 and step 1$"
    ):
        run(lambda fd: fd.add_output(define_product(fd, inputs, BF16)), inputs)


def test_nvfp4_gemm_epilogue():
    """The product as blocks, by fd.ops.nv_block_quantize of it."""
    inputs, expected = quantize_both(128, 128, 128)
    inputs = with_tiles(*inputs)

    def define(fd):
        product = define_product(fd, inputs, np.float32)
        for each in fd.ops.nv_block_quantize(product, fd.define_tensor(shape=[], dtype=DataType.Float)):
            fd.add_output(each)

    data, scales = run(define, [*inputs, np.asarray(2, np.float32)])
    own, own_scales = quantize_nvfp4(expected, 2)
    np.testing.assert_allclose(scales.astype(np.float32), own_scales.astype(np.float32), atol=2e-3, rtol=0.125)
    differ = np.abs(unpack(data) - unpack(own))
    assert differ.max() <= 2 and (differ > 0).mean() < 0.01


def test_scaled_mm_nv_quantized():
    """A matrix that the program makes blocks of is multiplied as the same blocks from outside are."""
    x = random(64, 128)
    scale = choose_global_scale(x)
    inputs, _ = quantize_both(64, 96, 128)
    (_, b, _, scale_b, alpha), (data, scales) = inputs, quantize_nvfp4(x, scale)
    tiles = swizzle(scale_b)

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.define_tensor(shape=[], dtype=DataType.Float)
        numbers, blocks = fd.ops.nv_block_quantize(t0, t1, True, 16)
        t2, t3 = define_transposed(fd, b), define_open(fd, tiles)
        t4 = fd.define_tensor(shape=[], dtype=DataType.Float)
        fd.add_output(fd.ops.scaled_mm(numbers, t2, blocks, t3, t4, dtype=DataType.BFloat16)[0])

    (got,) = run(define, [x, np.asarray(scale), b, tiles, alpha])
    outside = with_tiles(data, b, scales, scale_b, alpha)
    (expected,) = run(lambda fd: fd.add_output(define_product(fd, outside, BF16)), outside)
    np.testing.assert_allclose(got.astype(np.float32), expected.astype(np.float32), rtol=2**-7, atol=1e-5)


# Products of groups


@HALVES
def test_nvfp4_grouped_mm(dtype):
    """By fd.ops.grouped_mm, with scales of the dimensions of their factor, as numbers; groups end where they do, without padding."""
    counts, n, k = [11, 14, 1, 38], 32, 64
    x, w, ends = random(sum(counts), k), random(4, n, k), np.cumsum(counts).astype(np.int32)
    (a, scale_a), (b, scale_b) = quantize_nvfp4(x), quantize_nvfp4(w)
    inputs = [a, b, ends, scale_a, scale_b]

    def define(fd):
        t0 = fd.ops.cast(fd.define_tensor(shape=list(x.shape), dtype=DataType.Float4_e2m1fn), DataType.BFloat16)
        t1 = fd.ops.cast(fd.define_tensor(shape=list(w.shape), dtype=DataType.Float4_e2m1fn), DataType.BFloat16)
        t2 = fd.from_pytorch(ends)
        t3, t4 = (fd.define_tensor(shape=list(each.shape), dtype=DataType.Float8_e4m3fn) for each in inputs[3:])
        t1, t4 = (fd.ops.permute(each, [0, 2, 1]) for each in (t1, t4))
        fd.add_output(fd.ops.grouped_mm(t0, t1, t2, t3, t4, dtype=NAMES[np.dtype(dtype)])[0])

    (got,) = run(define, inputs)
    parts = np.split(dequantize(unpack(a), scale_a), ends[:-1])
    factors = dequantize(unpack(b), scale_b)
    near(got, np.concatenate([part @ each.T for part, each in zip(parts, factors, strict=True)]), dtype)


class Groups:
    """Rows in groups, one of them empty, and a matrix of each, of 4-bit floats with swizzled scales."""

    def __init__(self, n=32, k=96):
        self.counts = np.array([115, 144, 0, 8, 33])
        self.x, w = random(int(self.counts.sum()), k), random(len(self.counts), n, k)
        self.starts = (np.cumsum(self.counts) - self.counts).astype(np.int32)
        padded = -(-self.counts // 128) * 128
        self.scale_starts = (np.cumsum(padded) - padded).astype(np.int32)
        self.factors = np.array([choose_global_scale(each) for each in w], np.float32)
        self.b, self.scale_b = map(np.stack, zip(*map(quantize_nvfp4, w, self.factors), strict=True))
        self.alpha = 1 / self.factors
        self.sizes = np.stack([self.counts, np.full(len(w), n), np.full(len(w), k)], 1).astype(np.int32)
        self.a, self.scale_a = quantize_nvfp4(self.x)

    def pad(self, scales):
        """Scales of rows with each group at the number of its own."""
        rows = (len(scales) + 127 * len(self.counts)) // 128 * 128
        padded = np.zeros((rows, scales.shape[1]), scales.dtype)
        for start, place, count in zip(self.starts, self.scale_starts, self.counts, strict=True):
            padded[place : place + count] = scales[start : start + count]
        return padded

    def multiply(self):
        rows, matrices = dequantize(unpack(self.a), self.scale_a), dequantize(unpack(self.b), self.scale_b)
        parts = np.split(rows, self.starts[1:])
        return np.concatenate([p @ w.T * f for p, w, f in zip(parts, matrices, self.alpha, strict=True)])

    def define_product(self, fd, rows, scales, offsets):
        """The product of rows and scales that are in the program."""
        t0, t1 = define_transposed(fd, self.b), define_open(fd, self.scale_b)
        t2 = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        t3 = fd.define_tensor(shape=[-1, -1], dtype=DataType.Int32)
        return fd.ops.cutlass_nvfp4_grouped_mm(rows, t0, scales, t1, t2, t3, *offsets, DataType.BFloat16)

    @property
    def others(self):
        return [self.b, swizzle(self.scale_b), self.alpha, self.sizes]


def define_offsets(fd):
    return [fd.define_tensor(shape=[-1], dtype=DataType.Int32) for _ in range(2)]


def test_cutlass_nvfp4_grouped_mm():
    groups = Groups()
    tiles = swizzle(groups.pad(groups.scale_a))

    def define(fd):
        t0, t1, offsets = define_open(fd, groups.a), define_open(fd, tiles), define_offsets(fd)
        fd.add_output(groups.define_product(fd, t0, t1, offsets))

    (got,) = run(define, [groups.a, tiles, groups.starts, groups.scale_starts, *groups.others])
    near(got, groups.multiply(), BF16)


@pytest.mark.parametrize("dtype", [E4M3, np.float32], ids=lambda dtype: np.dtype(dtype).name)
def test_layout_op(dtype):
    """Rows of groups at their places in tiles, with zeros behind each."""
    groups = Groups()
    x = random(len(groups.x), 9).astype(dtype)

    def define(fd):
        t0 = define_open(fd, x, DataType.Float if dtype == np.float32 else None)
        fd.add_output(fd.ops.preprocess_grouped_matmul_input_sf(t0, *define_offsets(fd)))

    (got,) = run(define, [x, groups.starts, groups.scale_starts])
    expected = swizzle(groups.pad(x))
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got.view(np.uint8), expected.view(np.uint8))


def test_layout_op_and_cutlass_nvfp4_grouped_mm():
    """Scales that come from outside in row-major order."""
    groups = Groups()

    def define(fd):
        t0, t1, offsets = define_open(fd, groups.a), define_open(fd, groups.scale_a), define_offsets(fd)
        tiles = fd.ops.preprocess_grouped_matmul_input_sf(t1, *offsets)
        fd.add_output(groups.define_product(fd, t0, tiles, offsets))

    (got,) = run(define, [groups.a, groups.scale_a, groups.starts, groups.scale_starts, *groups.others])
    near(got, groups.multiply(), BF16)


def test_block_quantize_op_and_layout_op():
    groups = Groups()

    def define(fd):
        t0, offsets = fd.from_pytorch(groups.x), define_offsets(fd)
        data, scales = fd.ops.nv_block_quantize(t0)
        tiles = fd.ops.preprocess_grouped_matmul_input_sf(scales, *offsets)
        fd.add_output(groups.define_product(fd, data, tiles, offsets))

    (got,) = run(define, [groups.x, groups.starts, groups.scale_starts, *groups.others])
    near(got, groups.multiply(), BF16)


def test_grouped_block_quantize_op():
    groups = Groups()

    def define(fd):
        t0, offsets = fd.from_pytorch(groups.x), define_offsets(fd)
        data, tiles = fd.ops.nv_grouped_block_quantize(t0, *offsets)
        fd.add_output(groups.define_product(fd, data, tiles, offsets))
        fd.add_output(tiles)

    got, tiles = run(define, [groups.x, groups.starts, groups.scale_starts, *groups.others])
    near(got, groups.multiply(), BF16)
    np.testing.assert_array_equal(tiles.view(np.uint8), swizzle(groups.pad(groups.scale_a)).view(np.uint8))
