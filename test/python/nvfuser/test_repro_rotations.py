# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's test_repro and test_high_complexity with rotary embeddings, at smaller sizes, against NumPy (docs/nvfuser-tests.md lists them)."""

import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from numpy.lib.stride_tricks import as_strided
from reference import BF16, OPS, compare, narrow, part, turn, wide
from scenario import RNG, random


def bf16(*shape):
    return random(*shape, dtype=BF16)


def strided(shape, strides, dtype=np.float32):
    """Random elements at these strides, counted in elements."""
    count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if size)
    memory = random(count, dtype=dtype)
    return as_strided(memory, shape, [stride * memory.itemsize for stride in strides])


def last(before, behind, rank):
    """Widths of a pad of the last dimension."""
    return [before, behind, *[0] * (2 * rank - 2)]


def test_issue1277():
    """The first 4 of 16 elements are turned, by pads and sums, of sizes that are open."""
    small, whole = [5, 4, 5, 4], [5, 4, 5, 16]

    def rotate(ops, x, cos, sin):
        head = part(ops, x, whole, 0, 4)
        turned = ops.mul(ops.mul(1.0, head), sin)
        first = ops.pad(ops.neg(part(ops, turned, small, 0, 2)), last(2, 0, 4), 0.0)
        total = ops.add(ops.mul(ops.mul(1.0, head), cos), first)
        total = ops.add(total, ops.pad(part(ops, turned, small, 2, 4), last(0, 2, 4), 0.0))
        rest = ops.pad(part(ops, x, whole, 4, 16), last(4, 0, 4), 0.0)
        return ops.add(rest, ops.pad(total, last(0, 12, 4), 0.0))

    def define(ops, s0, s1, *tables):
        *tables, q, k = tables
        k = ops.permute(ops.mul(k, s1), [0, 1, 3, 2])
        return [rotate(ops, k, *tables[2:]), rotate(ops, ops.mul(q, s0), *tables[:2])]

    tables = [strided(small, (0, 0, 4, 1)) for _ in range(4)]
    inputs = 0.5, 0.5, *tables, strided(whole, (320, 80, 16, 1)), strided((5, 4, 16, 5), (320, 80, 5, 1))
    compare(define, *inputs, is_open=True)


def test_issue1953():
    """Pairs of elements as complex numbers, backward."""
    shape, places = [8, 16, 6, 24], (0, 24, 0, 1)

    def rotate(ops, x, cos, sin):
        pairs = ops.reshape(ops.permute(wide(ops, x), [0, 2, 1, 3]), [*shape, 2])
        real, imag = (ops.sum(ops.slice(pairs, [0, 0, 0, 0, at], [*shape, at + 1]), [4]) for at in (0, 1))
        parts = (
            ops.add(ops.mul(imag, cos), ops.mul(ops.neg(real), sin)),
            ops.add(ops.mul(imag, sin), ops.mul(real, cos)),
        )
        parts = [ops.broadcast_in_dim(narrow(ops, each), [*shape, 1], [0, 1, 2, 3]) for each in parts]
        parts = [ops.pad(each, last(1 - at, at, 5), 0.0) for at, each in enumerate(parts)]
        return narrow(ops, ops.add(wide(ops, parts[0]), wide(ops, parts[1])))

    def define(ops, *given):
        cos, sin, first, second = given[2:]
        return [rotate(ops, second, cos, sin), rotate(ops, first, cos, sin)]

    tables = [strided(shape, places) for _ in range(2)]
    inputs = 8, 16, *tables, *(strided((8, 6, 16, 48), (4608, 48, 288, 1), BF16) for _ in range(2))
    compare(define, *inputs, is_open=True)


def test_issue2275_repro1():
    """A norm, a product, heads, a rotation, and a cat with nothing."""
    n, m, heads, width = 2, 12, 8, 16
    shape = [n, heads, m, width]

    def define(ops, weight, x, cos, sin, matrix):
        x = wide(ops, x)
        squares = ops.broadcast_in_dim(ops.sum(ops.mul(x, x), [2]), [n, m, 1], [0, 1])
        root = ops.rsqrt(ops.add(ops.mul(squares, ops.reciprocal(32.0)), 1e-5))
        normal = ops.mul(x, ops.broadcast_in_dim(root, [n, m, 32], [0, 1, 2]))
        projected = ops.linear(narrow(ops, ops.mul(normal, wide(ops, weight))), matrix)
        grouped = ops.permute(ops.reshape(projected, [n, m, 2, 6, width]), [0, 2, 3, 1, 4])
        q = ops.reshape(ops.slice(grouped, [0] * 5, [n, 2, 4, m, width]), shape)
        turned = turn(ops, q, shape)
        total = ops.add(ops.mul(wide(ops, q), wide(ops, cos)), ops.mul(wide(ops, turned), wide(ops, sin)))
        return [ops.cat([narrow(ops, total), part(ops, q, shape, 0, 0)], -1)]

    weight, tables = strided((n, m, 32), (0, 0, 1), BF16), [strided(shape, (0, 0, width, 1), BF16) for _ in "01"]
    compare(define, weight, bf16(n, m, 32), *tables, bf16(192, 32), is_open=True)


