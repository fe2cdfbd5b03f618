# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a FusionDefinition, one by one, against NumPy."""

import re

import numpy as np
import pytest
from conftest import ROOT
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import RNG, check, random, run

ONE = (
    "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf erfc erfcinv erfinv exp exp2 expm1 floor frac isfinite isinf isnan"
    " isneginf isposinf isreal lgamma log log10 log1p log2 logical_not neg real reciprocal relu round rsqrt segment_set set sigmoid sign"
    " signbit silu sin sinh sqrt tan tanh trunc"
).split()
TWO = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor div eq fmod gcd ge gt le"
    " logical_and logical_or logical_right_shift lt maximum minimum mod mul ne nextafter pow remainder sub truediv"
).split()
OTHERS = (
    "lerp where clamp threshold addcmul max min sum var var_mean cast triu matmul linear broadcast broadcast_in_dim reshape permute"
    " expand squeeze slice size shape stride_order select cat iota full"
    " prod index_select take_along_axis gather embedding_fwd pad uniform rand_like"
    " cumsum cumprod cummin cummax topk argsort scatter complex imag"
    " normal randn_like welford sdpfa_fwd sdpfa_bwd scaled_mm grouped_mm nv_block_quantize"
    " cutlass_nvfp4_grouped_mm preprocess_grouped_matmul_input_sf nv_grouped_block_quantize"
).split()


def test_names_of_all_ops():
    """Each op of nvFuser's is there."""
    ops = FusionDefinition().ops
    assert len({*ONE, *TWO, *OTHERS}) == 134
    for name in (*ONE, *TWO, *OTHERS):
        assert callable(getattr(ops, name)) and getattr(ops, name).__name__ == name
    with pytest.raises(
        AttributeError, match="got 'argmax', which nvFuser has not: programs of a fuser.Builder have it"
    ):
        getattr(ops, "argmax")  # noqa: B009
    with pytest.raises(AttributeError, match="expected an op of nvFuser's, got 'conv2d'"):
        getattr(ops, "conv2d")  # noqa: B009


def numpy_function(name):
    named = {
        "erf": None,
        "erfc": None,
        "erfcinv": None,
        "erfinv": None,
        "lgamma": None,
        "neg": np.negative,
        "round": np.round,
        "isreal": np.isreal,
        "real": np.real,
        "set": np.copy,
        "segment_set": np.copy,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "relu": lambda x: np.maximum(x, 0),
        "frac": lambda x: x - np.trunc(x),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "silu": lambda x: x / (1 + np.exp(-x)),
        "bitwise_not": None,
    }
    names = {
        "acos": "arccos",
        "asin": "arcsin",
        "atan": "arctan",
        "acosh": "arccosh",
        "asinh": "arcsinh",
        "atanh": "arctanh",
    }
    return named[name] if name in named else getattr(np, names.get(name, name))


@pytest.mark.parametrize("name", [name for name in ONE if numpy_function(name)])
def test_ops_of_one_operand(name):
    x = RNG.uniform(1.1, 3, 6).astype(np.float32) if name == "acosh" else RNG.uniform(0.1, 0.9, 6).astype(np.float32)
    check(lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x))), [x], numpy_function(name)(x))


@pytest.mark.parametrize(
    "name", ["eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "pow", "atan2", "logical_and"]
)
def test_ops_of_two_operands(name):
    functions = {
        "eq": "equal",
        "ne": "not_equal",
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
    }
    functions |= {"sub": "subtract", "mul": "multiply", "pow": "power", "atan2": "arctan2"}
    x, y = np.abs(random(3, 4)) + 0.1, np.abs(random(4)) + 0.1
    function = getattr(np, functions.get(name, name))
    check(
        lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x), fd.from_pytorch(y))), [x, y], function(x, y)
    )


