# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's test_repro with gradients of norms and gates, at smaller sizes, against NumPy (docs/nvfuser-tests.md lists them)."""

import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from reference import BF16, compare, narrow, wide
from scenario import RNG, random, run

ROWS, COLUMNS = 24, 40


def bf16(*shape):
    return random(*shape, dtype=BF16)


def positive(*shape):
    return RNG.uniform(0.5, 2, shape).astype(np.float32)


def spread_back(ops, x, shape):
    """Of 1 x rows the same numbers in a column of a tensor, by the steps that tracers write."""
    column = ops.broadcast_in_dim(x, [*shape[:2], 1], [0, 1])
    return ops.broadcast_in_dim(column, shape, [0, 1, 2])


def differentiate_root(ops, gradient, root, shape):
    """What a row's gradient gives by the reciprocal root of its mean of squares: of each element."""
    rows, columns = shape[1:]
    total = ops.broadcast_in_dim(ops.sum(gradient, [0, 2]), [1, rows, 1], [1])
    scaled = ops.mul(ops.mul(ops.mul(-0.5, total), ops.pow(root, 3.0)), ops.reciprocal(float(columns)))
    return spread_back(ops, ops.broadcast_in_dim(ops.sum(scaled, [0, 2]), [1, rows], [1]), shape)


def rms_norm_backward(ops, x, gradient, root, shape):
    """The gradient of x from that of x * root."""
    from_root = ops.mul(x, differentiate_root(ops, ops.mul(x, gradient), root, shape))
    direct = ops.mul(ops.broadcast_in_dim(root, shape, [0, 1, 2]), gradient)
    return ops.add(ops.add(direct, from_root), from_root)


def test_issue1706():
    def define(ops, *given):
        eps, _, t4, t5, t6, t7, t8 = given
        root = ops.rsqrt(wide(ops, t7))
        spread = wide(ops, ops.broadcast_in_dim(narrow(ops, root), [1, ROWS, COLUMNS], [0, 1, 2]))
        normal = narrow(ops, ops.mul(wide(ops, t6), spread))
        of_weight = narrow(ops, ops.mul(wide(ops, t4), wide(ops, normal)))
        of_weight = narrow(ops, ops.sum(wide(ops, of_weight), [0, 1]))
        halved = narrow(ops, ops.mul(wide(ops, of_weight), ops.reciprocal(2.0)))
        scaled = narrow(ops, ops.mul(wide(ops, t4), wide(ops, t8)))
        direct = narrow(ops, ops.mul(wide(ops, scaled), spread))
        along = narrow(ops, ops.mul(wide(ops, scaled), wide(ops, t6)))
        along = narrow(ops, ops.sum(wide(ops, along), [0, 2]))
        along = wide(ops, ops.broadcast_in_dim(along, [1, ROWS, 1], [1]))
        of_root = narrow(ops, ops.mul(ops.mul(-0.5, along), ops.pow(root, 3.0)))
        of_row = ops.sum(ops.mul(wide(ops, of_root), ops.reciprocal(eps)), [0, 2])
        row = spread_back(ops, ops.broadcast_in_dim(of_row, [1, ROWS], [1]), [1, ROWS, COLUMNS])
        back = narrow(ops, ops.mul(wide(ops, narrow(ops, row)), wide(ops, t6)))
        once = narrow(ops, ops.add(wide(ops, direct), wide(ops, back)))
        twice = narrow(ops, ops.add(wide(ops, once), wide(ops, back)))
        other = narrow(ops, ops.mul(wide(ops, t5), ops.reciprocal(2.0)))
        return [other, halved, twice, wide(ops, twice)]

    last = np.broadcast_to(bf16(1, 1, COLUMNS), (1, ROWS, COLUMNS))
    squares = positive(1, ROWS, 1).astype(BF16)
    whole = bf16(1, ROWS, COLUMNS)
    compare(define, float(COLUMNS), 10, whole, bf16(10, 32), bf16(1, ROWS, COLUMNS), squares, last)