def test_issue2275_repro2():
    shape = [2, 4, 12, 16]

    def define(ops, x):
        turned = turn(ops, ops.slice(x, [0] * 4, shape), shape)
        return [ops.cat([narrow(ops, ops.add(ops.sin(turned), ops.cos(turned))), part(ops, x, shape, 0, 0)], -1)]

    compare(define, bf16(*shape), is_open=True)


def test_issue3292():
    shape = [5, 7, 5, 64]

    def define(ops, x):
        heads = ops.permute(ops.reshape(x, [5, 5, 1, 9, 64]), [0, 2, 3, 1, 4])
        q = ops.reshape(ops.slice(heads, [0] * 5, [5, 1, 7, 5, 64]), shape)
        turned = turn(ops, q, shape, is_narrow=False)
        total = ops.add(ops.mul(q, q), ops.mul(turned, turned))
        return [ops.cat([total, part(ops, q, shape, 0, 0)], -1)]

    compare(define, random(5, 5, 576))


def rotate_back(ops, gradient, cos, sin, zeros, shape):
    """The gradient of what was turned, by pads of halves. zeros: a tensor of zeros, made of no elements."""
    half = shape[-1] // 2
    turned = narrow(ops, ops.mul(sin, wide(ops, gradient)))
    total = ops.add(zeros, ops.mul(cos, wide(ops, gradient)))
    first = narrow(ops, ops.neg(wide(ops, part(ops, turned, shape, 0, half))))
    total = ops.add(total, wide(ops, ops.pad(first, last(half, 0, 4), 0.0)))
    second = ops.pad(part(ops, turned, shape, half, 2 * half), last(0, half, 4), 0.0)
    return narrow(ops, ops.add(total, wide(ops, second)))


def test_issue4444():
    """Gradients of queries, keys and values of groups, side by side, and their transpose."""
    groups, m, width = 3, 10, 8
    shape, split = [1, groups**2, m, width], [1, groups, groups, m, width]
    row = [1, groups, 1, m, width]

    def define(ops, k, cos, sin, q, v):
        cos, sin = (ops.broadcast_in_dim(each, shape, [2, 3]) for each in (cos, sin))
        none = ops.full([*shape[:-1], 0], 0, DataType.BFloat16)
        zeros = wide(ops, ops.pad(none, last(0, width, 4), 0.0))
        of_k, of_q = (rotate_back(ops, each, sin, cos, zeros, shape) for each in (k, q))
        sums = [narrow(ops, ops.sum(wide(ops, ops.reshape(each, split)), [0, 2])) for each in (of_k, v)]
        rows = [ops.broadcast_in_dim(each, row, [1, 3, 4]) for each in sums]
        together = ops.cat([ops.reshape(of_q, split), *rows], 2)
        flat = ops.reshape(ops.permute(together, [0, 3, 1, 2, 4]), [1, m, groups * (groups + 2) * width])
        matrix = ops.reshape(flat, [m, groups * (groups + 2) * width])
        return [matrix, ops.permute(matrix, [1, 0])]

    tables = random(m, width), random(m, width)
    compare(define, bf16(*shape), *tables, bf16(*shape), bf16(*shape))


def add_update(ops, x, update):
    return ops.add(wide(ops, x), ops.mul(update, 2.0))


def split_heads(ops, x, shape):
    """narrow(x), of 1 x places x all, as heads of 1 x heads x places x width."""
    _, heads, places, width = shape
    return ops.permute(ops.reshape(narrow(ops, x), [1, places, heads, width]), [0, 2, 1, 3])


def rotate(ops, x, cos, sin, shape):
    return ops.add(ops.mul(wide(ops, x), cos), ops.mul(wide(ops, turn(ops, x, shape)), sin))