def test_clamp_and_threshold():
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.clamp(t0, -0.5, 0.5))
        fd.add_output(fd.ops.clamp(t0, max=0.5))
        fd.add_output(fd.ops.threshold(t0, 0.25, 9.0))
        fd.add_output(fd.ops.lerp(t0, t0 + 2.0, 0.75))

    x = random(20)
    check(define, [x], np.clip(x, -0.5, 0.5), np.minimum(x, 0.5), np.where(x <= 0.25, 9.0, x), x + 1.5)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_forms_of_reductions(name):
    def define(fd):
        t0, op = fd.from_pytorch(x), getattr(fd.ops, name)
        fd.add_output(op(t0))
        fd.add_output(op(t0, DataType.Double))
        fd.add_output(op(t0, 1))
        fd.add_output(op(t0, [0, -1], True))
        fd.add_output(op(t0, dim=0, keepdim=True, dtype=DataType.Double))

    x, f = random(2, 3, 4), getattr(np, name)
    d = x.astype(np.float64)
    check(define, [x], f(x), f(d), f(x, 1), f(x, (0, 2), keepdims=True), f(d, 0, keepdims=True))


def test_rows_by_their_numbers():
    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (x, one, two))
        fd.add_output(fd.ops.index_select(t0, t1, 0))
        fd.add_output(fd.ops.index_select(t0, t1, -1))
        fd.add_output(fd.ops.index_select(t0, fd.define_scalar(2), 1))
        fd.add_output(fd.ops.embedding_fwd(t2, t0, 0, None, 2.0, True, False))

    x, one, two = random(6, 7), RNG.integers(0, 6, 3), RNG.integers(0, 6, (2, 3)).astype(np.int32)
    check(define, [x, one, two], x[one], x[:, one], x[:, [2]], x[two])
    with pytest.raises(TypeError, match="unexpected keyword argument 'dense'"):
        run(lambda fd: fd.ops.embedding_fwd(fd.from_pytorch(two), fd.from_pytorch(x), dense=True), [two, x])


@pytest.mark.parametrize("given", [None, "a", [1]])
def test_operands_that_are_none(given):
    with pytest.raises(TypeError, match=rf"sub: expected a value of .* as operand 1, got {re.escape(repr(given))}$"):
        run(lambda fd: fd.ops.sub(fd.from_pytorch(random(3)), given), [random(3)])


@pytest.mark.parametrize("norm_type", [None, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("known", [False, True])
def test_rows_of_a_greatest_norm(norm_type, known):
    x, index, power = random(6, 7), np.array([[5, 0], [3, 3]]), norm_type or 2.0
    norms = (np.abs(x) ** power).sum(1, keepdims=True) ** (1 / power)
    bound = float(np.median(norms[[0, 3, 5]]))  # One of the rows that are read is longer.

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(index)
        greatest = bound if known else fd.define_scalar(dtype=DataType.Double)
        given = norm_type if known or norm_type is None else fd.define_scalar(dtype=DataType.Double)
        fd.add_output(fd.ops.embedding_fwd(t1, t0, None, greatest, given))

    inputs = [x, index] + ([] if known else [bound]) + ([] if known or norm_type is None else [norm_type])
    check(define, inputs, np.where(norms > bound, x * bound / (norms + 1e-7), x)[index])


@pytest.mark.parametrize("sizes", [(6, 7), (6, 3), (2, 3), (9, 3)])
@pytest.mark.parametrize("opened", [False, True])
def test_gather_of_fewer_indices(sizes, opened):
    def define(fd):
        given = [[-1] * 2, [-1] * 2] if opened else [[6, 7], sizes]
        t0 = fd.define_tensor(shape=given[0], contiguity=True)
        t1 = fd.define_tensor(shape=given[1], contiguity=True, dtype=DataType.Int)
        fd.add_output(fd.ops.gather(t0, t1, 0))
        if sizes[0] == 6:
            fd.add_output(fd.ops.take_along_axis(t0, t1, 1))

    x, index = random(6, 7), RNG.integers(0, 6, sizes)
    expected = np.take_along_axis(x[:, : sizes[1]], index, 0)
    check(define, [x, index], expected, *([np.take_along_axis(x, index, 1)] if sizes[0] == 6 else []))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_scans(name):
    function = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}[name]
    x = random(5, 8)
    expected = function.accumulate(x, 0)
    check(lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x), 0)), [x], expected)
    check(lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x), -2)), [x], expected)


