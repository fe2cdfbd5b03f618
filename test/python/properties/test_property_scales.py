# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks with a scale each, scales in tiles, and rows of groups that are moved apart have the property of property_base.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    ANY,
    E4M3,
    E5M2,
    E8M0,
    FLOATS,
    Op,
    Typed,
    check_ops,
    examples,
    has_dimension,
    like,
    split,
)
from test_blocks import dequantize
from test_blocks import quantize as quantize_bytes
from test_float4 import NAMES, pack
from test_float4 import dequantize as dequantize_narrow
from test_float4 import quantize as quantize_narrow
from test_scale_layouts import lay_out, tile


def blocks(draw, x):
    """Whose size divides the last dimension."""
    size = draw(st.sampled_from([n for n in range(1, max(x.shape[-1], 1) + 1) if x.shape[-1] % n == 0]))
    rounding = draw(st.sampled_from(["floor", "ceil"]))
    return {"dtype": draw(st.sampled_from([E4M3, E5M2])), "size": size, "rounding": rounding}


def quantize(b, x, dtype, size, rounding):
    data, scales = b.block_quantize(x, dtype, size, rounding)
    return data, scales, b.block_dequantize(data, scales, block_size=size)


def expect_blocks(x, dtype, size, rounding):
    data, scales = quantize_bytes(x, dtype, size, rounding)
    return Typed(data, dtype), Typed(scales, E8M0), Typed(dequantize(data, scales, size), np.float32)


def scaled(draw, x):
    size = blocks(draw, x)["size"]
    return {"scales": like(draw, x, (*x.shape[:-1], x.shape[-1] // size), np.dtype(E8M0)), "size": size}


def rows_of_blocks(draw, x):
    """Rows of whole blocks of 4-bit floats."""
    shape = (*x.shape[:-1], 32 * draw(st.integers(0, 2)))
    return {"y": like(draw, x, shape), "name": draw(st.sampled_from([*NAMES]))}


def build_narrow(b, x, y, name):
    data, scales = b.block_quantize(y, "float4_e2m1fn", scales=NAMES[name][0])
    return data, scales, b.block_dequantize(data, scales)


def expect_narrow_blocks(x, y, name):
    scale_type, block = NAMES[name]
    data, scales = quantize_narrow(y, name)
    back = dequantize_narrow(data, scales, block)
    return Typed(pack(data), np.uint8), Typed(scales, scale_type), Typed(back, np.float32)


def swizzle(b, x):
    tiles = b.swizzle_scales(x)
    return tiles, b.unswizzle_scales(tiles, b.size(x, -2), b.size(x, -1))


def groups(draw, x):
    """How many rows each has, of all from the first one on."""
    count = draw(st.integers(1, 4))
    ends = sorted(draw(st.integers(0, x.shape[0])) for _ in range(count))
    multiple = draw(st.sampled_from([1, 4, 16]))
    first = ends[0]
    starts, padded = lay_out(np.diff([*ends, x.shape[0]]), first, multiple)
    dtype = np.dtype(draw(st.sampled_from(["int32", "int64"])))
    return {"starts": starts.astype(dtype), "padded": padded.astype(dtype), "multiple": multiple}


def move_apart(b, x, starts, padded, multiple):
    apart = b.pad_groups(x, starts, padded, multiple)
    return apart, b.unpad_groups(apart, starts, padded, b.size(x, 0))


def expect_apart(x, starts, padded, multiple):
    rows = (len(x) + len(starts) * (multiple - 1)) // multiple * multiple
    result = np.zeros((rows, *x.shape[1:]), x.dtype)
    for start, end, place in zip(starts, [*starts[1:], len(x)], padded, strict=True):
        result[place : place + end - start] = x[start:end]
    back = x.copy()
    back[: starts[0]] = 0
    return result, back


def factors(draw, x):
    """Rows of groups, a matrix for each group, scales of blocks of 32, and where groups begin."""
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=3))
    rows, inner, columns, count = sum(sizes), 32 * draw(st.integers(1, 2)), draw(st.integers(1, 4)), len(sizes)
    a, y = like(draw, x, (rows, inner), np.dtype(E4M3)), like(draw, x, (count, inner, columns), np.dtype(E4M3))
    scales = [like(draw, x, (*shape, inner // 32), np.dtype(E8M0)) for shape in ((rows,), (count, columns))]
    table = [(size, columns, inner) for size in sizes]
    places = [np.array(each, np.int32) for each in (table, *lay_out(sizes, 0, 128))]
    return {"a": a, "y": y, "scales": scales, "alpha": like(draw, x, (count,)), "places": places}


def multiply_groups(b, x, a, y, *others):
    scales, alpha, places = others
    apart = b.pad_groups(scales[0], *places[1:])
    own = b.swizzle_scales(apart), b.swizzle_scales(scales[1])
    return b.block_scaled_grouped_mm(a, y, own, alpha, places, dtype="float32")


def expect_groups(x, a, y, scales, alpha, places):
    sizes = places[0][:, 0]
    group = np.repeat(np.arange(len(sizes)), sizes)
    a, others = (
        a * np.repeat(scales[0].astype(float), 32, 1),
        y * np.swapaxes(np.repeat(scales[1].astype(float), 32, 2), 1, 2),
    )
    return alpha[group, None] * np.einsum("rk,rkn->rn", a, others[group])


def is_matrix(x):
    return 2 <= x.ndim and x.shape[-2] < 20


FAMILIES = {
    "blocks": [
        Op("block_quantize,block_dequantize", quantize, expect_blocks, FLOATS, blocks, has_dimension, 0),
        Op("block_quantize,block_dequantize narrow", build_narrow, expect_narrow_blocks, FLOATS, rows_of_blocks, lambda x: 0 < x.ndim < 3, 0),
    ],
    "scaled": [
        Op("block_dequantize of floats", lambda b, x, scales, size: b.block_dequantize(x, scales, block_size=size), lambda x, scales, size: Typed(dequantize(x, scales, size), np.float32), FLOATS, scaled, has_dimension, 0),
    ],
    "scales": [Op("swizzle_scales,unswizzle_scales", swizzle, lambda x: (tile(x), x), [each for each in ANY if each.kind != "c"], lambda draw, x: {}, is_matrix, 0)],
    "groups": [Op("pad_groups,unpad_groups", move_apart, expect_apart, ANY, groups, has_dimension, 0)],
    "products": [Op("block_scaled_grouped_mm", multiply_groups, expect_groups, FLOATS[:1], factors, units=8, is_sum=True)],
}  # fmt: skip


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_scales(table, data):
    check_ops(data.draw, TABLES[table], least=1)
