# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of elements with every element type against NumPy, and what is wrong with each op, as nvFuser's opinfo tests have it."""

import ctypes
import math

import fuser
import ml_dtypes
import numpy as np
import pytest
from conftest import assert_units
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import check, run
from test_nvfuser_ops import ONE, TWO, numpy_function

FLOATS = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16]
INTEGERS = [np.int64, np.int32]
#: Where functions are defined and no greater than Half has numbers for; others are of (-4, 4).
DOMAINS = {
    **dict.fromkeys(("acos", "asin", "atanh", "erfinv"), (-0.95, 0.95)),
    **dict.fromkeys(("log", "log10", "log2", "sqrt", "rsqrt", "reciprocal", "lgamma"), (0.1, 8)),
    **{"acosh": (1.05, 8), "log1p": (-0.9, 8), "erfcinv": (0.05, 1.95), "tan": (-1.5, 1.5)},
}
_EXACT = "abs bitwise_not ceil floor frac isfinite isinf isnan isneginf isposinf isreal logical_not neg real relu round segment_set set sign signbit trunc"


# Python's has no digits next to its zeros.
LIBM = ctypes.CDLL("libm.so.6")
LIBM.lgamma.restype, LIBM.lgamma.argtypes = ctypes.c_double, [ctypes.c_double]


def erfinv(y):
    """By Newton's method, from tanh's inverse on."""
    x = np.arctanh(y)
    for _ in range(60):
        x = x - (np.vectorize(math.erf)(x) - y) * math.sqrt(math.pi) / 2 * np.exp(x * x)
    return x


FUNCTIONS = {
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "lgamma": np.vectorize(LIBM.lgamma),
    "erfinv": erfinv,
    "erfcinv": lambda y: erfinv(1 - y),
    "bitwise_not": np.invert,
}


def sample(dtype, low, high, count=33):
    """Numbers of the element type, none of them within a rounding of an end."""
    numbers = np.random.default_rng(3).uniform(low, high, count)
    if np.dtype(dtype).kind == "i":
        numbers = np.arange(max(math.ceil(low), -4), math.floor(high) + 1)
    return numbers.astype(dtype)


#: By how many units in the last place of its type a result may be off, where its op rounds: of narrow ones float32 is rounded (half a unit, and a bit for what
#: float32 is off by), of others it is what torch_peers.py has, at most 1.75 and 8.
UNITS = {"bfloat16": 0.55, "float16": 0.6, "float32": 2, "float64": 8}


def near(got, expected, dtype, is_exact=False):
    """Of the element type, or of booleans, and within roundings of it."""
    assert got.shape == expected.shape and got.dtype == (bool if expected.dtype == bool else dtype)
    if np.dtype(got.dtype).kind in "bi":
        np.testing.assert_array_equal(got, expected)
        return
    units = 0 if is_exact else UNITS[got.dtype.name]
    assert_units(got.astype(np.float64), np.float64(expected), ml_dtypes.finfo(got.dtype), units)


def get_name(dtype):
    return np.dtype(dtype).name


def find_ops_of_one_operand():
    """(op, element type): functions of a part of the numbers are of floats."""
    of_bits = ["bitwise_not", "logical_not", "set", "segment_set", "isfinite", "isnan"]
    for name in ONE:
        yield from ((name, dtype) for dtype in FLOATS if name != "bitwise_not")
        yield from ((name, dtype) for dtype in INTEGERS if name not in DOMAINS)
        yield from ((name, dtype) for dtype in [np.bool_] if name in of_bits)


@pytest.mark.parametrize(
    "name, dtype", list(find_ops_of_one_operand()), ids=lambda each: each if isinstance(each, str) else get_name(each)
)
def test_correctness_of_one_operand(name, dtype):
    kind = np.dtype(dtype).kind
    is_exact = name in _EXACT.split()
    x = np.array([True, False]) if kind == "b" else sample(dtype, *DOMAINS.get(name, (-4, 4)))
    function = FUNCTIONS.get(name) or numpy_function(name)
    expected = function(x if kind == "b" or name == "bitwise_not" else x.astype(np.float64))
    (got,) = run(lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x))), [x])
    # Functions of integers are Float.
    near(got, expected, dtype if is_exact or kind != "i" else np.float32, is_exact)