def test_issue2664_repro2():
    """A scalar tensor that is read, and written with a sum of itself."""
    x, number = random(4096), random(1).reshape(())

    def define(fd):
        t1, t2 = fd.define_tensor(shape=[-1]), fd.define_tensor(shape=[])
        spread = fd.ops.broadcast_in_dim(t2, shape=[fd.define_scalar(4096)], broadcast_dims=[])
        fd.add_output(fd.ops.sum(spread, dims=[0], keepdim=False), t2)
        fd.add_output(fd.ops.mul(t1, spread))
        fd.add_output(fd.ops.add(t1, spread))

    given = number.copy()
    product, total = run(define, [x, given])
    np.testing.assert_allclose(given, number * 4096, rtol=1e-5)
    np.testing.assert_array_equal(product, x * number)
    np.testing.assert_array_equal(total, x + number)


def test_issue2664_repro4():
    """A column that another output reads is written."""
    column, x = random(1000, 1), random(1000, 128)

    def define(fd):
        t0, t1 = fd.define_tensor(shape=[-1, 1]), fd.define_tensor(shape=[-1, -1])
        fd.add_output(fd.ops.add(t1, t0))
        fd.add_output(fd.ops.neg(t0), t0)

    given = column.copy()
    (total,) = run(define, [given, x])
    np.testing.assert_array_equal(total, x + column)
    np.testing.assert_array_equal(given, -column)


def test_issue3227():
    def define(ops, t0, t1, t2):
        spread = ops.broadcast_in_dim(t2, [1, 1, 2, 3], [1, 2, 3])
        parts = [(t0, [1, 4, 2, 3]), (t1, [1, 5, 2, 3])]
        return [ops.add(ops.broadcast_in_dim(spread, shape, [0, 1, 2, 3]), x) for x, shape in parts]

    compare(define, random(1, 4, 2, 3), random(1, 5, 2, 3), random(1, 2, 3))


def test_issue4459():
    """A group norm and a gate, backward, with sums over dimensions of size 1 and of all."""
    n, g, c, h = 2, 4, 3, 6
    grouped, plain = [n, g, c, h, h], [n, g * c, h, h]

    def spread(ops, x, dims=(0, 1, 2, 3, 4)):
        return ops.broadcast_in_dim(x, grouped, dims)

    def column(ops, x):
        return ops.broadcast_in_dim(x, [n, g, 1, 1, 1], [0, 1])

    def define(ops, *given):
        mean, root, x, weight, bias, gradient = given
        rest = ops.sub(x, spread(ops, column(ops, mean)))
        normal = ops.reshape(ops.mul(rest, spread(ops, root)), plain)
        scale, shift = (
            ops.broadcast_in_dim(ops.reshape(each, [1, g * c, 1, 1]), plain, [0, 1, 2, 3]) for each in (weight, bias)
        )
        y = ops.add(ops.mul(normal, scale), shift)
        e = ops.exp(ops.neg(y))
        inner = ops.pad(gradient, [-1, -1, -1, -1, 0, 0, 0, 0], 0.0)
        gate = ops.reciprocal(ops.add(1.0, e))
        slope = ops.mul(ops.mul(ops.mul(ops.neg(ops.mul(y, inner)), gate), gate), e)
        of_y = ops.add(ops.mul(gate, inner), ops.neg(slope))
        of_normal = ops.reshape(ops.mul(scale, of_y), grouped)
        along = column(ops, ops.sum(ops.mul(rest, of_normal), [2, 3, 4]))
        of_root = ops.sum(ops.mul(ops.mul(-0.5, along), ops.pow(root, 3.0)), [2, 3, 4])
        direct = ops.mul(spread(ops, root), of_normal)
        of_mean = ops.sum(column(ops, ops.sum(ops.neg(direct), [2, 3, 4])), [2, 3, 4])
        by_root = ops.mul(ops.mul(2.0, spread(ops, column(ops, of_root))), ops.sub(x, spread(ops, column(ops, mean))))
        by_root = ops.mul(by_root, ops.reciprocal(float(c * h * h)))
        by_mean = ops.mul(1 / (c * h * h), spread(ops, column(ops, of_mean)))
        of_x = ops.reshape(ops.add(direct, ops.add(by_mean, by_root)), plain)
        last = ops.permute(ops.reshape(of_x, [1, *plain]), [0, 3, 4, 1, 2])
        rows = ops.sum(ops.reshape(last, [1, 1, h * h, n, g * c]), [0, 1])
        matrix = ops.reshape(rows, [h * h * n, g * c])
        sums = [ops.sum(each, [0, 2, 3]) for each in (ops.mul(normal, of_y), of_y)]
        sums = [ops.reshape(ops.broadcast_in_dim(each, [1, g * c, 1, 1], [1]), [g * c]) for each in sums]
        return [of_x, matrix, ops.permute(matrix, [1, 0]), ops.sum(rows, [0, 1]), *sums]

    inputs = random(g, n).T, positive(n, g, 1, 1, 1), random(*grouped), random(g * c), random(g * c)
    compare(define, *inputs, random(n, g * c, h + 2, h + 2))