def test_loop_promotion_cyclic_war():
    m, groups, each, width, hidden = 6, 4, 2, 8, 20
    heads = groups * each
    shape, few = [1, heads, m, width], [1, each, m, width]
    # Keys are spread over groups by dimensions of size 1, as nvFuser's program has it.
    spread = [1, 1, groups, each, 1, m, 1, width]

    def define(ops, cos, sin, *others):
        tensors, updates = others[:5], others[5:]
        tables = []
        for table in (cos, sin):
            table = ops.broadcast_in_dim(ops.reshape(table, [1, m, width]), [1, 1, m, width], [0, 2, 3])
            tables.append(wide(ops, ops.broadcast_in_dim(table, shape, [0, 1, 2, 3])))
        q, k, v, gate, up = map(lambda *pair: add_update(ops, *pair), tensors, updates)
        k, v = (split_heads(ops, x, few) for x in (k, v))
        k, v = (ops.reshape(ops.broadcast_in_dim(x, spread, [1, 3, 5, 7]), shape) for x in (k, v))
        q = split_heads(ops, q, shape)
        product = ops.mul(ops.mul(gate, ops.reciprocal(ops.add(1.0, ops.exp(ops.neg(gate))))), up)
        turned = [narrow(ops, rotate(ops, x, *tables, shape)) for x in (q, k)]
        return [narrow(ops, gate), narrow(ops, up), v, *turned, narrow(ops, product), product]

    sizes = [heads * width, each * width, each * width, hidden, hidden]
    tensors = [bf16(1, m, size) for size in sizes] + [random(1, m, size) for size in sizes]
    compare(define, bf16(m, width), bf16(m, width), *tensors)