_NUMPY = {
    **{
        "atan2": "arctan2",
        "div": "true_divide",
        "truediv": "true_divide",
        "mod": "fmod",
        "sub": "subtract",
        "mul": "multiply",
    },
    **{"pow": "power", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater"},
    **{"ge": "greater_equal", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift"},
}
_BITS = [name for name in TWO if "bitwise" in name or "shift" in name]


def shift_logically(x, count):
    unsigned = x.view(f"u{x.dtype.itemsize}")  # Then zeros come from above.
    return (unsigned >> count.astype(unsigned.dtype)).view(x.dtype)


def compute_two(name, x, y):
    """In float64, or of bits as they are."""
    if name == "logical_right_shift":
        return shift_logically(x, y)
    if name in _BITS or name in ("gcd", "nextafter"):
        return getattr(np, _NUMPY.get(name, name))(x, y)
    result = getattr(np, _NUMPY.get(name, name))(np.float64(x), np.float64(y))
    return np.trunc(result) if name == "div" and np.dtype(x.dtype).kind == "i" else result


def find_types(name):
    if name in _BITS or name == "gcd":
        return INTEGERS
    return FLOATS if name == "nextafter" else [*FLOATS, *INTEGERS]


@pytest.mark.parametrize(
    "name, dtype",
    [(name, dtype) for name in TWO for dtype in find_types(name)],
    ids=lambda each: each if isinstance(each, str) else get_name(each),
)
def test_correctness_of_two_operands(name, dtype):
    """Of tensors of different shapes, and of a tensor and a number on either side."""
    is_integer = np.dtype(dtype).kind == "i"
    x, y = sample(dtype, -6, 6, 9).reshape(-1, 3 if not is_integer else 1), sample(dtype, 1, 3, 3)
    if name == "pow":
        x, number = np.abs(x), 2
    else:
        number = 2 if is_integer else 1.5

    def define(fd):
        t0, t1, op = fd.from_pytorch(x), fd.from_pytorch(y), getattr(fd.ops, name)
        for operands in ((t0, number), (t0, t1), (number, t1)):
            fd.add_output(op(*operands))

    result = np.float32 if is_integer and name in ("truediv", "atan2") else dtype
    constant = np.asarray(number, dtype)
    pairs = [(x, constant), (x, y), (np.broadcast_to(constant, y.shape).copy(), y)]
    for got, pair in zip(run(define, [x, y]), pairs, strict=True):
        near(got, compute_two(name, *pair), result, name == "nextafter")


@pytest.mark.parametrize("dtype", FLOATS, ids=get_name)
def test_correctness_of_three_operands(dtype):
    x, y, z = (sample(dtype, low, low + 3) for low in (-2, -1, 0.5))

    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (x, y, z))
        fd.add_output(fd.ops.where(fd.ops.lt(t0, t1), t0, t2))
        fd.add_output(fd.ops.clamp(t0, -0.5, 0.5))
        fd.add_output(fd.ops.threshold(t0, 0.25, 2.0))
        fd.add_output(fd.ops.addcmul(t0, t1, t2, 2.0))
        fd.add_output(fd.ops.lerp(t0, t1, t2))

    a, b, c = (each.astype(np.float64) for each in (x, y, z))
    expected = [np.where(a < b, a, c), np.clip(a, -0.5, 0.5), np.where(a <= 0.25, 2, a), a + 2 * b * c, a + c * (b - a)]
    for number, (got, wanted) in enumerate(zip(run(define, [x, y, z]), expected, strict=True)):
        assert got.dtype == dtype
        if number < 3:
            np.testing.assert_array_equal(got.astype(np.float64), wanted)
        else:  # Terms cancel.
            assert_units(got.astype(np.float64), wanted, ml_dtypes.finfo(dtype), UNITS[get_name(dtype)], 1)


# What is wrong


def tensor(fd, *shape, dtype=DataType.Float):
    return fd.define_tensor(shape=list(shape), contiguity=True, dtype=dtype)


def index(fd, *shape):
    return tensor(fd, *shape, dtype=DataType.Int)


ERRORS = {
    "broadcast_of_fewer": lambda fd: fd.ops.broadcast(tensor(fd, 2, 3), [True, False]),
    "broadcast_of_more": lambda fd: fd.ops.broadcast(tensor(fd, 2, 3), [True, False, False, False]),
    "broadcast_in_dim_of_one": lambda fd: fd.ops.broadcast_in_dim(tensor(fd, 2, 2), [2, 2, 3], [0]),
    "broadcast_in_dim_to_fewer": lambda fd: fd.ops.broadcast_in_dim(tensor(fd, 2, 2), [2], [0]),
    "broadcast_in_dim_beyond": lambda fd: fd.ops.broadcast_in_dim(tensor(fd, 2, 2), [2, 2], [0, 2]),
    "broadcast_in_dim_of_a_size": lambda fd: fd.ops.broadcast_in_dim(tensor(fd, 2, 3), [2, 3, 4], [0, 2]),
    "cat_of_none": lambda fd: fd.ops.cat([], 0),
    "cat_beyond": lambda fd: fd.ops.cat([tensor(fd, 1), tensor(fd, 2)], 1),
    "cat_before": lambda fd: fd.ops.cat([tensor(fd, 2), tensor(fd, 2)], -2),
    "cat_of_ranks": lambda fd: fd.ops.cat([tensor(fd, 2), tensor(fd, 2, 3)], 0),
    "cat_of_sizes": lambda fd: fd.ops.cat([tensor(fd, 2, 3), tensor(fd, 4, 5)], 0),
    "contiguity_of_more": lambda fd: fd.define_tensor(shape=[-1, -1], contiguity=[True] * 3),
    "contiguity_of_a_number": lambda fd: fd.define_tensor(shape=[10], contiguity=[-1]),
    "define_tensor_below": lambda fd: fd.define_tensor(shape=[-2], contiguity=[True]),
    "full_below": lambda fd: fd.ops.full([2, -2], 1.0, DataType.Float),
    "topk_beyond": lambda fd: fd.ops.topk(tensor(fd, 128, 7, 32), 3, 3, True, False),
    "topk_before": lambda fd: fd.ops.topk(tensor(fd, 128, 7, 32), 3, -4, True, False),
    "topk_of_less": lambda fd: fd.ops.topk(tensor(fd, 128, 7, 32), -5, 1, True, False),
    "topk_of_more": lambda fd: fd.ops.topk(tensor(fd, 128, 7, 32), 16, 1, True, False),
    "index_select_beyond": lambda fd: fd.ops.index_select(tensor(fd, 4, 2), index(fd, 8), 2),
    "index_select_before": lambda fd: fd.ops.index_select(tensor(fd, 4, 2), index(fd, 8), -3),
    "iota_from_complex": lambda fd: fd.ops.iota(3, 1 + 2j, 1, DataType.Float),
    "iota_by_complex": lambda fd: fd.ops.iota(3, 1, 1 + 2j, DataType.Float),
    "pad_by_complex": lambda fd: fd.ops.pad(tensor(fd, 2, 2), [1, 1, -1, 2], 1 + 2j),
    "pad_below": lambda fd: fd.ops.pad(tensor(fd, 2, 2), [-3, 0, 0, 0], 1.0),
    "pad_of_more": lambda fd: fd.ops.pad(tensor(fd, 2, 2), [1] * 6, 1.0),
    "permute_of_floats": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0.0, 1.0, 2.0, 3.0]),
    "permute_twice": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0, 1, 1, 3]),
    "permute_beyond": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0, 1, 2, 4]),
    "permute_before": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0, 1, 2, -5]),
    "permute_of_one": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0]),
    "permute_of_more": lambda fd: fd.ops.permute(tensor(fd, 10, 3, 4, 4), [0, 1, 2, 3, 4]),
    "uniform_integers": lambda fd: fd.ops.uniform(0.0, 1.0, [2, 2], dtype=DataType.Int),
    "normal_integers": lambda fd: fd.ops.normal(0.0, 1.0, [2, 2], dtype=DataType.Int32),
    "var_mean_twice": lambda fd: fd.ops.var_mean(tensor(fd, 8, 1, 6), [0, 0, 0]),
    "var_mean_before": lambda fd: fd.ops.var_mean(tensor(fd, 8, 1, 6), [-4]),
    "sum_beyond": lambda fd: fd.ops.sum(tensor(fd, 8, 1, 6), [3]),
    "reshape_of_two_open": lambda fd: fd.ops.reshape(tensor(fd, 3, 14), [3, -1, -1]),
    "reshape_to_more": lambda fd: fd.ops.reshape(tensor(fd, 3, 14), [3, 2, 8]),
    "squeeze_before": lambda fd: fd.ops.squeeze(tensor(fd, 5, 1, 1), [-4, -5]),
    "squeeze_beyond": lambda fd: fd.ops.squeeze(tensor(fd, 5, 1, 1), [2, 3]),
    "squeeze_of_more": lambda fd: fd.ops.squeeze(tensor(fd, 5, 1, 1), [1, 2, 3, 4]),
    "squeeze_of_none": lambda fd: fd.ops.squeeze(tensor(fd), [0]),
    "take_along_axis_beyond": lambda fd: fd.ops.take_along_axis(tensor(fd, 4, 2), index(fd, 3, 1), 2),
    "take_along_axis_before": lambda fd: fd.ops.take_along_axis(tensor(fd, 4, 2), index(fd, 3, 1), -3),
    "gather_beyond": lambda fd: fd.ops.gather(tensor(fd, 4, 2), index(fd, 3, 1), 2),
    "size_beyond": lambda fd: fd.ops.size(tensor(fd, *[2] * 8), 8),
    "size_before": lambda fd: fd.ops.size(tensor(fd, *[2] * 8), -9),
    "linear_of_sizes": lambda fd: fd.ops.linear(tensor(fd, 4, 2), tensor(fd, 3, 5)),
    "triu_of_one": lambda fd: fd.ops.triu(tensor(fd, 4)),
    "triu_of_none": lambda fd: fd.ops.triu(tensor(fd)),
    "cumsum_beyond": lambda fd: fd.ops.cumsum(tensor(fd, 4, 4), 2),
    "cumsum_before": lambda fd: fd.ops.cumsum(tensor(fd, 4, 4), -3),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    """At the line of the call, with what was expected."""
    with pytest.raises(fuser.Error, match=r"test_op_samples\.py:\d+: error: .*expected"):
        result = ERRORS[name](FusionDefinition())
        pytest.fail(f"expected an error, got {result}")