# Gradients of norms of rows, of which nvFuser's kernels copy tiles ahead


SHAPE = [1, ROWS, COLUMNS]


@pytest.mark.parametrize("variant", [1, 3, 6])
def test_ws_tma_normalization1_3_6(variant):
    """RMS norms, backward: of a sum of two, with a tensor added, with a scalar tensor."""

    def define(ops, *given):
        weight, gradient, x, root, other, more = given
        of_y = wide(ops, ops.reshape(gradient, SHAPE))
        scale = wide(ops, weight)
        if variant == 1:
            of_y = ops.add(wide(ops, ops.reshape(more, SHAPE)), of_y)
        if variant != 3:
            scale = ops.add(1.0, scale)
        x = wide(ops, x)
        scaled = ops.mul(ops.broadcast_in_dim(scale, SHAPE, [2]), of_y)
        total = ops.add(wide(ops, other), rms_norm_backward(ops, x, scaled, root, SHAPE))
        normal = ops.mul(x, ops.broadcast_in_dim(root, SHAPE, [0, 1, 2]))
        of_weight = narrow(ops, ops.sum(ops.mul(normal, of_y), [0, 1]))
        if variant == 6:
            return [of_weight, narrow(ops, ops.mul(more, total))]
        if variant == 3:
            return [of_weight, narrow(ops, total)]
        of_x = narrow(ops, total)
        matrix = ops.reshape(of_x, [ROWS, COLUMNS])
        return [ops.permute(matrix, [1, 0]), matrix, of_x, of_weight]

    gradient = bf16(*SHAPE) if variant == 6 else bf16(ROWS, COLUMNS)
    more = random(1).reshape(()) if variant == 6 else bf16(ROWS, COLUMNS)
    compare(define, bf16(COLUMNS), gradient, bf16(*SHAPE), positive(1, ROWS, 1), bf16(*SHAPE), more)


def layer_norm_backward(ops, rest, x, statistics, of_normal, shape):
    """The gradient of x. rest: x less its mean. Sums over dimensions of size 1 stay, as tracers write them."""
    (mean, root), (batch, rows, columns) = statistics, shape
    lead = [batch, rows]

    def spread(each):
        return spread_back(ops, each, shape)

    along = ops.broadcast_in_dim(ops.sum(ops.mul(rest, of_normal), [2]), [*lead, 1], [0, 1])
    direct = ops.mul(ops.broadcast_in_dim(root, shape, [0, 1, 2]), of_normal)
    of_root = ops.sum(ops.mul(ops.mul(-0.5, along), ops.pow(root, 3.0)), [2])
    of_mean = ops.broadcast_in_dim(ops.sum(ops.neg(direct), [2]), [*lead, 1], [0, 1])
    by_root = ops.mul(ops.mul(2.0, spread(of_root)), ops.sub(x, spread(mean)))
    by_mean = ops.mul(1 / columns, spread(ops.sum(of_mean, [2])))
    return direct, ops.add(by_mean, ops.mul(by_root, ops.reciprocal(float(columns))))