def test_reshape_cancellation():
    """Pairs that are turned stand beside each other, in tensors with gaps."""
    m, heads, half, width, groups = 10, 6, 4, 20, 2
    few, many = [1, m, heads, half], [1, m, heads, width]
    size = heads // groups * width

    def pair(ops, first, second):
        columns = [ops.broadcast_in_dim(each, [*few, 1], [0, 1, 2, 3]) for each in (first, second)]
        return wide(ops, ops.reshape(ops.cat(columns, -1), [1, m, heads, 2 * half]))

    def define(ops, *given):
        t0, t1, t2, packed, t4, sin, t6, t7 = given

        def finish(odd, even, base, first):
            turned = ops.add(base, ops.mul(pair(ops, narrow(ops, ops.neg(wide(ops, odd))), even), sin))
            rest = ops.slice(packed, [0, 0, 0, first], [1, m, groups, first + size])
            rest = ops.reshape(ops.reshape(rest, [1, m, groups, heads // groups, width]), many)
            rest = wide(ops, part(ops, rest, many, 2 * half, width))
            return ops.permute(ops.cat([turned, rest], -1), [0, 2, 1, 3])

        q, k = finish(t2, t4, t7, 0), finish(t0, t1, t6, 2 * size)
        return [q, narrow(ops, k), ops.permute(k, [0, 1, 3, 2])]

    steps = (m * heads * 2 * half, heads * 2 * half, 2 * half, 2)
    t0, t1, t2, t4 = (strided(few, steps, BF16) for _ in range(4))
    sin, t6, t7 = strided([1, m, heads, 2 * half], (0, 2 * half, 0, 1)), *(random(1, m, heads, 2 * half) for _ in "01")
    compare(define, t0, t1, t2, bf16(1, m, groups, 3 * size), t4, sin, t6, t7)


def test_reduction_reference_missing_input_ids():
    """Gradients of queries, keys, values and tables of a rotation, in f16."""
    m, heads, width = 10, 4, 8
    shape, half = [1, m, heads, width], width // 2

    def define(ops, *given):
        t0, t1, t2, sin, packed, t5, cos, t7 = given

        def split(x):
            """The gradient through the turned halves, which are made by pads of a dimension of size 1."""
            x = ops.mul(sin, x)
            second, first = part(ops, x, shape, half, width), ops.neg(part(ops, x, shape, 0, half))
            second, first = (ops.broadcast_in_dim(y, [1, m, heads, 1, half], [0, 1, 2, 4]) for y in (second, first))
            both = ops.add(ops.pad(first, [0, 0, 1, 0, *[0] * 6], 0.0), ops.pad(second, [0, 0, 0, 1, *[0] * 6], 0.0))
            return ops.reshape(both, shape)

        def halves(x):
            pairs = ops.reshape(x, [1, m, heads, 2, half])
            parts = [ops.slice(pairs, [0, 0, 0, at, 0], [1, m, heads, at + 1, half]) for at in (1, 0)]
            second, first = (ops.squeeze(each, [3]) for each in parts)
            return ops.cat([ops.neg(second), first], -1)

        a = ops.add(wide(ops, t1), wide(ops, ops.permute(t0, [0, 2, 1, 3])))
        b = wide(ops, ops.permute(t2, [0, 2, 1, 3]))
        zeros = ops.pad(ops.full([1, m, heads, 0], 0, DataType.Float), last(0, width, 4), 0.0)
        results = [ops.add(ops.add(split(x), ops.mul(cos, x)), zeros) for x in (b, a)]
        results.append(ops.add(wide(ops, t7), wide(ops, ops.permute(t5, [0, 2, 1, 3]))))
        size = heads * width
        flat = [ops.reshape(ops.cast(x, DataType.Half), [1, m, size]) for x in results]
        whole = ops.cat(flat, 2)
        doubled = ops.reshape(ops.mul(2.0, wide(ops, whole)), [m, 3 * size])
        q, k = (wide(ops, ops.reshape(ops.slice(packed, [0, 0, at], [1, m, at + size]), shape)) for at in (0, size))
        sums = [ops.sum(ops.mul(*pair), [0, 2]) for pair in ((q, b), (k, a), (halves(q), b), (halves(k), a))]
        sums = [ops.broadcast_in_dim(each, [1, m, 1, width], [1, 3]) for each in sums]
        tables = ops.add(sums[1], sums[0]), ops.add(sums[3], sums[2])
        return [ops.permute(doubled, [1, 0]), doubled, ops.reshape(whole, [m, 3 * size]), *tables]

    def half_floats(*shape):
        return random(*shape, dtype=np.float16)

    t0, t2, t5 = (half_floats(1, m, heads, width).transpose(0, 2, 1, 3) for _ in range(3))
    sin, cos = (strided(shape, (0, width, 0, 1)) for _ in "01")
    packed = half_floats(1, m, 3 * heads * width)
    compare(define, t0, half_floats(*shape), t2, sin, packed, t5, cos, half_floats(*shape))


def test_domain_map_hang():
    """Tables are computed of places, and a part of each head is turned by them."""
    m, heads, width, turned, hidden = 12, 3, 10, 4, 40
    shape, head = [1, heads, m, width], [1, heads, m, turned]

    def make_tables(ops, frequency, places, index):
        places, frequency = (
            ops.broadcast_in_dim(x, [m, turned // 2], [0, 1])
            for x in (places, ops.broadcast_in_dim(frequency, [1, turned // 2], [1]))
        )
        angles = ops.mul(places, frequency)
        angles = ops.cat([angles, angles], -1)
        whole = [narrow(ops, ops.cos(angles)), narrow(ops, ops.sin(angles))]
        rows = [ops.reshape(ops.index_select(x, index, 0), [1, m, turned]) for x in whole]
        return whole, [ops.broadcast_in_dim(x, [1, 1, m, turned], [0, 2, 3]) for x in rows]

    def define(ops, first, second, mask, *others):
        numbers = ops.iota(m, 0, 1, DataType.Int)
        row = ops.broadcast_in_dim(numbers, [1, m], [1])
        wrap = ops.cast(ops.where(ops.lt(row, 0), m, 0), DataType.Int)
        index = ops.reshape(ops.add(row, wrap), [m])
        places = ops.broadcast_in_dim(wide(ops, numbers), [m, 1], [0])
        tables, rows = make_tables(ops, first, places, index)
        more, spare = make_tables(ops, second, places, index)
        rows, spare = rows, [wide(ops, ops.broadcast_in_dim(x, head, [0, 1, 2, 3])) for x in spare]
        cos, sin = (wide(ops, ops.broadcast_in_dim(x, head, [0, 1, 2, 3])) for x in rows)
        *qkv, up = map(lambda *pair: add_update(ops, *pair), others[:4], others[4:])
        q, k, v = (split_heads(ops, x, shape) for x in qkv)
        results = []
        for x in (q, k):
            rotated = narrow(ops, rotate(ops, part(ops, x, shape, 0, turned), cos, sin, head))
            results.append(ops.cat([rotated, part(ops, x, shape, turned, width)], -1))
        inner = ops.mul(0.797885, ops.add(up, ops.mul(0.044715, ops.pow(up, 3.0))))
        gate = ops.mul(ops.mul(0.5, up), ops.add(1.0, ops.tanh(inner)))
        q, k = wide(ops, results[0]), results[1]
        done = [narrow(ops, mask), narrow(ops, up), v, k, q, ops.permute(wide(ops, k), [0, 1, 3, 2])]
        return [*tables, *more, *rows, *spare, *done, narrow(ops, gate), gate]

    sizes = [heads * width] * 3 + [hidden]
    tensors = [bf16(1, m, size) for size in sizes] + [random(1, m, size) for size in sizes]
    frequencies = (RNG.random(turned // 2, np.float32) for _ in "01")
    compare(define, *frequencies, random(m, m), *tensors)


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [3, 1, 2, 0]])
def test_cat_qwen2_v2(order):
    """A product with dropout added becomes values, keys and queries are turned; outputs have an order of strides."""
    m, few, each, width = 10, 2, 3, 8
    heads = few * each
    small, shape, row = [1, few, m, width], [1, heads, m, width], [1, 1, m, width]

    def define(ops, *given):
        product, offset, seed, k, cos, sin, q, residual = given
        numbers = ops.uniform(0.0, 1.0, [1, m, few * width], rng_seed=seed, rng_offset=offset, dtype=DataType.BFloat16)
        dropped = ops.mul(
            ops.mul(wide(ops, ops.reshape(product, [1, m, few * width])), 4.0), wide(ops, ops.lt(numbers, 0.9))
        )
        v = ops.add(wide(ops, residual), ops.mul(dropped, 1.11111))
        v = split_heads(ops, v, small)
        tables = [ops.broadcast_in_dim(x, row, [0, 2, 3]) for x in (cos, sin)]

        def apply(x, sizes):
            own = (wide(ops, ops.broadcast_in_dim(table, sizes, [0, 1, 2, 3])) for table in tables)
            return narrow(ops, rotate(ops, x, *own, sizes))

        k = apply(k, small)
        spread = []
        for x in (v, k):
            x = ops.broadcast_in_dim(x, [1, few, 1, m, width], [0, 1, 3, 4])
            x = ops.broadcast_in_dim(x, [1, few, each, m, width], [0, 1, 2, 3, 4])
            spread.append(ops.reshape(x, shape))
        return [v, k, *(ops.stride_order(x, order) for x in (*spread, apply(q, shape)))]

    tables = [strided((1, m, width), (m * width, 1, m), BF16) for _ in "01"]
    k, q = (bf16(1, m, n, width).transpose(0, 2, 1, 3) for n in (few, heads))
    results = compare(define, bf16(m, few * width), 25546, 1400552702872758, k, *tables, q, bf16(1, m, few * width))
    for each in results[2:]:
        strides = [stride // each.itemsize for stride in each.strides]
        places = sorted(range(4), key=lambda dim: (strides[dim], order[dim]))
        assert [order[dim] for dim in places] == [0, 1, 2, 3]


def test_litgpt_variants_gpt_neox_like():
    shape = [5, 4, 5, 16]

    def define(ops, cos, sin, packed):
        tables = [ops.slice(x, [0, 0], [5, 16]) for x in (cos, sin)]
        heads = ops.permute(ops.reshape(packed, [5, 5, 4, 3, 16]), [0, 2, 3, 1, 4])
        parts = (ops.slice(heads, [0, 0, at, 0, 0], [5, 4, at + 1, 5, 16]) for at in range(3))
        q, k, v = (ops.reshape(each, shape) for each in parts)
        tables = [ops.broadcast_in_dim(x, shape, [2, 3]) for x in tables]
        results = []
        for x in (q, k):
            total = ops.add(ops.mul(x, tables[0]), ops.mul(turn(ops, x, shape, is_narrow=False), tables[1]))
            results.append(ops.cat([total, part(ops, x, shape, 0, 0)], -1))
        q, k = results
        return [v, *tables, ops.mul(q, 0.5), ops.mul(ops.permute(k, [0, 1, 3, 2]), 0.5)]

    compare(define, random(128, 16), random(128, 16), random(5, 5, 192))


def test_the_reference_is_right():
    """A rotation by NumPy's ops, beside complex numbers."""
    m, width = 7, 8
    angles = RNG.random((m, width // 2))
    table = np.concatenate([angles, angles], -1)
    x = RNG.standard_normal((m, width)).astype(np.float32)
    result = x * np.cos(table) + turn(OPS, x, [m, width], is_narrow=False) * np.sin(table)
    expected = (x[:, : width // 2] + 1j * x[:, width // 2 :]) * np.exp(1j * angles)
    np.testing.assert_allclose(result, np.concatenate([expected.real, expected.imag], -1), rtol=1e-5, atol=1e-6)