@pytest.mark.parametrize("largest", [False, True])
def test_sorts(largest):
    x = random(5, 8)

    def define(fd):
        t0 = fd.from_pytorch(x)
        values, indices = fd.ops.topk(t0, 3, -1, largest=largest, sorted=True)
        for output in (values, indices, fd.ops.argsort(t0, 1, descending=largest, stable=True)):
            fd.add_output(output)

    order = np.argsort(-x if largest else x, 1, kind="stable")
    check(define, [x], np.take_along_axis(x, order[:, :3], 1), order[:, :3], order)


def test_scatters():
    x, index, src = random(5, 8), RNG.integers(0, 8, (5, 3)), random(5, 3)
    index.sort(axis=1)

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(t) for t in (x, index, src))
        fd.add_output(fd.ops.scatter(t0, t1, t2, dim=1))
        fd.add_output(fd.ops.scatter(t0, t1, fd.define_scalar(1.5), 1))

    expected, filled = x.copy(), x.copy()
    for row, column in np.ndindex(index.shape):
        expected[row, index[row, column]] = src[row, column]
    np.put_along_axis(filled, index, 1.5, 1)
    check(define, [x, index, src], expected, filled)


def test_pads():
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.pad(t0, [1, 2]))
        fd.add_output(fd.ops.pad(t0, [0, 1, 2, 3], 4.0))
        fd.add_output(fd.ops.pad(t0, [-1, 0, t0.size(1), 0], fd.define_scalar(2.0)))

    x = random(3, 4)
    first, second = np.pad(x, ((0, 0), (1, 2))), np.pad(x, ((2, 3), (0, 1)), constant_values=4)
    check(define, [x], first, second, np.pad(x[:, 1:], ((4, 0), (0, 0)), constant_values=2))
    with pytest.raises(ValueError, match="expected pairs of numbers as pad_widths, got 3 numbers"):
        run(lambda fd: fd.ops.pad(fd.from_pytorch(x), [1, 2, 3]), [x])


def test_random_numbers():
    def define(fd):
        t0, seed = fd.from_pytorch(x), fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.rand_like(t0, rng_seed=seed, rng_offset=1))
        fd.add_output(fd.ops.uniform(0.0, 1.0, [1000, t0.size(1)], rng_seed=7, rng_offset=fd.define_scalar(1)))
        fd.add_output(fd.ops.uniform(-2.0, 2.0, [1000, 4], rng_seed=7, rng_offset=1))
        fd.add_output(fd.ops.uniform(2.0, 3.0, [1000], rng_seed=7, rng_offset=2, dtype=DataType.Double))

    x = random(1000, 4)
    unit, same, wide, double = run(define, [x, 7])
    assert unit.shape == (1000, 4) and 0 <= unit.min() and unit.max() < 1 and abs(unit.mean() - 0.5) < 0.02
    np.testing.assert_array_equal(unit, same)
    np.testing.assert_array_equal(wide, unit * 4 - 2)
    assert double.dtype == np.float64 and 2 <= double.min() and double.max() < 3 and len(set(double)) == 1000
    with pytest.raises(ValueError, match="expected rng_seed and rng_offset, or neither of them, got one of them"):
        run(lambda fd: fd.ops.uniform(0, 1, [2], rng_seed=1), [])


def test_random_numbers_of_a_generator():
    """Others in each execution, of each op; the same again from the same state on."""
    with FusionDefinition() as fd:
        t0 = fd.from_pytorch(x := random(100, 4))
        low = fd.ops.rand_like(t0)
        scale = fd.define_scalar(dtype=DataType.Double)
        fd.add_output(fd.ops.mul(low, scale))
        fd.add_output(fd.ops.uniform(0.0, 1.0, [100, 4]))
    np.random.seed(7)
    results = [each for _ in range(2) for each in fd.execute([x, 2.0])]
    np.random.seed(7)
    again = fd.execute([x, 2.0])
    np.testing.assert_array_equal(again, results[:2])
    assert len({each.tobytes() for each in results}) == 4
    assert results[0].max() > 1.5 and results[1].max() <= 1
    assert repr(fd).count("rng_seed") == 0


def test_number_of_ops():
    """docs/nvfuser.md says how many there are."""
    assert f"all {len({*ONE, *TWO, *OTHERS})} ops of `fd.ops`" in (ROOT / "docs/nvfuser.md").read_text()