def test_ws_tma_normalization2():
    shape = [6, 8, COLUMNS]

    def define(ops, gradient, weight, mean, x, root):
        of_y = wide(ops, ops.reshape(gradient, shape))
        of_normal = ops.mul(wide(ops, ops.broadcast_in_dim(weight, shape, [2])), of_y)
        x = wide(ops, x)
        rest = ops.sub(x, spread_back(ops, mean, shape))
        total = ops.add(*layer_norm_backward(ops, rest, x, (mean, root), of_normal, shape))
        of_x = narrow(ops, total)
        matrix = ops.reshape(of_x, [48, COLUMNS])
        normal = ops.mul(rest, ops.broadcast_in_dim(root, shape, [0, 1, 2]))
        sums = [narrow(ops, ops.sum(each, [0, 1])) for each in (total, ops.mul(normal, of_y), of_y)]
        return [ops.permute(matrix, [1, 0]), sums[0], matrix, of_x, *sums[1:]]

    compare(define, bf16(48, COLUMNS), bf16(COLUMNS), random(6, 8), bf16(*shape), positive(6, 8, 1))


def test_ws_tma_normalization4():
    shape = [3, 8, COLUMNS]

    def define(ops, gradient, weight, x, root):
        of_y, x = wide(ops, ops.reshape(gradient, shape)), wide(ops, x)
        scaled = ops.mul(ops.broadcast_in_dim(wide(ops, weight), shape, [2]), of_y)
        total = ops.broadcast_in_dim(ops.sum(ops.mul(x, scaled), [2]), [3, 8, 1], [0, 1])
        of_root = ops.mul(ops.mul(ops.mul(-0.5, total), ops.pow(root, 3.0)), ops.reciprocal(float(COLUMNS)))
        back = ops.mul(x, spread_back(ops, ops.sum(of_root, [2]), shape))
        spread = ops.broadcast_in_dim(root, shape, [0, 1, 2])
        of_x = narrow(ops, ops.add(ops.add(ops.mul(spread, scaled), back), back))
        of_weight = ops.sum(ops.mul(ops.mul(x, spread), of_y), [0, 1])
        matrix = ops.reshape(of_x, [24, COLUMNS])
        return [ops.permute(matrix, [1, 0]), matrix, of_x, narrow(ops, of_weight)]

    compare(define, bf16(24, COLUMNS), bf16(COLUMNS), bf16(*shape), positive(3, 8, 1))


def test_ws_tma_normalization5():
    """Two layer norms of one tensor, backward."""

    def define(ops, *given):
        first, weight, mean, x, root, second, other, more = given
        x = wide(ops, x)
        rest = ops.sub(x, spread_back(ops, mean, SHAPE))
        normal = ops.mul(rest, ops.broadcast_in_dim(root, SHAPE, [0, 1, 2]))
        total, sums = wide(ops, more), []
        for gradient, scale in ((first, weight), (second, other)):
            of_y = wide(ops, ops.reshape(gradient, SHAPE))
            of_normal = ops.mul(wide(ops, ops.broadcast_in_dim(scale, SHAPE, [2])), of_y)
            for each in layer_norm_backward(ops, rest, x, (mean, root), of_normal, SHAPE):
                total = ops.add(total, each)
            sums += [ops.sum(of_y, [0, 1]), ops.sum(ops.mul(normal, of_y), [0, 1])]
        return [*(narrow(ops, each) for each in sums), narrow(ops, total)]

    rows = bf16(ROWS, COLUMNS), bf16(ROWS, COLUMNS)
    inputs = rows[0], bf16(COLUMNS), random(1, ROWS), bf16(*SHAPE), positive(1, ROWS, 1), rows[1], bf16(COLUMNS)
    compare(define, *inputs, bf16(*SHAPE))