def test_errors_of_python():
    """What is no integer, or is not there, is an error of Python's kinds."""
    for wrong, message in (
        (lambda fd: fd.ops.iota(1.5, 0, 1, DataType.Int), "expected an integer as a size or a bound, got 1.5"),
        (lambda fd: fd.ops.var_mean(tensor(fd, 8, 1, 6), 3.0), "expected a dimension, or several, got 3.0"),
        (lambda fd: fd.ops.topk(tensor(fd, 8, 6), 2.5), "expected an integer as k, got 2.5"),
        (lambda fd: fd.ops.argsort(tensor(fd, 8, 6), "x"), "expected a dimension as dim, got 'x'"),
    ):
        with pytest.raises(TypeError, match=message):
            wrong(FusionDefinition())
    with pytest.raises(IndexError, match="^list index out of range$"):
        FusionDefinition().define_vector(2)[2]
    with pytest.raises(fuser.Error, match=r"expected sizes below 2\*\*63, got 9223372036854775808"):
        FusionDefinition().define_tensor(shape=[2**63], contiguity=[True])


def test_what_is_no_error():
    """nvFuser refuses these: a condition of numbers, a step of 0, a bias that is longer than the product's rows, more than 8 dimensions."""
    x = np.array([[0.0, 2.0], [-1.0, 0.0]], np.float32)

    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.where(t0, 1.0, t0))
        fd.add_output(fd.ops.iota(3, 2.5, 0.0, DataType.Float))
        fd.add_output(fd.ops.linear(t0, fd.ops.full([1, 2], 1.0, DataType.Float), fd.ops.iota(5, dtype=DataType.Float)))

    sums = x.sum(1, keepdims=True) + np.arange(5, dtype=np.float32)
    check(define, [x], np.where(x != 0, 1, x), np.full(3, 2.5, np.float32), sums)
    many = np.ones([1] * 9, np.float32)
    check(lambda fd: fd.add_output(fd.ops.neg(fd.define_tensor(shape=[-1] * 9, contiguity=[True] * 9))), [many], -many)
