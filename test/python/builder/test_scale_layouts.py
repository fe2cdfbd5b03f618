# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales in tiles, and rows of groups that are moved apart, as functions of arrays, against NumPy: whatever sizes, both ways."""

import fuser
import fuser.numpy as fnp
import ml_dtypes
import numpy as np
import pytest

RNG = np.random.default_rng(5)
ELEMENTS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu, np.float32, np.int16]
SHAPES = [(1, 1), (5, 3), (128, 4), (300, 17), (2, 130, 6), (0, 4), (3, 0, 5)]


def make(shape, dtype):
    count = int(np.prod(shape))
    return RNG.integers(1, 100, count * np.dtype(dtype).itemsize).astype(np.uint8).view(dtype).reshape(shape)


def tile(x):
    """By the place of each scale."""
    *batch, rows, columns = x.shape
    tall, wide = -(-rows // 128) * 128, -(-columns // 4) * 4
    tiles = np.zeros((*batch, tall * wide), x.dtype)
    r, c = np.indices((rows, columns))
    place = (r // 128 * (wide // 4) + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4
    tiles[..., place] = x
    return tiles.reshape(*batch, tall, wide)


def same(got, expected):
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("dtype", ELEMENTS, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_tiles(target, dtype):
    swizzle = fuser.jit(fnp.swizzle_scales, target=target)
    unswizzle = fuser.jit(fnp.unswizzle_scales, target=target)
    for shape in SHAPES:
        x = make(shape, dtype)
        same(swizzle(x), tile(x))
        same(unswizzle(tile(x), *map(np.int64, shape[-2:])), x)


def test_a_part_of_tiles():
    x = make((200, 9), np.float32)
    got = fuser.jit(lambda tiles: fnp.unswizzle_scales(tiles, 150, 7))(tile(x))
    same(got, x[:150, :7])


#: Of groups how many rows each has, and how many rows there are before the first one.
GROUPS = [([5, 0, 130, 128], 0), ([1], 0), ([0, 0, 3], 0), ([7, 2], 4), ([0], 0)]


def lay_out(counts, first, multiple):
    """Where groups begin, and where they do when they are apart."""
    counts = np.array(counts)
    padded = -(-counts // multiple) * multiple
    return first + np.cumsum(counts) - counts, np.cumsum(padded) - padded


@pytest.mark.parametrize("multiple", [128, 8])
@pytest.mark.parametrize(("counts", "first"), GROUPS)
@pytest.mark.parametrize(("target", "index"), [("cpu", np.int32), ("cpu", np.int64), ("sim", np.int32)])
def test_groups(target, index, counts, first, multiple):
    x = make((first + sum(counts), 3), np.float32)
    starts, padded = (each.astype(index) for each in lay_out(counts, first, multiple))
    expected = np.zeros(((len(x) + len(counts) * (multiple - 1)) // multiple * multiple, 3), np.float32)
    for start, place, count in zip(starts, padded, counts, strict=True):
        expected[place : place + count] = x[start : start + count]
    pad = fuser.jit(lambda x, a, b: fnp.pad_groups(x, a, b, multiple), target=target)
    unpad = fuser.jit(fnp.unpad_groups, target=target)
    same(pad(x, starts, padded), expected)
    back = x.copy()
    back[:first] = 0
    same(unpad(expected, starts, padded, np.int64(len(x))), back)


def test_no_rows():
    """Groups of nothing have nothing but zeros; no groups have no rows."""
    none = np.zeros((0, 2), np.float32)
    starts = np.zeros(2, np.int32)
    same(fuser.jit(fnp.pad_groups)(none, starts, starts), np.zeros((128, 2), np.float32))
    same(fuser.jit(fnp.pad_groups)(none, starts[:0], starts[:0]), none)


def test_scalars_per_row():
    """A tensor of one dimension has rows of one element."""
    x, starts = np.arange(6, dtype=np.float32), np.array([0, 2], np.int64)
    same(
        fuser.jit(lambda x, a: fnp.pad_groups(x, a, a * 2, 4))(x, starts),
        np.array([0, 1, 0, 0, 2, 3, 4, 5, 0, 0, 0, 0], np.float32),
    )


ERRORS = [
    (lambda x, n: fnp.swizzle_scales(x[0]), "scales of at least two dimensions"),
    (
        lambda x, n: fnp.unswizzle_scales(x, 3, 3),
        r"swizzled scales of whole tiles, ... x 128 r x 4 c, got 'tensor<6x4xf32>'",
    ),
    (lambda x, n: fnp.pad_groups(x, x, n), "where groups begin of i32 or i64 and one dimension"),
    (lambda x, n: fnp.pad_groups(x, n, x), "where groups begin that are apart of i32 or i64"),
    (lambda x, n: fnp.pad_groups(x, n, n, 0), "a positive 'multiple', got 0"),
    (lambda x, n: fnp.scaled_mm(x, x.T, x, x, swizzled_block=3), "a 'swizzled_block' that divides dimension 1"),
    (lambda x, n: fnp.scaled_mm(x, x.T, x, x, swizzled_block=-1), "a positive 'swizzled_block', got -1"),
    (lambda x, n: fnp.scaled_mm(x, x.T, x[0], x, swizzled_block=2), "scales of 2 dimensions"),
    (lambda x, n: fnp.block_scaled_grouped_mm(x, x, (x, x), x[0], (x, n, n)), "factors of M x K and G x K x N"),
]


@pytest.mark.parametrize(("function", "message"), ERRORS, ids=lambda each: each if isinstance(each, str) else "")
def test_errors(function, message):
    with pytest.raises(fuser.Error, match=message):
        fuser.jit(function, dynamic=False)(np.zeros((6, 4), np.float32), np.zeros(1, np.int64))