def test_shared_memory_usage():
    """Rows of 24,578 elements, with dropout and a division by a deviation, backward; sizes are open."""
    rows, columns = 16, 24578

    def define(ops, *given):
        dropped, kept, mask, deviation, gradient, weight = given
        mask = wide(ops, mask)
        x = ops.add(wide(ops, kept), ops.mul(ops.mul(wide(ops, dropped), mask), 1.25))
        spread = ops.broadcast_in_dim(deviation, [rows, columns], [0, 1])
        inverse = ops.reciprocal(spread)
        of_weight = ops.sum(ops.mul(wide(ops, gradient), ops.mul(x, inverse)), [0])
        scaled = ops.mul(wide(ops, gradient), ops.broadcast_in_dim(wide(ops, weight), [rows, columns], [1]))
        back = ops.mul(ops.mul(ops.neg(scaled), x), ops.reciprocal(ops.pow(spread, 2.0)))
        total = ops.broadcast_in_dim(ops.sum(back, [1]), [rows, 1], [0])
        total = ops.mul(ops.mul(total, ops.reciprocal(ops.mul(2.0, deviation))), ops.reciprocal(float(columns)))
        total = ops.broadcast_in_dim(ops.sum(total, [1]), [rows, 1], [0])
        by_deviation = ops.mul(ops.mul(ops.broadcast_in_dim(total, [rows, columns], [0, 1]), 2.0), x)
        of_x = ops.add(ops.mul(scaled, inverse), by_deviation)
        return [narrow(ops, ops.mul(ops.mul(of_x, 1.25), mask)), narrow(ops, of_x), narrow(ops, of_weight)]

    inputs = bf16(rows, columns), bf16(rows, columns), RNG.random((rows, columns)) < 0.8, positive(rows, 1)
    compare(define, *inputs, bf16(rows, columns), bf16(columns), is_open=True)


def test_ca_map_concrete_loop_id():
    def define(ops, t0, t1):
        e = ops.exp(ops.sub(t0, t0))
        one = ops.mul(e, ops.reciprocal(e))
        heads = ops.permute(ops.reshape(t1, [1, 1, 16, 64]), [0, 2, 1, 3])
        heads = ops.squeeze(heads, [0])
        spread = ops.broadcast(ops.permute(heads, [0, 2, 1]), [False, True, False, False])
        product = ops.squeeze(ops.mul(ops.broadcast(one, [False, False, True, False]), spread), [3])
        whole = ops.permute(ops.broadcast(product, [True, False, False, False]), [0, 2, 1, 3])
        return [one, heads, ops.reshape(whole, [1, 1, 1024])]

    compare(define, random(16, 1, 1), random(1, 1, 1024))


def test_issue5377():
    """A layer of experts: each one's gate, products of batches, and an input that is an output in another's memory."""
    experts, width, hidden = 4, 40, 64

    def gate(ops, x):
        return ops.mul(x, ops.reciprocal(ops.add(1.0, ops.exp(ops.neg(x)))))

    def define(ops, *given):
        scores, x, inner, outer, up, side, down = given
        shared = ops.mul(gate(ops, wide(ops, ops.linear(x, up))), wide(ops, ops.linear(x, side)))
        shared = ops.linear(narrow(ops, shared), down)
        each = ops.expand(ops.broadcast(x, [True, False, True, False]), [experts, 1, 1, width])
        each = wide(ops, ops.squeeze(each, [1, 2]))
        odds = narrow(ops, ops.reciprocal(ops.add(1.0, ops.exp(ops.neg(wide(ops, scores))))))
        odds = ops.expand(ops.broadcast(ops.squeeze(odds, [0]), [False, True]), [experts, width])
        rows = ops.broadcast(narrow(ops, ops.mul(each, wide(ops, odds))), [False, True, False])
        both = ops.matmul(rows, inner)
        halves = [wide(ops, ops.slice(both, [0, 0, at], [experts, 1, at + hidden])) for at in (0, hidden)]
        result = ops.squeeze(ops.matmul(narrow(ops, ops.mul(halves[1], gate(ops, halves[0]))), outer), [1])
        total = ops.sum(wide(ops, ops.broadcast(result, [False, True, False])), [0])
        return [shared, narrow(ops, total)]

    inner, outer = bf16(experts, width, 2 * hidden), bf16(experts, hidden, width)
    inputs = (
        bf16(1, experts),
        bf16(1, width),
        inner,
        outer,
        bf16(hidden, width),
        bf16(hidden, width),
        bf16(width, hidden),
    )
    compare(define, *inputs)
    given, target = bf16(1, experts), bf16(1, experts)

    def copy(fd):
        t0, t1 = (fd.define_tensor(shape=[1, experts], dtype=DataType.BFloat16) for _ in "01")
        fd.add_output(fd.ops.cast(t0, dtype=DataType.BFloat16), t1)

    run(copy, [given, target])
    np.testing.assert_array_equal(target, given)
