# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with nvFuser's Python interface, on the CPU, against NumPy.

A test whose name is one of nvFuser's own (tests/python/direct) has that one's scenario: docs/nvfuser-tests.md lists them.
"""

import re

import fuser
import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition, LruFusionCache, compute_tensor_descriptor, version
from fuser.nvfuser_direct.pytorch_utils import python_scalar_to_nvfuser_dtype, torch_dtype_to_nvfuser_dtype
from scenario import check, random, run

# Scenarios of test_python_frontend


def test_basic():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t2 = fd.ops.mul(fd.ops.add(t0, t1), fd.define_scalar(3.0))
        fd.add_output(fd.ops.sum(t2, [-1], False, DataType.Float))

    x, y = random(2, 4, 8), random(2, 4, 8)
    check(define, [x, y], ((x + y) * 3).sum(-1))


def test_basic_fp16():
    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, dtype=DataType.Half) for _ in range(2))
        t2 = fd.ops.add(fd.ops.cast(t0, DataType.Float), fd.ops.cast(t1, DataType.Float)) * 3.0
        fd.add_output(fd.ops.cast(fd.ops.sum(t2, [-1], False, DataType.Float), DataType.Half))

    x, y = random(2, 4, 8, dtype=np.float16), random(2, 4, 8, dtype=np.float16)
    expected = ((x.astype(np.float32) + y.astype(np.float32)) * 3).sum(-1).astype(np.float16)
    (got,) = check(define, [x, y], expected, rtol=1e-3)
    assert got.dtype == np.float16


def test_define_contiguous_tensor():
    def define(fd):
        fd.add_output(fd.define_tensor(shape=[-1, 4], contiguity=True) + 1.0)

    x = random(3, 4)
    check(define, [x], x + 1)


def test_define_noncontiguous_tensor():
    def define(fd):
        fd.add_output(fd.define_tensor(shape=[-1, -1], contiguity=[False, False]) + 1.0)
        fd.add_output(fd.define_tensor(sizes=[3, 4], strides=[8, 2], dtype=DataType.Float) * 2.0)

    x, y = random(6, 8)[::2, ::2], random(6, 8)[:3, ::2]
    check(define, [x, y], x + 1, y * 2)


def test_define_broadcast_tensor():
    def define(fd):
        t0 = fd.define_tensor(shape=[1, -1], contiguity=[None, True])
        fd.add_output(t0 + fd.define_tensor(shape=[-1, -1], contiguity=[True, True]))

    x, y = random(1, 4), random(3, 4)
    check(define, [x, y], x + y)


def test_define_tensor_contiguity_with_stride_order():
    def define(fd):
        fd.add_output(fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[0, 1]) + 1.0)

    x = np.asfortranarray(random(3, 4))
    check(define, [x], x + 1)
    with pytest.raises(fuser.Error, match=r"input 0 'arg0': expected strides \[1, 3\] .*, got \[4, 1\]$"):
        run(define, [random(3, 4)])


def test_cast_scalar():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1], dtype=DataType.Int32)
        s0 = fd.ops.cast(fd.define_scalar(DataType.Double), DataType.Int32)
        fd.add_output(fd.ops.add(t0, fd.ops.mul(s0, fd.define_scalar(2))))

    x = np.arange(4, dtype=np.int32)
    (got,) = check(define, [x, 2.75], x + 4)
    assert got.dtype == np.int32


def test_cast_double_to_half():
    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[-1, -1], dtype=DataType.Double) for _ in range(2))
        t2 = fd.ops.add(fd.ops.cast(t0, DataType.Half), fd.ops.cast(t1, DataType.Half))
        fd.add_output(fd.ops.relu(t2))

    x, y = random(2, 4, dtype=np.float64), random(2, 4, dtype=np.float64)
    expected = np.maximum(x.astype(np.float16) + y.astype(np.float16), 0)
    np.testing.assert_array_equal(run(define, [x, y])[0], expected)


def test_promote_to_double():
    def define(fd):
        t2 = fd.ops.add(fd.define_tensor([-1], True, DataType.Half), fd.define_tensor([-1], True, DataType.Double))
        fd.add_output(fd.ops.relu(t2))

    x, y = random(5, dtype=np.float16), random(5, dtype=np.float64)
    (got,) = check(define, [x, y], np.maximum(x + y, 0))
    assert got.dtype == np.float64


def test_broadcast():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(fd.ops.broadcast(t0, [True, False, True]), t1))

    x, y = random(4), random(2, 4, 8)
    check(define, [x, y], x[None, :, None] + y)


def test_implicit_broadcast_input():
    def define(fd):
        t0, t1 = fd.define_tensor(shape=[-1]), fd.define_tensor(shape=[-1] * 3)
        t0b = fd.ops.broadcast_in_dim(t0, [2, 3, 4], [1])
        fd.add_output(fd.ops.add(t0b, t1))

    x, y = random(3), random(2, 3, 4)
    check(define, [x, y], x[None, :, None] + y)


def test_explicit_broadcast_input():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(fd.ops.broadcast_in_dim(t0, y.shape, [0, 1, 2]), t1))

    x, y = random(1, 3, 1), random(2, 3, 4)
    check(define, [x, y], x + y)


def test_broadcast_mixing():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(t0, fd.ops.broadcast_in_dim(t1, [3, 3], [0])))

    x, y = random(3, 1), random(3)
    check(define, [x, y], x + y[:, None] * np.ones(3, np.float32))


def test_dynamic_bcast_in_dim():
    def define(fd):
        t0, t1 = fd.define_tensor(shape=[-1]), fd.define_tensor(shape=[-1] * 3)
        sizes = [t1.size(0), fd.ops.size(t1, 1), *fd.ops.shape(t1)[2:]]
        fd.add_output(fd.ops.add(fd.ops.broadcast_in_dim(t0, sizes, [1]), t1))

    x, y = random(3), random(2, 3, 4)
    check(define, [x, y], x[None, :, None] + y)


def test_dynamic_full():
    def define(fd):
        n, value = fd.define_scalar(DataType.Int), fd.define_scalar(DataType.Double)
        fd.add_output(fd.ops.full([n, fd.define_scalar(3)], value, DataType.Float))

    (got,) = run(define, [2, 1.5])
    np.testing.assert_array_equal(got, np.full((2, 3), 1.5))


def test_tensor_ndim():
    fd = FusionDefinition()
    t0 = fd.define_tensor(shape=[-1] * 3, contiguity=True)
    assert (t0.ndim, fd.ops.sum(t0, 1).ndim, t0.dtype(), t0.is_tensor()) == (3, 2, DataType.Float, True)


def test_execute_with_tuple_and_list():
    def define(fd):
        fd.add_output(fd.from_pytorch(x) + fd.from_pytorch(x))

    x = random(3)
    for inputs in ((x, x), [x, x]):
        check(define, inputs, x + x)


def test_dynamic_reshape():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1])
        fd.add_output(fd.ops.reshape(t0, fd.define_vector(3)))

    x = random(4, 6)
    check(define, [x, [2, 3, 4]], x.reshape(2, 3, 4))


def test_reshape_dynamic():
    """A size that is computed as a float."""

    def define(fd):
        s0, t0 = fd.define_scalar(DataType.Int), fd.define_tensor(shape=[-1, -1, -1], stride_order=[2, 1, 0])
        left = fd.ops.mul(fd.define_scalar(192), fd.ops.reciprocal(s0))
        fd.add_output(fd.ops.reshape(t0, [s0, left]))

    x = random(4, 8, 6)
    check(define, [x, 32], x.reshape(32, 6))


def test_empty_reshape():
    def define(fd):
        fd.add_output(fd.ops.reshape(fd.define_tensor(shape=[0, 5]), [5, 0]))

    check(define, [random(0, 5)], np.empty((5, 0), np.float32))


def test_squeeze():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.mul(fd.ops.squeeze(t0, [0, -1]), t1))

    x, y = random(1, 4, 1), random(3, 4)
    check(define, [x, y], x.reshape(4) * y)


def test_expand():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(fd.ops.expand(t0, [-1, 3, y.shape[2]]), t1))

    x, y = random(1, 3, 1), random(2, 3, 4)
    check(define, [x, y], x + y)


def test_expanded_reduction():
    def define(fd):
        fd.add_output(fd.ops.sum(fd.ops.expand(fd.from_pytorch(x), [4, 3]), 0))

    x = random(1, 3)
    check(define, [x], x[0] * 4)


def test_select():
    def define(fd):
        fd.add_output(fd.ops.select(fd.from_pytorch(x), fd.define_scalar(DataType.Int), dim=1))

    x = random(3, 4)
    check(define, [x, 2], x[:, 2])


def test_where_dtypes():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1], dtype=DataType.Bool)
        half = fd.define_tensor(shape=[-1], dtype=DataType.Half)
        whole = fd.define_tensor(shape=[-1], dtype=DataType.Int)
        fd.add_output(fd.ops.where(t0, half, whole))
        fd.add_output(fd.ops.where(t0, whole, fd.define_scalar(1)))
        fd.add_output(fd.ops.where(t0, fd.define_scalar(2.0), fd.define_scalar(3)))

    c, x, n = np.array([True, False, True]), random(3, dtype=np.float16), np.arange(3)
    # As in PyTorch, and unlike NumPy, no integer makes a Half wider.
    check(define, [c, x, n], np.where(c, x, n).astype(np.float16), np.where(c, n, 1), np.where(c, 2.0, 3))


def test_addcmul():
    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, z))
        fd.add_output(fd.ops.addcmul(t0, t1, t2, fd.define_scalar(0.5)))

    x, y, z = random(3), random(3), random(3)
    check(define, [x, y, z], x + 0.5 * y * z)


def test_slice():
    def define(fd):
        t0 = fd.from_pytorch(x, static_sizes=True)
        fd.add_output(fd.ops.slice(t0, [1, 0], [3, 99]))
        fd.add_output(fd.ops.slice(t0, start_indices=[0, -3], end_indices=[-1, 5], strides=[2, 1]))

    x = random(4, 5)
    check(define, [x], x[1:3], x[0:-1:2, -3:5])


def test_iota():
    def define(fd):
        fd.add_output(fd.ops.iota(fd.define_scalar(5), fd.define_scalar(2), fd.define_scalar(3), DataType.Int))
        fd.add_output(fd.ops.iota(4, dtype=DataType.Float))

    got = run(define, [])
    np.testing.assert_array_equal(got[0], 2 + 3 * np.arange(5))
    np.testing.assert_array_equal(got[1], np.arange(4.0))


def test_scalar_only_inputs():
    def define(fd):
        s0, s1 = fd.define_scalar(None, DataType.Double), fd.define_scalar(DataType.Double)
        fd.add_output(fd.ops.full([2, 2], fd.ops.add(s0, s1), DataType.Float))

    np.testing.assert_array_equal(run(define, [1.5, 2])[0], np.full((2, 2), 3.5))


def test_alias_output_to_input():
    def define(fd):
        t0 = fd.from_pytorch(x)
        t1 = fd.ops.add(t0, fd.define_scalar(1.0))
        fd.add_output(t1, alias_input=t0)
        fd.add_output(fd.ops.mul(t1, t1))

    x = random(3)
    before = x.copy()
    check(define, [x], (before + 1) ** 2)
    np.testing.assert_array_equal(x, before + 1)


def test_returning_aliased_outputs():
    def define(fd):
        t0 = fd.from_pytorch(x)
        t1 = fd.ops.relu(t0)
        fd.add_output(t1)
        fd.add_output(t1, alias_input=t0)
        fd.add_output(fd.ops.sum(t0, 0))

    x = random(3)
    before = x.copy()
    check(define, [x], np.maximum(before, 0), before.sum())
    np.testing.assert_array_equal(x, np.maximum(before, 0))


def test_cat():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.cat([t0, t1], dim=1))
        fd.add_output(fd.ops.sin(fd.ops.cat([fd.ops.mul(t0, t0), t0], -2)))

    x, y = random(2, 4), random(2, 3)
    check(define, [x, y], np.concatenate([x, y], 1), np.sin(np.concatenate([x * x, x], 0)))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_output_stride_order(order):
    def define(fd):
        t1 = fd.ops.add(fd.from_pytorch(x), fd.define_scalar(1.0))
        fd.add_output(fd.ops.stride_order(t1, order))

    x = random(2, 3, 4)
    (got,) = check(define, [x], x + 1)
    # The greatest number is the slowest dimension.
    slowest_first = sorted(range(3), key=lambda dim: -order[dim])
    assert got.transpose(slowest_first).flags.c_contiguous


def test_output_stride_order_with_reduction():
    def define(fd):
        fd.add_output(fd.ops.stride_order(fd.ops.sum(fd.from_pytorch(x), dim=-1), (0, 2, 1)))

    x = random(2, 3, 4, 5)
    (got,) = check(define, [x], x.sum(-1))
    assert got.transpose(1, 2, 0).flags.c_contiguous


@pytest.mark.parametrize("diagonal", [0, 2, -1])
def test_triu(diagonal):
    def define(fd):
        fd.add_output(fd.ops.triu(fd.from_pytorch(x), diagonal))

    x = random(2, 4, 5)
    check(define, [x], np.triu(x, diagonal))


def test_constant_nans():
    def define(fd):
        fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.define_scalar(float("nan"))))

    x = random(3)
    assert np.isnan(run(define, [x])[0]).all()


def test_integer_division():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.div(t0, t1))
        fd.add_output(fd.ops.truediv(t0, t1))
        fd.add_output(fd.ops.mod(t0, t1))
        fd.add_output(fd.ops.remainder(t0, t1))

    x, y = np.array([-7, 7, -8, 9], np.int32), np.array([2, -2, 3, 4], np.int32)
    quotient = x / y
    check(define, [x, y], quotient.astype(np.int32), quotient.astype(np.float32), np.fmod(x, y), np.remainder(x, y))


def test_right_shift():
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.bitwise_right_shift(t0, fd.define_scalar(3)))
        fd.add_output(fd.ops.logical_right_shift(t0, fd.define_scalar(3)))

    x = np.array([-(2**31), -1, 1, 12345], np.int32)
    check(define, [x], x >> 3, (x.view(np.uint32) >> 3).view(np.int32))


def test_segment_set():
    def define(fd):
        t1 = fd.ops.segment_set(fd.ops.exp(fd.from_pytorch(x)))
        fd.add_output(fd.ops.sum(t1, [1]))

    x = random(3, 4)
    check(define, [x], np.exp(x).sum(1))


def test_signbit():
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.where(fd.ops.signbit(t0), fd.ops.neg(fd.ops.abs(t0)), fd.ops.abs(t0)))

    x = np.append(random(5), np.float32(-0.0))
    (got,) = check(define, [x], x)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(x))


def test_tensor_shape():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t2 = fd.ops.broadcast_in_dim(t0, fd.ops.shape(t1), [1])
        fd.add_output(fd.ops.sub(t2, t1))

    x, y = random(4), random(3, 4)
    check(define, [x, y], x - y)


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_var_mean_correction(correction, keepdim):
    def define(fd):
        t0 = fd.from_pytorch(x)
        for each in fd.ops.var_mean(t0, [1, 2], correction, keepdim):
            fd.add_output(each)
        fd.add_output(fd.ops.var(t0, [-1], correction=correction, keepdim=keepdim))

    x = random(3, 4, 5)
    options = {"ddof": correction, "keepdims": keepdim}
    check(define, [x], x.var((1, 2), **options), x.mean((1, 2), keepdims=keepdim), x.var(-1, **options))


def test_all_dim_var_mean():
    def define(fd):
        for each in fd.ops.var_mean(fd.from_pytorch(x), [0, 1], correction=0):
            fd.add_output(each)

    x = random(3, 4)
    check(define, [x], x.var(), x.mean())


def test_zero_size_dim():
    def define(fd):
        t0 = fd.define_tensor(shape=[0, -1])
        fd.add_output(fd.ops.sum(t0, [0]))
        fd.add_output(fd.ops.relu(t0))

    check(define, [random(0, 3)], np.zeros(3, np.float32), np.empty((0, 3), np.float32))


def test_expand_to_zero():
    def define(fd):
        fd.add_output(fd.ops.expand(fd.define_tensor(shape=[1, -1]), [0, 3]))

    check(define, [random(1, 3)], np.empty((0, 3), np.float32))


def test_inplace_update_on_non_contiguous_inputs():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[False, True])
        fd.add_output(fd.ops.abs(t0), alias_input=t0)

    memory = random(4, 6)
    before, x = memory.copy(), memory[:, :3]
    assert run(define, [x]) == []
    np.testing.assert_array_equal(memory[:, :3], abs(before[:, :3]))
    np.testing.assert_array_equal(memory[:, 3:], before[:, 3:])


def test_cpu_add():
    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[], is_cpu=True) for _ in range(2))
        fd.add_output(fd.ops.add(t0, t1))

    check(define, [np.array(2, np.float32), np.ones((), np.float32)], np.float32(3))


# Norms, as frontends write them


def test_layer_norm():
    """Sizes are numbers, of inputs that leave them open."""

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True] * 3, dtype=DataType.BFloat16)
        weight, bias = (fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.BFloat16) for _ in range(2))
        x32 = fd.ops.cast(t0, DataType.Float)
        var, mean = fd.ops.var_mean(x32, dims=[2], correction=0, keepdim=False)
        mean = fd.ops.broadcast_in_dim(fd.ops.broadcast_in_dim(mean, [2, 3, 1], [0, 1]), [2, 3, 8], [0, 1, 2])
        rstd = fd.ops.rsqrt(fd.ops.add(fd.ops.broadcast_in_dim(var, [2, 3, 1], [0, 1]), fd.define_scalar(1e-5)))
        normal = fd.ops.mul(fd.ops.sub(x32, mean), fd.ops.broadcast_in_dim(rstd, [2, 3, 8], [0, 1, 2]))
        scaled = fd.ops.mul(normal, fd.ops.cast(fd.ops.broadcast_in_dim(weight, [2, 3, 8], [2]), DataType.Float))
        shifted = fd.ops.add(scaled, fd.ops.cast(fd.ops.broadcast_in_dim(bias, [2, 3, 8], [2]), DataType.Float))
        fd.add_output(fd.ops.cast(shifted, DataType.BFloat16))

    x, w, b = (random(*shape, dtype=ml_dtypes.bfloat16) for shape in ((2, 3, 8), (8,), (8,)))
    wide, weight, bias = (each.astype(np.float32) for each in (x, w, b))
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * weight + bias
    (got,) = run(define, [x, w, b])
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_allclose(got.astype(np.float32), expected, rtol=2**-8, atol=1e-6)


@pytest.mark.parametrize("device", [None, "sim"])
def test_softmax(device):
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=True)
        e = fd.ops.exp(t0 - fd.ops.broadcast(fd.ops.max(t0, dim=1), [False, True]))
        fd.add_output(e / fd.ops.sum(e, 1, keepdim=True))

    x = random(3, 64)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(run(define, [x], device=device)[0], e / e.sum(1, keepdims=True), rtol=1e-5)


def test_linear_and_matmul():
    def define(fd):
        t0, w, b = (fd.from_pytorch(each) for each in (x, weight, bias))
        t1 = fd.ops.linear(t0, w, b)
        fd.add_output(fd.ops.matmul(fd.ops.relu(t1), fd.ops.permute(w, [0, 1])))

    x, weight, bias = random(2, 3, 4), random(5, 4), random(5)
    check(define, [x, weight, bias], np.maximum(x @ weight.T + bias, 0) @ weight)


# The definition


def test_fusion_definition_print():
    """What a definition prints defines the same program."""
    fd = FusionDefinition()
    with fd:
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half)
        s0 = fd.define_scalar(DataType.Double)
        var, mean = fd.ops.var_mean(fd.ops.cast(t0, DataType.Float), [1], correction=0, keepdim=True)
        t1 = fd.ops.broadcast_in_dim(mean, [t0.size(0), t0.size(1)], [0, 1]) * s0 + (var // 2.0) - float("inf")
        fd.add_output(fd.ops.clamp(-t1, max=3.0))
        fd.add_output(fd.ops.full(fd.define_vector(2), True, DataType.Bool))
    scope = {"FusionDefinition": FusionDefinition, "DataType": DataType}
    exec(repr(fd), scope)
    with FusionDefinition() as again:
        scope["nvfuser_fusion"](again)
    assert str(again.fusion) == str(fd.fusion)
    assert "S1 = fd.define_scalar(DataType.Double)" in repr(fd)


def test_repro_script_for():
    with FusionDefinition() as fd:
        fd.add_output(fd.define_tensor([-1, -1]) * fd.define_scalar(DataType.Double))
    inputs = [random(2, 3), 2.5]
    with pytest.raises(ValueError, match="expected an execution with save_repro_inputs=True"):
        fd.last_repro_script()
    fd.execute(inputs, save_repro_inputs=True)
    scope = {}
    exec(fd.last_repro_script(), scope)
    assert [each if isinstance(each, float) else (each.shape, each.dtype) for each in scope["inputs"]] == [
        ((2, 3), "float32"),
        2.5,
    ]
    assert str(scope["fd"].fusion) == str(fd.fusion)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float64"])
def test_repro_script_runs(dtype):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], dtype=fuser.fusion_definition.get_data_type(np.dtype(dtype)))
        y = fd.ops.cast(x, DataType.Float) * fd.define_scalar(DataType.Double)
        fd.add_output(y + fd.define_vector(1)[0])
    scope = {}
    inputs = [random(3, 2).astype(dtype).T, np.float64("inf"), [3]]
    exec(fd.repro_script_for(inputs), scope)
    got, *numbers = scope["inputs"]
    assert (got.shape, got.strides, got.dtype) == (inputs[0].shape, inputs[0].strides, dtype)
    assert numbers == [float("inf"), [3]]


@pytest.mark.parametrize("device", ["gpu", "tpu", "", "cuda:", "cuda:x", "sim:1", -1, 1.0, True, object()])
def test_devices_that_there_are_not(device):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    with pytest.raises(
        ValueError, match=f"expected as device a number, a torch.device, .* got {re.escape(repr(device))}$"
    ):
        fd.execute([random(3)], device=device)


def test_there_is_one_cpu():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    with pytest.raises(ValueError, match="^expected device 0 of target 'cpu', got 3$"):
        fd.execute([random(3)], device="cpu:3")


def test_names_of_devices():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    known = {"cpu": ("cpu", 0), "cpu:0": ("cpu", 0), "sim": ("sim", 0), "cuda": ("cuda", 0), "cuda:3": ("cuda", 3)}
    known |= {0: ("cuda", 0), 2: ("cuda", 2)}
    for device, place in known.items():
        assert fd._find_device([], device) == place


def test_devices_of_torch():
    torch = pytest.importorskip("torch")
    places = [FusionDefinition()._find_device([], torch.device(name)) for name in ("cpu", "cuda", "cuda:1")]
    assert places == [("cpu", 0), ("cuda", 0), ("cuda", 1)]
    with pytest.raises(ValueError, match="got device.type='meta'"):
        FusionDefinition()._find_device([], torch.device("meta"))


def test_validate():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    x = random(4)
    fd.validate([x], [np.exp(x)])
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        fd.validate([x], [np.exp(x) + 1])
    with pytest.raises(ValueError, match="expected 2 outputs, got 1"):
        fd.validate([x], [x, x])
    np.testing.assert_allclose(fd.validate([x])[0], np.exp(x), rtol=1e-6)


def test_fusion_execution_cache():
    """One executable for all sizes."""
    with FusionDefinition() as fd:
        fd.add_output(fd.define_tensor(shape=[-1, -1]) + 1.0)
    for shape in ((2, 3), (5, 7)):
        np.testing.assert_array_equal(fd.execute([np.zeros(shape, np.float32)])[0], np.ones(shape))
    assert len(fd._executables) == 1


def test_lru_fusion_cache_decorator():
    cache = LruFusionCache(max_fusions=2)

    @cache
    def define(count):
        with FusionDefinition() as fd:
            t0 = fd.define_tensor(shape=[-1])
            for _ in range(count):
                t0 = fd.ops.neg(t0)
            fd.add_output(t0)
        return fd

    first = define(1)
    assert define(1) is first and define(2) is not first
    define(3)
    assert cache.num_fusions() == 2 and define(1) is not first


def test_fusion_empty():
    with pytest.raises(fuser.Error, match="expected a program with at least one output, got none"), FusionDefinition():
        pass


def test_mismatched_input_types():
    with FusionDefinition() as fd:
        fd.add_output(fd.define_tensor(shape=[-1]) + 1.0)
    with pytest.raises(fuser.Error, match="input 0 'arg0': expected element type f32, got f64$"):
        fd.execute([random(3, dtype=np.float64)])
    with pytest.raises(fuser.Error, match="expected 1 tensors and 0 numbers, got 0 and 1"):
        fd.execute([2.0])


def test_unsupported_types():
    fd = FusionDefinition()
    with pytest.raises(
        NotImplementedError, match=r"DataType\.Float4_e2m1fn_x2: fuser has no tensors of it; there are Double, Float"
    ):
        fd.define_tensor(shape=[-1], dtype=DataType.Float4_e2m1fn_x2)
    with pytest.raises(NotImplementedError, match=r"fd\.sched\.schedule: a schedule by hand"):
        fd.sched.schedule()
    assert not hasattr(fd.sched, "schedule")


def test_errors_name_the_line():
    fd = FusionDefinition()
    t0, t1 = fd.define_tensor(shape=[3]), fd.define_tensor(shape=[4])
    with pytest.raises(fuser.Error, match=rf"{__file__}:\d+: error: 'mul': expected shapes that broadcast"):
        fd.ops.mul(t0, t1)


# The module


def test_python_version_API():
    assert version() == fuser.__version__


def test_compute_tensor_descriptor():
    assert compute_tensor_descriptor([2, 3, 4], [12, 4, 1]) == ([True, True, True], [2, 1, 0])
    assert compute_tensor_descriptor([2, 3, 4], [1, 2, 6]) == ([True, True, True], [0, 1, 2])
    assert compute_tensor_descriptor([2, 3, 1, 4], [24, 8, 8, 2]) == ([True, True, None, False], [3, 2, 1, 0])
    assert compute_tensor_descriptor([2, 3], [3, 0]) == ([False, None], [1, 0])
    # A stride of 0 says nothing of the order: the dimension stays before its neighbour.
    assert compute_tensor_descriptor([3, 4, 5, 2], [2, 6, 0, 1]) == ([True, True, None, True], [2, 3, 1, 0])


def test_pytorch_utils():
    assert torch_dtype_to_nvfuser_dtype(np.dtype("float16")) is DataType.Half
    assert [python_scalar_to_nvfuser_dtype(each) for each in (True, 1, 1.0)] == [
        DataType.Bool,
        DataType.Int,
        DataType.Double,
    ]


def test_pytorch():
    torch = pytest.importorskip("torch")
    x, w = torch.randn(4, 8), torch.randn(8, dtype=torch.bfloat16)
    with FusionDefinition() as fd:
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(w)
        fd.add_output(fd.ops.cast(fd.ops.silu(t0 * t1), DataType.BFloat16))
    (got,) = fd.execute([x, w])
    torch.testing.assert_close(got, torch.nn.functional.silu(x * w).bfloat16())
    assert torch_dtype_to_nvfuser_dtype(torch.int32) is DataType.Int32


@pytest.mark.cuda
def test_cuda():
    torch = pytest.importorskip("torch")
    x = torch.randn(4, 1000, device="cuda")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.from_pytorch(x), 1))
    (got,) = fd.execute([x])
    torch.testing.assert_close(got, x.sum(1))


def test_executable():
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=[True])
        fd.add_output(fd.ops.exp(x))
    with pytest.raises(fuser.Error, match="expected a definition that was executed, got one that was not"):
        _ = fd.executable
    fd.execute([np.ones(3, np.float32)])
    assert "exp" in fd.executable.ir("program")


# What an older frontend of nvFuser's has


def test_a_class_with_a_definition():
    """The method is not called: the error says so, and where the object was made."""

    class Scale(FusionDefinition):
        def definition(self):
            self.add_output(self.from_pytorch(np.ones(3, np.float32)) * 2.0)

    fd = Scale()
    line = test_a_class_with_a_definition.__code__.co_firstlineno + 7
    expected = rf"test_fusion_definition\.py:{line}: error: expected a program with at least one output, got none: a method definition\(\) is of"
    for wrong in (lambda: fd.execute([np.ones(3, np.float32)]), fd.validate_definition, lambda: fd.fusion):
        with pytest.raises(fuser.Error, match=expected) as caught:
            wrong()
        assert caught.value.code == 1
    fd.definition()
    np.testing.assert_array_equal(fd.execute([np.ones(3, np.float32)])[0], [2, 2, 2])


def test_no_outputs_are_at_the_definition():
    fd = FusionDefinition()
    line = test_no_outputs_are_at_the_definition.__code__.co_firstlineno + 1
    with pytest.raises(
        fuser.Error, match=rf"\.py:{line}: error: expected a program with at least one output, got none$"
    ):
        fd.execute([])


@pytest.mark.parametrize(
    "name, instead",
    [
        ("profile", r"fd\.executable\.report"),
        ("print_repro", r"print\(fd\.repro_script_for\(inputs\)\)"),
        ("override_user_schedule", "a schedule by hand is an attribute of the program's text"),
        ("capture_debug_output", r"fd\.executable\.ir"),
    ],
)
def test_keywords_of_execute(name, instead):
    with FusionDefinition() as fd:
        fd.add_output(fd.from_pytorch(x := np.ones(3, np.float32)) * 2.0)
    with pytest.raises(NotImplementedError, match=rf"^fd\.execute with {name}=True: .*{instead}"):
        fd.execute([x], **{name: True})
    np.testing.assert_array_equal(fd.execute([x], **{name: False})[0], x * 2)
    with pytest.raises(
        TypeError, match=r"fd\.execute: expected the keywords .*, got 'save_repro'; did you mean 'save_repro_inputs'\?"
    ):
        fd.execute([x], save_repro=True)
